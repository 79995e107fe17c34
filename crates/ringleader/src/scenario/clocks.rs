//! Hardware clocks, and what is made of them: what a scenario says, and what a clock shows when.

use crate::model::Ticks;
use crate::rng::{Purpose, Rng};
use crate::trace;

/// What the clocks of a run are like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// What each shows at the beginning, in ticks.
    pub offsets: Scatter,
    /// How much faster or slower than real time each runs, in millionths.
    pub drifts: Scatter,
    /// The bound on that, which processes are told; what is listed or drawn, at most, if not given.
    pub bound: Option<u32>,
    /// What becomes of a clock that is ahead.
    pub backward: Backward,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks {
            offsets: Scatter::Drawn(Clocks::OFFSETS),
            drifts: Scatter::Drawn(0),
            bound: None,
            backward: Backward::Stop,
        }
    }
}

impl Clocks {
    /// How far clocks are off at the beginning where nothing is said, in ticks.
    pub const OFFSETS: u32 = 10;
    /// No clock is faster or slower than this, in millionths.
    pub const MOST_DRIFT: u32 = 100_000;

    /// Those of a recorded run.
    pub(super) fn recorded(recorded: &trace::Clocks) -> Clocks {
        let by_name = |backward: &Backward| backward.name() == recorded.backward;
        Clocks {
            offsets: Scatter::Listed(recorded.offsets.clone()),
            drifts: Scatter::Listed(recorded.drifts.clone()),
            bound: Some(recorded.bound),
            backward: Backward::ALL.into_iter().find(by_name).unwrap_or(Backward::Stop),
        }
    }
}

/// A number for each clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scatter {
    /// Uniformly drawn between minus this and this.
    Drawn(u32),
    /// These, by the index of the process.
    Listed(Vec<i64>),
}

impl Scatter {
    /// The numbers, for so many clocks. Both are drawn from a stream of their own; which one, `salt` says.
    fn numbers(&self, n: u32, seed: u64, salt: u64) -> Vec<i64> {
        match self {
            Scatter::Listed(listed) => listed.clone(),
            Scatter::Drawn(0) => vec![0; n as usize],
            Scatter::Drawn(most) => {
                let mut rng = Rng::new(seed ^ salt, Purpose::Clocks);
                let values = 2 * u64::from(*most) + 1;
                (0..n).map(|_| rng.below(values) as i64 - i64::from(*most)).collect()
            }
        }
    }
}

/// How a clock that is ahead of its corrected time is brought back to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Backward {
    /// It stands still until then.
    Stop,
    /// It runs 500 millionths more slowly until then.
    Slew,
    /// It is set back, which clocks should never be.
    Step,
}

impl Backward {
    /// A clock that is slewed loses one in so many.
    const SLEW: i64 = 2_000;

    /// All of them.
    pub const ALL: [Backward; 3] = [Backward::Stop, Backward::Slew, Backward::Step];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Backward::Stop => "stop",
            Backward::Slew => "slew",
            Backward::Step => "step",
        }
    }
}

/// The hardware clock of a process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Hardware {
    /// What it shows at the beginning, in ticks.
    pub(crate) offset: i64,
    /// How much faster than real time it runs, in millionths.
    pub(crate) drift: i64,
}

impl Hardware {
    /// The clocks of so many processes.
    pub(crate) fn all(clocks: &Clocks, n: u32, seed: u64, is_true: impl Fn(u32) -> bool) -> Vec<Hardware> {
        let offsets = clocks.offsets.numbers(n, seed, 0);
        let drifts = clocks.drifts.numbers(n, seed, 1);
        let listed = |scatter: &Scatter| matches!(scatter, Scatter::Listed(_));
        let one = |(index, (offset, drift))| Hardware {
            offset: if is_true(index) && !listed(&clocks.offsets) { 0 } else { offset },
            drift: if is_true(index) && !listed(&clocks.drifts) { 0 } else { drift },
        };
        (0..).zip(offsets.into_iter().zip(drifts)).map(one).collect()
    }

    /// What it shows at a time of a schedule of which `unit` make a tick.
    pub(crate) fn at(self, time: u64, unit: u64) -> Ticks {
        let real = elapsed(time, unit);
        let gained = (i128::from(real.parts()) * i128::from(self.drift)).div_euclid(1_000_000);
        Ticks::whole(self.offset) + real + Ticks::of_parts(gained as i64)
    }

    /// The first time from `now` on at which it shows at least so much.
    pub(crate) fn when(self, shows: Ticks, now: u64, unit: u64) -> u64 {
        let left = i128::from((shows - self.at(now, unit)).parts()) * i128::from(unit) * 1_000_000;
        let speed = i128::from(Ticks::PARTS) * (1_000_000 + i128::from(self.drift));
        // Rounding moves it by less than two.
        let mut time = now.saturating_add_signed((left.div_euclid(speed) - 2).max(0) as i64);
        while self.at(time, unit) < shows {
            time += 1;
        }
        time
    }
}

