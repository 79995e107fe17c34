//! The contract of an algorithm: what it needs, what it promises, what it costs, and where it comes from.
//!
//! What a type can hold is not here: the port type says which network, the `Given` says what is known.

use super::processes::Processes;
use super::shared::{Daemon, Registers};
use super::{Against, Family, Setting, Settings, fibonacci};
use core::fmt;

/// The contract, and what a reader wants to know before using the algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name on the command line.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// The year of publication.
    pub year: u16,
    /// The idea by which it works.
    pub family: Family,
    /// Its source text: the header has its prose. Empty for an algorithm that has none.
    pub file: &'static str,
    /// What the sources get wrong, as a list.
    pub errata_file: &'static str,
    /// For an as-printed variant, how it differs from the right one.
    pub diff: &'static str,
    /// What it needs of its environment, beyond what its types say.
    pub needs: Needs,
    /// What it promises.
    pub promises: Promises,
    /// What it costs.
    pub cost: Cost,
    /// The arrangement of identities under which it sends most, where one is known.
    pub worst_ids: Option<Arranged>,
    /// Its own settings.
    pub settings: &'static [Setting],
    /// Its rules, where they are not those of its process: where it shares its clauses with another algorithm.
    pub rules: &'static [RuleText],
    /// A small run worth looking at, as arguments of `run` after the name.
    pub example: &'static str,
}

impl Spec {
    /// Whether it is an as-printed variant: its name has an `@`.
    #[must_use]
    pub const fn is_literal(&self) -> bool {
        let name = self.name.as_bytes();
        let mut place = 0;
        while place < name.len() && name[place] != b'@' {
            place += 1;
        }
        place < name.len()
    }

    /// Whether it may begin in any state.
    #[must_use]
    pub const fn stabilises(&self) -> bool {
        matches!(self.promises, Promises::Stabilisation)
    }

    /// Who chooses which machines move, with these settings.
    #[must_use]
    pub fn daemon(&self, settings: &Settings) -> Daemon {
        let place = self.settings.iter().position(|setting| setting.name == Setting::DAEMON.name);
        place.map_or(Daemon::Central, |place| Daemon::of(settings.0[place]))
    }

    /// How many messages a link holds at most with these settings, where there is such a number.
    #[must_use]
    pub fn capacity(&self, settings: &Settings) -> Option<u32> {
        let place = self.settings.iter().position(|setting| setting.name == Setting::CAPACITY.name);
        place.map(|place| settings.0[place])
    }

    /// Whether registers are safe ones with these settings: where the setting of that name says so.
    #[must_use]
    pub fn has_safe_registers(&self, settings: &Settings) -> bool {
        let place = self.settings.iter().position(|setting| setting.name == Setting::REGISTERS.name);
        place.is_some_and(|place| settings.0[place] == 1)
    }

    /// Whether a leader stays one, and nobody else becomes one: not where processes come and go while it runs.
    #[must_use]
    pub const fn keeps_its_leader(&self) -> bool {
        matches!(self.promises, Promises::Election { .. }) && !self.needs.tolerates.crash
    }
}

/// What an algorithm needs of its environment. The default is the weakest environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// The weakest links it works on.
    pub links: Links,
    /// Whether all processes must agree on which side is which (two-way rings) or on port numbers (complete graphs).
    pub orientation: Orientation,
    /// What a process does that is reached by a message before it started.
    pub reached: Reached,
    /// What it needs to know about time.
    pub timing: Timing,
    /// Whether it draws random numbers.
    pub choices: bool,
    /// Whether it needs to be told of crashes.
    pub detector: bool,
    /// The graphs it admits, if its ports are numbered edges.
    pub graphs: &'static [Graph],
    /// Whether the ring has been closed over the processes that are down: from the beginning, or, where it lives with
    /// crashes, from then on. What was on its way to them is lost.
    pub bypass: bool,
    /// How many processes there may be.
    pub processes: Processes,
    /// How many others a process has to do with, for estimates.
    pub talks: Talks,
    /// The faults that it lives with while it runs.
    pub tolerates: Tolerates,
    /// The weakest registers it works on, where it has any.
    pub registers: Registers,
}

impl Needs {
    /// The weakest environment: messages overtake each other, ports are numbered anyhow, nothing fails.
    pub const NOTHING: Needs = Needs {
        links: Links::Bag,
        orientation: Orientation::Random,
        reached: Reached::Wakes,
        timing: Timing::Asynchronous,
        choices: false,
        detector: false,
        graphs: &[Graph::Complete],
        bypass: false,
        processes: Processes::Any,
        talks: Talks::ToAll { keeps: 0 },
        tolerates: Tolerates::NOTHING,
        registers: Registers::Atomic,
    };
}

/// In what order a link delivers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Links {
    /// In any order: messages may overtake each other.
    Bag,
    /// In sending order.
    Fifo,
    /// In sending order, and two messages never pass each other in opposite directions.
    HalfDuplex,
}

impl Links {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Links::Bag => "bag",
            Links::Fifo => "fifo",
            Links::HalfDuplex => "half-duplex",
        }
    }

    /// Whether these links give at least what `needed` gives.
    #[must_use]
    pub const fn at_least(self, needed: Links) -> bool {
        self as u8 >= needed as u8
    }
}

