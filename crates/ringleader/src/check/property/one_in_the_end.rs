//! When nothing more happens, exactly one process leads.

use super::{Property, View, Watch};

pub(super) struct OneInTheEnd;

impl Property for OneInTheEnd {
    fn name(&self) -> &'static str {
        "exactly one leader"
    }

    fn watches(&self) -> Watch {
        Watch::Ends
    }

    fn finally(&self, state: &View<'_>) -> Result<(), String> {
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
}
