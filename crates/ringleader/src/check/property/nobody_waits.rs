//! No state in which nothing more happens has somebody waiting.

use super::{Property, View, Watch};
use crate::model::Stage;

pub(super) struct NobodyWaits;

impl Property for NobodyWaits {
    fn name(&self) -> &'static str {
        "nobody waits for ever"
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
