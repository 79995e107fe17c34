//! A command that runs under something that ends, a lease: it is stopped before that, with everything that
//! it started, whoever sends which signal when. Whoever waits for answers does so elsewhere: this looks at
//! the clock.

use crate::child::{self, Running};
use crate::{Problem, clock};
use ringleader_live::Micros;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::ffi::{OsStr, OsString};
use std::process::{Child, ExitStatus};

/// Passed on to the command.
const SIGNALS: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// The longest sleep: a machine that slept meanwhile must notice soon after.
pub const SLEEP_MAX: Micros = Micros::millis(100);

/// How often it is looked whether anything of a command is left.
const LOOK_EVERY: Micros = Micros::millis(10);

/// So long after KILL nothing of a command can be running.
const UNCOLLECTED: Micros = Micros::millis(1000);

/// How a command is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopping {
    /// So long before the end it gets TERM.
    pub grace: Micros,
    /// And so long before, KILL.
    pub kill_before: Micros,
}

impl Stopping {
    /// What fits a lease where nothing is said: 2 s and 500 ms, or two fifths and a tenth of the lease if
    /// that is less.
    #[must_use]
    pub fn usual(lease: Micros) -> Stopping {
        Stopping {
            grace: Micros::millis(2000).min(Micros(lease.0 / 5 * 2)),
            kill_before: Micros::millis(500).min(Micros(lease.0 / 10)),
        }
    }

    /// What was asked for, and otherwise the usual. Who asks for less grace than usual does not mean to be killed
    /// before it.
    ///
    /// # Errors
    /// Why no command could ever run with these.
    pub fn asked(
        grace: Option<Micros>,
        kill_before: Option<Micros>,
        lease: Micros,
    ) -> Result<Stopping, String> {
        let usual = Stopping::usual(lease);
        let grace = grace.unwrap_or(usual.grace);
        let stopping = Stopping { grace, kill_before: kill_before.unwrap_or(usual.kill_before.min(grace)) };
        stopping.fits(lease).map(|()| stopping)
    }

    fn fits(self, lease: Micros) -> Result<(), String> {
        use crate::config::written;
        if self.kill_before > self.grace {
            return Err(format!(
                "--kill-before {} is more than --grace {}: KILL would come before TERM",
                written(self.kill_before),
                written(self.grace)
            ));
        }
        if self.grace.0 > lease.0 / 2 {
            return Err(format!(
                "--grace {} is more than half of the lease of {}: one late answer, and the command would be stopped",
                written(self.grace),
                written(lease)
            ));
        }
        Ok(())
    }
}

/// Until when a command may run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// When it must be over, as far as is known.
    pub deadline: Micros,
    /// Since when it is lost, and why.
    pub lost: Option<(Micros, String)>,
    /// How it is stopped.
    pub stopping: Stopping,
}

impl Term {
    /// When the command gets TERM.
    #[must_use]
    pub fn term_at(&self) -> Micros {
        let late = self.deadline - self.stopping.grace;
        self.lost.as_ref().map_or(late, |(when, _)| late.min(*when))
    }

    /// When the command gets KILL: before the end, and once it is lost as soon as its grace is over.
    #[must_use]
    pub fn kill_at(&self) -> Micros {
        let late = self.deadline - self.stopping.kill_before;
        let grace = self.stopping.grace - self.stopping.kill_before;
        self.lost.as_ref().map_or(late, |(when, _)| late.min(*when + grace))
    }

    /// Whether there is time enough to begin.
    #[must_use]
    pub fn is_fresh(&self, now: Micros) -> bool {
        self.lost.is_none() && now < self.term_at()
    }
}

/// What can happen to a command.
pub enum Happened {
    /// We were sent this signal.
    Signal(i32),
    /// It has ended.
    Exited(std::io::Result<ExitStatus>),
}

