//! Clocks that run too fast or too slow, and when they show what.

use ringleader::rng::Rng;
use ringleader_live::Micros;

/// A clock: what it shows follows from real time, in microseconds since the beginning of the schedule. Its
/// rate is a number of 2^-20ths, so that its inverse is exact; no schedule is longer than 2^43
/// microseconds, a hundred days.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    offset: u64,
    rate: u64,
}

const ONE: u64 = 1 << 20;
const LONGEST: u64 = 1 << 43;

impl Clock {
    /// One that gains or loses at most so many millionths; at its bounds if asked.
    pub(crate) fn drawn(rng: &mut Rng, drift_ppm: u32, extreme: bool) -> Clock {
        let most = u64::from(drift_ppm) * ONE / 1_000_000;
        let gain = if extreme { rng.below(2) * 2 * most } else { rng.below(2 * most + 1) };
        Clock { offset: rng.below(1 << 40), rate: ONE - most + gain }
    }

    pub(crate) fn shows(self, real: u64) -> Micros {
        Micros(self.offset + ((real * self.rate) >> 20))
    }

    /// The first real moment at which it shows at least this.
    pub(crate) fn reaches(self, shown: Micros) -> u64 {
        (shown.0.saturating_sub(self.offset).min(LONGEST) << 20).div_ceil(self.rate)
    }

    /// The machine was started anew, and its clock with it.
    pub(crate) fn restarts(&mut self, rng: &mut Rng) {
        self.offset = rng.below(1 << 40);
    }
}

#[test]
fn clocks_and_their_inverse() {
    let mut rng = Rng::new(1, ringleader::rng::Purpose::Faults);
    for drift in [0, 5000, 200_000] {
        for _ in 0..50 {
            let extreme = rng.below(2) == 0;
            let clock = Clock::drawn(&mut rng, drift, extreme);
            let bounds = (1_000_000 - u64::from(drift)) * ONE..=(1_000_000 + u64::from(drift)) * ONE;
            assert!(bounds.contains(&(clock.rate * 1_000_000)), "{clock:?}");
            for gone in [0, 1, 2, 999_999, 1 << 30, (1 << 42) + 7] {
                let shown = clock.shows(0) + Micros(gone);
                let real = clock.reaches(shown);
                assert!(clock.shows(real) >= shown, "{clock:?}");
                assert!(real == 0 || clock.shows(real - 1) < shown, "{clock:?}");
            }
        }
    }
}
