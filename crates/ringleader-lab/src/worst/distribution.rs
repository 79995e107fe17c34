//! How the number of messages is distributed over all arrangements: exact, as fractions.

use std::collections::BTreeMap;
use std::fmt;

/// How many arrangements send how many messages.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Distribution {
    /// From the number of messages to the number of arrangements.
    pub counts: BTreeMap<u64, u64>,
}

impl Distribution {
    /// One more arrangement with so many messages.
    pub(crate) fn add(&mut self, messages: u64) {
        *self.counts.entry(messages).or_default() += 1;
    }

    /// Those of another one as well.
    pub(crate) fn merge(&mut self, other: &Distribution) {
        for (&messages, &arrangements) in &other.counts {
            *self.counts.entry(messages).or_default() += arrangements;
        }
    }

    /// How many arrangements there are.
    #[must_use]
    pub fn arrangements(&self) -> u64 {
        self.counts.values().sum()
    }

    fn sum(&self, power: u32) -> u128 {
        self.counts
            .iter()
            .map(|(&messages, &count)| u128::from(messages).pow(power) * u128::from(count))
            .sum()
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> Fraction {
        Fraction::new(self.sum(1), u128::from(self.arrangements()))
    }

    /// The variance.
    #[must_use]
    pub fn variance(&self) -> Fraction {
        let all = u128::from(self.arrangements());
        // The mean square minus the squared mean; never negative.
        Fraction::new(all * self.sum(2) - self.sum(1).pow(2), all * all)
    }
}

/// A fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fraction {
    /// What is divided.
    pub numerator: u128,
    /// By what; not 0 unless it was 0.
    pub denominator: u128,
}

impl Fraction {
    /// This fraction, in lowest terms.
    #[must_use]
    pub fn new(numerator: u128, denominator: u128) -> Fraction {
        let (mut a, mut b) = (numerator, denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let common = a.max(1);
        Fraction { numerator: numerator / common, denominator: denominator / common }
    }

    /// As near as a float gets.
    #[must_use]
    pub fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_variances_are_exact() {
        let mut distribution = Distribution::default();
        for messages in [3, 4, 4, 6] {
            distribution.add(messages);
        }
        assert_eq!(distribution.mean().to_string(), "17/4");
        // (9 + 16 + 16 + 36) / 4 - (17/4)^2
        assert_eq!(distribution.variance().to_string(), "19/16");
        let mut twice = distribution.clone();
        twice.merge(&distribution);
        assert_eq!((twice.mean(), twice.arrangements()), (distribution.mean(), 8));
    }
}
