//! What is to be checked, as plain data. What is left open is taken as weak as the contract admits.

use super::property::is_promised;
use crate::model::{Arranged, Elector, Links, Spec};
use crate::scenario::{Entries, Ports, Scatter, Topology};

/// Everything that determines a check. Equal scopes give equal findings, whatever the number of threads.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The number of processes.
    pub n: u32,
    /// Which arrangements of identities.
    pub ids: Arrangements,
    /// Who starts of its own accord, and when.
    pub starts: Starts,
    /// How often each process wants in. Only for mutual exclusion.
    pub entries: Entries,
    /// The links; the contract's weakest if not given.
    pub links: Option<Links>,
    /// How ports are numbered; as the contract admits if not given, and then in every way that it admits.
    pub ports: Ports,
    /// The graph, where the algorithm admits several.
    pub topology: Option<Topology>,
    /// The range of random identities.
    pub range: u32,
    /// The algorithm's own settings, by name.
    pub settings: Vec<(String, String)>,
    /// The election that the algorithm holds inside, where one of its settings names it. The registry fills it in.
    pub elector: Option<Elector>,
    /// How many faults of each kind may happen.
    pub faults: Budget,
    /// How many ticks a message may take, where time counts; if not given, as many as processes are told.
    pub max_delay: Option<u32>,
    /// What clocks show at the beginning, where there are any: these, or every number up to so much from that of
    /// process 0.
    pub offsets: Scatter,
    /// The least and the longest delay of a message in ticks, where there are clocks: processes are told.
    pub delays: (u32, u32),
    /// The least delay that there is, where there are clocks; if not given, what processes are told.
    pub min_delay: Option<u32>,
    /// Whether crashes are noticed, where the contract needs that.
    pub detector: bool,
    /// The states in which machines begin that may begin anywhere, one number each, and what their links hold (see
    /// [`beginning`](crate::sim::beginning)); all states if not given.
    pub from: Option<Vec<u32>>,
    /// Whether to check it even where the contract excludes the environment.
    pub unsound: bool,
    /// Whether expected numbers of rounds and messages are worked out, where chance decides: it takes another search.
    pub expectations: bool,
    /// Whether only what shows in a state or at an end is checked: neither cycles nor numbers of messages. The edges
    /// between states are not kept then, which are most of the memory.
    pub safety_only: bool,
    /// Only these of the promised properties, by name; hyphens may stand for spaces. None named: all of them.
    pub properties: Vec<String>,
    /// Whether to go on after a violation, until every property is decided. Each violation costs one more search.
    pub all_violations: bool,
    /// Whether a run with the least or the most election messages is to be shown as well.
    pub extreme: Option<Extreme>,
    /// How much of what cannot matter is left out.
    pub reduce: Reduce,
    /// Stop after so many states.
    pub max_states: Option<u64>,
    /// Stop when the search needs so many bytes.
    pub max_bytes: Option<u64>,
    /// How many threads may work on it.
    pub threads: u32,
    /// Show the states of one case and the steps between them, if there are at most so many.
    pub keep_states: Option<u32>,
    /// Only the cases with these numbers, out of as many as [`Entry::cases`](crate::registry::Entry::cases) says: parts
    /// of a check, for several machines. All of them if not given.
    pub cases: Option<core::ops::Range<u64>>,
}

impl Scope {
    /// A check with `n` processes, everything else as usual: identities falling along the ring, every set of
    /// initiators, one entry each, the weakest environment.
    #[must_use]
    pub fn new(n: u32) -> Scope {
        Scope {
            n,
            ids: Arrangements::Arranged(Arranged::Descending),
            starts: Starts::Any,
            entries: Entries::Each(1),
            links: None,
            ports: Ports::Default,
            topology: None,
            range: 2,
            settings: Vec::new(),
            elector: None,
            faults: Budget::default(),
            max_delay: None,
            offsets: Scatter::Drawn(1),
            delays: (1, 3),
            min_delay: None,
            detector: true,
            from: None,
            unsound: false,
            expectations: true,
            safety_only: false,
            properties: Vec::new(),
            all_violations: false,
            extreme: None,
            reduce: Reduce::Full,
            max_states: None,
            max_bytes: None,
            threads: 1,
            keep_states: None,
            cases: None,
        }
    }

    /// Whether this property is to be checked. What is not promised is checked only if it is named.
    pub(super) fn asks(&self, spec: &Spec, name: &str) -> bool {
        let is_named = self.properties.iter().any(|asked| is_called(name, asked));
        is_named || self.properties.is_empty() && is_promised(spec, name)
    }
}

/// Whether these words name this property: letters and digits count, what stands between them does not.
pub(super) fn is_called(name: &str, words: &str) -> bool {
    fn parts(text: &str) -> impl Iterator<Item = String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_lowercase)
    }
    parts(name).eq(parts(words))
}

/// Which arrangements of identities round the ring. Where processes have none, or are known by name, there is one.
#[derive(Clone, Debug)]
pub enum Arrangements {
    /// All of them, up to rotation.
    All,
    /// This one, with the identities 1 ..= n.
    Arranged(Arranged),
    /// The arrangement under which the algorithm sends most, where one is known.
    Worst,
    /// These identities.
    Listed(Vec<u64>),
}

/// Who starts of its own accord. A late initiator starts at any moment, at the latest just before its first message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Starts {
    /// Everybody has started before the first delivery.
    All,
    /// Everybody is an initiator, and starts late.
    AllLate,
    /// Every non-empty set of initiators, which start late.
    Any,
    /// These are the initiators; they start late.
    Listed(Vec<u32>),
}

/// How many faults of a kind may happen. What is not given is one where the contract tolerates the fault, and none
/// otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Budget {
    /// Processes that stop.
    pub crashes: Option<u32>,
    /// Processes that come back.
    pub recoveries: Option<u32>,
    /// Messages that are lost.
    pub losses: Option<u32>,
    /// Messages that arrive twice.
    pub duplications: Option<u32>,
}

/// Which run is to be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extreme {
    /// One with the least election messages.
    Least,
    /// One with the most.
    Most,
}

/// How much of what cannot matter is left out of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduce {
    /// Nothing: every interleaving.
    None,
    /// Interleavings that differ only in the order of independent steps.
    Por,
    /// Those, and what differs only in who is where: states, by a rotation of an anonymous ring; arrangements of
    /// identities, on a complete graph whose ports are numbered in every way.
    Full,
}

impl Reduce {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reduce::None => "none",
            Reduce::Por => "por",
            Reduce::Full => "full",
        }
    }
}
