//! What can happen in a network and to one process, and what it does then: states and messages are numbers.

use super::contained::Contained;
use crate::model::{Belief, Bits, Doorway, Knows, Stage, Ticks, Verdict};
use crate::population::Handle;

/// What happens to one process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Stimulus {
    /// It starts of its own accord.
    Start,
    /// A message arrives at a port.
    Deliver { port: u32, msg: Handle },
    /// A timer runs out.
    Timeout(u32),
    /// It takes a local step.
    Local(u32),
    /// This process takes a local step while registers hold what has this number.
    Access { process: u32, step: u32, memory: u32 },
    /// Its user wants in.
    Want,
    /// Its user leaves.
    Exit,
    /// It stops. The process itself is newly made, so its index matters.
    Crash(u32),
    /// It comes back.
    Recover,
    /// It is told that another is down.
    Suspect(u32),
    /// A unit of time passes.
    Tick,
    /// Another went down: it will be told.
    Alarm(u32),
    /// That one is back: it need not be told.
    Calm(u32),
    /// The process so many places on entered while this one waits.
    Bypassed(u32),
    /// The furthest process began another phase.
    Behind,
    /// This one, which waits, has passed the doorway already.
    Ahead(u32),
    /// That one is in.
    Served(u32),
}

impl Stimulus {
    /// The port and the message, if it is a delivery.
    pub(crate) fn delivery(self) -> Option<(u32, Handle)> {
        if let Stimulus::Deliver { port, msg } = self { Some((port, msg)) } else { None }
    }
}

/// What happens in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Something that a process does of its own accord, or its user.
    Own { process: u32, stimulus: Stimulus },
    /// The message at this place of a link arrives.
    Deliver { link: u32, place: u32 },
    /// A process takes so many messages of each side.
    Batch { process: u32, took: [u32; 2] },
    /// A message is lost.
    Lose { link: u32, place: u32 },
    /// A message is doubled.
    Double { link: u32, place: u32 },
    /// Everybody starts.
    Begin,
    /// All messages on their way arrive.
    Round,
}

impl Action {
    /// Whether it will happen sooner or later: users need not want in, and nothing need fail.
    pub(crate) fn is_due(self) -> bool {
        match self {
            Action::Own { stimulus: Stimulus::Want | Stimulus::Crash(_) | Stimulus::Recover, .. } => false,
            Action::Lose { .. } | Action::Double { .. } => false,
            Action::Own { .. } | Action::Deliver { .. } | Action::Batch { .. } => true,
            Action::Begin | Action::Round => true,
        }
    }

    pub(crate) fn is_want(self) -> bool {
        matches!(self, Action::Own { stimulus: Stimulus::Want, .. })
    }
}

/// What a process does on a stimulus, for one answer to each of its random choices.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Its state afterwards.
    pub(crate) local: u32,
    /// What it sends: ports and messages.
    pub(crate) sends: Vec<(u32, Handle)>,
    /// Whether it neither sends anything nor sets a timer.
    pub(crate) is_silent: bool,
    /// How many of them announce only.
    pub(crate) announcements: u32,
    /// The probability of these answers.
    pub(crate) chance: f64,
    /// The answers.
    pub(crate) choices: Vec<u32>,
    /// How many phases it begins.
    pub(crate) begins: u32,
    /// A case that the proof excludes.
    pub(crate) impossible: Option<&'static str>,
    /// On half-duplex links: how many messages it took of each side.
    pub(crate) took: [u32; 2],
    /// What registers hold afterwards, where there are any.
    pub(crate) memory: Option<Contained>,
}

impl Outcome {
    /// This state, after these answers, each of so many; nothing else has happened.
    pub(crate) fn after(local: u32, answers: &[(u32, u32)]) -> Outcome {
        Outcome {
            local,
            sends: Vec::new(),
            is_silent: true,
            announcements: 0,
            chance: answers.iter().map(|&(_, of)| 1.0 / f64::from(of)).product(),
            choices: answers.iter().map(|&(answer, _)| answer).collect(),
            begins: 0,
            impossible: None,
            took: [0; 2],
            memory: None,
        }
    }
}

/// What is known of the state of one process.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// What it says about itself (elections).
    pub(crate) verdict: Verdict,
    /// What it knows about the leader (elections).
    pub(crate) knows: Knows,
    /// Where its user stands (mutual exclusion).
    pub(crate) stage: Stage,
    /// What it believes of its clock, what that shows to it and to users, and how it is corrected.
    pub(crate) belief: Belief,
    pub(crate) clock: Ticks,
    pub(crate) shown: Ticks,
    pub(crate) correction: Ticks,
    /// The priority of its request.
    pub(crate) priority: Option<(u64, u32)>,
    /// The tokens that are here, one bit for each kind.
    pub(crate) tokens: u32,
    /// Whether it is down.
    pub(crate) down: bool,
    /// Whether it is yet to start of its own accord.
    pub(crate) to_start: bool,
    /// How many requests its user has yet to make.
    pub(crate) to_want: u32,
    /// Whether a timer has run out, so that time cannot pass before it is handled.
    pub(crate) is_due: bool,
    /// Whether something is to happen here after some time.
    pub(crate) awaits_time: bool,
    /// Who entered while it waited, as places after this one.
    pub(crate) bypassed: Bits,
    /// Who had passed the doorway when this one asked, and has not entered since.
    pub(crate) ahead: Bits,
    /// How far it is through the doorway.
    pub(crate) doorway: Doorway,
    /// How far its phases are behind the furthest process, where that is watched.
    pub(crate) lag: u32,
    /// The round it is in, where rounds grow without end.
    pub(crate) round: Option<u32>,
    /// What can happen here of its own accord, deliveries and faults aside.
    pub(crate) menu: Vec<Stimulus>,
}
