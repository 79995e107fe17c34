//! What came of a check.

use crate::trace::Recording;

/// Whether something holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Answer {
    /// In every run.
    Holds,
    /// Not decided: a limit was reached, or the search ended at another violation.
    Unknown,
    /// Not in this run.
    Violated,
}

impl Answer {
    /// Of a search that found a violation, or reached a limit, or neither.
    pub(super) fn of(is_violated: bool, is_limited: bool) -> Answer {
        match (is_violated, is_limited) {
            (true, _) => Answer::Violated,
            (false, true) => Answer::Unknown,
            (false, false) => Answer::Holds,
        }
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Answer::Holds => "holds",
            Answer::Unknown => "unknown",
            Answer::Violated => "violated",
        }
    }
}

/// Everything that a check found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The number of processes.
    pub n: u32,
    /// The links.
    pub links: &'static str,
    /// What lies outside the contract, by permission; empty within it.
    pub outside: Vec<String>,
    /// Whether every property holds.
    pub answer: Answer,
    /// Distinct states, summed over all cases.
    pub states: u64,
    /// Transitions, likewise.
    pub transitions: u64,
    /// The longest of the shortest ways to a state.
    pub depth: u64,
    /// How many arrangements of identities.
    pub arrangements: u64,
    /// How many sets of initiators.
    pub initiator_sets: u64,
    /// How many ways to number the ports.
    pub labellings: u64,
    /// How many cases (arrangement, initiators, labelling) were searched.
    pub cases: u64,
    /// One finding for each property.
    pub properties: Vec<Finding>,
    /// The least and the largest number of messages over all complete runs; no largest where it has no bound.
    pub messages: Option<Range>,
    /// The same without announcements.
    pub election_messages: Option<Range>,
    /// A run with the least or the most of them, if one was asked for and there is no cycle.
    pub extreme: Option<Recording>,
    /// For randomised algorithms.
    pub probability: Option<Probability>,
    /// A run that violates a property.
    pub counterexample: Option<Counterexample>,
    /// Runs that violate other properties, if all violations were asked for.
    pub others: Vec<Counterexample>,
    /// The limit that ended the search, if one did.
    pub limit: Option<Limit>,
    /// What a reader should know: what was reduced and what was not, and why.
    pub notes: Vec<String>,
    /// The probability that a state was taken for another because their 64-bit fingerprints agree.
    pub missed: f64,
    /// Bytes in the largest visited set, fingerprints and parents.
    pub visited_bytes: u64,
    /// States in it.
    pub visited_states: u64,
    /// Bytes at the largest, everything included.
    pub peak_bytes: u64,
    /// Whether machines that may begin anywhere always come to one privilege; none where that is not decided.
    pub convergence: Option<Convergence>,
    /// Whether one privilege is followed by one privilege.
    pub closure: Option<bool>,
    /// How many states have one privilege.
    pub legitimate: Option<u64>,
    /// The states themselves, if they were to be kept and are few enough.
    pub graph: Option<States>,
}

/// Whether one privilege is left in the end, from every state and whatever the daemon chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Convergence {
    /// Whether it always is.
    pub holds: bool,
    /// After how many moves and how many steps of the daemon at the latest.
    pub worst: Option<(u64, u64)>,
}

/// What came of one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The property.
    pub name: &'static str,
    /// Whether it holds.
    pub answer: Answer,
    /// The length of the run that violates it.
    pub trace_steps: Option<u64>,
    /// What went wrong, in words.
    pub detail: Option<String>,
}

/// The least and the largest value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub min: u64,
    /// The largest, if there is one.
    pub max: Option<u64>,
}

/// What chance does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Probability {
    /// Whether it ends with probability 1 under every fair schedule.
    pub almost_sure: bool,
    /// The least and the greatest expected number of rounds over all schedules.
    pub expected_rounds: Option<(f64, f64)>,
    /// The least and the greatest expected number of messages, likewise.
    pub expected_messages: Option<(f64, f64)>,
}

/// A run that violates a property.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The property.
    pub property: &'static str,
    /// What went wrong, in words.
    pub detail: String,
    /// The run, ready to be replayed.
    pub recording: Recording,
    /// Whether no run that violates a property is shorter.
    pub shortest: bool,
    /// The number of the step after which the run repeats for ever, if it has no end.
    pub repeats_from: Option<u64>,
}

/// The states of one case and the steps between them: of the case with the violation, or of the one that has the most.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct States {
    /// After how many steps each is met first, by its number.
    pub depths: Vec<u32>,
    /// Which state leads to which.
    pub steps: Vec<(u32, u32)>,
    /// Those in which a run ends.
    pub ends: Vec<u32>,
    /// Those along the run that violates a property; none if nothing does.
    pub way: Vec<u32>,
}

/// Why a search ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// So many states were found.
    States(u64),
    /// So many bytes were needed.
    Bytes(u64),
    /// Whoever watched had seen enough.
    Stopped,
}

impl Findings {
    /// Whether it was about machines that may begin anywhere.
    #[must_use]
    pub fn is_of_machines(&self) -> bool {
        self.convergence.is_some() || self.closure.is_some() || self.legitimate.is_some()
    }

    /// Whether every property holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.answer == Answer::Holds
    }
}

/// How far a search is.
#[derive(Clone, Copy, Default, Debug)]
pub struct Progress {
    /// Distinct states so far, all cases together.
    pub states: u64,
    /// Transitions so far.
    pub transitions: u64,
    /// States that are known but not yet expanded.
    pub queue: u64,
    /// Steps from the initial state.
    pub depth: u64,
    /// The number of this case, from 1.
    pub case: u64,
    /// How many cases there are.
    pub cases: u64,
    /// Bytes in use.
    pub bytes: u64,
}

/// Somebody who watches a search. The library has no clock: a watcher may have one, and stop the search.
pub trait Watcher: Sync {
    /// From time to time: how far it is. `Break` ends the search, and what is not decided by then is unknown.
    fn progress(&self, progress: &Progress) -> core::ops::ControlFlow<()> {
        let _ = progress;
        core::ops::ControlFlow::Continue(())
    }
}

/// Nobody watches.
impl Watcher for () {}
