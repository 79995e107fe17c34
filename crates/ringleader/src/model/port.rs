//! The ways out of a process: one type per kind of network.
//!
//! An algorithm names its port type, and with it the network it is written for. What the type
//! cannot say cannot be done: there is no way to send backwards on a one-way ring.

use core::fmt::Debug;
use core::hash::Hash;

/// A way out of (and into) a process.
pub trait Port: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The kind of network this port belongs to.
    const SHAPE: Shape;
    /// The number of the port at its process.
    fn index(self) -> u32;
    /// The port with this number.
    fn from_index(index: u32) -> Self;
}

/// The kinds of network that a port type can stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// A ring on which messages travel clockwise only.
    OneWayRing,
    /// A ring with two ports at each process.
    TwoWayRing,
    /// Any graph whose edges are numbered at each process, without names: complete graphs, trees.
    Edges,
    /// A complete graph in which every process knows the others by name.
    Named,
    /// No links at all: processes share registers.
    Memory,
}

/// The one way out on a one-way ring: to the next process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Next;

impl Port for Next {
    const SHAPE: Shape = Shape::OneWayRing;
    fn index(self) -> u32 {
        0
    }
    fn from_index(_: u32) -> Self {
        Next
    }
}

/// One of the two sides of a process on a two-way ring.
///
/// The names are the process's own: unless the contract asks for a common sense of direction, one
/// process's right may be its neighbour's right as well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Port 0; on an oriented ring it leads clockwise, to index i + 1.
    Right = 0,
    /// Port 1; on an oriented ring it leads to index i - 1.
    Left = 1,
}

impl Side {
    /// Both sides, in increasing port number.
    pub const BOTH: [Side; 2] = [Side::Right, Side::Left];

    /// The other side: where a message that came in here goes on.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::Right => Side::Left,
            Side::Left => Side::Right,
        }
    }
}

impl Port for Side {
    const SHAPE: Shape = Shape::TwoWayRing;
    fn index(self) -> u32 {
        self as u32
    }
    fn from_index(index: u32) -> Self {
        if index == 0 { Side::Right } else { Side::Left }
    }
}

/// A numbered edge of a process in a graph whose nodes have no names: 0 .. degree - 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge(pub u32);

impl Port for Edge {
    const SHAPE: Shape = Shape::Edges;
    fn index(self) -> u32 {
        self.0
    }
    fn from_index(index: u32) -> Self {
        Edge(index)
    }
}

/// A process known by name, 0 .. n - 1: both an address and, as something told at birth, one's own name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Peer(pub u32);

impl Port for Peer {
    const SHAPE: Shape = Shape::Named;
    fn index(self) -> u32 {
        self.0
    }
    fn from_index(index: u32) -> Self {
        Peer(index)
    }
}
