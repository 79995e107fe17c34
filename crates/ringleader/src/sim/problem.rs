//! What an engine asks of a problem: how its inputs are handed to a process, what a step meant, what came of it all.

use super::report::Property;
use super::{Compared, Report, RunOutcome, Scenario};
use crate::model::{Charge, Ticks};
use crate::population::{Letter, Population, Sent, Status};
use crate::scenario::Setup;
use crate::trace::Outcome;

/// One of the problems, as a monitor of a run.
pub(crate) trait Problem {
    /// Whether all processes start as a matter of course, rather than the initiators.
    const ALL_START: bool;

    /// Whether processes have clocks.
    const HAS_CLOCKS: bool = false;

    /// Where processes have clocks: this one is about to take a step at this time. What its clock shows.
    fn before(&mut self, population: &dyn Population, index: u32, now: u64, down: &[bool]) -> Ticks {
        let _ = (population, index, now, down);
        Ticks::ZERO
    }

    /// Where processes have clocks: that of this process is corrected.
    fn adjust(&mut self, index: u32, by: Ticks, slews: bool, now: u64) {
        let _ = (index, by, slews, now);
    }

    /// Where processes have clocks: a step was taken that changed something about them.
    fn afterwards(&mut self, population: &dyn Population, now: u64, down: &[bool], adjusted: bool) {
        let _ = (population, now, down, adjusted);
    }

    /// Where processes have clocks: how far apart they were when they were compared last.
    fn compared(&self) -> Option<Compared> {
        None
    }

    /// Where processes have clocks: when so many ticks of the hardware clock of this process are over.
    fn alarm(&self, index: u32, now: u64, ticks: u32) -> u64 {
        let _ = (index, ticks);
        now
    }

    /// What the clock of this process shows to users, and what the process reckons with, if it has one.
    fn clock(&self, index: u32, now: u64) -> Option<(Ticks, Ticks)> {
        let _ = (index, now);
        None
    }

    /// Sees a process at birth.
    fn born(&mut self, status: Status) {
        let _ = status;
    }

    /// Sees a process after a step.
    fn after(&mut self, step: &Seen<'_>) -> Option<Outcome>;

    /// Sees a process go down.
    fn crashed(&mut self, index: u32, status: Status);

    /// Sees messages leave, all of which are charged alike; each goes where its letter does.
    fn sent(&mut self, sends: &[Sent], letters: &[Letter], charge: Charge) {
        let _ = (sends, letters, charge);
    }

    /// Sees that so many more messages of this kind are on their way, or fewer: they arrived, or were lost.
    fn travels(&mut self, kind: u32, more: i64) {
        let _ = (kind, more);
    }

    /// The kinds of messages that carry tokens, one bit each; none if there are no tokens.
    fn tokens(&self) -> Option<u64> {
        None
    }

    /// Whether the user of this process could be told to want in, or to leave.
    fn may(status: Status, input: UserInput) -> bool;

    /// Whether user inputs follow from what was seen since the last call.
    fn has_inputs(&self) -> bool {
        false
    }

    /// The user inputs that follow from what was seen since the last call: (delay in units, process, input).
    fn next_inputs(&mut self, into: &mut Vec<(u64, u32, UserInput)>) {
        let _ = into;
    }

    /// Called when nothing else can happen: a user who wants in next, if any.
    fn on_quiet(&mut self) -> Option<u32> {
        None
    }

    /// Whether `on_quiet` should be asked although tokens still circulate.
    fn is_idle(&self) -> bool {
        false
    }

    /// When the next request comes from outside, in ticks from now, and at whom.
    fn next_arrival(&mut self) -> Option<(u64, u32)> {
        None
    }

    /// A request came while its process was busy.
    fn busy(&mut self, index: u32) {
        let _ = index;
    }

    /// A request came to a process that is down, and is gone.
    fn missed(&mut self, index: u32) {
        let _ = index;
    }

    /// Machines begin, with so many privileges.
    fn machines_begin(&mut self, privileges: u32) {
        let _ = privileges;
    }

    /// These machines moved at once, and so many privileges are left.
    fn machines_moved(&mut self, movers: &[u32], privileges: u32) {
        let _ = (movers, privileges);
    }

    /// Whether the run may end although messages still travel (tokens that circulate for ever).
    fn is_finished(&self) -> bool;

    /// Whether the run has no end of its own.
    fn may_never_end(&self) -> bool {
        false
    }

    /// From now on nobody wants in of its own accord.
    fn nobody_else_asks(&mut self) {}

    /// Entries so far.
    fn entries(&self) -> u64;

    /// Fills in the report.
    fn conclude(&self, population: &dyn Population, end: &End<'_>, report: &mut Report);
}

/// An input from the user of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum UserInput {
    Want,
    Exit,
}

/// A step that was taken.
pub(crate) struct Seen<'a> {
    pub(crate) index: u32,
    pub(crate) before: Status,
    pub(crate) after: Status,
    pub(crate) population: &'a dyn Population,
    /// The time, in ticks of the schedule.
    pub(crate) now: u64,
    /// The longest chain of messages that led here, if metered.
    pub(crate) depth: u64,
}

/// The end of a run.
pub(crate) struct End<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) scenario: &'a Scenario,
    /// Which processes are down; empty if none can be.
    pub(crate) down: &'a [bool],
    /// Whether nothing can happen any more; otherwise a limit was reached.
    pub(crate) complete: bool,
    pub(crate) rounds: bool,
    /// The first case that the proof excludes, if one arose.
    pub(crate) impossible: Option<&'static str>,
}

impl End<'_> {
    pub(crate) fn is_down(&self, index: u32) -> bool {
        self.down.get(index as usize).copied().unwrap_or(false)
    }

    /// The property that no case arose which the proof excludes.
    pub(crate) fn possible(&self) -> Property {
        Property {
            name: "no case that the proof excludes",
            holds: self.impossible.is_none(),
            detail: self.impossible.map(|why| format!("the proof says: {why}")),
        }
    }
}

/// The outcome in one word, given the properties.
pub(crate) fn outcome(
    complete: bool,
    good: RunOutcome,
    missing: bool,
    properties: &[Property],
) -> RunOutcome {
    let held = properties.iter().all(|property| property.holds);
    match (complete, held) {
        (false, true) => RunOutcome::Limit,
        (true, true) => good,
        (_, false) if missing => RunOutcome::NoLeader,
        (_, false) => RunOutcome::Violated,
    }
}
