//! Words for tests of this crate: a few options, understood without the command line.

use crate::{Compared, Diagnostic, OptionValue, Options, Planned, PlannedCheck, Words};
use ringleader::check::{Arrangements, Scope};
use ringleader::model::Links;
use ringleader::registry::{ALL, Entry};
use ringleader::sim::{Edit, Scenario};
use std::time::Duration;

/// Knows `nodes`, `links bag`, `unsound`, `all-ids`, `max-states` and `time`.
pub(crate) struct Few;

impl Few {
    fn word<'o>(options: &'o Options, name: &str) -> Option<&'o str> {
        match options.get(name) {
            Some(OptionValue::One(word)) => Some(word),
            Some(OptionValue::Several(_) | OptionValue::Flag(_)) | None => None,
        }
    }

    fn number(options: &Options, name: &str) -> Result<Option<u64>, Diagnostic> {
        let read = |word: &str| word.parse().map_err(|_| Diagnostic::input("bad_number", word));
        Few::word(options, name).map(read).transpose()
    }

    fn find(algorithm: &str) -> Result<&'static Entry, Diagnostic> {
        let found = ALL.iter().find(|entry| entry.spec.name == algorithm);
        found.ok_or_else(|| Diagnostic::input("unknown_algorithm", algorithm))
    }
}

impl Words for Few {
    fn registry(&self) -> &'static [Entry] {
        ALL
    }

    fn version(&self) -> String {
        "few 0".into()
    }

    fn run(&self, algorithm: &str, options: &Options, edits: &[Edit]) -> Result<Planned, Diagnostic> {
        let entry = Few::find(algorithm)?;
        let n = Few::number(options, "nodes")?.unwrap_or(8);
        let scenario = Scenario { edits: edits.to_vec(), ..Scenario::new(n as u32) };
        let command = format!("few run {algorithm}");
        Ok(Planned { algorithm: entry.spec.name, scenario, schedule: "rounds".into(), command })
    }

    fn check(&self, algorithm: &str, options: &Options) -> Result<PlannedCheck, Diagnostic> {
        let entry = Few::find(algorithm)?;
        let usual = Scope::new(Few::number(options, "nodes")?.unwrap_or(4) as u32);
        let scope = Scope {
            links: Few::word(options, "links").map(|_| Links::Bag),
            ids: if options.contains_key("all-ids") { Arrangements::All } else { usual.ids },
            unsound: options.contains_key("unsound"),
            max_states: Few::number(options, "max-states")?,
            ..usual
        };
        let time_limit = Few::number(options, "time")?.map(Duration::from_secs);
        Ok(PlannedCheck {
            algorithm: entry.spec.name,
            scope,
            command: format!("few check {algorithm}"),
            time_limit,
        })
    }

    fn expected_states(&self, check: &PlannedCheck) -> Option<u64> {
        Some(u64::from(check.scope.n) * 100)
    }

    fn compare(&self, algorithms: &[String], options: &Options) -> Result<Compared, Diagnostic> {
        let options = serde_json::to_string(options).unwrap_or_default();
        let command = format!("compare {} {options}", algorithms.join(" "));
        Ok(Compared { command, columns: Vec::new(), rows: Vec::new(), svg: String::new(), notes: Vec::new() })
    }
}
