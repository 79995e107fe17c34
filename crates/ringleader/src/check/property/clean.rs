//! No case arises that the algorithm's proof excludes: no step says `impossible`.

use super::{Property, Step, Watch};

pub(super) struct Clean;

impl Property for Clean {
    fn name(&self) -> &'static str {
        "no case that the proof excludes"
    }

    fn watches(&self) -> Watch {
        Watch::Ends
    }

    fn step(&self, step: &Step<'_>) -> Result<(), String> {
        match step.impossible {
            None => Ok(()),
            Some(why) => Err(format!("at process {} the proof says: {why}", step.process)),
        }
    }
}