impl fmt::Display for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How ports are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Orientation {
    /// The same way everywhere.
    Same,
    /// Independently at each process.
    Random,
}

impl Orientation {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Orientation::Same => "same",
            Orientation::Random => "random",
        }
    }
}

/// What a process does that is reached by a message before it started of its own accord.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reached {
    /// It starts just before it handles the message.
    Wakes,
    /// It handles the message without ever having started.
    Relays,
    /// Likewise; and one that wanted to start of its own accord still may, later. Texts that forget to exclude it do.
    MayStartLater,
}

impl Reached {
    /// Whether a process that has not started does so just before its first message: an initiator at the latest then.
    #[must_use]
    pub const fn starts_first(self, is_initiator: bool) -> bool {
        match self {
            Reached::Wakes => true,
            Reached::Relays => is_initiator,
            Reached::MayStartLater => false,
        }
    }
}

/// What an algorithm needs to know about time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Timing {
    /// Nothing: any finite delay will do.
    Asynchronous,
    /// A bound on the delay of messages.
    BoundedDelay,
    /// All processes move together, round by round.
    LockStep,
}

/// A kind of graph for numbered edges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Graph {
    /// Everybody with everybody.
    Complete,
    /// A tree of any form.
    Tree,
}

/// How many others a process has to do with, where everybody is connected with everybody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Talks {
    /// All of them may hear from it at once, and it keeps so many bytes of each.
    ToAll {
        /// The bytes.
        keeps: u8,
    },
    /// A few, however many there are.
    ToFew,
}

/// The faults that an algorithm lives with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tolerates {
    /// Processes stop.
    pub crash: bool,
    /// Stopped processes come back, without what they knew.
    pub recovery: bool,
    /// Messages are lost.
    pub loss: bool,
    /// Messages arrive twice.
    pub duplication: bool,
    /// The network is cut in two for a while.
    pub partition: bool,
}

impl Tolerates {
    /// No faults at all.
    pub const NOTHING: Tolerates =
        Tolerates { crash: false, recovery: false, loss: false, duplication: false, partition: false };
}

/// What an algorithm promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promises {
    /// To elect a leader.
    Election {
        /// Which process wins.
        winner: Winner,
        /// Who knows it in the end.
        informed: Informed,
    },
    /// To let one in at a time.
    Exclusion {
        /// In what order.
        order: Order,
        /// Whether it falls silent when nobody wants in; otherwise tokens circulate for ever.
        falls_silent: bool,
    },
    /// From some moment on, to let one in at a time, wherever it began.
    Stabilisation,
    /// To bring clocks together.
    Clocks {
        /// By what they are judged.
        against: Against,
    },
}

/// Which process wins an election.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Winner {
    /// The largest identity of all.
    Largest,
    /// The largest identity among those that started of their own accord.
    LargestInitiator,
    /// The largest of those that are up after the last fault.
    LargestLive,
    /// One of those that started of their own accord.
    AnyInitiator,
    /// Some process.
    Any,
}

/// Who knows the leader in the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Informed {
    /// Everybody.
    All,
    /// Those that started of their own accord.
    Initiators,
    /// Everybody who is up after the last fault.
    Live,
}

/// In what order requests are served.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// By (time stamp, name), over the whole run.
    Priority,
    /// As they come round the ring.
    Ring,
    /// Some order in which nobody waits for ever.
    Fair,
    /// No order: while somebody waits somebody enters, but the same one may wait for ever.
    Any,
    /// Whoever has passed the doorway enters before all who ask later.
    Doorway,
}

/// What an algorithm costs in messages.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The proved upper bound.
    pub worst: Option<Bound>,
    /// The mean over random arrangements or independent requests.
    pub average: Option<Average>,
    /// How the number of messages depends on the schedule.
    pub schedules: Schedules,
    /// The published factor of n·log2 n, where the worst case grows like that.
    pub constant: Option<Constant>,
    /// The sizes at which the worst case grows evenly, if they are neither the powers of two nor the Fibonacci numbers.
    pub sizes: Option<GrowingSizes>,
}

impl Cost {
    /// Nothing is claimed.
    pub const UNKNOWN: Cost =
        Cost { worst: None, average: None, schedules: Schedules::Unknown, constant: None, sizes: None };
}

/// How the number of election messages of one arrangement depends on the schedule, where everybody has started before
/// the first delivery. On a one-way ring with links that keep the order it never does, and nothing has to be said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Schedules {
    /// Nothing is claimed.
    Unknown,
    /// It is the same under every schedule.
    Same,
    /// No schedule sends more than `rounds`.
    RoundsSendMost,
}

/// The factor of n·log2 n in the published worst case.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constant {
    /// The factor.
    pub value: f64,
    /// Who gives it.
    pub source: &'static str,
}

impl Constant {
    /// 1 / log2 φ: a round for each Fibonacci number.
    pub const GOLDEN: f64 = 1.440_420_090_412_556_5;
    /// 3 / log2 3: three messages a link for each power of three.
    pub const TERNARY: f64 = 1.892_789_260_714_372_4;
}

