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
mod exchange;
mod fingerprint;
mod frame;
mod granter;
mod group;
mod instance;
mod leading;
mod link;
mod member;
mod shared;
mod status;
mod steward;
mod time;
mod view;

pub use claim::Claim;
pub use clocks::ClockWatch;
pub use cluster::{Cluster, GroupSpec, MemberSpec, Timing, Users};
pub use detector::{Detector, Patience};
pub use duplex::{Duplex, Turn};
pub use exchange::{Ending, Input, Notice, Output};
pub use frame::{
    Beat, Epoch, Frame, FrameError, GroupBeat, Hello, MAX_COUNT, MAX_FRAME, MAX_MEMBERS, MAX_NAME, PROTOCOL,
    Payload, Refused,
};
pub use granter::{Answer, Claimant, Granter, Terms};
pub use link::{Full, Greeting, Limits, Link, Meeting, Received, Segment};
pub use member::Member;
pub use status::{ClockStatus, GroupStatus, PeerStatus, Phase, Status};
pub use time::{Drift, Micros};

#[cfg(test)]
mod tests;

/// The place of a member in the list of the cluster's members.
pub type Place = u16;
