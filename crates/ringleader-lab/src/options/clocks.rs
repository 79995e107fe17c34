//! What clocks are like: `--clock-offset`, `--clock-drift`, `--clock-backward`, and the delays of a check.

use super::{Word, one_of};
use ringleader::sim::{Backward, Scatter};

impl Word for Scatter {
    fn parse(text: &str) -> Result<Scatter, String> {
        const EXPECTED: &str = "a number for each clock (0,5,-7), or random:K for draws from -K to K";
        if let Some(most) = text.strip_prefix("random:") {
            return most.parse().map(Scatter::Drawn).map_err(|_| EXPECTED.to_owned());
        }
        let listed = text.split(',').map(|part| part.trim().parse::<i64>());
        listed.collect::<Result<_, _>>().map(Scatter::Listed).map_err(|_| EXPECTED.to_owned())
    }
}

/// What becomes of a clock that is ahead.
pub(super) fn backward(text: &str) -> Result<Backward, String> {
    one_of(text, &Backward::ALL.map(|backward| (backward.name(), backward)))
}

/// The least and the longest delay in ticks: `LO..HI`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DelayRange(pub u32, pub u32);

impl Word for DelayRange {
    fn parse(text: &str) -> Result<DelayRange, String> {
        let range = text.split_once("..").and_then(|(lo, hi)| Some((lo.parse().ok()?, hi.parse().ok()?)));
        match range {
            Some((lo, hi)) if lo <= hi && (1..=1000).contains(&hi) => Ok(DelayRange(lo, hi)),
            Some(_) | None => {
                Err("the least and the longest delay in ticks, such as 1..3, at most 1000".to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_delays() {
        assert_eq!(Scatter::parse("0,5,-7"), Ok(Scatter::Listed(vec![0, 5, -7])));
        assert_eq!(Scatter::parse("random:50"), Ok(Scatter::Drawn(50)));
        assert_eq!(DelayRange::parse("2..5"), Ok(DelayRange(2, 5)));
        for text in ["", "x", "1,,2", "random:", "random:-1", "0.5"] {
            assert!(Scatter::parse(text).is_err(), "{text}");
        }
        for text in ["", "3", "5..2", "0..0", "1..", "1..1001", "-1..2"] {
            assert!(DelayRange::parse(text).is_err(), "{text}");
        }
    }
}
