//! The process that was promised leads.

use super::{Property, View, Watch};
use crate::model::Winner;

pub(super) struct PromisedWinner(pub(super) Winner);

impl Property for PromisedWinner {
    fn name(&self) -> &'static str {
        match self.0 {
            Winner::Largest | Winner::Any => "the largest identity leads",
            Winner::LargestInitiator => "the largest initiator leads",
            Winner::LargestLive => "the largest process that is up leads",
            Winner::AnyInitiator => "an initiator leads",
        }
    }

    fn watches(&self) -> Watch {
        Watch::Ends
    }

    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        let [leader] = state.leaders()[..] else { return Ok(()) };
        let mut rivals = state.everybody().filter(|&i| match self.0 {
            Winner::Largest => true,
            Winner::LargestInitiator => state.is_initiator(i),
            Winner::LargestLive => !state.is_down(i),
            Winner::AnyInitiator | Winner::Any => false,
        });
        if self.0 == Winner::AnyInitiator && !state.is_initiator(leader) {
            return Err(format!("process {leader} leads, but did not start of its own accord"));
        }
        match rivals.find(|&i| state.id(i) > state.id(leader)) {
            None => Ok(()),
            Some(rival) => Err(format!("process {leader} leads, but process {rival} is larger")),
        }
    }
}
