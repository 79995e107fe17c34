//! Hardware clocks, and what is made of them: what a scenario says, and what a clock shows when.

use crate::model::Ticks;
use crate::rng::{Purpose, Rng};

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
    /// While the clock that users see is ahead: what it showed when the hardware clock showed the other.
    held: Option<(Ticks, Ticks)>,
}

impl Corrected {
    /// What the process reckons with.
    pub(crate) fn now(&self, hardware: Ticks) -> Ticks {
        hardware + self.correction
    }

    /// What users see.
    pub(crate) fn shown(&self, hardware: Ticks, backward: Backward) -> Ticks {
        let corrected = self.now(hardware);
        let Some((shown, since)) = self.held else { return corrected };
        let passed = hardware - since;
        corrected.max(match backward {
            Backward::Stop => shown,
            Backward::Slew => shown + passed - passed.over_up(Backward::SLEW),
            Backward::Step => corrected,
        })
    }

    /// It is corrected by so much.
    pub(crate) fn adjust(&mut self, by: Ticks, hardware: Ticks, backward: Backward) {
        let shown = self.shown(hardware, backward);
        self.correction += by;
        self.held = (self.now(hardware) < shown).then_some((shown, hardware));
    }

    /// Forgets what it was ahead by, once it is not any more.
    pub(crate) fn catch_up(&mut self, hardware: Ticks, backward: Backward) {
        if self.shown(hardware, backward) == self.now(hardware) {
            self.held = None;
        }
    }
}
