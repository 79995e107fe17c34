//! What is to be run, as plain data, and whether the contract admits it. Parsing it is the business of a leaf.
//!
//! A [`Scenario`] is arranged into a `Setup` (identities, wiring, settings), or refused with a [`Refusal`]. Simulator,
//! checker and host all begin with that.

mod admission;
mod beginning;
mod clocks;
mod edit;
mod refusal;
mod setup;

pub use beginning::{beginning, beginning_in_words, in_links};
pub use clocks::{Backward, Clocks, Scatter};
pub(crate) use clocks::{Corrected, Hardware, elapsed};
pub use edit::{Action, Edit};
pub use refusal::Refusal;
pub(crate) use setup::Setup;

use crate::model::{Arranged, Elector, Links, Orientation};
use crate::trace::Recording;
use std::sync::Arc;

/// The number of ticks in one unit of time under the timed schedules.
pub const TICKS_PER_UNIT: u64 = 1_000_000;

/// Everything that determines a run. Equal scenarios give equal runs, on every platform.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The number of processes.
    pub n: u32,
    /// Who gets which identity.
    pub ids: Ids,
    /// Who starts of its own accord.
    pub initiators: Initiators,
    /// Who moves next.
    pub schedule: Schedule,
    /// The links; the contract's weakest if not given.
    pub links: Option<Links>,
    /// How ports are numbered; as the contract admits if not given.
    pub ports: Ports,
    /// The graph, where the algorithm admits several.
    pub topology: Option<Topology>,
    /// The range of random identities.
    pub range: u32,
    /// Who wants in, and when.
    pub workload: Workload,
    /// What clocks are like, where there are any.
    pub clocks: Clocks,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// Where somebody reaches into the run, in the order of their steps.
    pub edits: Vec<Edit>,
    /// The algorithm's own settings, by name.
    pub settings: Vec<(String, String)>,
    /// The election that the algorithm holds inside, where one of its settings names it. The registry fills it in.
    pub elector: Option<Elector>,
    /// Whether to run it even where the contract excludes the environment.
    pub unsound: bool,
    /// Meters that cost time or memory.
    pub meters: Meters,
    /// The seed of every draw.
    pub seed: u64,
    /// Stop after so many steps.
    pub max_steps: Option<u64>,
    /// How many threads may work on it.
    pub threads: u32,
    /// The states in which machines begin that may begin anywhere, one number each, and what their links hold (see
    /// [`beginning`]); drawn if not given.
    pub from: Option<Vec<u32>>,
}

impl Scenario {
    /// A run of `n` processes with everything else as usual.
    #[must_use]
    pub fn new(n: u32) -> Scenario {
        Scenario {
            n,
            ids: Ids::Default,
            initiators: Initiators::All,
            schedule: Schedule::Rounds,
            links: None,
            ports: Ports::Default,
            topology: None,
            range: 2,
            workload: Workload::default(),
            clocks: Clocks::default(),
            faults: Vec::new(),
            edits: Vec::new(),
            settings: Vec::new(),
            elector: None,
            unsound: false,
            meters: Meters::default(),
            seed: 0,
            max_steps: None,
            threads: 1,
            from: None,
        }
    }
}

/// Who gets which identity, in ring order.
#[derive(Clone, Debug)]
pub enum Ids {
    /// Random where processes have identities; ascending where they have names; none where they are anonymous.
    Default,
    /// A uniformly random permutation of 1 ..= n.
    Random,
    /// A known arrangement of 1 ..= n.
    Arranged(Arranged),
    /// The arrangement under which the algorithm sends most, where one is known.
    Worst,
    /// These.
    Listed(Vec<u64>),
}

/// Who starts of its own accord. Those that do start before the first delivery, in index order, unless they have a
/// time of their own; and then at the latest just before their first message, where the contract has it so.
#[derive(Clone, PartialEq, Debug)]
pub enum Initiators {
    /// Everybody.
    All,
    /// Index 0.
    One,
    /// These indices.
    Listed(Vec<u32>),
    /// These indices, each at its time, in units; 0 is before the first delivery.
    Timed(Vec<(u32, u64)>),
    /// A random set of this percentage, at least one.
    Percent(f64),
}

/// Who moves next.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// What was sent in round r is delivered in round r + 1; a process takes its ports in increasing number.
    Rounds,
    /// A uniformly random non-empty link delivers next.
    Random,
    /// Each message travels for a time drawn from this distribution.
    Delay(Delay),
    /// The newest message that may be delivered, first.
    Lifo,
    /// The oldest message first.
    Fifo,
    /// The delivery that causes most sends; the oldest of those.
    Greedy,
    /// The oldest message first, but those sent by this process last.
    Starve(u32),
    /// As recorded.
    Replay(Arc<Recording>),
}

impl Schedule {
    /// The recording that it follows, if it does.
    #[must_use]
    pub fn recording(&self) -> Option<&Recording> {
        if let Schedule::Replay(recording) = self { Some(recording) } else { None }
    }

