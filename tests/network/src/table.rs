//! What happened, counted, as a table for people.

use std::collections::BTreeMap;

/// Counts by name, in the order of the names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    /// It happened so often more.
    pub fn add(&mut self, what: &'static str, times: u64) {
        *self.0.entry(what).or_default() += times;
    }

    /// How often it happened.
    #[must_use]
    pub fn get(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    /// Adds the counts of another.
    pub fn extend(&mut self, other: &Tally) {
        other.0.iter().for_each(|(what, times)| self.add(what, *times));
    }

    /// The table, under a title.
    #[must_use]
    pub fn table(&self, title: &str) -> String {
        let wide = self.0.keys().map(|what| what.len()).max().unwrap_or_default();
        let rows = self.0.iter().map(|(what, times)| format!("  {what:<wide$} {times:>9}\n"));
        format!("{title}\n{}", rows.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_line_up() {
        let mut tally = Tally::default();
        tally.add("kills", 2);
        tally.add("elections", 1);
        let mut sum = tally.clone();
        sum.extend(&tally);
        assert_eq!(sum.get("kills"), 4);
        assert_eq!(sum.get("never"), 0);
        assert_eq!(sum.table("t"), "t\n  elections         2\n  kills             4\n");
    }
}
