//! The filter: of the last eight samples of a source, that with the least delay.

use crate::model::Ticks;

/// The stages of the filter.
const STAGES: usize = 8;

/// No dispersion is larger: 16 seconds, a tick being a millisecond.
pub const MOST: Ticks = Ticks::whole(16_000);

/// One sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sample {
    /// The offset, θ.
    pub offset: Ticks,
    /// The delay, δ.
    pub delay: Ticks,
    /// By how much more the offset may be wrong, ε: it grows with time.
    pub dispersion: Ticks,
    /// What the own clock showed.
    pub at: Ticks,
}

const EMPTY: Sample = Sample { offset: Ticks::ZERO, delay: MOST, dispersion: MOST, at: Ticks::ZERO };

/// The samples of a source, newest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Filter {
    stages: [Sample; STAGES],
    /// When the sample was taken that was used last.
    used: Option<Ticks>,
}

/// What the filter makes of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Filtered {
    /// The sample with the least delay.
    pub best: Sample,
    /// The dispersion of all of them, those with small delays counting most.
    pub dispersion: Ticks,
    /// How far the others are from the best, as a root mean square.
    pub jitter: Ticks,
    /// Whether the best is newer than the one that was used last: an old minimum must not be used again.
    pub is_new: bool,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { stages: [EMPTY; STAGES], used: None }
    }
}

impl Filter {
    /// Takes a sample; the others have aged by so many millionths of the time since the newest of them.
    pub fn take(&mut self, sample: Sample, aging: u32) -> Filtered {
        let newest = self.stages[0];
        if newest != EMPTY {
            let age = (sample.at - newest.at).millionths(aging);
            for stage in &mut self.stages {
                stage.dispersion = (stage.dispersion + age).min(MOST);
            }
        }
        self.stages.rotate_right(1);
        self.stages[0] = sample;
        let mut sorted = self.stages;
        sorted.sort_by_key(|stage| stage.delay); // stable: of equals the newer stays first
        let best = sorted[0];
        let weighed =
            sorted.iter().enumerate().map(|(place, stage)| stage.dispersion * (1 << (STAGES - 1 - place)));
        let known: Vec<Ticks> =
            sorted.iter().filter(|stage| stage.dispersion < MOST).map(|stage| stage.offset).collect();
        let is_new = self.used.is_none_or(|used| best.at > used);
        if is_new {
            self.used = Some(best.at);
        }
        Filtered {
            best,
            dispersion: weighed.sum::<Ticks>().over_up(1 << STAGES),
            jitter: spread(best.offset, &known, known.len().saturating_sub(1)),
            is_new,
        }
    }

    /// The own clock was corrected by so much.
    pub fn corrected(&mut self, by: Ticks) {
        for stage in self.stages.iter_mut().filter(|stage| **stage != EMPTY) {
            stage.offset -= by;
            stage.at += by;
        }
        self.used = self.used.map(|used| used + by);
    }
}

/// The root of the squares of the distances to these, divided by so many; rounded down to a part.
#[must_use]
pub fn spread(from: Ticks, to: &[Ticks], by: usize) -> Ticks {
    let squares = to.iter().map(|&other| i128::from((other - from).parts()).pow(2)).sum::<i128>();
    let mean = squares / (by.max(1) as i128);
    Ticks::of_parts(mean.unsigned_abs().isqrt() as i64)
}
