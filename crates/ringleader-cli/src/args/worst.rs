//! `ringleader worst ALGORITHM ...`: the options, and the commands that say them again.

use super::number::{above_zero, number, threads};
use super::shared::{LinksArg, OrientationArg, SettingsArgs};
use super::{Given, Number, ScheduleArg};
use clap::Args;
use ringleader::sim::Initiators;
use ringleader_lab::options::WorstOptions;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub(crate) struct WorstArgs {
    /// Its name, or an alias of it; `ringleader list` has them all.
    #[arg(value_name = "ALGORITHM", required_unless_present = "constants")]
    pub(crate) name: Option<String>,
    /// The number of processes: 8, 1e3, 2^10 [default: 8]; with --constants the most there may be [default: 1e6].
    #[arg(
        short,
        long = "nodes",
        value_name = "N",
        value_parser = Given::<Number>::parse,
        allow_hyphen_values = true
    )]
    pub(crate) nodes: Option<Given<Number>>,
    /// The least messages instead of the most.
    #[arg(long)]
    pub(crate) best: bool,
    /// How many arrangements send how many messages, with the exact mean and variance.
    #[arg(long, conflicts_with = "search")]
    pub(crate) distribution: bool,
    /// Instead of one algorithm, the table of message constants: the worst known case of every election that takes
    /// O(n log n) messages, beside the factor that was published.
    #[arg(
        long,
        conflicts_with_all = [
            "name", "best", "distribution", "exact", "search", "budget", "output", "trace", "initiators",
            "orientation", "schedule", "links", "seed",
        ]
    )]
    pub(crate) constants: bool,

    /// Every arrangement, however long it takes (exit 3 if that is beyond hope).
    #[arg(long, conflicts_with = "search", help_heading = "Effort")]
    pub(crate) exact: bool,
    /// A search, even where every arrangement could be tried.
    #[arg(long, help_heading = "Effort")]
    pub(crate) search: bool,
    /// The most arrangements to try: 1e4, 1M [default: as many as take a minute or less].
    #[arg(long, value_name = "RUNS", value_parser = above_zero, help_heading = "Effort")]
    pub(crate) budget: Option<u64>,
    /// How many threads may work on it; the result is the same [default: as many as there are].
    #[arg(
        long,
        value_name = "T",
        value_parser = threads,
        env = "RINGLEADER_THREADS",
        hide_env_values = true,
        help_heading = "Effort"
    )]
    pub(crate) threads: Option<u32>,
    /// The seed of every draw [default: 0].
    #[arg(
        long,
        value_name = "S",
        value_parser = number,
        env = "RINGLEADER_SEED",
        hide_env_values = true,
        help_heading = "Effort"
    )]
    pub(crate) seed: Option<u64>,

    /// Write the arrangement to this file, one identity per line, for `ringleader run --ids @FILE`.
    #[arg(short, long, value_name = "FILE.ids", help_heading = "Files")]
    pub(crate) output: Option<PathBuf>,
    /// Write a run that sends so many messages to this file, for `ringleader replay`.
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub(crate) trace: Option<PathBuf>,
    /// Replace files that are there already.
    #[arg(long, help_heading = "Files")]
    pub(crate) force: bool,

    /// Who starts of its own accord: all, one (index 0), a list of indices, or a percentage [default: all].
    #[arg(long, value_name = "WHO", value_parser = Given::<Initiators>::parse, help_heading = "Environment")]
    pub(crate) initiators: Option<Given<Initiators>>,
    /// How ports are numbered; random is every way where all schedules are searched, and drawn otherwise
    /// [default: same].
    #[arg(long, help_heading = "Environment")]
    pub(crate) orientation: Option<OrientationArg>,
    /// Only this schedule: rounds, random, delay:uniform:1:10, lifo, fifo, greedy, starve:P [default: every schedule].
    #[arg(
        long,
        value_name = "KIND",
        value_parser = Given::<ScheduleArg>::parse,
        help_heading = "Environment"
    )]
    pub(crate) schedule: Option<Given<ScheduleArg>>,
    /// In what order links deliver [default: the weakest that the algorithm admits].
    #[arg(long, help_heading = "Environment")]
    pub(crate) links: Option<LinksArg>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

impl From<WorstArgs> for WorstOptions {
    fn from(args: WorstArgs) -> WorstOptions {
        WorstOptions {
            nodes: args.nodes,
            best: args.best,
            distribution: args.distribution,
            exact: args.exact,
            search: args.search,
            budget: args.budget,
            threads: args.threads,
            seed: args.seed,
            initiators: args.initiators,
            orientation: args.orientation.map(Into::into),
            schedule: args.schedule,
            links: args.links.map(Into::into),
            settings: args.settings.into(),
        }
    }
}
