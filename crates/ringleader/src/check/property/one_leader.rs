//! At most one process leads, in every state.

use super::{Property, View, Watch};

pub(super) struct OneLeader;

impl Property for OneLeader {
    fn name(&self) -> &'static str {
        "at most one leader"
    }

    // Verdicts are final, or that is the violation: whoever leads leads in the end, whatever the order of steps.
    fn watches(&self) -> Watch {
        Watch::Ends
    }

    fn always(&self, state: &View<'_>) -> Result<(), String> {
        match state.leaders().as_slice() {
            [first, second, ..] => Err(format!("processes {first} and {second} both lead")),
            [] | [_] => Ok(()),
        }
    }
}
