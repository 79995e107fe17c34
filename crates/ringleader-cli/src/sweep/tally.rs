//! How the runs of a sweep ended.

use ringleader_lab::sweep::Row;
use serde_json::Value;

/// How many runs ended how.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) hold: u64,
    pub(crate) violated: u64,
    pub(crate) limit: u64,
    /// The commands that repeat the first of those that do not hold.
    pub(crate) shown: Vec<String>,
}

/// More commands than this are in the rows.
const SHOWN_MAX: usize = 3;

impl Tally {
    /// One more row.
    pub(crate) fn add(&mut self, row: &Row) {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let outcome = text("outcome");
        let holds = |value: &Value| value.get("holds").and_then(Value::as_bool).unwrap_or(true);
        let properties = row.get("properties").and_then(Value::as_array);
        let sound = properties.is_none_or(|all| all.iter().all(holds)) && row.get("bound").is_none_or(holds);
        if outcome == "limit" {
            self.limit += 1;
        } else if matches!(outcome, "elected" | "done") && sound {
            self.hold += 1;
            return;
        } else {
            self.violated += 1;
        }
        if self.shown.len() < SHOWN_MAX {
            self.shown.push(text("again").to_owned());
        }
    }

    /// The exit code of the sweep.
    pub(crate) fn exit_code(&self) -> u8 {
        match (self.violated, self.limit) {
            (0, 0) => 0,
            (0, _) => 3,
            (_, _) => 1,
        }
    }
}
