//! The options of `worst`, and the commands that say them again.

use super::environment::Again;
use super::{Number, ScheduleArg, SettingOptions, Typed};
use ringleader::model::{Links, Orientation, Shape};
use ringleader::registry::Entry;
use ringleader::sim::Initiators;

/// A search for the worst arrangement, or the best.
#[derive(Clone, Default, Debug)]
pub struct WorstOptions {
    /// `--nodes`.
    pub nodes: Option<Typed<Number>>,
    /// `--best`.
    pub best: bool,
    /// `--distribution`.
    pub distribution: bool,
    /// `--exact`.
    pub exact: bool,
    /// `--search`.
    pub search: bool,
    /// `--budget`.
    pub budget: Option<u64>,
    /// `--threads`.
    pub threads: Option<u32>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--initiators`.
    pub initiators: Option<Typed<Initiators>>,
    /// `--orientation`.
    pub orientation: Option<Orientation>,
    /// `--schedule`.
    pub schedule: Option<Typed<ScheduleArg>>,
    /// `--links`.
    pub links: Option<Links>,
    /// The algorithm's own settings.
    pub settings: SettingOptions,
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
