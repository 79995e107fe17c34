//! Who is silent for longer than it should be: a phi accrual detector, in whole numbers.
//!
//! **Idea.** How long the beats of a peer usually take to follow each other says how long its silence may
//! last before it means something. The last intervals give a mean and a deviation; if intervals were normal,
//! a silence that is z deviations longer than the mean would come about by chance with a probability of
//! 10^-phi. Whoever counts as down at phi = 8 is suspected wrongly about once in a hundred million beats, if
//! that were so; irregular beats make the same phi more patient by themselves.
//!
//! **Added here.** The mean is never taken below the configured interval, and a pause is forgiven on top: so
//! if no delay is longer than the pause (and the least deviation is not 0) nobody is suspected wrongly,
//! whatever the history was: a beat follows the last one after an interval and a delay at the latest
//! (`proofs/detector.rs` has that searched). A silence that was too long counts only as long as it was
//! forgiven: an outage of an hour does not make the next one look normal, but beats that are always late are
//! believed step by step. Before some intervals were seen a wide deviation is assumed.
//!
//! **Source.** N. Hayashibara, X. Défago, R. Yared and T. Katayama, The φ accrual failure detector, SRDS
//! 2004, 66–78.

#[cfg(test)]
mod tests;

use super::Micros;
use std::collections::VecDeque;

/// How patient a detector is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Patience {
    /// How often heartbeats are sent.
    pub heartbeat: Micros,
    /// The suspicion level at which a member counts as down: 10^-phi is the chance of being wrong if delays
    /// were normal. From 1 to 16; what is outside is taken for the nearest of these.
    pub phi: u8,
    /// How many of the last intervals are remembered.
    pub window: u16,
    /// The least standard deviation that is assumed, however regular the beats are.
    pub least_deviation: Micros,
    /// A pause that is always forgiven, on top.
    pub pause: Micros,
}

/// For each phi from 1 on: by how many thousandths of a deviation a normal variable exceeds its mean with
/// probability 10^-phi. Solved for by bisection of the complementary error function, and rounded up; a test
/// integrates the density instead.
const QUANTILES: [u64; 16] =
    [1282, 2327, 3091, 3720, 4265, 4754, 5200, 5613, 5998, 6362, 6707, 7035, 7349, 7651, 7942, 8223];

/// After so many intervals the history is believed.
const ENOUGH: usize = 8;

/// An interval is counted as at most this long, so that no sum can overflow: 71 minutes.
const LONGEST: u64 = u32::MAX as u64;

/// The beats of one peer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Detector {
    patience: Patience,
    /// When it was heard last, or watching began.
    last: Micros,
    /// Whether a beat was heard: the time until the first one is no interval.
    has_beaten: bool,
    /// The last intervals.
    intervals: VecDeque<u32>,
    /// Their sum, and the sum of their squares.
    sum: u64,
    squares: u128,
}

impl Detector {
    /// A detector that gives the other the benefit of the doubt from now on.
    #[must_use]
    pub fn new(patience: Patience, now: Micros) -> Detector {
        Detector { patience, last: now, has_beaten: false, intervals: VecDeque::new(), sum: 0, squares: 0 }
    }

    /// A beat was heard.
    pub fn heard(&mut self, now: Micros) {
        if self.has_beaten && self.patience.window > 0 {
            let forgiven = self.deadline() - self.last;
            let interval = (now - self.last).min(forgiven).0.min(LONGEST);
            self.remember(interval);
        }
        self.has_beaten = true;
        self.last = self.last.max(now);
    }

    fn remember(&mut self, interval: u64) {
        if self.intervals.len() >= usize::from(self.patience.window)
            && let Some(oldest) = self.intervals.pop_front()
        {
            self.sum -= u64::from(oldest);
            self.squares -= u128::from(oldest).pow(2);
        }
        self.intervals.push_back(interval as u32);
        self.sum += interval;
        self.squares += u128::from(interval).pow(2);
    }

    /// When suspicion begins if nothing more is heard.
    #[must_use]
    pub fn deadline(&self) -> Micros {
        self.last + self.forgives(self.patience.phi.clamp(1, QUANTILES.len() as u8))
    }

    /// Whether the other counts as down: the deadline is here.
    #[must_use]
    pub fn suspects(&self, now: Micros) -> bool {
        now >= self.deadline()
    }

    /// The level of suspicion in tenths, for people to look at: it never falls while nothing is heard, and
    /// reaches ten times the configured phi when suspicion begins. At most 160.
    #[must_use]
    pub fn phi_tenths(&self, now: Micros) -> u32 {
        let silence = now - self.last;
        let levels = QUANTILES.len() as u8;
        let Some(level) = (1..=levels).rev().find(|&level| silence >= self.forgives(level)) else {
            return share(silence, self.forgives(1));
        };
        if level == levels {
            return 10 * u32::from(levels);
        }
        let (from, to) = (self.forgives(level), self.forgives(level + 1));
        10 * u32::from(level) + share(silence - from, to - from)
    }

    /// How long a silence is forgiven at this level, from 1 to 16.
    fn forgives(&self, level: u8) -> Micros {
        let quantile = QUANTILES[usize::from(level) - 1];
        let spread = u128::from(self.deviation()) * u128::from(quantile);
        let spread = Micros(u64::try_from(spread.div_ceil(1000)).unwrap_or(u64::MAX));
        Micros(self.mean()) + spread + self.patience.pause
    }

    /// The mean of the intervals, rounded up; at least the interval that is configured.
    fn mean(&self) -> u64 {
        let count = self.intervals.len().max(1) as u64;
        self.patience.heartbeat.0.max(self.sum.div_ceil(count))
    }

    /// Their standard deviation, rounded up; at least what is configured, and half a heartbeat before there
    /// are enough.
    fn deviation(&self) -> u64 {
        let least = self.patience.least_deviation.0;
        if self.intervals.len() < ENOUGH.min(usize::from(self.patience.window)) || self.intervals.is_empty() {
            return least.max(self.patience.heartbeat.0 / 2);
        }
        // n²·variance = n·Σx² − (Σx)², in whole numbers and never below zero.
        let count = self.intervals.len() as u128;
        let scaled = count * self.squares - u128::from(self.sum).pow(2);
        let deviation = scaled.isqrt() / count + u128::from(scaled > 0);
        least.max(deviation as u64)
    }
}

/// How many tenths of the whole this is, at most nine.
fn share(part: Micros, whole: Micros) -> u32 {
    let tenths = (u128::from(part.0) * 10).checked_div(u128::from(whole.0)).unwrap_or(0);
    tenths.min(9) as u32
}
