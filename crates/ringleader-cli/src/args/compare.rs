//! `ringleader compare ALGORITHM ALGORITHM ...`: the options, and the command that says them again.

use super::number::{above_zero, at_least_one, number, threads};
use super::shared::SettingsArgs;
use super::{EnvironmentArgs, Given, LoadArg, Number, RunArgs, Word};
use clap::{Args, ValueEnum};
use ringleader::registry::Entry;
use ringleader_lab::sizes::Sizes;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub(crate) struct CompareArgs {
    /// Their names, or aliases of them; `ringleader list` has them all.
    #[arg(value_name = "ALGORITHM", required = true)]
    pub(crate) names: Vec<String>,
    /// The numbers of processes: a list (64,256,1024), a range (10..1e6, 8..1024), a range with a factor (10..1e6*2)
    /// [default: 8..1024, for mutual exclusion 4..64].
    #[arg(
        short,
        long = "nodes",
        value_name = "SIZES",
        value_parser = Given::<Sizes>::parse,
        allow_hyphen_values = true
    )]
    pub(crate) nodes: Option<Given<Sizes>>,
    /// How many runs of each size; run r has the seed S + r, whatever the algorithm [default: 10, or 1 where nothing is
    /// left to chance].
    #[arg(long, value_name = "R", value_parser = at_least_one)]
    pub(crate) runs: Option<u32>,
    /// The seed of the first run [default: drawn, and printed].
    #[arg(long, value_name = "S", value_parser = number, env = "RINGLEADER_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Stop each run after so many steps (exit 3) [default: as for `run`].
    #[arg(
        long,
        value_name = "M",
        value_parser = number,
        env = "RINGLEADER_MAX_STEPS",
        hide_env_values = true
    )]
    pub(crate) max_steps: Option<u64>,
    /// Leave out sizes at which a run would send more messages than this [default: 1e9].
    #[arg(long, value_name = "M", value_parser = above_zero)]
    pub(crate) max_messages: Option<u64>,
    /// How many runs to make at once; the result is the same [default: as many as there are processors].
    #[arg(
        long,
        value_name = "T",
        value_parser = threads,
        env = "RINGLEADER_THREADS",
        hide_env_values = true
    )]
    pub(crate) threads: Option<u32>,

    /// Draw a plot into this file: .svg, .png or .html.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// Plot the messages by this.
    #[arg(long, value_name = "WHAT", requires = "plot", help_heading = "Output")]
    pub(crate) per: Option<Per>,
    /// Write one row for each run into this file: .csv, .parquet, .json or .jsonl; .md takes the summary.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Replace files that exist already.
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,

    /// Instead of --entries, one or several of: saturated (all always want in), light (one at a time), open:RATE
    /// (Poisson arrivals) [default: light,saturated].
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = Given::<LoadArg>::parse,
        conflicts_with = "entries",
        help_heading = "Mutual exclusion"
    )]
    pub(crate) load: Vec<Given<LoadArg>>,
    /// Under a load: entries in all [default: 20 for each process, at least 200].
    #[arg(long, value_name = "E", value_parser = above_zero, help_heading = "Mutual exclusion")]
    pub(crate) total: Option<u64>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

/// What messages may be divided by.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Per {
    /// The number of processes.
    N,
}

impl Word for Sizes {
    fn parse(text: &str) -> Result<Sizes, String> {
        Sizes::parse(text)
    }
}

impl CompareArgs {
    /// The arguments of one run, as if it had been asked for alone.
    pub(crate) fn one(&self, entry: &Entry, n: u32, seed: u64, load: Option<&Given<LoadArg>>) -> RunArgs {
        RunArgs {
            name: entry.spec.name.to_owned(),
            nodes: Some(Given { value: Number(u128::from(n)), text: n.to_string() }),
            seed: Some(seed),
            max_steps: self.max_steps,
            threads: None,
            trace: None,
            force: false,
            steps: false,
            meter: Vec::new(),
            edit: Vec::new(),
            load: load.cloned(),
            total: load.is_some().then(|| self.total.unwrap_or((20 * u64::from(n)).max(200))),
            environment: self.environment.clone(),
            settings: self.settings.only(|setting| self.knows(entry, setting)),
        }
    }

    /// Whether an algorithm has a setting of this name, in its usual form or in that which the settings choose.
    pub(crate) fn knows(&self, entry: &Entry, setting: &str) -> bool {
        let form = entry.with_settings(&self.settings.pairs());
        form.spec.settings.iter().chain(entry.spec.settings).any(|known| known.name == setting)
    }

    /// The words of the command that gives the same comparison: names, sizes and the seed as they were understood,
    /// everything else as it was given. Where it is written to and how it is shown is left out.
    pub(crate) fn again(&self, algorithms: &[&Entry], sizes: &str, seed: u64) -> Vec<String> {
        let mut words = vec!["compare".to_owned()];
        words.extend(algorithms.iter().map(|entry| entry.spec.name.to_owned()));
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        add("-n", sizes.to_owned());
        if let Some(runs) = self.runs {
            add("--runs", runs.to_string());
        }
        self.environment.again(&mut words);
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if !self.load.is_empty() {
            add("--load", self.load.iter().map(|load| load.text.as_str()).collect::<Vec<_>>().join(","));
        }
        if let Some(total) = self.total {
            add("--total", total.to_string());
        }
        self.settings.again(&mut words);
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if let Some(max_steps) = self.max_steps {
            add("--max-steps", max_steps.to_string());
        }
        if let Some(max_messages) = self.max_messages {
            add("--max-messages", max_messages.to_string());
        }
        add("--seed", seed.to_string());
        if self.environment.unsound {
            words.push("--unsound".into());
        }
        words
    }
}
