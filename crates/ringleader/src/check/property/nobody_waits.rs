//! No state in which nothing more happens has somebody waiting; and where tokens circulate for ever, no fair run leaves
//! somebody waiting for ever.

use super::super::fairness::{Cycle, fair_cycle_of};
use super::super::ground::{Ground, How};
use super::super::memo::lock;
use super::super::search::Explored;
use super::{Property, View, Watch};
use crate::model::Stage;

pub(crate) const NAME: &str = "nobody waits for ever";

pub(super) struct NobodyWaits;

impl Property for NobodyWaits {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Watch {
        Watch::Ends
    }

    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        let stuck = state.everybody().find(|&i| !state.is_down(i) && state.stage(i) == Stage::Waiting);
        match stuck {
            None => Ok(()),
            Some(who) => Err(format!("nothing more happens, and process {who} waits")),
        }
    }
}

/// A fair run without end in which this process waits for ever, where tokens circulate. The states must have been kept.
pub(crate) fn starved(ground: &Ground<'_>, how: How, explored: &Explored, process: u32) -> Option<Cycle> {
    let words = ground.space.words();
    let waits: Vec<bool> = {
        let shared = lock(&ground.shared);
        let stage = |state: &[u32]| shared.facts(state[process as usize]).stage;
        explored.states.chunks_exact(words).map(|state| stage(state) == Stage::Waiting).collect()
    };
    let graph = &explored.graph;
    fair_cycle_of(ground, how, explored, &|state, place| {
        waits[state as usize] && waits[graph.edges[place].target as usize]
    })
}
