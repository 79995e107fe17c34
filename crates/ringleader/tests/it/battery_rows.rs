//! A row of the battery: what a check must find.

#![allow(dead_code, reason = "the battery writes rows, the tests read them")]

use ringleader::check::{Arrangements, Scope};
use ringleader::registry::Entry;
use ringleader::sim::Entries;
use std::fmt;

/// The first line of the record.
pub(crate) const TITLE: &str =
    "# algorithm n[xentries] cases states transitions least-messages most-messages\n";

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) n: u32,
    /// How often each process wants in, where it does.
    pub(crate) entries: u32,
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
        let [name, size, _, states, _, _, _] = words[..] else { return None };
        let (n, entries) = size.split_once('x').unwrap_or((size, "1"));
        let (n, entries, states) = (n.parse().ok()?, entries.parse().ok()?, states.parse().ok()?);
        Some(Row { name: name.into(), n, entries, states, line: line.into() })
    }
}

/// Checks an algorithm with everything that its contract leaves open, and expects that it holds.
pub(crate) fn check(entry: &Entry, n: u32, entries: u32) -> Row {
    // Expectations take a second search of each case: only where there are few states.
    let (ids, each) = (Arrangements::All, Entries::Each(entries));
    let scope = Scope { ids, entries: each, threads: 2, expectations: n <= 3, ..Scope::new(n) };
    let name = entry.spec.name;
    let size = if entries == 1 { n.to_string() } else { format!("{n}x{entries}") };
    let findings =
        entry.check(&scope, &[], &()).unwrap_or_else(|refusal| panic!("{name}, n = {n}: {refusal}"));
    assert!(findings.holds(), "{name}, n = {n}: {findings:#?}");
    let messages = findings.messages.unwrap_or_else(|| panic!("{name}, n = {n}: no run ends"));
    let most = messages.max.map_or_else(|| "unbounded".into(), |most| most.to_string());
    let line = format!(
        "{name} {size} {} {} {} {} {most}",
        findings.cases, findings.states, findings.transitions, messages.min
    );
    Row { name: name.into(), n, entries, states: findings.states, line }
}
