//! Time on clocks that drift.

use core::fmt;
use core::ops::{Add, Sub};

#[cfg(test)]
mod tests;

/// A moment on a member's own clock, or a span of time, in microseconds. Clocks of different members are
/// never compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Micros(pub u64);

impl Micros {
    /// So many milliseconds.
    #[must_use]
    pub const fn millis(millis: u64) -> Micros {
        Micros(millis.saturating_mul(1000))
    }
}

impl Add for Micros {
    type Output = Micros;
    fn add(self, span: Micros) -> Micros {
        Micros(self.0.saturating_add(span.0))
    }
}

/// The span since an earlier moment; nothing if it is not earlier.
impl Sub for Micros {
    type Output = Micros;
    fn sub(self, earlier: Micros) -> Micros {
        Micros(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} ms", self.0 / 1000, self.0 % 1000)
    }
}

/// How much faster or slower than real time a clock may run, in parts per million. Every use of it is here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Drift(pub u32);

impl Drift {
    const MILLION: u128 = 1_000_000;

    /// How fast the slowest and the fastest clock are, in parts per million of real time.
    fn speeds(self) -> (u128, u128) {
        let drift = u128::from(self.0);
        (Drift::MILLION.saturating_sub(drift), Drift::MILLION + drift)
    }

    /// For how long one may count on a promise of somebody else: the span times (1 - ρ) / (1 + ρ), rounded down.
    /// Nothing if a clock may stand still.
    #[must_use]
    pub fn counted(self, span: Micros) -> Micros {
        let (slow, fast) = self.speeds();
        Micros(u64::try_from(u128::from(span.0) * slow / fast).unwrap_or(u64::MAX))
    }

    /// How long one must wait until a span has passed for everybody: the span times (1 + ρ) / (1 - ρ), rounded up. For
    /// ever if a clock may stand still.
    #[must_use]
    pub fn waited(self, span: Micros) -> Micros {
        let (slow, fast) = self.speeds();
        if slow == 0 {
            return Micros(u64::MAX);
        }
        Micros(u64::try_from((u128::from(span.0) * fast).div_ceil(slow)).unwrap_or(u64::MAX))
    }

    /// What one clock gains on another at most, in parts per million: 2ρ / (1 - ρ).
    #[must_use]
    pub fn gain(self) -> u64 {
        let (slow, fast) = self.speeds();
        ((fast - slow) * Drift::MILLION).checked_div(slow).map_or(u64::MAX, |gain| gain as u64)
    }
}
