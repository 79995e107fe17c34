//! `ringleader check ALGORITHM ...`: the options, and the command that says them again.

use super::number::{above_zero, small, threads};
use super::shared::{LinksArg, OrientationArg, SettingsArgs, TopologyArg};
use super::{Bytes, Given, IdsArg, Number, Patience};
use clap::{Args, ValueEnum};
use ringleader::check::{Reduce, Starts};
use ringleader::sim::{Entries, Scatter};
use ringleader_lab::options::{CheckOptions, DelayRange};
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub(crate) struct CheckArgs {
    /// The algorithm; `ringleader list` has the names.
    #[arg(value_name = "ALGORITHM")]
    pub(crate) name: String,
    /// The number of processes [default: 4, or as many as --ids lists].
    #[arg(
        short,
        long = "nodes",
        value_name = "N",
        value_parser = Given::<Number>::parse,
        allow_hyphen_values = true
    )]
    pub(crate) nodes: Option<Given<Number>>,
    /// How much the search may leave out because it makes no difference [default: full].
    #[arg(long, value_name = "HOW")]
    pub(crate) reduce: Option<ReduceArg>,
    /// Check states and ends only, neither cycles nor numbers of messages; needs a fifth of the memory.
    #[arg(long)]
    pub(crate) safety: bool,
    /// Check only this property, for example at-most-one-leader (repeatable).
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Do not stop at the first violation: report every violated property, with a shortest run for each.
    #[arg(long)]
    pub(crate) all_violations: bool,
    /// The number of threads; the result does not depend on it.
    #[arg(
        long,
        value_name = "T",
        value_parser = threads,
        env = "RINGLEADER_THREADS",
        hide_env_values = true
    )]
    pub(crate) threads: Option<u32>,
    /// Record the run that violates a property, if there is one, in this file, for `ringleader replay`.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Replace the file of --trace if it exists.
    #[arg(long)]
    pub(crate) force: bool,

    /// Stop after this many states: 1e6, 1M, 2^20 (exit 3).
    #[arg(long, value_name = "M", value_parser = above_zero, help_heading = "Limits")]
    pub(crate) max_states: Option<u64>,
    /// Stop when the search needs this much memory: 512M, 4G, 12GiB (exit 3) [default: three quarters of what is free].
    #[arg(long, value_name = "B", value_parser = Given::<Bytes>::parse, help_heading = "Limits")]
    pub(crate) memory: Option<Given<Bytes>>,
    /// Stop after this time: seconds, or 30s, 5m, 2h (exit 3).
    #[arg(long, value_name = "T", value_parser = Given::<Patience>::parse, help_heading = "Limits")]
    pub(crate) time: Option<Given<Patience>>,

    /// Check every arrangement of identities, up to rotation.
    #[arg(long, conflicts_with = "ids", help_heading = "Arrangement")]
    pub(crate) all_ids: bool,
    /// Identities in ring order: a list (3,7,4), a file (@ring.ids, one per line), or ascending, descending,
    /// alternating, bit-reversal, fibonacci, worst [default: descending].
    #[arg(
        long,
        value_name = "LIST|@FILE|KIND",
        value_parser = Given::<IdsArg>::parse,
        allow_hyphen_values = true,
        help_heading = "Arrangement"
    )]
    pub(crate) ids: Option<Given<IdsArg>>,
    /// The initiators: all (before the first delivery), all-late (at any moment), any (every set of initiators, at any
    /// moment), one (index 0), or a list of indices [default: any].
    #[arg(long, value_name = "WHO", value_parser = Given::<Starts>::parse, help_heading = "Arrangement")]
    pub(crate) initiators: Option<Given<Starts>>,
    /// The network, for algorithms that run on several [default: the algorithm's own].
    #[arg(long, help_heading = "Arrangement")]
    pub(crate) topology: Option<TopologyArg>,
    /// Whether all processes agree on left and right, or on port numbers; random means every way to number them
    /// [default: what the algorithm allows].
    #[arg(long, help_heading = "Arrangement")]
    pub(crate) orientation: Option<OrientationArg>,
    /// The range of random identities, for algorithms that draw them [default: 2].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Arrangement")]
    pub(crate) range: Option<u32>,
    /// Mutual exclusion: entries per process, one number for all or a list [default: 1].
    #[arg(long, value_name = "K|LIST", value_parser = Given::<Entries>::parse, help_heading = "Arrangement")]
    pub(crate) entries: Option<Given<Entries>>,

    /// The order in which links deliver [default: the weakest that the algorithm allows].
    #[arg(long, help_heading = "Environment")]
    pub(crate) links: Option<LinksArg>,
    /// Allow what the algorithm's contract excludes; the report says so.
    #[arg(long, help_heading = "Environment")]
    pub(crate) unsound: bool,
    /// Let at most this many processes crash, at any moment [default: 1 if the algorithm tolerates it, else 0].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Environment")]
    pub(crate) crashes: Option<u32>,
    /// Let at most this many processes restart [default: likewise].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Environment")]
    pub(crate) recoveries: Option<u32>,
    /// Lose at most this many messages [default: likewise].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Environment")]
    pub(crate) losses: Option<u32>,
    /// Deliver at most this many messages twice [default: likewise].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Environment")]
    pub(crate) duplications: Option<u32>,
    /// Self-stabilising: begin in any state, or in these, one number each (0,2,1,0) [default: any].
    #[arg(
        long,
        value_name = "any|LIST",
        value_parser = Given::<ringleader_lab::options::From>::parse,
        help_heading = "Arrangement"
    )]
    pub(crate) from: Option<Given<ringleader_lab::options::From>>,

    /// What each clock shows at the beginning, in ticks: a list (0,1,-1), or random:K for every way in which they are
    /// up to K off that of process 0 [default: random:1].
    #[arg(
        long,
        value_name = "LIST|random:K",
        value_parser = Given::<Scatter>::parse,
        allow_hyphen_values = true,
        help_heading = "Clocks"
    )]
    pub(crate) clock_offset: Option<Given<Scatter>>,
    /// The least and the longest delay of messages in ticks: every delay between them is tried [default: 1..3].
    #[arg(long, value_name = "LO..HI", value_parser = Given::<DelayRange>::parse, help_heading = "Clocks")]
    pub(crate) delay: Option<Given<DelayRange>>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReduceArg {
    /// Nothing: search every interleaving.
    None,
    /// Other orders of independent steps.
    Por,
    /// Those, and rotations of an anonymous ring.
    Full,
}

impl From<ReduceArg> for Reduce {
    fn from(reduce: ReduceArg) -> Reduce {
        match reduce {
            ReduceArg::None => Reduce::None,
            ReduceArg::Por => Reduce::Por,
            ReduceArg::Full => Reduce::Full,
        }
    }
}

impl From<CheckArgs> for CheckOptions {
    fn from(args: CheckArgs) -> CheckOptions {
        CheckOptions {
            nodes: args.nodes,
            reduce: args.reduce.map(Into::into),
            safety: args.safety,
            property: args.property,
            all_violations: args.all_violations,
            threads: args.threads,
            max_states: args.max_states,
            memory: args.memory,
            time: args.time,
            all_ids: args.all_ids,
            ids: args.ids,
            initiators: args.initiators,
            topology: args.topology.map(Into::into),
            orientation: args.orientation.map(Into::into),
            range: args.range,
            entries: args.entries,
            clock_offset: args.clock_offset,
            delay: args.delay,
            links: args.links.map(Into::into),
            unsound: args.unsound,
            crashes: args.crashes,
            recoveries: args.recoveries,
            losses: args.losses,
            duplications: args.duplications,
            from: args.from,
            settings: args.settings.into(),
        }
    }
}
