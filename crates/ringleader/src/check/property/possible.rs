//! From every state that can be reached, a leader is still possible.
//!
//! Where there is no cycle this is decided at the ends: every run goes on to one, and there is a leader in each.

use super::super::ground::Ground;
use super::super::memo::lock;
use super::super::search::Explored;
use crate::model::Verdict;

pub(crate) const NAME: &str = "a leader is possible from every state";

/// The first state from which no state with a leader can be reached. The states must have been kept.
pub(crate) fn hopeless(ground: &Ground<'_>, explored: &Explored) -> Option<u32> {
    let (words, n) = (ground.space.words(), ground.space.n as usize);
    let shared = lock(&ground.shared);
    let leads = |state: usize| {
        let locals = &explored.states[state * words..state * words + n];
        locals.iter().any(|&local| shared.facts(local).verdict == Verdict::Leader)
    };
    explored.graph.cut_off(leads)
}
