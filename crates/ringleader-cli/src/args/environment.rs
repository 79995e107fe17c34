//! The arrangement, the environment and the workload of runs: options of every command that makes some.

use super::number::small;
use super::shared::{BackwardArg, LinksArg, OrientationArg, TopologyArg};
use super::{At, Given, IdsArg, Lose, Partition, Probability, ScheduleArg, Time, Wants};
use clap::Args;
use ringleader::sim::{Entries, Initiators, Scatter};
use ringleader_lab::options::{EnvironmentOptions, From};

/// Where runs take place.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct EnvironmentArgs {
    /// Identities in ring order: a list (3,7,4), a file (@ring.ids, one per line), or random, ascending, descending,
    /// alternating, bit-reversal, fibonacci, worst [default: random].
    #[arg(
        long,
        value_name = "LIST|@FILE|KIND",
        value_parser = Given::<IdsArg>::parse,
        allow_hyphen_values = true,
        help_heading = "Arrangement"
    )]
    pub(crate) ids: Option<Given<IdsArg>>,
    /// The initiators: all, one (index 0), a list of indices (3@7 starts at time 7), or a percentage [default: all].
    #[arg(long, value_name = "WHO", value_parser = Given::<Initiators>::parse, help_heading = "Arrangement")]
    pub(crate) initiators: Option<Given<Initiators>>,
    /// The network, for algorithms that run on several [default: the algorithm's own].
    #[arg(long, help_heading = "Arrangement")]
    pub(crate) topology: Option<TopologyArg>,
    /// Whether all processes agree on left and right, or on port numbers [default: what the algorithm needs].
    #[arg(long, help_heading = "Arrangement")]
    pub(crate) orientation: Option<OrientationArg>,
    /// The range of random identities, for algorithms that draw them [default: 2].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Arrangement")]
    pub(crate) range: Option<u32>,

    /// The schedule: rounds, random, delay:const:1, delay:uniform:1:10, delay:exp:5, lifo, fifo, greedy, starve:P,
    /// replay:FILE [default: rounds].
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
    /// Allow what the algorithm's contract excludes; the report says so.
    #[arg(long, help_heading = "Environment")]
    pub(crate) unsound: bool,
    /// Crash process P at time T (repeatable).
    #[arg(long, value_name = "P@T", value_parser = Given::<At>::parse, help_heading = "Environment")]
    pub(crate) crash: Vec<Given<At>>,
    /// Restart process P at time T (repeatable).
    #[arg(long, value_name = "P@T", value_parser = Given::<At>::parse, help_heading = "Environment")]
    pub(crate) recover: Vec<Given<At>>,
    /// Lose the K-th message of a kind, counted from 1 (repeatable).
    #[arg(long, value_name = "KIND@K", value_parser = Given::<Lose>::parse, help_heading = "Environment")]
    pub(crate) lose: Vec<Given<Lose>>,
    /// Lose each message with this probability.
    #[arg(long, value_name = "P", value_parser = Given::<Probability>::parse, help_heading = "Environment")]
    pub(crate) loss: Option<Given<Probability>>,
    /// Deliver each message twice with this probability.
    #[arg(long, value_name = "P", value_parser = Given::<Probability>::parse, help_heading = "Environment")]
    pub(crate) duplicate: Option<Given<Probability>>,
    /// Lose messages between groups A and B (lists of indices) sent from T1 until T2 (repeatable).
    #[arg(
        long,
        value_name = "A|B@T1..T2",
        value_parser = Given::<Partition>::parse,
        help_heading = "Environment"
    )]
    pub(crate) partition: Vec<Given<Partition>>,

    /// What each clock shows at the beginning, in ticks: a list (0,5,-7), or random:K for draws from -K to K
    /// [default: random:10].
    #[arg(
        long,
        value_name = "LIST|random:K",
        value_parser = Given::<Scatter>::parse,
        allow_hyphen_values = true,
        help_heading = "Clocks"
    )]
    pub(crate) clock_offset: Option<Given<Scatter>>,
    /// How much faster or slower than real time each clock runs, in ppm [default: none drifts].
    #[arg(
        long,
        value_name = "LIST|random:K",
        value_parser = Given::<Scatter>::parse,
        allow_hyphen_values = true,
        help_heading = "Clocks"
    )]
    pub(crate) clock_drift: Option<Given<Scatter>>,
    /// The bound on the drift that processes are told, in ppm [default: the largest drift there is].
    #[arg(long, value_name = "PPM", value_parser = small, help_heading = "Clocks")]
    pub(crate) drift_bound: Option<u32>,
    /// What becomes of a clock that is ahead: it stands still until it is right, or runs more slowly; or it is set
    /// back, which the contracts exclude [default: stop].
    #[arg(long, value_name = "HOW", help_heading = "Clocks")]
    pub(crate) clock_backward: Option<BackwardArg>,

    /// Entries per process: one number for all, or a list [default: 1].
    #[arg(
        long,
        value_name = "K|LIST",
        value_parser = Given::<Entries>::parse,
        help_heading = "Mutual exclusion"
    )]
    pub(crate) entries: Option<Given<Entries>>,
    /// Time in the critical section [default: 1].
    #[arg(long, value_name = "T", value_parser = Given::<Time>::parse, help_heading = "Mutual exclusion")]
    pub(crate) hold: Option<Given<Time>>,
    /// Time between leaving and the next request [default: 0].
    #[arg(long, value_name = "T", value_parser = Given::<Time>::parse, help_heading = "Mutual exclusion")]
    pub(crate) think: Option<Given<Time>>,
    /// Which processes ask when, such as '1,3@0;2@5'.
    #[arg(
        long,
        value_name = "SCRIPT",
        value_parser = Given::<Wants>::parse,
        conflicts_with_all = ["entries", "load"],
        help_heading = "Mutual exclusion"
    )]
    pub(crate) wants: Option<Given<Wants>>,
    /// Where machines of self-stabilising algorithms begin: any, or the state of each (0,2,1,0), with messages also
    /// what is in its link (0+1,2,1+0) [default: any, drawn].
    #[arg(long, value_name = "any|LIST", value_parser = Given::<From>::parse, help_heading = "Self-stabilisation")]
    pub(crate) from: Option<Given<From>>,
    /// Put machine P into any state at time T (repeatable).
    #[arg(long, value_name = "P@T", value_parser = Given::<At>::parse, help_heading = "Self-stabilisation")]
    pub(crate) corrupt: Vec<Given<At>>,
}

impl std::convert::From<EnvironmentArgs> for EnvironmentOptions {
    fn from(args: EnvironmentArgs) -> EnvironmentOptions {
        EnvironmentOptions {
            ids: args.ids,
            initiators: args.initiators,
            topology: args.topology.map(Into::into),
            orientation: args.orientation.map(Into::into),
            range: args.range,
            schedule: args.schedule,
            links: args.links.map(Into::into),
            unsound: args.unsound,
            crash: args.crash,
            recover: args.recover,
            lose: args.lose,
            loss: args.loss,
            duplicate: args.duplicate,
            partition: args.partition,
            clock_offset: args.clock_offset,
            clock_drift: args.clock_drift,
            drift_bound: args.drift_bound,
            clock_backward: args.clock_backward.map(Into::into),
            entries: args.entries,
            hold: args.hold,
            think: args.think,
            wants: args.wants,
            from: args.from,
            corrupt: args.corrupt,
        }
    }
}
