//! Somebody reaches into a run: a message is handed over now, lost, doubled, held back; a process stops or comes back.
//!
//! An edit is written as `STEP.ACTION.WHAT`: before the step with this number (from 0) is taken. So a run that somebody
//! has tampered with is still a function of its scenario.

#[cfg(test)]
mod tests;

use core::fmt;
use core::str::FromStr;

/// An action, and before which step it is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edit {
    /// How many steps were taken before it.
    pub step: u64,
    /// What is done.
    pub action: Action,
}

/// What somebody does to a run. Messages are numbered in sending order, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// This message arrives now.
    Deliver(u64),
    /// This message is lost.
    Drop(u64),
    /// This message is doubled.
    Duplicate(u64),
    /// Those ahead of this message on its link wait until it has arrived.
    Overtake(u64),
    /// This message waits for so many steps, or until nothing else can happen; on links that keep the order, with all
    /// that come after it.
    Delay(u64, u64),
    /// This process stops.
    Crash(u32),
    /// This process comes back.
    Recover(u32),
    /// The user of this process wants in.
    Want(u32),
}

impl Action {
    /// The names of the actions, as they are written.
    pub const NAMES: &'static [&'static str] =
        &["deliver", "drop", "duplicate", "overtake", "delay", "crash", "recover", "want"];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.parts().0
    }

    /// Its name, what it is done to, and for how many steps if that is said.
    const fn parts(self) -> (&'static str, u64, Option<u64>) {
        match self {
            Action::Deliver(message) => ("deliver", message, None),
            Action::Drop(message) => ("drop", message, None),
            Action::Duplicate(message) => ("duplicate", message, None),
            Action::Overtake(message) => ("overtake", message, None),
            Action::Delay(message, steps) => ("delay", message, Some(steps)),
            Action::Crash(process) => ("crash", process as u64, None),
            Action::Recover(process) => ("recover", process as u64, None),
            Action::Want(process) => ("want", process as u64, None),
        }
    }
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, what, steps) = self.action.parts();
        write!(f, "{}.{name}.{what}", self.step)?;
        steps.map_or(Ok(()), |steps| write!(f, ".{steps}"))
    }
}

impl FromStr for Edit {
    type Err = String;

    fn from_str(text: &str) -> Result<Edit, String> {
        let parts: Vec<&str> = text.split('.').collect();
        let wrong = || {
            let names = Action::NAMES.join(", ");
            format!("`{text}` is no edit: STEP.ACTION.WHAT, such as 12.drop.3; actions are {names}")
        };
        let number =
            |place: usize| parts.get(place).and_then(|part| part.parse::<u64>().ok()).ok_or_else(wrong);
        let process = || u32::try_from(number(2)?).map_err(|_| wrong());
        let action = match parts.get(1).copied() {
            Some("deliver") => Action::Deliver(number(2)?),
            Some("drop") => Action::Drop(number(2)?),
            Some("duplicate") => Action::Duplicate(number(2)?),
            Some("overtake") => Action::Overtake(number(2)?),
            Some("delay") => Action::Delay(number(2)?, number(3)?),
            Some("crash") => Action::Crash(process()?),
            Some("recover") => Action::Recover(process()?),
            Some("want") => Action::Want(process()?),
            Some(_) | None => return Err(wrong()),
        };
        let length = if matches!(action, Action::Delay(..)) { 4 } else { 3 };
        if parts.len() != length {
            return Err(wrong());
        }
        Ok(Edit { step: number(0)?, action })
    }
}
