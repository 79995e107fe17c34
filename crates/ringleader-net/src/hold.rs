//! Runs a command while a lock is held, or while somebody leads: waits, starts it, stops it in time. The
//! lease is kept by a thread of the client; this one looks at the clock and at the deadline, and waits for
//! nobody.

use crate::oversee::{self, Ended, Happened, Outcome, SLEEP_MAX, Step, Stopping, Tenure, Term};
use crate::{Problem, clock};
use ringleader_client::api::LockInfo;
use ringleader_client::blocking::{Client, Guard};
use ringleader_client::{Class, Code, Kind, LockError, Mode, Options};
use ringleader_live::Micros;
use std::ffi::OsString;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// After so long of waiting it is asked who is in the way.
const CURIOUS: Micros = Micros::millis(300);

/// For how long it is waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// Not at all.
    Try,
    /// So long.
    Most(Micros),
    /// Until it is granted.
    Forever,
}

/// What is to be done.
pub struct Plan {
    /// A lock or an election.
    pub kind: Kind,
    /// Which.
    pub name: String,
    /// Where the servers are, and who asks.
    pub options: Options,
    /// For how long it is waited.
    pub wait: Wait,
    /// The class of the lease.
    pub class: Class,
    /// What others are shown.
    pub value: String,
    /// Of candidates, the highest is first.
    pub priority: u32,
    /// How it is held.
    pub mode: Mode,
    /// As given; what is not is as usual.
    pub grace: Option<Micros>,
    /// The same of the time of KILL.
    pub kill_before: Option<Micros>,
    /// Our own program.
    pub program: OsString,
    /// What is run.
    pub command: Vec<OsString>,
    /// What a shell is to do before the command, while it is held.
    pub on_gain: Option<String>,
    /// What a shell is to do once it was lost.
    pub on_lost: Option<String>,
}

/// What happens, for whoever watches.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the fields say it")]
pub enum Happening {
    /// Somebody else has it.
    Waits { holder: String, remaining: Micros },
    /// The server is not heard at the moment; so long it is held still.
    Trouble { why: String, left: Option<Micros> },
    /// It is held, and the command runs.
    Holds { fence: u64, session: String, server: String, group: i32, left: Micros },
    /// What becomes of the command.
    Command(Step),
    /// It was given back, after so long; or it will be free by itself.
    Released { held: Micros, failed: Option<String> },
}

/// Why nothing was run.
pub enum Refused {
    /// The service, or the way to it.
    Service(LockError),
    /// This machine.
    Machine(Problem),
    /// These times cannot be.
    Times(String),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Refused {
        Refused::Machine(problem)
    }
}

/// What wakes the loop.
enum Event {
    Signal(i32),
    Connected(Result<Client, LockError>),
    Granted(Result<Guard, LockError>),
    Looked(LockInfo),
    Exited(std::io::Result<ExitStatus>),
}

/// Runs the command while it is held.
///
/// # Errors
/// If nothing was run.
pub fn run(plan: &Plan, tell: &mut dyn FnMut(Happening)) -> Result<Ended, Refused> {
    let (events, inbox) = channel();
    let signals = events.clone();
    oversee::watch_signals(move |signal| signals.send(Event::Signal(signal)).is_ok())?;
    let mut hold = Hold { plan, tell, events, inbox, began: clock::now(), said: None };
    // Connecting may take a while, and signals must be heard meanwhile.
    let (options, connected) = (plan.options.clone(), hold.events.clone());
    std::thread::spawn(move || {
        let _ = connected.send(Event::Connected(Client::connect(options)));
    });
    let client = match hold.connected()? {
        Ok(client) => client,
        Err(ended) => return Ok(ended),
    };
    let ended = hold.with(&client);
    client.close();
    ended
}

struct Hold<'a> {
    plan: &'a Plan,
    tell: &'a mut dyn FnMut(Happening),
    events: Sender<Event>,
    inbox: Receiver<Event>,
    began: Micros,
    said: Option<Happening>,
}

