//! A member of a cluster on a real network, as pure state machines: no socket, no clock, no randomness of its own.
//!
//! From below: a [`Frame`] is what travels on a connection; a [`Link`] makes of connections that break one
//! stream per ordered pair, exactly once and in order, for as long as neither end restarts; a [`Detector`]
//! says who is silent for longer than it should be; a [`Granter`] and a [`Claim`] keep the one promise that
//! outlives everything else, that no two members say at one time that they lead; a [`Member`] puts them
//! together and hosts the algorithms. What drives it hands in what happened and when, and carries out what
//! comes back.

mod claim;
mod clocks;
mod cluster;
mod detector;
mod duplex;
mod fingerprint;
mod frame;
mod granter;
mod group;
mod instance;
mod leading;
mod link;
mod member;
#[cfg(test)]
mod proofs;
#[cfg(test)]
mod rehearsal;
mod shared;
mod status;
mod steward;
mod view;

pub use claim::Claim;
pub use clocks::ClockWatch;
pub use cluster::{Cluster, GroupSpec, MemberSpec, Timing, Users};
pub use detector::{Detector, Patience};
pub use duplex::{Duplex, Turn};
pub use frame::{
    Beat, Epoch, Frame, FrameError, GroupBeat, Hello, MAX_COUNT, MAX_FRAME, MAX_MEMBERS, MAX_NAME, PROTOCOL,
    Payload, Refused,
};
pub use granter::{Answer, Claimant, Granter, Terms};
pub use link::{Full, Greeting, Limits, Link, Meeting, Received, Segment};
pub use member::{Ending, Input, Member, Notice, Output};
pub use status::{GroupStatus, PeerStatus, Phase, Status};

#[cfg(test)]
mod sanity;

use core::fmt;
use core::ops::{Add, Sub};

/// The place of a member in the list of the cluster's members.
pub type Place = u16;

/// A moment on a member's own clock, or a span of time, in microseconds. Clocks of different members are
/// never compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Micros(pub u64);

impl Micros {
    /// So many milliseconds.
    #[must_use]
    pub const fn millis(millis: u64) -> Micros {
        Micros(millis.saturating_mul(1000))
    }
}

impl Add for Micros {
    type Output = Micros;
    fn add(self, span: Micros) -> Micros {
        Micros(self.0.saturating_add(span.0))
    }
}

/// The span since an earlier moment; nothing if it is not earlier.
impl Sub for Micros {
    type Output = Micros;
    fn sub(self, earlier: Micros) -> Micros {
        Micros(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} ms", self.0 / 1000, self.0 % 1000)
    }
}
