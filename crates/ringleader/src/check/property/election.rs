//! What an election promises: of states, of steps, and of states in which nothing more happens.

use super::{Step, View};
use crate::model::{Informed, Verdict, Winner};

/// At most one process leads, in every state.
pub(super) fn one_leader(state: &View<'_>) -> Result<(), String> {
    match state.leaders().as_slice() {
        [first, second, ..] => Err(format!("processes {first} and {second} both lead")),
        [] | [_] => Ok(()),
    }
}

/// Who has won or lost never changes its mind.
pub(super) fn final_verdicts(step: &Step<'_>) -> Result<(), String> {
    let (before, after) = (step.before.verdict(step.process), step.after.verdict(step.process));
    if before == Verdict::Undecided || before == after {
        return Ok(());
    }
    Err(format!("process {} went back on its verdict", step.process))
}

/// When nothing more happens, exactly one process leads.
pub(super) fn one_in_the_end(state: &View<'_>) -> Result<(), String> {
    // Where nobody is up nobody can lead.
    if state.everybody().all(|i| state.is_down(i)) {
        return Ok(());
    }
    match state.leaders().len() {
        1 => Ok(()),
        0 => Err("nothing more happens, and nobody leads".into()),
        several => Err(format!("nothing more happens, and {several} lead")),
    }
}

pub(super) fn winner_name(promised: Winner) -> &'static str {
    match promised {
        Winner::Largest | Winner::Any => "the largest identity leads",
        Winner::LargestInitiator => "the largest initiator leads",
        Winner::LargestLive => "the largest process that is up leads",
        Winner::AnyInitiator => "an initiator leads",
    }
}

/// The process that was promised leads.
pub(super) fn winner(promised: Winner, state: &View<'_>) -> Result<(), String> {
    let [leader] = state.leaders()[..] else { return Ok(()) };
    let mut rivals = state.everybody().filter(|&i| match promised {
        Winner::Largest => true,
        Winner::LargestInitiator => state.is_initiator(i),
        Winner::LargestLive => !state.is_down(i),
        Winner::AnyInitiator | Winner::Any => false,
    });
    if promised == Winner::AnyInitiator && !state.is_initiator(leader) {
        return Err(format!("process {leader} leads, but did not start of its own accord"));
    }
    match rivals.find(|&i| state.id(i) > state.id(leader)) {
        None => Ok(()),
        Some(rival) => Err(format!("process {leader} leads, but process {rival} is larger")),
    }
}

pub(super) fn informed_name(promised: Informed) -> &'static str {
    match promised {
        Informed::All => "everybody knows the leader",
        Informed::Initiators => "every initiator knows the leader",
        Informed::Live => "everybody who is up knows the leader",
    }
}

/// Those who were promised to know the leader know it.
pub(super) fn informed(promised: Informed, state: &View<'_>) -> Result<(), String> {
    let [leader] = state.leaders()[..] else { return Ok(()) };
    let mut promised = state.everybody().filter(|&i| match promised {
        Informed::All => true,
        Informed::Initiators => state.is_initiator(i),
        Informed::Live => !state.is_down(i),
    });
    match promised.find(|&i| !state.knows_that(i, leader)) {
        None => Ok(()),
        Some(who) => Err(format!("process {who} does not know that process {leader} leads")),
    }
}
