//! What a process is told at birth. What is not in its `Given` it has no way to learn.

use super::{Edge, Elector, Peer};
use core::fmt;
use core::num::NonZeroU32;

/// The identity of a process: it can be compared, and nothing else.
///
/// Inside an engine it is the rank of the identity among those present, so that it fits in four
/// bytes whatever the identities are; reports and pictures show the identity that the user gave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU32);

impl Id {
    /// The identity with this rank, 0 for the smallest. For engines and hosts; algorithms are given theirs.
    ///
    /// # Panics
    /// If the rank is `u32::MAX`.
    #[must_use]
    pub const fn from_rank(rank: u32) -> Id {
        match NonZeroU32::new(rank.wrapping_add(1)) {
            Some(id) => Id(id),
            None => panic!("a rank is below u32::MAX"),
        }
    }

    /// How many of the identities present are smaller.
    #[must_use]
    pub const fn rank(self) -> u32 {
        self.0.get() - 1
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The number of processes, for algorithms that need to know it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size(pub u32);

/// The range from which an anonymous process draws: 1 ..= k.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range(pub u32);

/// The number of edges of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Degree(pub u32);

/// An upper bound on the delay of a message, in ticks: what makes a time-out mean something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MaxDelay(pub u32);

/// Whether the token, or the privilege, starts here (it starts at index 0).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Holder(pub bool);

/// What a process does with the token before anything else: it starts in transit to index 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Launch {
    /// Nothing: it is elsewhere.
    No,
    /// It sends the token to its neighbour, index 0.
    Sends,
    /// It keeps the token: it is alone.
    Keeps,
}

impl Launch {
    /// What this process of so many does.
    const fn of_process(index: u32, n: u32) -> Launch {
        match (index, n) {
            (0, 1) => Launch::Keeps,
            (index, n) if index + 1 == n => Launch::Sends,
            _ => Launch::No,
        }
    }
}

/// The edge towards the root of the tree (index 0); none at the root itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TowardsRoot(pub Option<Edge>);

/// The values of the algorithm's own settings, in the order in which its `Spec` declares them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Settings(pub [u32; 4]);

/// Everything that an engine or a host knows about a process before it is born. Each `Given` takes its part.
#[derive(Clone, Copy, Debug)]
pub struct Birth {
    /// The place of the process, 0 .. n - 1, in ring order.
    pub index: u32,
    /// Its identity.
    pub id: Id,
    /// The number of processes.
    pub n: u32,
    /// The number of its edges.
    pub degree: u32,
    /// The range of random identities.
    pub range: u32,
    /// The bound on message delays.
    pub max_delay: u32,
    /// The edge towards index 0, in a tree.
    pub towards_root: Option<u32>,
    /// The algorithm's own settings.
    pub settings: Settings,
    /// The election that it holds inside, where it does.
    pub elector: Option<Elector>,
}

/// The kinds of knowledge; `list` and `show` print them as needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// A distinct, comparable identity.
    Identity,
    /// The number of processes.
    Size,
    /// The names of all processes, and its own.
    Names,
    /// The number of its edges.
    Degree,
    /// A range to draw from.
    Range,
    /// A bound on message delays.
    MaxDelay,
    /// Where the token starts.
    Holder,
    /// The way to the root.
    TowardsRoot,
}

/// What a process is told at birth.
pub trait Given: Sized {
    /// The kinds of knowledge in it.
    const TOLD: &'static [&'static [Told]];
    /// The part of `birth` that this process is told.
    fn of(birth: &Birth) -> Self;
}

/// Whether a `Given` holds a kind of knowledge.
#[must_use]
pub fn is_told(told: &[&[Told]], what: Told) -> bool {
    told.iter().any(|part| part.contains(&what))
}

macro_rules! given {
    ($($type:ty: $told:expr, $birth:ident => $value:expr;)*) => {$(
        impl Given for $type {
            const TOLD: &'static [&'static [Told]] = &[$told];
            fn of($birth: &Birth) -> Self {
                $value
            }
        }
    )*};
}

given! {
    Id: &[Told::Identity], birth => birth.id;
    Size: &[Told::Size], birth => Size(birth.n);
    Range: &[Told::Range], birth => Range(birth.range);
    Degree: &[Told::Degree], birth => Degree(birth.degree);
    Peer: &[Told::Names], birth => Peer(birth.index);
    MaxDelay: &[Told::MaxDelay], birth => MaxDelay(birth.max_delay);
    Holder: &[Told::Holder], birth => Holder(birth.index == 0);
    Launch: &[Told::Holder], birth => Launch::of_process(birth.index, birth.n);
    TowardsRoot: &[Told::TowardsRoot], birth => TowardsRoot(birth.towards_root.map(Edge));
    Settings: &[], birth => birth.settings;
    Option<Elector>: &[], birth => birth.elector;
    (): &[], _birth => ();
}

impl<A: Given, B: Given> Given for (A, B) {
    const TOLD: &'static [&'static [Told]] = &[A::TOLD[0], B::TOLD[0]];
    fn of(birth: &Birth) -> Self {
        (A::of(birth), B::of(birth))
    }
}

impl<A: Given, B: Given, C: Given> Given for (A, B, C) {
    const TOLD: &'static [&'static [Told]] = &[A::TOLD[0], B::TOLD[0], C::TOLD[0]];
    fn of(birth: &Birth) -> Self {
        (A::of(birth), B::of(birth), C::of(birth))
    }
}

impl<A: Given, B: Given, C: Given, D: Given> Given for (A, B, C, D) {
    const TOLD: &'static [&'static [Told]] = &[A::TOLD[0], B::TOLD[0], C::TOLD[0], D::TOLD[0]];
    fn of(birth: &Birth) -> Self {
        (A::of(birth), B::of(birth), C::of(birth), D::of(birth))
    }
}
