//! Everybody who was promised to know the leader knows it in the end.

use super::{Property, View, Watch};
use crate::model::Informed;

pub(super) struct Told(pub(super) Informed);

impl Property for Told {
    fn name(&self) -> &'static str {
        match self.0 {
            Informed::All => "everybody knows the leader",
            Informed::Initiators => "every initiator knows the leader",
            Informed::Live => "everybody who is up knows the leader",
        }
    }

    fn watches(&self) -> Watch {
        Watch::Ends
    }

    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        let [leader] = state.leaders()[..] else { return Ok(()) };
        let mut promised = state.everybody().filter(|&i| match self.0 {
            Informed::All => true,
            Informed::Initiators => state.is_initiator(i),
            Informed::Live => !state.is_down(i),
        });
        match promised.find(|&i| !state.knows_that(i, leader)) {
            None => Ok(()),
            Some(who) => Err(format!("process {who} does not know that process {leader} leads")),
        }
    }
}