impl Hold<'_> {
    /// What happens next, at the latest at that moment.
    fn next(&mut self, until: Micros) -> Option<Event> {
        let sleep = (until - clock::now()).min(SLEEP_MAX);
        // We hold a sender ourselves: there is no other error than that nothing came.
        self.inbox.recv_timeout(Duration::from_micros(sleep.0)).ok()
    }

    /// Tells it, unless it is what was told last.
    fn say(&mut self, happening: Happening) {
        if self.said.as_ref() != Some(&happening) {
            (self.tell)(happening.clone());
            self.said = Some(happening);
        }
    }

    fn connected(&mut self) -> Result<Result<Client, Ended>, Refused> {
        loop {
            match self.next(clock::now() + SLEEP_MAX) {
                Some(Event::Connected(client)) => return client.map(Ok).map_err(Refused::Service),
                Some(Event::Signal(signal)) if oversee::ends_waiting(signal) => {
                    return Ok(Err(Ended::Signal(signal)));
                }
                // There is nobody yet whom another signal is meant for.
                Some(Event::Signal(_) | Event::Granted(_) | Event::Looked(_) | Event::Exited(_)) | None => {}
            }
        }
    }

    fn with(&mut self, client: &Client) -> Result<Ended, Refused> {
        let lease = client.valid(self.plan.class);
        let stopping =
            Stopping::asked(self.plan.grace, self.plan.kill_before, lease).map_err(Refused::Times)?;
        loop {
            let guard = match self.granted(client)? {
                Ok(guard) => guard,
                Err(ended) => return Ok(ended),
            };
            if let Some(ended) = self.held(client, guard, stopping)? {
                return Ok(ended);
            }
        }
    }

    /// Until it is granted.
    fn granted(&mut self, client: &Client) -> Result<Result<Guard, Ended>, Refused> {
        let plan = self.plan;
        let asking = match plan.kind {
            Kind::Lock => client.inner().lock(&plan.name),
            Kind::Election => client.inner().elect(&plan.name).priority(plan.priority),
        };
        let asking = match plan.mode {
            Mode::Exclusive => asking,
            Mode::Shared => asking.shared(),
            Mode::Permits(permits) => asking.permits(permits),
        };
        let asking = asking.class(plan.class).value(plan.value.as_str());
        let asking = match plan.wait {
            Wait::Try => asking.try_now(),
            Wait::Most(most) => asking.timeout(Duration::from_micros((self.began + most - clock::now()).0)),
            Wait::Forever => asking,
        };
        let answers = self.events.clone();
        // Dropped, it is withdrawn.
        let _pending = client.acquire_then(asking, move |outcome| {
            let _ = answers.send(Event::Granted(outcome));
        });
        let mut curious_at = clock::now() + CURIOUS;
        loop {
            match self.next(curious_at) {
                Some(Event::Granted(Ok(guard))) => return Ok(Ok(guard)),
                Some(Event::Granted(Err(error))) => {
                    if matches!(error.code, Code::Timeout | Code::Locked) {
                        return Ok(Err(Ended::NotInTime));
                    }
                    return Err(Refused::Service(error));
                }
                Some(Event::Signal(signal)) if oversee::ends_waiting(signal) => {
                    return Ok(Err(Ended::Signal(signal)));
                }
                Some(Event::Looked(lock)) if lock.state == "held" => {
                    let remaining = Micros::millis(lock.remaining_ms);
                    let behind = match &self.said {
                        Some(Happening::Waits { holder, .. }) => Some(holder),
                        Some(_) | None => None,
                    };
                    // Told once for each holder: the rest of its lease is another at every look.
                    if behind != Some(&lock.holder) {
                        self.say(Happening::Waits { holder: lock.holder, remaining });
                    }
                }
                Some(Event::Signal(_) | Event::Looked(_) | Event::Connected(_) | Event::Exited(_)) | None => {
                }
            }
            let now = clock::now();
            if now < curious_at {
                continue;
            }
            curious_at = now + Micros::millis(1000);
            if let Some(error) = client.inner().trouble() {
                self.say(Happening::Trouble { why: error.message, left: None });
            } else {
                let looks = self.events.clone();
                client.look_then(plan.kind, &plan.name, move |lock| {
                    let _ = looks.send(Event::Looked(lock));
                });
            }
        }
    }

    /// It is held: the command, until nothing of it is left. Nothing if it was lost before anything could
    /// begin.
    fn held(&mut self, client: &Client, guard: Guard, stopping: Stopping) -> Result<Option<Ended>, Refused> {
        let since = clock::now();
        let plan = self.plan;
        let mut term = Term { deadline: guard.deadline(), lost: None, stopping };
        // Hardly begun, it would have to be stopped: the next sign of life gives it more time.
        while !term.is_fresh(clock::now()) {
            if guard.why_lost().is_some() {
                return Ok(None);
            }
            if let Some(Event::Signal(signal)) = self.next(clock::now() + Micros::millis(10))
                && oversee::ends_waiting(signal)
            {
                return Ok(Some(Ended::Signal(signal)));
            }
            term.deadline = guard.deadline();
        }
        let fence = guard.fence();
        let what = match plan.kind {
            Kind::Lock => "RINGLEADER_LOCK",
            Kind::Election => "RINGLEADER_ELECTION",
        };
        let variables = [
            (what, plan.name.clone()),
            ("RINGLEADER_NAME", plan.name.clone()),
            ("RINGLEADER_FENCE", fence.to_string()),
            ("RINGLEADER_SESSION", guard.session()),
            ("RINGLEADER_DEADLINE_MS", (term.deadline.0 / 1000).to_string()),
        ];
        let first = plan.on_gain.as_ref().map(|line| ["sh", "-c", line].map(OsString::from).to_vec());
        let mut holding = Holding { hold: self, guard: &guard, client, term };
        let mut outcome = Outcome::Exited(0);
        for command in first.iter().chain([&plan.command]) {
            if outcome != Outcome::Exited(0) {
                // What was to be done first has failed, or it was lost meanwhile.
                break;
            }
            let (running, child) = oversee::start(&plan.program, command, &variables, &holding.term)?;
            if std::ptr::eq(command, &plan.command) {
                let left = holding.term.deadline - clock::now();
                (holding.hold.tell)(Happening::Holds {
                    fence: fence.number(),
                    session: guard.session(),
                    server: client.inner().server(),
                    group: running.group(),
                    left,
                });
            }
            outcome = oversee::oversee(&mut holding, running, child);
        }
        match outcome {
            Outcome::Exited(code) => {
                let failed = guard.release().err().map(|error| error.to_string());
                (self.tell)(Happening::Released { held: clock::now() - since, failed });
                Ok(Some(Ended::Command(code)))
            }
            Outcome::Stopped => {
                // The command is gone: whatever the server still has of it may go too.
                drop(guard);
                if let Some(failed) =
                    plan.on_lost.as_ref().and_then(|line| oversee::on_lost(line, &variables))
                {
                    (self.tell)(Happening::Command(failed));
                }
                Ok(Some(Ended::Lost))
            }
        }
    }
}

