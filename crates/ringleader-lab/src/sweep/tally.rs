//! How the runs of a sweep ended.

use super::rows::Row;
use serde_json::Value;

/// How many runs ended how.
#[derive(Default, Debug)]
pub struct SweepTally {
    /// Those that hold.
    pub hold: u64,
    /// Those that do not.
    pub violated: u64,
    /// Those that reached a limit.
    pub limit: u64,
    /// The commands that repeat the first of those that do not hold.
    pub shown: Vec<String>,
}

/// More commands than this are in the rows.
const SHOWN_MAX: usize = 3;

/// How one run ended; what does not hold comes with the command that repeats it.
#[derive(Debug)]
pub enum RowEnding {
    /// Everything holds.
    Holds,
    /// Something does not.
    Violated(String),
    /// It reached a limit.
    Limit(String),
}

impl RowEnding {
    /// Of a row, nested or from a table.
    #[must_use]
    pub fn of(row: &Row) -> RowEnding {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let outcome = text("outcome");
        let holds = |value: &Value| value.get("holds").and_then(Value::as_bool).unwrap_or(true);
        let properties = match row.get("properties") {
            Some(Value::Array(all)) => all.iter().all(holds),
            // In a table a list is JSON in a cell.
            Some(Value::String(text)) => {
                serde_json::from_str(text).is_ok_and(|all: Vec<Value>| all.iter().all(holds))
            }
            Some(_) | None => true,
        };
        let bound = match row.get("bound.holds") {
            Some(flat) => flat.as_bool().unwrap_or(true),
            None => row.get("bound").is_none_or(holds),
        };
        let sound = properties && bound;
        if outcome == "limit" {
            RowEnding::Limit(text("again").to_owned())
        } else if matches!(outcome, "elected" | "done") && sound {
            RowEnding::Holds
        } else {
            RowEnding::Violated(text("again").to_owned())
        }
    }
}

impl SweepTally {
    /// One more.
    pub fn add(&mut self, verdict: RowEnding) {
        let (count, command) = match verdict {
            RowEnding::Holds => (&mut self.hold, None),
            RowEnding::Violated(command) => (&mut self.violated, Some(command)),
            RowEnding::Limit(command) => (&mut self.limit, Some(command)),
        };
        *count += 1;
        self.shown.extend(command.filter(|_| self.shown.len() < SHOWN_MAX));
    }

    /// The exit code of the sweep.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match (self.violated, self.limit) {
            (0, 0) => 0,
            (0, _) => 3,
            (_, _) => 1,
        }
    }
}
