//! While a user waits, nobody enters twice (as long as nothing fails).

#[cfg(test)]
mod tests;

use super::{Property, Step, Watch};
use crate::model::Stage;

pub(super) struct OnceEach;

impl Property for OnceEach {
    fn name(&self) -> &'static str {
        "nobody enters twice while another waits"
    }

    fn watches(&self) -> Watch {
        Watch::Stages
    }

    fn step(&self, step: &Step<'_>) -> Result<(), String> {
        let (n, who) = (step.after.n(), step.process);
        let enters = step.before.stage(who) != Stage::Inside && step.after.stage(who) == Stage::Inside;
        if !enters || step.after.common().faulty {
            return Ok(());
        }
        let overtaken = step.before.everybody().filter(|&i| i != who).find(|&waiting| {
            let places = (who + n - waiting) % n;
            step.before.stage(waiting) == Stage::Waiting && step.before.facts(waiting).bypassed.has(places)
        });
        match overtaken {
            None => Ok(()),
            Some(waiting) => Err(format!("process {who} enters again while process {waiting} still waits")),
        }
    }
}
