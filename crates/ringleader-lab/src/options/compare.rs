//! The options of `compare`, and the command that says them again.

use super::environment::Again;
use super::number::{above_zero, at_least_one, number, threads};
use super::{
    ByName, EnvironmentOptions, Known, LoadArg, Number, RunOptions, SettingOptions, Typed, Word, exclusive,
    one_of, options,
};
use crate::sizes::Sizes;
use ringleader::registry::Entry;

options! {
    /// A comparison.
    CompareOptions [environment: EnvironmentOptions, settings: SettingOptions] {
        nodes: Option<Typed<Sizes>> = "nodes" "SIZES" Typed::parse;
        runs: Option<u32> = "runs" "R" at_least_one;
        seed: Option<u64> = "seed" "S" number;
        max_steps: Option<u64> = "max-steps" "M" number;
        max_messages: Option<u64> = "max-messages" "M" above_zero;
        threads: Option<u32> = "threads" "T" threads;
        per: Option<Per> = "per" "WHAT" |text: &str| one_of(text, &[("n", Per::N)]);
        load: Vec<Typed<LoadArg>> = "load" "LIST" Typed::parse;
        total: Option<u64> = "total" "E" above_zero;
    }
}

/// What messages may be divided by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Per {
    /// The number of processes.
    N,
}

impl Word for Sizes {
    fn parse(text: &str) -> Result<Sizes, String> {
        Sizes::parse(text)
    }
}

impl ByName for CompareOptions {
    fn known() -> Vec<Known> {
        CompareOptions::listed()
    }

    fn put(&mut self, long: &str, word: &str) -> Option<Result<(), String>> {
        if long == "load" && word.contains(',') {
            return Some(word.split(',').filter_map(|part| self.take(long, part)).collect());
        }
        self.take(long, word)
    }

    fn agree(&self) -> Result<(), String> {
        let entries = ("entries", self.environment.entries.is_some());
        let load = ("load", !self.load.is_empty());
        let wants = ("wants", self.environment.wants.is_some());
        exclusive::<CompareOptions>(load, entries)?;
        exclusive::<CompareOptions>(wants, entries)?;
        exclusive::<CompareOptions>(wants, load)
    }
}

impl CompareOptions {
    /// The arguments of one run, as if it had been asked for alone.
    #[must_use]
    pub fn one(&self, entry: &Entry, n: u32, seed: u64, load: Option<&Typed<LoadArg>>) -> RunOptions {
        RunOptions {
            nodes: Some(Typed { value: Number(u128::from(n)), text: n.to_string() }),
            seed: Some(seed),
            max_steps: self.max_steps,
            threads: None,
            meter: Vec::new(),
            edit: Vec::new(),
            load: load.cloned(),
            total: load.is_some().then(|| self.total.unwrap_or((20 * u64::from(n)).max(200))),
            environment: self.environment.clone(),
            settings: self.settings.only(|setting| self.knows(entry, setting)),
        }
    }

    /// Whether an algorithm has a setting of this name, in its usual form or in that which the settings choose.
    #[must_use]
    pub fn knows(&self, entry: &Entry, setting: &str) -> bool {
        let form = entry.with_settings(&self.settings.pairs());
        form.spec.settings.iter().chain(entry.spec.settings).any(|known| known.name == setting)
    }

    /// The words of the command that gives the same comparison: names, sizes and the seed as they were understood,
    /// everything else as it was given. Where it is written to and how it is shown is left out.
    #[must_use]
    pub fn again(&self, algorithms: &[&Entry], sizes: &str, seed: u64) -> Vec<String> {
        let mut words = vec!["compare".to_owned()];
        words.extend(algorithms.iter().map(|entry| entry.spec.name.to_owned()));
        words.extend(["-n".to_owned(), sizes.to_owned()]);
        Again(&mut words).value("runs", self.runs);
        self.environment.again(&mut words);
        let mut add = Again(&mut words);
        let loads = self.load.iter().map(|load| load.text.as_str()).collect::<Vec<_>>().join(",");
        add.value("load", Some(loads).filter(|loads| !loads.is_empty()));
        add.value("total", self.total);
        self.settings.again(&mut words);
        let mut add = Again(&mut words);
        add.value("max-steps", self.max_steps);
        add.value("max-messages", self.max_messages);
        add.value("seed", Some(seed));
        add.switch("unsound", self.environment.unsound);
        words
    }
}
