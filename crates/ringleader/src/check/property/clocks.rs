//! What is promised of clocks: of states, of steps, and of states in which nothing more happens.
//!
//! No clock drifts in a check, so clocks stay as far apart as they are until one of them is corrected.

use super::{Step, View};
use crate::model::{Against, Belief, Drift, Ticks};

/// The clock that users see never goes back.
pub(super) fn never_go_back(step: &Step<'_>) -> Result<(), String> {
    let (before, after) = (step.before.shown(step.process), step.after.shown(step.process));
    if after < before {
        return Err(format!("the clock of process {} went from {before} back to {after}", step.process));
    }
    Ok(())
}

/// Each clock that is promised to be near is.
pub(super) fn within(against: Against, state: &View<'_>) -> Result<(), String> {
    let up = || state.everybody().filter(|&i| !state.is_down(i));
    let promises = |i: u32| match state.belief(i) {
        Belief::Within { round, .. } => {
            let promise = state.belief(i).promise(state.clock(i), Drift(0))?;
            Some((round, promise))
        }
        Belief::Unsynchronised | Belief::Lost | Belief::Reference => None,
    };
    let truth = match against {
        Against::TrueTime => Some(state.true_time()),
        Against::EachOther => up().find(|&i| state.belief(i) == Belief::Reference).map(|i| state.clock(i)),
    };
    for i in up() {
        let Some((round, promise)) = promises(i) else { continue };
        let clock = state.clock(i);
        if let Some(truth) = truth {
            let off: Ticks = (clock - truth).abs();
            if off > promise {
                return Err(format!("process {i} is off by {off} ticks and promises {promise}"));
            }
            continue;
        }
        for j in up().filter(|&j| j > i) {
            let Some((other, theirs)) = promises(j) else { continue };
            let apart = (clock - state.clock(j)).abs();
            if other == round && apart > promise + theirs {
                return Err(format!(
                    "processes {i} and {j} are {apart} ticks apart and promise {}",
                    promise + theirs
                ));
            }
        }
    }
    Ok(())
}

/// Who has not set its clock has tried.
pub(super) fn everybody_knows(state: &View<'_>) -> Result<(), String> {
    let idle = |&i: &u32| !state.is_down(i) && state.belief(i) == Belief::Unsynchronised;
    let idle = state.everybody().find(idle);
    idle.map_or(Ok(()), |who| Err(format!("process {who} has neither set its clock nor given up")))
}
