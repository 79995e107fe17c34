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
    /// The algorithm; `ringleader list` has the names.
    #[arg(value_name = "ALGORITHM", required_unless_present = "constants")]
    pub(crate) name: Option<String>,
    /// The number of processes: 8, 1e3, 2^10 [default: 8]; with --constants the largest number [default: 1e6].
    #[arg(
        short,
        long = "nodes",
        value_name = "N",
        value_parser = Given::<Number>::parse,
        allow_hyphen_values = true
    )]
    pub(crate) nodes: Option<Given<Number>>,
    /// Find the best case: the fewest messages.
    #[arg(long)]
    pub(crate) best: bool,
    /// Print how many arrangements send how many messages, with the exact mean and variance.
    #[arg(long, conflicts_with = "search")]
    pub(crate) distribution: bool,
    /// Print the table of message constants instead: the worst known case of every election with O(n log n) messages,
    /// beside the published factor.
    #[arg(
        long,
        conflicts_with_all = [
            "name", "best", "distribution", "exact", "search", "budget", "output", "trace", "initiators",
            "orientation", "schedule", "links", "seed",
        ]
    )]
    pub(crate) constants: bool,

    /// Try every arrangement, however long it takes (exit 3 if there are far too many).
    #[arg(long, conflicts_with = "search", help_heading = "Effort")]
    pub(crate) exact: bool,
    /// Search, even if every arrangement could be tried.
    #[arg(long, help_heading = "Effort")]
    pub(crate) search: bool,
    /// Try at most this many arrangements: 1e4, 1M [default: what takes a minute or less].
    #[arg(long, value_name = "RUNS", value_parser = above_zero, help_heading = "Effort")]
    pub(crate) budget: Option<u64>,
    /// The number of threads; the result does not depend on it [default: the number of processors].
    #[arg(
        long,
        value_name = "T",
        value_parser = threads,
        env = "RINGLEADER_THREADS",
        hide_env_values = true,
        help_heading = "Effort"
    )]
    pub(crate) threads: Option<u32>,
    /// The seed of all random choices [default: 0].
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
    /// Record a run with that many messages in this file, for `ringleader replay`.
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub(crate) trace: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long, help_heading = "Files")]
    pub(crate) force: bool,

    /// The initiators: all, one (index 0), a list of indices, or a percentage [default: all].
    #[arg(long, value_name = "WHO", value_parser = Given::<Initiators>::parse, help_heading = "Environment")]
    pub(crate) initiators: Option<Given<Initiators>>,
    /// How ports are numbered; random means every way if all schedules are searched, and a random way otherwise
    /// [default: same].
    #[arg(long, help_heading = "Environment")]
    pub(crate) orientation: Option<OrientationArg>,
    /// Try only this schedule: rounds, random, delay:uniform:1:10, lifo, fifo, greedy, starve:P [default: every
    /// schedule].
    #[arg(
        long,
        value_name = "KIND",
        value_parser = Given::<ScheduleArg>::parse,
        help_heading = "Environment"
    )]
    pub(crate) schedule: Option<Given<ScheduleArg>>,
    /// The order in which links deliver [default: the weakest that the algorithm allows].
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
