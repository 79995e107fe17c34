//! Options and values that several commands have, and the words that say them again.

use super::number::small;
use clap::{Args, ValueEnum};
use ringleader::model::{Links, Orientation};
use ringleader::sim::{Backward, Topology};
use ringleader_lab::options::{SettingOptions, setting};

/// The algorithm's own settings.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct SettingsArgs {
    /// Set a setting of the algorithm; `ringleader show` lists them (repeatable).
    #[arg(
        long = "set",
        value_name = "NAME=VALUE",
        value_parser = setting,
        help_heading = "The algorithm's own settings"
    )]
    pub(crate) set: Vec<(String, String)>,
    /// probabilistic-franklin: what ends the election, both or first.
    #[arg(long, value_name = "HOW", help_heading = "The algorithm's own settings")]
    pub(crate) ending: Option<String>,
    /// central: tell refused processes so.
    #[arg(long, help_heading = "The algorithm's own settings")]
    pub(crate) denied: bool,
    /// central, token-ring-failover: the election that is held after a crash.
    #[arg(long, value_name = "NAME", help_heading = "The algorithm's own settings")]
    pub(crate) election: Option<String>,
    /// misra-k: the number of tokens.
    #[arg(long, value_name = "K", value_parser = small, help_heading = "The algorithm's own settings")]
    pub(crate) tokens: Option<u32>,
    /// itai-rodeh-sync: run it on a network without lock-step.
    #[arg(long, help_heading = "The algorithm's own settings")]
    pub(crate) synchroniser: bool,
    /// Locks on registers: atomic, or safe (a read during a write returns anything).
    #[arg(long, value_name = "KIND", help_heading = "The algorithm's own settings")]
    pub(crate) registers: Option<String>,
    /// Self-stabilising: which machines move, central, distributed or synchronous.
    #[arg(long, value_name = "WHO", help_heading = "The algorithm's own settings")]
    pub(crate) daemon: Option<String>,
    /// dijkstra-k, dijkstra-k-messages: the number of values of a machine.
    #[arg(long, value_name = "K", value_parser = small, help_heading = "The algorithm's own settings")]
    pub(crate) k: Option<u32>,
    /// dijkstra-k-messages: how many messages a link holds at most.
    #[arg(long, value_name = "C", value_parser = small, help_heading = "The algorithm's own settings")]
    pub(crate) capacity: Option<u32>,
}

impl From<SettingsArgs> for SettingOptions {
    fn from(args: SettingsArgs) -> SettingOptions {
        let SettingsArgs {
            set,
            ending,
            denied,
            election,
            tokens,
            synchroniser,
            registers,
            daemon,
            k,
            capacity,
        } = args;
        SettingOptions { set, ending, denied, election, tokens, synchroniser, registers, daemon, k, capacity }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinksArg {
    /// In the order sent.
    Fifo,
    /// In any order.
    Bag,
    /// In the order sent, and two messages never pass each other.
    HalfDuplex,
}

impl From<LinksArg> for Links {
    fn from(links: LinksArg) -> Links {
        match links {
            LinksArg::Fifo => Links::Fifo,
            LinksArg::Bag => Links::Bag,
            LinksArg::HalfDuplex => Links::HalfDuplex,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BackwardArg {
    /// It stands still.
    Stop,
    /// It runs more slowly.
    Slew,
    /// It is set back.
    Step,
}

impl From<BackwardArg> for Backward {
    fn from(backward: BackwardArg) -> Backward {
        match backward {
            BackwardArg::Stop => Backward::Stop,
            BackwardArg::Slew => Backward::Slew,
            BackwardArg::Step => Backward::Step,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OrientationArg {
    /// The same everywhere.
    Same,
    /// Different in each process: random in a run, every way in a check.
    Random,
}

impl From<OrientationArg> for Orientation {
    fn from(orientation: OrientationArg) -> Orientation {
        match orientation {
            OrientationArg::Same => Orientation::Same,
            OrientationArg::Random => Orientation::Random,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TopologyArg {
    /// A ring.
    Ring,
    /// All processes are neighbours.
    Complete,
    /// The tree 0 - 1 - 2 - ...
    Line,
    /// The tree with index 0 in the middle.
    Star,
    /// The binary tree, numbered as a heap.
    Binary,
    /// A random tree.
    Random,
}

impl From<TopologyArg> for Topology {
    fn from(topology: TopologyArg) -> Topology {
        match topology {
            TopologyArg::Ring => Topology::Ring,
            TopologyArg::Complete => Topology::Complete,
            TopologyArg::Line => Topology::Line,
            TopologyArg::Star => Topology::Star,
            TopologyArg::Binary => Topology::Binary,
            TopologyArg::Random => Topology::RandomTree,
        }
    }
}

/// The name of a value as clap knows it.
#[cfg(feature = "cluster")]
pub(crate) fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
