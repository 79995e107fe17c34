//! What a process is told at birth. What is not in its `Given` it has no way to learn.

#[cfg(test)]
mod tests;

use super::{Delays, Drift, Edge, Elector, Id, LeftOver, Peer, Settings, Show, Value};

/// The number of processes, for algorithms that need to know it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size(pub u32);

impl Show for Size {
    fn show(&self) -> Value {
        Value::Number(i64::from(self.0))
    }
}

impl Peer {
    /// Everybody but this process, in increasing order.
    pub fn others(self, n: Size) -> impl Iterator<Item = Peer> {
        (0..n.0).filter(move |&p| p != self.0).map(Peer)
    }

    /// Everybody with a larger name.
    pub fn larger(self, n: Size) -> impl Iterator<Item = Peer> {
        (self.0 + 1..n.0).map(Peer)
    }

    /// Everybody with a smaller name.
    pub fn smaller(self) -> impl Iterator<Item = Peer> {
        (0..self.0).map(Peer)
    }

    /// Everybody but this process, in cyclic order from the next on.
    pub fn from_next(self, n: Size) -> impl Iterator<Item = Peer> {
        self.larger(n).chain(self.smaller())
    }
}

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
    /// The least and the longest delay of messages.
    pub delays: Delays,
    /// How much faster or slower hardware clocks may be than real time.
    pub drift: Drift,
    /// The edge towards index 0, in a tree.
    pub towards_root: Option<u32>,
    /// The algorithm's own settings.
    pub settings: Settings,
    /// The election that it holds inside, where it does.
    pub elector: Option<Elector>,
    /// What is in the link out of it, where links may hold anything at first.
    pub left_over: LeftOver,
    /// Which algorithm it is of those that one type of process stands for; 0 where it stands for one.
    pub which: u32,
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
    /// The least and the longest delay of messages.
    Delays,
    /// How much clocks may drift.
    Drift,
    /// Where the token starts.
    Holder,
    /// The way to the root.
    TowardsRoot,
}

/// What a process is told at birth, kind by kind, in the order of its `Given`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knowledge {
    kinds: [Told; Told::COUNT],
    len: usize,
}

impl Told {
    const COUNT: usize = Told::TowardsRoot as usize + 1;
}

impl Knowledge {
    /// Nothing.
    pub const NOTHING: Knowledge = Knowledge { kinds: [Told::Identity; Told::COUNT], len: 0 };

    /// This kind alone.
    #[must_use]
    pub const fn one(kind: Told) -> Knowledge {
        Knowledge { kinds: [kind; Told::COUNT], len: 1 }
    }

    /// Both, each kind once.
    #[must_use]
    pub const fn and(self, other: Knowledge) -> Knowledge {
        let mut both = self;
        let mut place = 0;
        while place < other.len {
            if !both.has(other.kinds[place]) {
                both.kinds[both.len] = other.kinds[place];
                both.len += 1;
            }
            place += 1;
        }
        both
    }

    /// Whether it holds this kind.
    #[must_use]
    pub const fn has(self, kind: Told) -> bool {
        let mut place = 0;
        while place < self.len {
            if self.kinds[place] as u8 == kind as u8 {
                return true;
            }
            place += 1;
        }
        false
    }

    /// The kinds, in order.
    pub fn iter(&self) -> impl Iterator<Item = Told> + '_ {
        self.kinds[..self.len].iter().copied()
    }
}

/// What a process is told at birth.
pub trait Given: Sized {
    /// The kinds of knowledge in it.
    const TOLD: Knowledge;
    /// The part of `birth` that this process is told.
    fn of(birth: &Birth) -> Self;
}

/// A state that begins as it is declared with [`state!`](crate::state): with what a process is told at birth, and the
/// initial values of the rest.
pub trait Begins: Sized {
    /// What a process is told at birth: its variables without an initial value, in this order.
    type Given: Given;
    /// A process before its start.
    fn begin(given: Self::Given) -> Self;
}

macro_rules! given {
    ($($type:ty: $told:expr, $birth:ident => $value:expr;)*) => {$(
        impl Given for $type {
            const TOLD: Knowledge = $told;
            fn of($birth: &Birth) -> Self {
                $value
            }
        }
    )*};
}

given! {
    Id: Knowledge::one(Told::Identity), birth => birth.id;
    Size: Knowledge::one(Told::Size), birth => Size(birth.n);
    Range: Knowledge::one(Told::Range), birth => Range(birth.range);
    Degree: Knowledge::one(Told::Degree), birth => Degree(birth.degree);
    Peer: Knowledge::one(Told::Names), birth => Peer(birth.index);
    MaxDelay: Knowledge::one(Told::MaxDelay), birth => MaxDelay(birth.max_delay);
    Delays: Knowledge::one(Told::Delays), birth => birth.delays;
    Drift: Knowledge::one(Told::Drift), birth => birth.drift;
    Holder: Knowledge::one(Told::Holder), birth => Holder(birth.index == 0);
    Launch: Knowledge::one(Told::Holder), birth => Launch::of_process(birth.index, birth.n);
    TowardsRoot: Knowledge::one(Told::TowardsRoot), birth => TowardsRoot(birth.towards_root.map(Edge));
    Settings: Knowledge::NOTHING, birth => birth.settings;
    LeftOver: Knowledge::NOTHING, birth => birth.left_over;
    Option<Elector>: Knowledge::NOTHING, birth => birth.elector;
    (): Knowledge::NOTHING, _birth => ();
}

macro_rules! given_together {
    ($($first:ident $($part:ident)*;)*) => {$(
        impl<$first: Given, $($part: Given),*> Given for ($first, $($part),*) {
            const TOLD: Knowledge = $first::TOLD$(.and($part::TOLD))*;
            fn of(birth: &Birth) -> Self {
                ($first::of(birth), $($part::of(birth)),*)
            }
        }
    )*};
}

given_together! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}
