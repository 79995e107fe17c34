//! How a member is, for whoever asks.

use super::{Epoch, Micros, Place};
use ringleader::host::{ClockFace, Position, Shown};
use ringleader::model::Estimate;

/// How a member is at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Status {
    /// The moment, on its own clock.
    pub now: Micros,
    /// Its place.
    pub place: Place,
    /// Its incarnation.
    pub incarnation: u64,
    /// Whether it is about to stop.
    pub leaving: bool,
    /// The others, by place; itself is left out.
    pub peers: Vec<PeerStatus>,
    /// Its groups, in the order of the configuration.
    pub groups: Vec<GroupStatus>,
}

/// How a peer is, as far as a member can tell.
#[derive(Clone, PartialEq, Debug)]
pub struct PeerStatus {
    /// Its place.
    pub place: Place,
    /// Its incarnation, once it was met.
    pub incarnation: Option<u64>,
    /// Whether there is a connection on which both have greeted.
    pub connected: bool,
    /// Whether it is heard (otherwise it counts as down).
    pub heard: bool,
    /// The level of suspicion, in tenths.
    pub phi_tenths: u32,
    /// The last round trip of a heartbeat.
    pub round_trip: Option<Micros>,
    /// Payloads that it has not acknowledged.
    pub waiting: usize,
    /// How far its clock is certainly off ours, in parts per million.
    pub clock_off: i64,
}

/// How a group is, as this member sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupStatus {
    /// Its name.
    pub name: String,
    /// The name of its algorithm.
    pub algorithm: &'static str,
    /// The epoch that it has joined; number 0 if none.
    pub epoch: Epoch,
    /// Who takes part in that.
    pub participants: Vec<Place>,
    /// How far that is.
    pub phase: Phase,
    /// What its own process says.
    pub position: Option<Position>,
    /// The local variables of its process.
    pub fields: Shown,
    /// Whether it leads (or its user is inside) now: its process says so, and a majority grants it.
    pub leads: bool,
    /// Until when that is granted, on its own clock.
    pub until: Option<Micros>,
    /// Who leads as far as it knows. Hearsay: only the leader itself is certain.
    pub leader: Option<Place>,
    /// Messages of the algorithm that it has sent in this epoch, by kind; every kind, zeros included.
    pub sent: Vec<(&'static str, u64)>,
    /// Messages of the algorithm that it has sent since its start, and their bytes.
    pub sent_ever: (u64, u64),
    /// Messages of the algorithm that it has received since its start.
    pub received_ever: u64,
    /// What was refused because its epoch is over.
    pub refused_old: u64,
    /// How often its user was let in.
    pub entries: u64,
    /// How often its user was inside and the grants ran out.
    pub lost: u64,
    /// How many epochs it has joined.
    pub epochs: u64,
    /// The clock of its process, where the algorithm brings clocks together.
    pub clock: Option<ClockStatus>,
}

/// The clock of a process, and what it found out about others.
#[derive(Clone, PartialEq, Debug)]
pub struct ClockStatus {
    /// What it shows, and what is promised of it.
    pub face: ClockFace,
    /// Whether it waits for nothing any more: no timer runs.
    pub rests: bool,
    /// What it found out last of each other process, and when, by index.
    pub estimates: Vec<(Estimate, Micros)>,
}

/// How far an epoch is, at one member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It takes part in none.
    Outside,
    /// Its process is made, and waits for the others.
    Joined,
    /// It runs.
    Running,
}

impl Phase {
    /// Its name in formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Outside => "outside",
            Phase::Joined => "joined",
            Phase::Running => "running",
        }
    }
}
