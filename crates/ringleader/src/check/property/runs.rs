//! What is decided by the edges between states: whether runs end, whether a leader stays possible, whether somebody
//! waits for ever.

use super::super::chance::Actions;
use super::super::fairness::{Cycle, fair_cycle_of};
use super::super::memo::lock;
use super::super::network::Searched;
use crate::model::{Stage, Verdict};

/// Every fair run ends.
pub(crate) const ENDS: &str = "every fair run ends";
/// The same, where chance decides.
pub(crate) const ENDS_BY_CHANCE: &str = "every fair run ends with probability 1";
/// From every state that can be reached, a leader is still possible. Where there is no cycle this is decided at the
/// ends: every run goes on to one, and there is a leader in each.
pub(crate) const POSSIBLE: &str = "a leader is possible from every state";

/// A fair run without end, if there is one.
pub(crate) fn endless(searched: &Searched<'_>) -> Option<Cycle> {
    fair_cycle_of(searched, &|_, _| true)
}

/// A way for the scheduler to go on for ever, fairly, whatever chance says.
pub(crate) fn endless_by_chance(searched: &Searched<'_>, actions: &Actions<'_>) -> Option<Cycle> {
    let alive = actions.end_components();
    if alive.is_empty() {
        return None;
    }
    fair_cycle_of(searched, &|_, place| alive[place])
}

/// A fair run without end in which this process waits for ever, where tokens circulate. The states must have been kept.
pub(crate) fn starved(searched: &Searched<'_>, process: u32) -> Option<Cycle> {
    let Searched { ground, explored, .. } = searched;
    let waits: Vec<bool> = {
        let shared = lock(&ground.shared);
        let stage = |state: &[u32]| shared.facts(state[process as usize]).stage;
        let states = explored.states.chunks_exact(ground.space.words());
        states.map(|state| stage(state) == Stage::Waiting).collect()
    };
    fair_cycle_of(searched, &|state, place| {
        waits[state as usize] && waits[explored.graph.edges[place].target as usize]
    })
}

/// A fair run without end in which somebody waits and nobody enters. The states must have been kept.
pub(crate) fn stalled(searched: &Searched<'_>) -> Option<Cycle> {
    let Searched { ground, explored, .. } = searched;
    let stages: Vec<(u64, u64)> = {
        let shared = lock(&ground.shared);
        let with = |state: &[u32], stage: Stage| {
            let of = |process: usize| shared.facts(state[process]).stage == stage;
            (0..ground.space.n as usize).fold(0, |all, process| all | u64::from(of(process)) << process)
        };
        let states = explored.states.chunks_exact(ground.space.words());
        states.map(|state| (with(state, Stage::Waiting), with(state, Stage::Inside))).collect()
    };
    fair_cycle_of(searched, &|state, place| {
        let (waits, inside) = stages[state as usize];
        let (_, after) = stages[explored.graph.edges[place].target as usize];
        waits != 0 && after & !inside == 0
    })
}

/// The first state from which no state with a leader can be reached. The states must have been kept.
pub(crate) fn hopeless(searched: &Searched<'_>) -> Option<u32> {
    let Searched { ground, explored, .. } = searched;
    let (words, n) = (ground.space.words(), ground.space.n as usize);
    let shared = lock(&ground.shared);
    let leads = |state: usize| {
        let locals = &explored.states[state * words..state * words + n];
        locals.iter().any(|&local| shared.facts(local).verdict == Verdict::Leader)
    };
    explored.graph.cut_off(leads)
}
