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

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::rng::{Purpose, Rng};

    /// Two clocks that run so many parts per million too fast, and beats whose delay is drawn.
    struct Pair {
        ours: i64,
        theirs: i64,
        every: u64,
        offset: u64,
    }

    impl Pair {
        fn reading(at: u64, fast: i64) -> u64 {
            (i128::from(at) * (1_000_000 + i128::from(fast)) / 1_000_000) as u64
        }

        /// What the watch says after each beat of so many seconds, in order.
        fn watch(&self, seconds: u64, drift: u32, mut delay: impl FnMut(u64) -> u64) -> Vec<i64> {
            let mut watch = ClockWatch::new(drift);
            let mut last = 0;
            let said = (0..seconds * 1_000_000 / self.every).map(|number| {
                let sent = number * self.every;
                // On one connection nothing overtakes.
                last = last.max(sent + delay(sent));
                watch.beat(
                    Micros(self.offset + Pair::reading(sent, self.theirs)),
                    Micros(Pair::reading(last, self.ours)),
                );
                watch.off()
            });
            said.collect()
        }
    }

    #[test]
    fn a_wrong_clock_is_found_within_half_a_minute() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed, Purpose::Faults);
            for (ours, theirs, drift) in [
                (0, 15_500, 5000),
                (0, -15_500, 5000),
                (9000, -7000, 5000),
                (0, 10_000, 2000),
                (0, 500_000, 5000),
            ] {
                let pair = Pair { ours, theirs, every: 100_000, offset: rng.below(1 << 50) };
                let said = pair.watch(35, drift, |_| rng.below(20_000));
                let found = *said.last().unwrap();
                let really = (theirs - ours) as f64 / (1.0 + ours as f64 / 1e6);
                assert_eq!(found.signum(), (theirs - ours).signum(), "seed {seed}: {ours} {theirs}");
                // It says what is certain: not more than there is, bar what chance adds to either end.
                assert!(found.abs() as f64 <= really.abs() + 500.0, "seed {seed}: {found} of {really}");
                assert!(said[..240].iter().all(|&off| off == 0), "nothing is certain before 24 seconds");
            }
        }
    }

    #[test]
    fn clocks_within_their_bounds_are_never_accused() {
        for seed in 0..400 {
            let mut rng = Rng::new(seed, Purpose::Faults);
            let sign = |rng: &mut Rng| if rng.below(2) == 0 { 4000 } else { -4000 };
            let pair = Pair {
                ours: sign(&mut rng),
                theirs: sign(&mut rng),
                every: [50_000, 100_000, 1_000_000][rng.below(3) as usize],
                offset: rng.below(1 << 50),
            };
            let said = match seed % 4 {
                0 => pair.watch(120, 5000, |_| rng.below(200_000)),
                1 => pair.watch(120, 5000, |_| rng.below(20_000)),
                // Now and then a long pause, in which everything piles up.
                2 => pair.watch(120, 5000, |_| if rng.below(50) == 0 { 3_000_000 } else { rng.below(5000) }),
                // The way becomes longer, and shorter again.
                _ => pair.watch(120, 5000, |at| {
                    rng.below(50_000) + if at / 40_000_000 == 1 { 200_000 } else { 0 }
                }),
            };
            assert!(said.iter().all(|&off| off == 0), "seed {seed}: {said:?}");
        }
    }

    #[test]
    fn whoever_runs_right_again_is_trusted_again() {
        let mut watch = ClockWatch::new(5000);
        let (mut theirs, mut wrong) = (0, Vec::new());
        for number in 0..1000u64 {
            theirs += if number < 400 { 105_000 } else { 100_000 };
            watch.beat(Micros(theirs), Micros(number * 100_000));
            wrong.push(watch.is_wrong());
        }
        assert!(wrong[399] && !wrong[999]);
    }

    #[test]
    fn a_peer_may_say_anything_at_all() {
        let goes_back = |drift: u32| {
            let mut watch = ClockWatch::new(drift);
            for number in 0..1000u64 {
                watch.beat(Micros(u64::MAX - number * (u64::MAX / 1000)), Micros(number * 100_000));
            }
            watch.off()
        };
        assert!(goes_back(999_999) < 0);
        assert_eq!(goes_back(u32::MAX), 0, "nothing is wrong where everything is allowed");
        let mut watch = ClockWatch::new(0);
        (0..1000).for_each(|_| watch.beat(Micros(7), Micros(7)));
        assert_eq!(watch.off(), 0, "no time has passed");
    }
}
