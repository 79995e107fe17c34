//! Clocks: what a process believes of its own, what it is told of messages and of drift.

use super::{Peer, Settings, Ticks};

/// What a process believes of its clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Belief {
    /// Nothing yet.
    Unsynchronised,
    /// It tried, and does not know the time.
    Lost,
    /// Nothing is asked of it: its clock is what the others go by.
    Reference,
    /// The time is within `bound` of its clock. Since its clock showed `since` the two may have drifted apart further.
    /// Where there is no reference, the time is what those have in common that agreed in the same round.
    Within {
        /// How far it may be off.
        bound: Ticks,
        /// What its clock showed when that was measured.
        since: Ticks,
        /// The round of the algorithm.
        round: u32,
    },
}

impl Belief {
    /// In one word.
    #[must_use]
    pub const fn synchrony(self) -> Synchrony {
        match self {
            Belief::Unsynchronised => Synchrony::Unsynchronised,
            Belief::Lost => Synchrony::Lost,
            Belief::Reference => Synchrony::Reference,
            Belief::Within { .. } => Synchrony::Synchronised,
        }
    }

    /// How far its clock may be off when it shows `now`, if no clock is faster or slower than so many millionths.
    #[must_use]
    pub fn promise(self, now: Ticks, drift: Drift) -> Option<Ticks> {
        match self {
            Belief::Unsynchronised | Belief::Lost => None,
            Belief::Reference => Some(Ticks::ZERO),
            Belief::Within { bound, since, .. } => Some(bound + (now - since).millionths(2 * drift.0)),
        }
    }
}

/// What a step found out about the clock of another process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Estimate {
    /// Whose.
    pub of: Peer,
    /// How far it is ahead of the own one.
    pub ahead: Ticks,
    /// How long the question and the answer took together; none where nobody asks.
    pub round_trip: Option<Ticks>,
    /// How far `ahead` may be off.
    pub bound: Ticks,
}

/// Where a process stands with its clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Synchrony {
    /// It has not set its clock yet.
    Unsynchronised,
    /// It promises how far its clock is off at most.
    Synchronised,
    /// It tried, and does not know the time.
    Lost,
    /// The others go by its clock.
    Reference,
}

/// By what clocks are judged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Against {
    /// By each other, and by the clock of whoever is the reference.
    EachOther,
    /// By the true time.
    TrueTime,
}

/// The least and the longest delay of a message, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Delays {
    /// The least.
    pub lo: u32,
    /// The longest.
    pub hi: u32,
}

impl Delays {
    /// The uncertainty: by how much delays differ.
    #[must_use]
    pub const fn uncertainty(self) -> i64 {
        self.hi as i64 - self.lo as i64
    }
}

/// How much faster or slower than real time a hardware clock may be, in millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Drift(pub u32);

impl Drift {
    /// How many ticks of a clock that may be fast are enough for so many ticks of real time.
    #[must_use]
    pub fn patience(self, ticks: u32) -> u32 {
        let extra = (u64::from(ticks) * u64::from(self.0)).div_ceil(1_000_000);
        ticks.saturating_add(u32::try_from(extra).unwrap_or(u32::MAX))
    }
}

/// What clocks and messages are like in a scenario, for an algorithm that does not admit all of it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The number of processes.
    pub n: u32,
    /// The delays of messages.
    pub delays: Delays,
    /// The hardware clocks: what each shows at the beginning, in ticks, and its drift in millionths.
    pub clocks: Vec<(i64, i64)>,
    /// The algorithm's own settings.
    pub settings: Settings,
}
