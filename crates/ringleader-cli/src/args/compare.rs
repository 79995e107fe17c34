//! `ringleader compare ALGORITHM ALGORITHM ...`: the options, and the command that says them again.

use super::number::{above_zero, at_least_one, number, threads};
use super::shared::SettingsArgs;
use super::{EnvironmentArgs, Given, LoadArg};
use clap::{Args, ValueEnum};
use ringleader_lab::options::CompareOptions;
use ringleader_lab::sizes::Sizes;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub(crate) struct CompareArgs {
    /// The algorithms; `ringleader list` has the names.
    #[arg(value_name = "ALGORITHM", required = true)]
    pub(crate) names: Vec<String>,
    /// Numbers of processes: a list (64,256,1024), a range (10..1e6, 8..1024), or a range with a factor (10..1e6*2)
    /// [default: 8..1024, for mutual exclusion 4..64].
    #[arg(
        short,
        long = "nodes",
        value_name = "SIZES",
        value_parser = Given::<Sizes>::parse,
        allow_hyphen_values = true
    )]
    pub(crate) nodes: Option<Given<Sizes>>,
    /// Runs per size; run r has the seed S + r for every algorithm [default: 10, or 1 where nothing is random].
    #[arg(long, value_name = "R", value_parser = at_least_one)]
    pub(crate) runs: Option<u32>,
    /// The seed of the first run [default: chosen at random, and printed].
    #[arg(long, value_name = "S", value_parser = number, env = "RINGLEADER_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Stop each run after this many steps (exit 3) [default: as for `run`].
    #[arg(
        long,
        value_name = "M",
        value_parser = number,
        env = "RINGLEADER_MAX_STEPS",
        hide_env_values = true
    )]
    pub(crate) max_steps: Option<u64>,
    /// Leave out sizes at which a run would send more messages [default: 1e9].
    #[arg(long, value_name = "M", value_parser = above_zero)]
    pub(crate) max_messages: Option<u64>,
    /// Runs at the same time; the result does not depend on it [default: the number of processors].
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
    /// Divide the messages in the plot by this.
    #[arg(long, value_name = "WHAT", requires = "plot", help_heading = "Output")]
    pub(crate) per: Option<Per>,
    /// Write one row per run into this file: .csv, .parquet, .json or .jsonl; .md gets the summary.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,

    /// Instead of --entries, one or several of: saturated (every process always wants to enter), light (one at a time),
    /// open:RATE (Poisson arrivals) [default: light,saturated].
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = Given::<LoadArg>::parse,
        conflicts_with = "entries",
        help_heading = "Mutual exclusion"
    )]
    pub(crate) load: Vec<Given<LoadArg>>,
    /// With --load: the total number of entries [default: 20 per process, at least 200].
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

impl From<Per> for ringleader_lab::options::Per {
    fn from(per: Per) -> Self {
        match per {
            Per::N => Self::N,
        }
    }
}

impl From<CompareArgs> for CompareOptions {
    fn from(args: CompareArgs) -> CompareOptions {
        CompareOptions {
            nodes: args.nodes,
            runs: args.runs,
            seed: args.seed,
            max_steps: args.max_steps,
            max_messages: args.max_messages,
            threads: args.threads,
            per: args.per.map(Into::into),
            load: args.load,
            total: args.total,
            environment: args.environment.into(),
            settings: args.settings.into(),
        }
    }
}
