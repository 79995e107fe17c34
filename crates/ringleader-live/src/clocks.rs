//! Whether a peer's clock runs at the rate that everything here counts on.
//!
//! A beat says when it was sent on the clock of the peer; it comes in a while later on ours. How long it took
//! is not known, only that some are quick. So the quickest beat of a stretch of time is compared with the
//! quickest of the next stretch, and that with the quickest of the one after: both must say that the peer's
//! clock gains, or loses, more than two clocks within their bounds can. A route that becomes longer once
//! shows in one of the two only. What is left is how much the quickest of one stretch may have been slower
//! than that of the other: a quarter of the mean spread of delays is allowed for, which with some sixty beats
//! in a stretch is far more than chance brings about. Delays that go on growing for half a minute look the
//! same as a slow clock; then a good member's grants do not count for a while, which is no danger.
//!
//! A stretch is made of thirds, so that it can move on before it is over. It takes about half a minute to be
//! certain, and a clock that is wrong by half a percent more than two good ones can differ is found.

use super::{Drift, Micros};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// The least length of a third of a stretch, on our clock, and the least number of beats in it.
const THIRD: Micros = Micros::millis(3000);
const BEATS: u32 = 20;
/// Three stretches.
const THIRDS: usize = 9;

/// Watches the clock of one peer by the times in its beats.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClockWatch {
    drift: u32,
    /// Those that are complete, the oldest first.
    thirds: VecDeque<Third>,
    /// The one that is not.
    current: Option<Third>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Third {
    /// When its first beat came in.
    since: Micros,
    /// Its quickest beat: when that was sent, and when it came in.
    quickest: (Micros, Micros),
    /// By how much the slowest was slower.
    spread: i128,
    beats: u32,
}

impl ClockWatch {
    /// Allows each of the two clocks so many parts per million.
    #[must_use]
    pub fn new(drift: u32) -> ClockWatch {
        ClockWatch { drift, thirds: VecDeque::new(), current: None }
    }

    /// A beat that was sent at `sent` on the clock of the peer came in at `now` on ours. Beats of one
    /// incarnation only.
    pub fn beat(&mut self, sent: Micros, now: Micros) {
        let beat = Third { since: now, quickest: (sent, now), spread: 0, beats: 0 };
        let mut third = self.current.take().unwrap_or_else(|| beat.clone());
        third.merge(&beat);
        if third.is_complete(now) {
            if self.thirds.len() == THIRDS {
                self.thirds.pop_front();
            }
            self.thirds.push_back(third);
        } else {
            self.current = Some(third);
        }
    }

    /// How much faster than ours it certainly runs (or slower, below zero), in parts per million; 0 if that
    /// is not certain.
    #[must_use]
    pub fn off(&self) -> i64 {
        if self.thirds.len() < THIRDS {
            return 0;
        }
        let stretch = |from: usize| {
            let mut all = self.thirds[from].clone();
            (from + 1..from + THIRDS / 3).for_each(|third| all.merge_spread(&self.thirds[third]));
            all
        };
        let [first, middle, last] = [0, THIRDS / 3, 2 * THIRDS / 3].map(stretch);
        let (one, other) = (first.gains(&middle), middle.gains(&last));
        let certain = if one.signum() == other.signum() { one.abs().min(other.abs()) } else { 0 };
        if certain.unsigned_abs() > Drift(self.drift).gain() { one.signum() * certain } else { 0 }
    }

    /// Whether it is certain that one of the two is outside its bound.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.off() != 0
    }
}

impl Third {
    /// How long its quickest beat took, more or less: the offset of the two clocks is in it.
    fn delay(&self) -> i128 {
        i128::from(self.quickest.1.0) - i128::from(self.quickest.0.0)
    }

    fn is_complete(&self, now: Micros) -> bool {
        self.beats >= BEATS && now >= self.since + THIRD
    }

    /// Takes in a beat.
    fn merge(&mut self, other: &Third) {
        let slowest = (self.delay() + self.spread).max(other.delay());
        if other.delay() < self.delay() {
            self.quickest = other.quickest;
        }
        self.spread = slowest - self.delay();
        self.beats += 1;
    }

    /// Takes in another third of the same stretch. The offset moves from one to the other, so the spreads
    /// stay apart.
    fn merge_spread(&mut self, other: &Third) {
        if other.delay() < self.delay() {
            self.quickest = other.quickest;
        }
        self.spread = self.spread.max(other.spread);
    }

    /// How much the clock of the peer certainly gains from here to there, in parts per million of ours.
    fn gains(&self, later: &Third) -> i64 {
        let ours = i128::from(later.quickest.1.0) - i128::from(self.quickest.1.0);
        if ours <= 0 {
            return 0;
        }
        let gained = self.delay() - later.delay();
        let allowed = (self.spread + later.spread) / 8;
        let certain = gained.signum() * (gained.abs() - allowed).max(0);
        // A peer may say anything at all.
        let most = i128::from(i64::MAX);
        (certain.saturating_mul(1_000_000) / ours).clamp(-most, most) as i64
    }
}