/// It is held: what the command runs under.
struct Holding<'a, 'p> {
    hold: &'a mut Hold<'p>,
    guard: &'a Guard,
    client: &'a Client,
    term: Term,
}

impl Tenure for Holding<'_, '_> {
    fn next(&mut self, until: Micros) -> Option<Happened> {
        match self.hold.next(until)? {
            Event::Signal(signal) => Some(Happened::Signal(signal)),
            Event::Exited(status) => Some(Happened::Exited(status)),
            Event::Connected(_) | Event::Granted(_) | Event::Looked(_) => None,
        }
    }

    fn term(&mut self, now: Micros) -> Term {
        if self.term.lost.is_none() {
            match self.guard.why_lost() {
                // The deadline stays where it was: nothing moves it any more.
                Some(lost) => self.term.lost = Some((now, lost.why)),
                None => self.term.deadline = self.term.deadline.max(self.guard.deadline()),
            }
            let left = self.term.deadline - now;
            if left.0 < self.client.valid(self.guard.class()).0 / 2
                && let Some(error) = self.client.inner().trouble()
                && !matches!(self.hold.said, Some(Happening::Trouble { .. }))
            {
                self.hold.say(Happening::Trouble { why: error.message, left: Some(left) });
            }
        }
        self.term.clone()
    }

    fn silence(&self) -> String {
        "the lease is not renewed".to_owned()
    }

    fn tell(&mut self, step: Step) {
        (self.hold.tell)(Happening::Command(step));
    }

    fn exits(&self) -> Box<dyn FnOnce(std::io::Result<ExitStatus>) + Send> {
        let events = self.hold.events.clone();
        Box::new(move |status| {
            let _ = events.send(Event::Exited(status));
        })
    }
}