/// Sizes at which an algorithm is measured, because its worst case grows evenly from one to the next.
#[derive(Clone, Copy, Debug)]
pub struct GrowingSizes {
    /// What they are, as shown.
    pub name: &'static str,
    /// The k-th of them.
    pub nth: fn(u32) -> u64,
}

impl GrowingSizes {
    /// 1, 2, 4, ...
    pub const POWERS_OF_TWO: GrowingSizes = GrowingSizes { name: "2^k", nth: |k| 2u64.saturating_pow(k) };
    /// 1, 3, 9, ...
    pub const POWERS_OF_THREE: GrowingSizes = GrowingSizes { name: "3^k", nth: |k| 3u64.saturating_pow(k) };
    /// 0, 1, 1, 2, 3, 5, ...
    pub const FIBONACCI: GrowingSizes =
        GrowingSizes { name: "fibonacci", nth: |k| u64::from(fibonacci(k as usize)) };
}

/// What a bound rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// A proof: by whom, or by which argument.
    Proved(&'static str),
    /// Measurements: which.
    Measured(&'static str),
}

impl Basis {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Basis::Proved(_) => "proved",
            Basis::Measured(_) => "measured",
        }
    }

    /// Who or what proves it, or what was measured.
    #[must_use]
    pub const fn by(self) -> &'static str {
        match self {
            Basis::Proved(by) | Basis::Measured(by) => by,
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Basis::Proved(by) => write!(f, "proved by {by}"),
            Basis::Measured(how) => write!(f, "measured: {how}"),
        }
    }
}

/// An upper bound on messages.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The formula as shown.
    pub formula: &'static str,
    /// Which messages it bounds.
    pub counts: Counts,
    /// What it rests on.
    pub basis: Basis,
    /// Its value.
    pub(super) value: Value,
}

/// What the value of a bound depends on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// The number of processes.
    OfSize(fn(u64) -> u64),
    /// The number of processes, and for each entry to the critical section once more.
    PerEntry(fn(u64) -> u64),
    /// Other facts, too; none where it does not apply.
    OfFacts(fn(&Facts) -> Option<u64>),
}

impl Bound {
    /// Its value; none where it does not apply.
    #[must_use]
    pub fn value(&self, facts: &Facts) -> Option<u64> {
        match self.value {
            Value::OfSize(value) => Some(value(facts.n)),
            Value::PerEntry(value) => Some(value(facts.n) * facts.entries),
            Value::OfFacts(value) => value(facts),
        }
    }
}

/// Which messages a bound speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counts {
    /// Those of the election, without the announcement.
    Election,
    /// All of them.
    All,
}

impl Counts {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Counts::Election => "election",
            Counts::All => "all",
        }
    }
}

/// An expected number of messages.
#[derive(Clone, Copy, Debug)]
pub struct Average {
    /// The formula as shown, with what the mean is over.
    pub formula: &'static str,
    /// Its value; none where it does not apply.
    pub value: fn(&Facts) -> Option<f64>,
}

/// What a bound may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The number of processes.
    pub n: u64,
    /// How many of them are up at the beginning.
    pub live: u64,
    /// How many start of their own accord.
    pub initiators: u64,
    /// The lowest index among them.
    pub first_initiator: u64,
    /// How many entries to the critical section were asked for.
    pub entries: u64,
    /// How many processes crashed before the first step and stayed down: the top so many indices, or none.
    pub top_down: u64,
    /// How many other faults happened.
    pub other_faults: u64,
    /// The most steps between two processes, in a tree; 1 elsewhere.
    pub diameter: u64,
    /// The algorithm's own settings, in the order in which it declares them.
    pub settings: Settings,
}

impl Facts {
    /// So many processes, which all start, and nothing fails.
    #[must_use]
    pub const fn plain(n: u64) -> Facts {
        Facts {
            n,
            live: n,
            initiators: n,
            first_initiator: 0,
            entries: 0,
            top_down: 0,
            other_faults: 0,
            diameter: 1,
            settings: Settings([0; 4]),
        }
    }
}

/// An arrangement of identities in ring order.
#[derive(Clone, Copy, Debug)]
pub enum Arranged {
    /// 1 .. n.
    Ascending,
    /// n .. 1.
    Descending,
    /// 1, n, 2, n - 1, ...
    Alternating,
    /// The ranks of the bit-reversed indices.
    BitReversal,
    /// The multiples of one Fibonacci number modulo another, which keep Peterson's second algorithm busy longest.
    Fibonacci,
    /// Ranks computed from n; what they are is said first.
    Custom(&'static str, fn(u32) -> Vec<u32>),
}

/// A rule of an algorithm, as the book has it.
#[derive(Clone, Copy, Debug)]
pub struct RuleText {
    /// Its name, which steps use.
    pub name: &'static str,
    /// Its text, in the words of pseudo-code.
    pub text: &'static str,
}

/// Something that the source text gets wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Erratum {
    /// Its number in the catalogue of errata.
    pub id: String,
    /// What is wrong, and what is right.
    pub text: String,
}
