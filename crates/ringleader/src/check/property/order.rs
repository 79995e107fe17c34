//! Requests are served in the order of their time stamps, ties by name, over the whole run.

use super::{Property, Step, Watch};
use crate::model::Stage;

pub(super) struct InOrder;

impl Property for InOrder {
    fn name(&self) -> &'static str {
        "served in the order of (time stamp, name)"
    }

    fn watches(&self) -> Watch {
        Watch::Stages
    }

    fn step(&self, step: &Step<'_>) -> Result<(), String> {
        let enters = step.before.stage(step.process) != Stage::Inside
            && step.after.stage(step.process) == Stage::Inside;
        let (last, this) = (step.before.common().served, step.after.facts(step.process).priority);
        if enters && last.is_some() && this <= last {
            return Err(format!("process {} entered out of turn", step.process));
        }
        Ok(())
    }
}