/// How long it is from the beginning of the schedule to this time.
pub(crate) fn elapsed(time: u64, unit: u64) -> Ticks {
    Ticks::of_parts((i128::from(time) * i128::from(Ticks::PARTS) / i128::from(unit)) as i64)
}

/// A clock that is corrected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Corrected {
    /// What is added to the hardware clock.
    pub(crate) correction: Ticks,
    /// While users see something else: what they saw when it was corrected.
    held: Option<Held>,
}

/// What users saw when a clock was corrected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Held {
    /// What the clock showed to them.
    shown: Ticks,
    /// What the hardware clock showed.
    since: Ticks,
    /// Whether the correction comes slowly, whatever its direction.
    slews: bool,
}

impl Corrected {
    /// What the process reckons with.
    pub(crate) fn now(&self, hardware: Ticks) -> Ticks {
        hardware + self.correction
    }

    /// What users see.
    pub(crate) fn shown(&self, hardware: Ticks, backward: Backward) -> Ticks {
        let corrected = self.now(hardware);
        let Some(Held { shown, since, slews }) = self.held else { return corrected };
        let passed = hardware - since;
        let slowly = passed.over_up(Backward::SLEW);
        if slews {
            // From below it runs faster, from above more slowly, and stays where it meets the corrected one.
            let behind = shown + passed < corrected;
            return if behind {
                corrected.min(shown + passed + passed.over(Backward::SLEW))
            } else {
                corrected.max(shown + passed - slowly)
            };
        }
        corrected.max(match backward {
            Backward::Stop => shown,
            Backward::Slew => shown + passed - slowly,
            Backward::Step => corrected,
        })
    }

    /// It is corrected by so much; users see that come slowly, or as clocks are corrected here.
    pub(crate) fn adjust(&mut self, by: Ticks, hardware: Ticks, backward: Backward, slews: bool) {
        let shown = self.shown(hardware, backward);
        self.correction += by;
        let corrected = self.now(hardware);
        let differs = if slews { corrected != shown } else { corrected < shown };
        self.held = differs.then_some(Held { shown, since: hardware, slews });
    }

    /// Forgets what it was ahead by, once it is not any more.
    pub(crate) fn catch_up(&mut self, hardware: Ticks, backward: Backward) {
        if self.shown(hardware, backward) == self.now(hardware) {
            self.held = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(clock: &Corrected, hardware: i64) -> Ticks {
        clock.shown(Ticks::whole(hardware), Backward::Stop)
    }

    #[test]
    fn a_slewed_clock_nears_by_one_in_two_thousand() {
        for by in [10, -10] {
            let mut clock = Corrected::default();
            clock.adjust(Ticks::whole(by), Ticks::whole(1000), Backward::Stop, true);
            assert_eq!(
                clock.now(Ticks::whole(1000)),
                Ticks::whole(1000 + by),
                "the process reckons with it at once"
            );
            assert_eq!(shown(&clock, 1000), Ticks::whole(1000));
            assert_eq!(shown(&clock, 3000), Ticks::whole(3000 + by.signum()));
            // Ten ticks take 20,000, and no longer.
            assert_eq!(shown(&clock, 21_000 - 2_000), Ticks::whole(21_000 - 2_000 + by - by.signum()));
            for later in [21_000, 30_000] {
                assert_eq!(shown(&clock, later), Ticks::whole(later + by));
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_steps_forward_and_stands_still() {
        let mut clock = Corrected::default();
        clock.adjust(Ticks::whole(200), Ticks::whole(1000), Backward::Stop, false);
        assert_eq!(shown(&clock, 1000), Ticks::whole(1200));
        clock.adjust(Ticks::whole(-200), Ticks::whole(1000), Backward::Stop, false);
        assert_eq!(shown(&clock, 1100), Ticks::whole(1200));
        assert_eq!(shown(&clock, 1300), Ticks::whole(1300));
    }

    #[test]
    fn slewing_never_goes_back_whatever_comes_next() {
        let mut clock = Corrected::default();
        let mut seen = Ticks::whole(0);
        for (step, by) in [(1, 50), (2, -90), (3, 7), (4, -300), (5, 260)] {
            let hardware = Ticks::whole(step * 500);
            clock.adjust(Ticks::whole(by), hardware, Backward::Stop, by.abs() < 128);
            for passed in 0..500 {
                let now = clock.shown(hardware + Ticks::whole(passed), Backward::Stop);
                assert!(now >= seen, "{step} {passed}");
                seen = now;
            }
        }
    }
}
