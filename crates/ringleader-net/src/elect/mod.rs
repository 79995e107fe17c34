//! Running a command while a member leads: waits, starts it, stops it in time, whoever sends which signal when.

mod lease;

pub use crate::oversee::{Ended, Stopping};
pub use lease::{Lease, counted};

use crate::client::{self, Answer, Unanswered};
use crate::oversee::{self, Happened, Outcome, SLEEP_MAX, Step, Tenure, Term};
use crate::{Problem, clock};
use ringleader_live::Micros;
use std::ffi::OsString;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// So long it is tried to reach the member at all.
pub const SILENCE: Micros = Micros::millis(5000);

/// How often a member that does not lead is asked.
const ASK_EVERY: Micros = Micros::millis(200);

/// What is to be done.
pub struct Plan {
    /// The group.
    pub group: String,
    /// The member.
    pub member: String,
    /// Where its status is served.
    pub address: String,
    /// The lease of the cluster.
    pub lease: Micros,
    /// How the command is stopped.
    pub stopping: Stopping,
    /// For how long to wait at most.
    pub wait: Option<Micros>,
    /// Our own program.
    pub program: OsString,
    /// The command.
    pub command: Vec<OsString>,
    /// What a shell is to do when it was lost.
    pub on_lost: Option<String>,
}

/// What happens, for whoever watches.
#[derive(Clone, PartialEq, Debug)]
pub enum Happening {
    /// The member does not lead; who does, as far as it knows.
    Waits(Option<String>),
    /// The member does not answer.
    Silent(String),
    /// It leads, in this epoch: the command runs, as this process group.
    Runs {
        /// The epoch.
        epoch: u64,
        /// The process group.
        group: i32,
        /// For how long that is granted, so far.
        left: Micros,
    },
    /// What becomes of the command.
    Command(Step),
}

/// What wakes the loop.
enum Event {
    Signal(i32),
    Answer(Box<Result<Answer, Unanswered>>),
    Exited(std::io::Result<ExitStatus>),
}

/// Runs the command while the member leads.
///
/// # Errors
/// If no member answers, it does not know the group, or no process can be started.
pub fn run(plan: &Plan, tell: &mut dyn FnMut(Happening)) -> Result<Ended, Problem> {
    let (events, inbox) = channel();
    let signals = events.clone();
    oversee::watch_signals(move |signal| signals.send(Event::Signal(signal)).is_ok())?;
    let questions = asker(plan, events.clone());
    let mut elect = Elect { plan, tell, events, inbox, questions, asked: false, ask_at: clock::now() };
    let lease = match elect.wait()? {
        Ok(lease) => lease,
        Err(ended) => return Ok(ended),
    };
    elect.command(lease)
}

/// A thread that asks the member whenever it is told to.
fn asker(plan: &Plan, events: Sender<Event>) -> Sender<()> {
    let (questions, asked) = channel::<()>();
    let address = plan.address.clone();
    // An answer that takes longer than half of the lease extends nothing.
    let patience = Micros(plan.lease.0 / 2).clamp(Micros::millis(200), Micros::millis(2000));
    std::thread::spawn(move || {
        while asked.recv().is_ok() {
            let answer = client::ask(&address, Duration::from_micros(patience.0));
            if events.send(Event::Answer(Box::new(answer))).is_err() {
                return;
            }
        }
    });
    questions
}

struct Elect<'a> {
    plan: &'a Plan,
    tell: &'a mut dyn FnMut(Happening),
    events: Sender<Event>,
    inbox: Receiver<Event>,
    questions: Sender<()>,
    asked: bool,
    ask_at: Micros,
}

