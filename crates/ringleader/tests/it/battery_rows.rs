//! A row of the battery: what a check must find.

#![allow(dead_code, reason = "the battery writes rows, the tests read them")]

use ringleader::check::{Arrangements, Scope};
use ringleader::registry::Entry;
use std::fmt;

/// The first line of the record.
pub(crate) const TITLE: &str = "# algorithm n cases states transitions least-messages most-messages\n";

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) n: u32,
    pub(crate) states: u64,
    line: String,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

impl Row {
    /// All rows of the record.
    pub(crate) fn recorded() -> Vec<Row> {
        let record = include_str!("../../battery.txt");
        record
            .lines()
            .skip(1)
            .map(|line| Row::read(line).unwrap_or_else(|| panic!("not a row: {line}")))
            .collect()
    }

    fn read(line: &str) -> Option<Row> {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, n, _, states, _, _, _] = words[..] else { return None };
        Some(Row { name: name.into(), n: n.parse().ok()?, states: states.parse().ok()?, line: line.into() })
    }
}

/// Checks an algorithm with everything that its contract leaves open, and expects that it holds.
pub(crate) fn check(entry: &Entry, n: u32) -> Row {
    // Expectations take a second search of each case: only where there are few states.
    let scope = Scope { ids: Arrangements::All, threads: 2, expectations: n <= 3, ..Scope::new(n) };
    let name = entry.spec.name;
    let findings =
        entry.check(&scope, &[], &()).unwrap_or_else(|refusal| panic!("{name}, n = {n}: {refusal}"));
    assert!(findings.holds(), "{name}, n = {n}: {findings:#?}");
    let messages = findings.messages.unwrap_or_else(|| panic!("{name}, n = {n}: no run ends"));
    let most = messages.max.map_or_else(|| "unbounded".into(), |most| most.to_string());
    let line = format!(
        "{name} {n} {} {} {} {} {most}",
        findings.cases, findings.states, findings.transitions, messages.min
    );
    Row { name: name.into(), n, states: findings.states, line }
}
