//! What mutual exclusion promises: of states, of steps, and of states in which nothing more happens.

#[cfg(test)]
mod tests;

use super::{Step, View};
use crate::model::Stage;

/// Never two users are in the critical section.
pub(super) fn one_inside(state: &View<'_>) -> Result<(), String> {
    let inside: Vec<u32> = state.everybody().filter(|&i| state.stage(i) == Stage::Inside).collect();
    match inside.as_slice() {
        [first, second, ..] => Err(format!("processes {first} and {second} are both inside")),
        [] | [_] => Ok(()),
    }
}

/// Of each kind there is never more than one token.
pub(super) fn one_token(kinds: &[&str], state: &View<'_>) -> Result<(), String> {
    let two = (0..kinds.len()).find(|&place| state.tokens(kinds, place) > 1);
    two.map_or(Ok(()), |place| Err(format!("there are two of {}", kinds[place])))
}

/// Requests are served in the order of their time stamps, ties by name, over the whole run.
pub(super) fn in_order(step: &Step<'_>) -> Result<(), String> {
    let (last, this) = (step.before.common().served, step.after.facts(step.process).priority);
    if step.enters() && last.is_some() && this <= last {
        return Err(format!("process {} entered out of turn", step.process));
    }
    Ok(())
}

pub(super) const ONCE_EACH: &str = "nobody enters twice while another waits";

/// While a user waits, nobody enters twice (as long as nothing fails).
pub(super) fn once_each(step: &Step<'_>) -> Result<(), String> {
    if !step.enters() || step.after.common().faulty {
        return Ok(());
    }
    let (n, who) = (step.after.n(), step.process);
    let overtaken = step.before.everybody().filter(|&i| i != who).find(|&waiting| {
        let places = (who + n - waiting) % n;
        step.before.stage(waiting) == Stage::Waiting && step.before.facts(waiting).bypassed.has(places)
    });
    match overtaken {
        None => Ok(()),
        Some(waiting) => Err(format!("process {who} enters again while process {waiting} still waits")),
    }
}

/// In no state in which nothing more happens somebody waits.
pub(super) fn nobody_waits(state: &View<'_>) -> Result<(), String> {
    let stuck = state.everybody().find(|&i| !state.is_down(i) && state.stage(i) == Stage::Waiting);
    match stuck {
        None => Ok(()),
        Some(who) => Err(format!("nothing more happens, and process {who} waits")),
    }
}

/// Whoever enters came before all who have passed the doorway and wait, or passed it after them.
pub(super) fn in_line(step: &Step<'_>) -> Result<(), String> {
    let ahead = |other: &u32| step.before.facts(step.process).ahead.has(*other);
    match step.before.everybody().find(ahead) {
        Some(earlier) if step.enters() => Err(format!(
            "process {} enters, and process {earlier} had passed the doorway when it asked",
            step.process
        )),
        Some(_) | None => Ok(()),
    }
}
