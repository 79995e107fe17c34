//! What many measurements have in common: mean, spread, and how well the mean is known.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Count, mean, variance, least, most and median of some numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stats {
    /// How many there are, at least one.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their variance as a sample: the sum of squares by the count less one; 0 where there is one.
    pub variance: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// The one in the middle, or the mean of the two.
    pub median: f64,
}

impl Stats {
    /// Of these numbers; none where there is none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Stats> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        // One pass that stays exact where the numbers are large and close together (Welford).
        let (mut count, mut mean, mut squares) = (0u64, 0.0, 0.0);
        for &value in values {
            count += 1;
            let before: f64 = value - mean;
            mean += before / count as f64;
            squares += before * (value - mean);
        }
        let middle = sorted.len() / 2;
        let median = if sorted.len().is_multiple_of(2) {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        } else {
            sorted[middle]
        };
        let variance = if count > 1 { squares / (count - 1) as f64 } else { 0.0 };
        Some(Stats { count, mean, variance, min, max, median })
    }

    /// The standard deviation of the sample.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// The standard error of the mean; 0 where there is only one number.
    #[must_use]
    pub fn mean_error(&self) -> f64 {
        (self.variance / self.count as f64).sqrt()
    }

    /// Half of the interval around the mean in which the true one lies in 95 of 100 experiments, if the numbers are
    /// normally distributed; none where there is only one number.
    #[must_use]
    pub fn margin95(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        Some(student975(self.count - 1)? * self.mean_error())
    }

    /// That interval.
    #[must_use]
    pub fn ci95(&self) -> Option<(f64, f64)> {
        self.margin95().map(|margin| (self.mean - margin, self.mean + margin))
    }
}

/// The 97.5 % quantile of Student's distribution with so many degrees of freedom.
fn student975(freedom: u64) -> Option<f64> {
    StudentsT::new(0.0, 1.0, freedom as f64).ok().map(|student| student.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        for (freedom, printed) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (9, 2.262),
            (10, 2.228),
            (20, 2.086),
            (30, 2.042),
            (60, 2.000),
            (120, 1.980),
            (100_000, 1.960),
        ] {
            let quantile = student975(freedom).unwrap();
            assert!((quantile - printed).abs() < 0.0006, "{freedom}: {quantile}");
        }
    }

    #[test]
    fn of_a_few_numbers() {
        let stats = Stats::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((stats.count, stats.mean, stats.min, stats.max, stats.median), (8, 5.0, 2.0, 9.0, 4.5));
        assert!((stats.variance - 32.0 / 7.0).abs() < 1e-12);
        // t(7) = 2.365; the margin is 2.365 * 2.1381 / sqrt(8).
        assert!((stats.margin95().unwrap() - 1.7875).abs() < 1e-3);
        let (low, high) = stats.ci95().unwrap();
        assert!(low < 5.0 && high > 5.0);
    }

    #[test]
    fn of_one_and_of_none() {
        assert_eq!(Stats::of(&[]), None);
        let one = Stats::of(&[3.0]).unwrap();
        assert_eq!((one.mean, one.median, one.variance, one.margin95()), (3.0, 3.0, 0.0, None));
        let same = Stats::of(&[3.0, 3.0]).unwrap();
        assert_eq!(same.ci95(), Some((3.0, 3.0)));
    }

    #[test]
    fn variance_of_large_close_numbers_is_exact() {
        let values: Vec<f64> = [4.0, 7.0, 13.0, 16.0].iter().map(|value| value + 1e9).collect();
        assert_eq!(Stats::of(&values).unwrap().variance, 30.0);
    }
}