/// What a command runs under.
pub trait Tenure {
    /// What happens next, at the latest at that moment, and sooner if the term is another meanwhile.
    fn next(&mut self, until: Micros) -> Option<Happened>;
    /// Until when it may run, as is known at this moment.
    fn term(&mut self, now: Micros) -> Term;
    /// Why the end has come although nobody said that it is lost.
    fn silence(&self) -> String;
    /// Something to tell.
    fn tell(&mut self, step: Step);
    /// Where the end of the command is to be told: [`Happened::Exited`] comes out of [`Tenure::next`] then.
    fn exits(&self) -> Box<dyn FnOnce(std::io::Result<ExitStatus>) + Send>;
}

/// What happens, for whoever watches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The command is stopped.
    Stops {
        /// Why.
        why: String,
        /// The process group.
        group: i32,
        /// When it gets KILL.
        kill_in: Micros,
        /// How long before the end that is.
        before: Micros,
    },
    /// It is killed.
    Kills(i32),
    /// The command has ended, and something that it started has not.
    LeftBehind(i32),
    /// A signal was passed on.
    Forwards(i32),
    /// It was suspended at the terminal, and goes on.
    Continues(i32),
    /// What was to be done when it was lost could not be done, or failed.
    OnLostFailed(String),
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// By itself, with this code.
    Exited(u8),
    /// It was stopped.
    Stopped,
}

/// How it ended for whoever asked for the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The command ended by itself, with this code.
    Command(u8),
    /// What it was to run under was not obtained in time.
    NotInTime,
    /// That was lost while the command ran, which has been stopped.
    Lost,
    /// A signal ended the waiting.
    Signal(i32),
}

impl Ended {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Ended::Command(code) => code,
            Ended::NotInTime => 75,
            Ended::Lost => 76,
            Ended::Signal(signal) => 128 + u8::try_from(signal).unwrap_or(127),
        }
    }

    /// In a word.
    #[must_use]
    pub const fn how(self) -> &'static str {
        match self {
            Ended::Command(_) => "command",
            Ended::NotInTime => "not-in-time",
            Ended::Lost => "lost",
            Ended::Signal(_) => "signal",
        }
    }
}

/// Calls with every signal that a command would get, from now on.
///
/// # Errors
/// If the system refuses.
pub fn watch_signals(mut tell: impl FnMut(i32) -> bool + Send + 'static) -> Result<(), Problem> {
    let mut signals = Signals::new(SIGNALS)
        .map_err(|error| Problem::environment("no_signals", format!("signals cannot be watched: {error}")))?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if !tell(signal) {
                return;
            }
        }
    });
    Ok(())
}

/// Whether this signal ends a program that does nothing about it and has no command yet.
#[must_use]
pub fn ends_waiting(signal: i32) -> bool {
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(&signal)
}

/// Starts a command that may run for this term.
///
/// # Errors
/// If no process can be started.
pub fn start(
    program: &OsStr,
    command: &[OsString],
    variables: &[(&str, String)],
    term: &Term,
) -> Result<(Running, Child), Problem> {
    child::start(program, command, variables, term.kill_at()).map_err(|error| {
        Problem::environment("no_process", format!("the command cannot be started: {error}"))
    })
}

/// A command that runs, until nothing of it is left.
pub fn oversee(tenure: &mut dyn Tenure, mut running: Running, child: Child) -> Outcome {
    running.look_after(child, tenure.exits());
    let mut stage = Stage::Running;
    let mut ended: Option<u8> = None;
    loop {
        let now = clock::now();
        let term = tenure.term(now);
        running.allow(term.kill_at());
        if running.attend_to_terminal() {
            tenure.tell(Step::Continues(running.group()));
        }
        stage = advance(tenure, stage, &term, &running, ended.is_some(), now);
        if let Some(code) = ended
            && (!running.is_left() || stage.is_over(now))
        {
            let outcome = match stage {
                Stage::Running | Stage::Clearing { .. } => Outcome::Exited(code),
                Stage::Stopping | Stage::Killed(_) => Outcome::Stopped,
            };
            running.take_terminal_back(outcome == Outcome::Stopped || code > child::SIGNALLED);
            return outcome;
        }
        let due = match stage {
            Stage::Running => term.term_at(),
            Stage::Stopping => term.kill_at(),
            Stage::Clearing { .. } | Stage::Killed(_) => now + LOOK_EVERY,
        };
        let until = if ended.is_some() { due.min(now + LOOK_EVERY) } else { due };
        match tenure.next(until) {
            None => {}
            Some(Happened::Signal(signal)) => {
                running.signal(signal);
                tenure.tell(Step::Forwards(signal));
            }
            Some(Happened::Exited(status)) => {
                ended = Some(status.map_or(1, child::code));
                // We were paused, or stuck: the warden has done it for us.
                if stage == Stage::Running && running.is_overdue(clock::now()) {
                    stage = Stage::Killed(clock::now());
                }
            }
        }
    }
}