    /// How many ticks of its clock make one unit of time.
    #[must_use]
    pub fn ticks_per_unit(&self) -> u64 {
        match self.recording() {
            Some(recording) => recording.header.ticks_per_unit.max(1),
            None if matches!(self, Schedule::Delay(_)) => TICKS_PER_UNIT,
            None => 1,
        }
    }

    /// Whether its clock counts rounds.
    #[must_use]
    pub fn counts_rounds(&self) -> bool {
        match self.recording() {
            Some(recording) => recording.header.schedule == "rounds",
            None => matches!(self, Schedule::Rounds),
        }
    }

    /// The name on the command line, without its parameters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Schedule::Rounds => "rounds",
            Schedule::Random => "random",
            Schedule::Delay(_) => "delay",
            Schedule::Lifo => "lifo",
            Schedule::Fifo => "fifo",
            Schedule::Greedy => "greedy",
            Schedule::Starve(_) => "starve",
            Schedule::Replay(_) => "replay",
        }
    }
}

/// A distribution of delays, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delay {
    /// Always the same.
    Constant(u64),
    /// Uniform between two bounds, both included.
    Uniform(u64, u64),
    /// Exponential with this mean: there is no bound.
    Exponential(u64),
}

impl Delay {
    /// The longest delay, if there is one.
    #[must_use]
    pub fn max(self) -> Option<u64> {
        match self {
            Delay::Constant(ticks) | Delay::Uniform(_, ticks) => Some(ticks),
            Delay::Exponential(_) => None,
        }
    }
}

/// How ports are numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ports {
    /// As the contract admits.
    Default,
    /// The same way everywhere, or independently at each process.
    Kind(Orientation),
    /// For each process, the physical port behind each of its port numbers.
    Listed(Vec<Vec<u32>>),
}

/// A network by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Topology {
    /// A ring.
    Ring,
    /// Everybody with everybody.
    Complete,
    /// 0 - 1 - 2 - ...
    Line,
    /// Index 0 in the middle.
    Star,
    /// A binary tree, numbered as a heap.
    Binary,
    /// A uniformly random recursive tree: each process hangs on one of those before it.
    RandomTree,
    /// The neighbours of each process, in physical port order.
    Listed(Vec<Vec<u32>>),
    /// No links: processes share registers.
    Memory,
}

impl Topology {
    /// The name on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Topology::Ring => "ring",
            Topology::Complete => "complete",
            Topology::Line => "line",
            Topology::Star => "star",
            Topology::Binary => "binary",
            Topology::RandomTree | Topology::Listed(_) => "random",
            Topology::Memory => "memory",
        }
    }
}

/// Who wants in, and when. Only for mutual exclusion.
#[derive(Clone, PartialEq, Debug)]
pub struct Workload {
    /// How often each process wants in: the same for all, or one number each.
    pub entries: Entries,
    /// An open-ended load instead of a number of entries each.
    pub load: Option<Load>,
    /// How many entries in all, for a load.
    pub total: Option<u64>,
    /// How long a user stays inside.
    pub hold: u64,
    /// How long it is elsewhere before it wants in again.
    pub think: u64,
    /// Who asks when, instead of the above: (time, process).
    pub wants: Vec<(u64, u32)>,
}

impl Default for Workload {
    fn default() -> Workload {
        Workload { entries: Entries::Each(1), load: None, total: None, hold: 1, think: 0, wants: Vec::new() }
    }
}

/// A number of entries per process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entries {
    /// The same for everybody.
    Each(u32),
    /// One number per process.
    Listed(Vec<u32>),
    /// Again and again, without end. Only in a check.
    Forever,
}

/// An open-ended load.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Load {
    /// Everybody always wants in.
    Saturated,
    /// One uniformly random process at a time, with a quiet system in between.
    Light,
    /// Requests arrive at random, so many per unit of time in all; a request for a busy process waits for it.
    Open(f64),
}

/// Something that goes wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// A process stops.
    Crash {
        /// Which one.
        process: u32,
        /// When.
        at: u64,
    },
    /// A stopped process comes back.
    Recover {
        /// Which one.
        process: u32,
        /// When.
        at: u64,
    },
    /// The k-th message of a kind is lost, counted from 1.
    LoseNth {
        /// The kind.
        kind: String,
        /// Which one of them.
        nth: u64,
    },
    /// Each message is lost with this probability.
    Loss(f64),
    /// Each message is delivered twice with this probability.
    Duplicate(f64),
    /// Messages between two groups that are sent in this time are lost.
    Partition {
        /// One group.
        left: Vec<u32>,
        /// The other.
        right: Vec<u32>,
        /// The first moment of the cut.
        from: u64,
        /// The first moment after it.
        until: u64,
    },
    /// The state of a machine becomes any of its states.
    Corrupt {
        /// Which one.
        process: u32,
        /// When.
        at: u64,
    },
}

/// Meters that cost time or memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Meters {
    /// The size of messages in bits.
    pub bits: bool,
    /// Messages handled per process.
    pub load: bool,
    /// The longest causal chain.
    pub depth: bool,
}

impl Meters {
    /// Whether any is on.
    #[must_use]
    pub fn any(self) -> bool {
        self.bits || self.load || self.depth
    }
}