impl Elect<'_> {
    /// What happens next, at the latest at that moment. Asks the member meanwhile, one question at a time.
    fn next(&mut self, until: Micros) -> Option<Event> {
        let now = clock::now();
        if !self.asked && now >= self.ask_at {
            self.asked = self.questions.send(()).is_ok();
        }
        let due = if self.asked { until } else { until.min(self.ask_at) };
        let sleep = (due - now).min(SLEEP_MAX);
        match self.inbox.recv_timeout(Duration::from_micros(sleep.0)) {
            Ok(event) => {
                if matches!(event, Event::Answer(_)) {
                    self.asked = false;
                }
                Some(event)
            }
            // We hold a sender ourselves.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Until the member leads, with time enough to begin.
    fn wait(&mut self) -> Result<Result<Lease, Ended>, Problem> {
        let began = clock::now();
        let ends = self.plan.wait.map(|wait| began + wait);
        let (mut answered, mut said) = (None, None);
        loop {
            let now = clock::now();
            let silence = began + SILENCE;
            let silent = answered.is_none() && (now >= silence || ends.is_some_and(|end| now >= end));
            if let (true, Some(Happening::Silent(why))) = (silent, &said) {
                return Err(self.nobody(why));
            }
            if ends.is_some_and(|end| now >= end) {
                return Ok(Err(Ended::NotInTime));
            }
            let until = ends.unwrap_or(now + SLEEP_MAX);
            let happening = match self.next(until) {
                None | Some(Event::Exited(_)) => continue,
                Some(Event::Signal(signal)) if oversee::ends_waiting(signal) => {
                    return Ok(Err(Ended::Signal(signal)));
                }
                // There is nobody yet whom the others are meant for.
                Some(Event::Signal(_)) => continue,
                Some(Event::Answer(answer)) => match *answer {
                    Ok(answer) => {
                        answered = Some(());
                        let group = self.known(&answer)?;
                        let lease = Lease::begin(&answer.status, &group, answer.sent, self.plan.stopping);
                        if let Some(lease) = lease.filter(|lease| lease.term().is_fresh(clock::now())) {
                            return Ok(Ok(lease));
                        }
                        Happening::Waits(group.leader)
                    }
                    Err(why) => Happening::Silent(why.to_string()),
                },
            };
            self.ask_at = clock::now() + ASK_EVERY;
            if said.as_ref() != Some(&happening) {
                (self.tell)(happening.clone());
                said = Some(happening);
            }
        }
    }

    /// The group, if it is the right member of the right kind.
    fn known(&self, answer: &Answer) -> Result<client::Group, Problem> {
        let (plan, status) = (self.plan, &answer.status);
        if status.member != plan.member {
            let message = format!("{} is member `{}`, not `{}`", plan.address, status.member, plan.member);
            return Err(Problem::input("wrong_member", message)
                .help(format!("say --name {}, or another --at", status.member)));
        }
        let Some(group) = status.group(&plan.group) else {
            let names: Vec<&str> = status.groups.iter().map(|group| group.name.as_str()).collect();
            let message = format!("member `{}` has no group `{}`", plan.member, plan.group);
            return Err(Problem::input("unknown_group", message).help(format!("it has {}", names.join(", "))));
        };
        if group.problem.as_deref() == Some("mutex") {
            let message =
                format!("group `{}` is mutual exclusion ({}): nobody leads it", plan.group, group.algorithm);
            return Err(Problem::input("no_election", message).help("name a group that runs an election"));
        }
        Ok(group.clone())
    }

    fn nobody(&self, why: &str) -> Problem {
        let plan = self.plan;
        Problem::environment(
            "no_answer",
            format!("member `{}` does not answer at {}: {why}", plan.member, plan.address),
        )
        .help("it must run on this machine, or be reachable; start it, or see what is wrong:")
        .command(format!("ringleader node --config cluster.toml --name {}", plan.member), "")
        .command(format!("ringleader doctor --config cluster.toml --name {}", plan.member), "")
    }

    /// The command, from its start until nothing of it is left.
    fn command(self, lease: Lease) -> Result<Ended, Problem> {
        let plan = self.plan;
        let variables = [
            ("RINGLEADER_GROUP", plan.group.clone()),
            ("RINGLEADER_MEMBER", plan.member.clone()),
            ("RINGLEADER_EPOCH", lease.epoch().to_string()),
            ("RINGLEADER_DEADLINE_MS", (lease.term().deadline.0 / 1000).to_string()),
        ];
        let (running, child) = oversee::start(&plan.program, &plan.command, &variables, lease.term())?;
        let (epoch, group, left) = (lease.epoch(), running.group(), lease.term().deadline - clock::now());
        (self.tell)(Happening::Runs { epoch, group, left });
        let mut leading = Leading { elect: self, lease };
        Ok(match oversee::oversee(&mut leading, running, child) {
            Outcome::Exited(code) => Ended::Command(code),
            Outcome::Stopped => {
                let failed = plan.on_lost.as_ref().and_then(|line| oversee::on_lost(line, &variables));
                if let Some(failed) = failed {
                    leading.tell(failed);
                }
                Ended::Lost
            }
        })
    }
}

/// The member leads: what the command runs under.
struct Leading<'a> {
    elect: Elect<'a>,
    lease: Lease,
}

impl Tenure for Leading<'_> {
    fn next(&mut self, until: Micros) -> Option<Happened> {
        match self.elect.next(until)? {
            Event::Signal(signal) => Some(Happened::Signal(signal)),
            Event::Exited(status) => Some(Happened::Exited(status)),
            Event::Answer(answer) => {
                let plan = self.elect.plan;
                self.elect.ask_at = clock::now() + ask_again(plan.lease);
                // Silence alone is no loss: the grants last until their end.
                if let Ok(answer) = *answer {
                    let status = &answer.status;
                    self.lease.hear(status, status.group(&plan.group), answer.sent, clock::now());
                }
                None
            }
        }
    }

    fn term(&mut self, _now: Micros) -> Term {
        self.lease.term().clone()
    }

    fn silence(&self) -> String {
        "the member does not extend it".to_owned()
    }

    fn tell(&mut self, step: Step) {
        (self.elect.tell)(Happening::Command(step));
    }

    fn exits(&self) -> Box<dyn FnOnce(std::io::Result<ExitStatus>) + Send> {
        let events = self.elect.events.clone();
        Box::new(move |status| {
            let _ = events.send(Event::Exited(status));
        })
    }
}

/// While the command runs, the member is asked eight times in a lease: several answers may be late.
fn ask_again(lease: Micros) -> Micros {
    Micros(lease.0 / 8).clamp(Micros::millis(20), Micros::millis(1000))
}
