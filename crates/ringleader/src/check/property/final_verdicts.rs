//! Who has won or lost never changes its mind.

use super::{Property, Step, Watch};
use crate::model::Verdict;

pub(super) struct FinalVerdicts;

impl Property for FinalVerdicts {
    fn name(&self) -> &'static str {
        "verdicts are final"
    }

    fn watches(&self) -> Watch {
        Watch::Ends
    }

    fn step(&self, step: &Step<'_>) -> Result<(), String> {
        let (before, after) = (step.before.verdict(step.process), step.after.verdict(step.process));
        if before == Verdict::Undecided || before == after {
            return Ok(());
        }
        Err(format!("process {} went back on its verdict", step.process))
    }
}