/// What time it is for the command.
fn advance(
    tenure: &mut dyn Tenure,
    stage: Stage,
    term: &Term,
    running: &Running,
    ended: bool,
    now: Micros,
) -> Stage {
    let group = running.group();
    match stage {
        // It ended in time. What it left behind would go on without anything that allows it.
        Stage::Running if ended && running.is_left() => {
            tenure.tell(Step::LeftBehind(group));
            running.signal(SIGTERM);
            Stage::Clearing { kill_at: term.kill_at().min(now + term.stopping.grace) }
        }
        Stage::Running if !ended && now >= term.term_at() => {
            let why = term.lost.as_ref().map_or_else(|| tenure.silence(), |(_, why)| why.clone());
            let kill_at = term.kill_at();
            let (kill_in, before) = (kill_at - now, term.deadline - kill_at);
            // First the signal: whoever reads what is told may be slow.
            running.signal(if now >= kill_at { SIGKILL } else { SIGTERM });
            tenure.tell(Step::Stops { why, group, kill_in, before });
            Stage::Stopping
        }
        Stage::Stopping if now >= term.kill_at() => {
            running.signal(SIGKILL);
            tenure.tell(Step::Kills(group));
            Stage::Killed(now)
        }
        Stage::Clearing { kill_at } if now >= kill_at => {
            running.signal(SIGKILL);
            stage
        }
        Stage::Killed(_) => {
            // What was forked while the first one was on its way.
            running.signal(SIGKILL);
            stage
        }
        Stage::Running | Stage::Stopping | Stage::Clearing { .. } => stage,
    }
}

/// What a shell is to do once it was lost; why that failed, if it did.
#[must_use]
pub fn on_lost(line: &str, variables: &[(&str, String)]) -> Option<Step> {
    let variables = variables.iter().map(|(name, value)| (name, value));
    let status = std::process::Command::new("sh").arg("-c").arg(line).envs(variables).status();
    match status {
        Ok(status) if status.success() => None,
        Ok(status) => Some(Step::OnLostFailed(status.to_string())),
        Err(error) => Some(Step::OnLostFailed(error.to_string())),
    }
}

/// How far the command is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It runs.
    Running,
    /// It has TERM.
    Stopping,
    /// It has KILL, since then.
    Killed(Micros),
    /// It has ended by itself; what it left behind has TERM.
    Clearing { kill_at: Micros },
}

impl Stage {
    /// Whether whatever is left was killed long ago: it does nothing more, even if nobody collects it, as
    /// where there is no `init` to do so.
    fn is_over(self, now: Micros) -> bool {
        match self {
            Stage::Running | Stage::Stopping => false,
            Stage::Killed(at) | Stage::Clearing { kill_at: at } => now >= at + UNCOLLECTED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_combinations_are_refused() {
        let lease = Micros::millis(1000);
        assert!(Stopping::usual(lease).fits(lease).is_ok());
        assert_eq!(Stopping::usual(lease).grace, Micros::millis(400));
        assert_eq!(Stopping::usual(Micros::millis(10_000)).grace, Micros::millis(2000));
        let (long, short) = (Micros::millis(600), Micros::millis(100));
        let why = |grace, kill_before| Stopping { grace, kill_before }.fits(lease).unwrap_err();
        assert!(why(long, short).contains("half of the lease"));
        assert!(why(short, long).contains("KILL would come"));
        assert!(Stopping { grace: Micros(0), kill_before: Micros(0) }.fits(lease).is_ok());
    }
}
