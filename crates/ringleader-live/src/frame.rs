//! What travels on a connection, and its bytes.
//!
//! A frame is a version byte and a body in the codec of the messages ([`ringleader::model`]): numbers in base 128,
//! a list with its length before it. Reading trusts nothing: what is malformed, too long or left over is an
//! error, and nothing is allocated that the bytes do not pay for.

mod codec;
#[cfg(test)]
mod tests;

use super::{Micros, Place};
use core::fmt;
use ringleader::model::WireError;

/// The version of the frames, their first byte.
pub const PROTOCOL: u8 = 1;

/// The most bytes of a frame, version included.
pub const MAX_FRAME: usize = 64 * 1024;

/// The most members of a cluster: who hears whom is a set of bits.
pub const MAX_MEMBERS: usize = 64;

/// The largest incarnation, and the largest number of an epoch. Incarnations are taken from a clock and epochs count
/// from 0: nobody who is right says more, and there is room to go on counting.
pub const MAX_COUNT: u64 = 1 << 62;

/// The most bytes of a cluster's name.
pub const MAX_NAME: usize = 128;

/// One frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The first on every connection, in both directions.
    Hello(Hello),
    /// One payload of the link.
    Data(super::Segment<Payload>),
    /// Everything of the link up to here has arrived, this one not included.
    Ack {
        /// The incarnation of the one who acknowledges.
        from: u64,
        /// The incarnation of the one whose payloads they are.
        to: u64,
        /// The number that is expected next.
        next: u64,
    },
    /// A heartbeat.
    Beat(Beat),
    /// A member asks to be let lead a group (or, in mutual exclusion, to let its user in).
    Ask {
        /// The group.
        group: u16,
        /// The epoch in which it was elected.
        epoch: Epoch,
        /// When this was sent, on the clock of the one who asks. The answer repeats it.
        sent: Micros,
    },
    /// It is granted, for the length of a lease from now on the clock of the one who grants.
    Granted {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
        /// As asked.
        sent: Micros,
    },
    /// It is not granted now.
    Denied {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
        /// As asked.
        sent: Micros,
    },
    /// The grant is given back: it was not needed any more.
    Release {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
    },
    /// The last frame before the sender closes the connection: why.
    Refuse(Refused),
}

/// Who speaks, and what it knows of the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hello {
    /// The name of the cluster.
    pub cluster: String,
    /// A fingerprint of its members and groups: both ends must mean the same.
    pub config: u64,
    /// The oldest and the newest version of the frames that it speaks.
    pub versions: (u8, u8),
    /// Its place in the list of members.
    pub place: Place,
    /// What the link has to say.
    pub greeting: super::Greeting,
}

/// An epoch of a group: one instance of its algorithm. Epochs are ordered by their number first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch {
    /// Its number; 0 before the first.
    pub number: u64,
    /// Who opened it.
    pub steward: Place,
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.number, self.steward)
    }
}

/// What is carried exactly once and in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Payload {
    /// The steward opens an epoch: whoever is in it makes its process, and says so.
    Open {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
        /// Who takes part, in the order of their places.
        participants: Vec<Place>,
        /// Whether it is under way, and the receiver comes back to it.
        resumes: bool,
    },
    /// A participant has made its process.
    Joined {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
    },
    /// Everybody has: start.
    Start {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
    },
    /// A message of the algorithm.
    Message {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
        /// The port of the receiver at which it arrives.
        port: u32,
        /// The message.
        bytes: Vec<u8>,
    },
    /// Half-duplex links: the sender would like to have the right to send on the link into this port of the
    /// receiver.
    Wish {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
        /// The port of the receiver.
        port: u32,
    },
    /// Half-duplex links: here it is.
    Baton {
        /// The group.
        group: u16,
        /// The epoch.
        epoch: Epoch,
        /// The port of the receiver.
        port: u32,
    },
}

/// A heartbeat, with what everybody should know of the sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beat {
    /// Counts from 0 in each incarnation.
    pub number: u64,
    /// When it was sent, on the clock of the sender.
    pub sent: Micros,
    /// The last beat heard from the receiver: its `sent`, and for how long it was kept before this one went
    /// out.
    pub echo: Option<(Micros, Micros)>,
    /// Whom the sender hears, one bit for each place; its own included.
    pub hears: u64,
    /// Whether it is about to stop.
    pub leaving: bool,
    /// One for each group, in the order of the configuration.
    pub groups: Vec<GroupBeat>,
}

/// What a heartbeat says of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupBeat {
    /// The epoch that the sender has joined.
    pub epoch: Epoch,
    /// Whether it could open an epoch: it and those that hear each other around it are a majority.
    pub fit: bool,
    /// Who leads, as far as it knows: whom it has granted to, or itself.
    pub leader: Option<Place>,
    /// Whether it leads itself at this moment.
    pub leads: bool,
}

/// Why a connection is closed by the other side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It belongs to another cluster.
    Cluster,
    /// The members or groups of the two configurations differ.
    Config,
    /// No version of the frames in common.
    Version,
    /// It is not who its certificate says.
    Name,
    /// Its incarnation is older than one that was seen: this one.
    Stale(u64),
    /// Something other than a greeting came first, or a greeting came twice.
    Order,
    /// A frame could not be read.
    Malformed,
    /// It takes what is sent too slowly.
    Slow,
    /// It sends too much.
    Flood,
    /// Another connection of the same member took its place.
    Replaced,
    /// The member stops.
    Leaving,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Cluster => "it belongs to another cluster",
            Refused::Config => "its members, groups or times are configured differently",
            Refused::Version => "it speaks no version of the protocol in common",
            Refused::Name => "it is not who its certificate says",
            Refused::Stale(newest) => {
                return write!(f, "its incarnation is older than {newest}, which was seen already");
            }
            Refused::Order => "something other than one greeting came first",
            Refused::Malformed => "a frame could not be read",
            Refused::Slow => "it takes what is sent too slowly",
            Refused::Flood => "it sends too much",
            Refused::Replaced => "another connection of the same member took its place",
            Refused::Leaving => "the member stops",
        })
    }
}

/// Why bytes are not a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameError {
    /// There is nothing.
    Empty,
    /// The first byte is no version that is spoken here.
    Version(u8),
    /// It is longer than a frame may be.
    TooLong(usize),
    /// There is no such kind of frame.
    Kind(u64),
    /// A value in it is malformed.
    Value(WireError),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Empty => f.write_str("an empty frame"),
            FrameError::Version(version) => {
                write!(f, "a frame of version {version}; version {PROTOCOL} is spoken here")
            }
            FrameError::TooLong(length) => {
                write!(f, "a frame of {length} bytes; at most {MAX_FRAME} are read")
            }
            FrameError::Kind(kind) => write!(f, "no frame has the kind {kind}"),
            FrameError::Value(error) => write!(f, "a malformed frame: {error}"),
        }
    }
}

impl std::error::Error for FrameError {}
