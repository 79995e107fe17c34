//! Times on clocks, and differences between them, in parts so small that the arithmetic of clocks is exact.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A reading of a clock, or the difference of two. A tick is the unit of time of a schedule.
///
/// A tick has 63,000,000 parts, which is 10^6 · 63. So a millionth of a tick is a whole number of parts, and so are
/// half a tick and the mean of up to ten halves: midpoints and means are not rounded.
///
/// ```
/// use ringleader::model::Ticks;
/// let (early, late) = (Ticks::whole(3), Ticks::whole(8));
/// assert_eq!((late - early).over(2), Ticks::ratio(5, 2));
/// assert_eq!(((late - early).over(2) + early).over(3) * 3, Ticks::ratio(11, 2));
/// assert_eq!(Ticks::ratio(-3, 2).to_string(), "-1.5");
/// assert_eq!(Ticks::ratio(25, 3).to_string(), "25/3");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ticks(i64);

impl Ticks {
    /// The parts of a tick.
    pub const PARTS: i64 = 63_000_000;
    /// No time.
    pub const ZERO: Ticks = Ticks(0);
    /// The smallest difference.
    pub const PART: Ticks = Ticks(1);

    /// So many ticks.
    #[must_use]
    pub const fn whole(ticks: i64) -> Ticks {
        Ticks(ticks.saturating_mul(Ticks::PARTS))
    }

    /// A fraction of a tick, rounded down to a part.
    ///
    /// # Panics
    /// If the denominator is 0.
    #[must_use]
    pub const fn ratio(over: i64, under: i64) -> Ticks {
        Ticks(over.saturating_mul(Ticks::PARTS).div_euclid(under))
    }

    /// So many parts.
    #[must_use]
    pub const fn of_parts(parts: i64) -> Ticks {
        Ticks(parts)
    }

    /// In parts.
    #[must_use]
    pub const fn parts(self) -> i64 {
        self.0
    }

    /// A `divisor`-th of it, rounded down to a part.
    ///
    /// # Panics
    /// If the divisor is 0.
    #[must_use]
    pub const fn over(self, divisor: i64) -> Ticks {
        Ticks(self.0.div_euclid(divisor))
    }

    /// A `divisor`-th of it, rounded up to a part: for what is promised.
    ///
    /// # Panics
    /// If the divisor is 0.
    #[must_use]
    pub const fn over_up(self, divisor: i64) -> Ticks {
        Ticks(-(-self.0).div_euclid(divisor))
    }

    /// So many millionths of it, rounded up to a part: how far clocks may drift apart in that time.
    #[must_use]
    pub fn millionths(self, ppm: u32) -> Ticks {
        let product = i128::from(self.0) * i128::from(ppm);
        Ticks(i64::try_from(-(-product).div_euclid(1_000_000)).unwrap_or(i64::MAX))
    }

    /// Without its sign.
    #[must_use]
    pub const fn abs(self) -> Ticks {
        Ticks(self.0.saturating_abs())
    }

    /// In ticks, for pictures and tables. Processes do not reckon with it.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / Ticks::PARTS as f64
    }
}

impl Add for Ticks {
    type Output = Ticks;
    fn add(self, other: Ticks) -> Ticks {
        Ticks(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Ticks {
    fn add_assign(&mut self, other: Ticks) {
        *self = *self + other;
    }
}

impl Sub for Ticks {
    type Output = Ticks;
    fn sub(self, other: Ticks) -> Ticks {
        Ticks(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Ticks {
    fn sub_assign(&mut self, other: Ticks) {
        *self = *self - other;
    }
}

impl Neg for Ticks {
    type Output = Ticks;
    fn neg(self) -> Ticks {
        Ticks(self.0.saturating_neg())
    }
}

impl core::ops::Mul<i64> for Ticks {
    type Output = Ticks;
    fn mul(self, times: i64) -> Ticks {
        Ticks(self.0.saturating_mul(times))
    }
}

impl Sum for Ticks {
    fn sum<I: Iterator<Item = Ticks>>(all: I) -> Ticks {
        all.fold(Ticks::ZERO, Add::add)
    }
}

/// As a decimal number where six places are enough, as a fraction where its denominator is small; otherwise rounded to
/// six places.
impl core::fmt::Display for Ticks {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        const MILLIONTH: i64 = Ticks::PARTS / 1_000_000;
        let divisor = greatest_common_divisor(self.0.unsigned_abs(), Ticks::PARTS as u64);
        let under = Ticks::PARTS as u64 / divisor;
        if self.0 % MILLIONTH != 0 && under <= 20 {
            return write!(f, "{}/{under}", i128::from(self.0) / i128::from(divisor));
        }
        let millionths =
            (i128::from(self.0) * 2 + i128::from(MILLIONTH)).div_euclid(2 * i128::from(MILLIONTH));
        let sign = if millionths < 0 { "-" } else { "" };
        let (whole, rest) = (millionths.unsigned_abs() / 1_000_000, millionths.unsigned_abs() % 1_000_000);
        if rest == 0 {
            return write!(f, "{sign}{whole}");
        }
        let places = format!("{rest:06}");
        write!(f, "{sign}{whole}.{}", places.trim_end_matches('0'))
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}
