//! The options of `worst`, and the commands that say them again.

use super::environment::{Again, links, orientation};
use super::number::{above_zero, number, threads};
use super::{ByName, Known, Number, ScheduleArg, SettingOptions, Typed, exclusive, on, options};
use ringleader::model::{Links, Orientation, Shape};
use ringleader::registry::Entry;
use ringleader::sim::Initiators;

options! {
    /// A search for the worst arrangement, or the best.
    WorstOptions [settings: SettingOptions] {
        nodes: Option<Typed<Number>> = "nodes" "N" Typed::parse;
        best: bool = "best" "" on;
        distribution: bool = "distribution" "" on;
        exact: bool = "exact" "" on;
        search: bool = "search" "" on;
        budget: Option<u64> = "budget" "RUNS" above_zero;
        threads: Option<u32> = "threads" "T" threads;
        seed: Option<u64> = "seed" "S" number;
        initiators: Option<Typed<Initiators>> = "initiators" "WHO" Typed::parse;
        orientation: Option<Orientation> = "orientation" "ORIENTATION" orientation;
        schedule: Option<Typed<ScheduleArg>> = "schedule" "KIND" Typed::parse;
        links: Option<Links> = "links" "LINKS" links;
    }
}

impl ByName for WorstOptions {
    fn known() -> Vec<Known> {
        WorstOptions::listed()
    }

    fn put(&mut self, long: &str, word: &str) -> Option<Result<(), String>> {
        self.take(long, word)
    }

    fn agree(&self) -> Result<(), String> {
        let search = ("search", self.search);
        exclusive::<WorstOptions>(("distribution", self.distribution), search)?;
        exclusive::<WorstOptions>(("exact", self.exact), search)
    }
}

impl WorstOptions {
    /// The words of the command that gives the same answer.
    #[must_use]
    pub fn again(&self, algorithm: &str, n: u32) -> Vec<String> {
        let mut words = vec!["worst".to_owned(), algorithm.to_owned(), "-n".to_owned(), n.to_string()];
        for (flag, given) in [
            ("--best", self.best),
            ("--distribution", self.distribution),
            ("--exact", self.exact),
            ("--search", self.search),
        ] {
            words.extend(given.then(|| flag.to_owned()));
        }
        words.extend(self.budget.into_iter().flat_map(|budget| ["--budget".to_owned(), budget.to_string()]));
        self.environment(&mut words);
        if let Some(schedule) = &self.schedule {
            words.extend(["--schedule".to_owned(), schedule.text.clone()]);
        }
        words.extend(["--seed".to_owned(), self.seed.unwrap_or(0).to_string()]);
        words
    }

    /// The words of the command that gives the run.
    #[must_use]
    pub fn run(&self, entry: &Entry, ids: &str, schedule: Option<&str>, seed: u64) -> Vec<String> {
        let mut words = ["run", entry.spec.name, "--ids", ids].map(str::to_owned).to_vec();
        self.environment(&mut words);
        // Where ports have numbers a run draws them, unless told otherwise.
        if self.orientation.is_none() && matches!(entry.shape, Shape::TwoWayRing | Shape::Edges) {
            words.extend(["--orientation".to_owned(), "same".to_owned()]);
        }
        let asked = self.schedule.as_ref().map(|given| given.text.as_str());
        if let Some(schedule) = schedule.or(asked) {
            words.extend(["--schedule".to_owned(), schedule.to_owned()]);
        }
        words.extend(["--seed".to_owned(), seed.to_string()]);
        words
    }

    fn environment(&self, words: &mut Vec<String>) {
        let mut add = Again(words);
        add.typed("initiators", self.initiators.as_ref());
        add.value("orientation", self.orientation.map(Orientation::name));
        add.value("links", self.links.map(Links::name));
        self.settings.again(words);
    }
}
