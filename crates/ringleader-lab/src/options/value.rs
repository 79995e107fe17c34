//! Times, probabilities and indices, and what was probably meant instead of a word that nobody knows.

use super::Word;
use ringleader::sim::TICKS_PER_UNIT;

/// A moment or a duration: rounds, units of time or steps, as the schedule counts; in millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time(u64);

impl Time {
    /// As ticks of a timed schedule.
    #[must_use]
    pub fn ticks(self) -> u64 {
        self.0
    }

    /// As a whole number, where there are no fractions.
    #[must_use]
    pub fn whole(self) -> Option<u64> {
        self.0.is_multiple_of(MILLION).then_some(self.0 / MILLION)
    }
}

const MILLION: u64 = TICKS_PER_UNIT;
const _: () = assert!(MILLION == 1_000_000, "the six decimals below are those of the clock");

impl Word for Time {
    fn parse(text: &str) -> Result<Time, String> {
        let expected = || "a time such as 5, 1e3 or, for delays, 0.25 (at most six decimals)".to_owned();
        if let Some((whole, fraction)) = text.split_once('.') {
            if fraction.is_empty() || fraction.len() > 6 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
                return Err(expected());
            }
            let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| expected())? };
            let millionths: u64 = format!("{fraction:0<6}").parse().map_err(|_| expected())?;
            return whole
                .checked_mul(MILLION)
                .and_then(|ticks| ticks.checked_add(millionths))
                .map(Time)
                .ok_or_else(expected);
        }
        let whole = super::number::Number::parse(text).map_err(|_| expected())?;
        u64::try_from(whole.0)
            .ok()
            .and_then(|whole| whole.checked_mul(MILLION))
            .map(Time)
            .ok_or_else(expected)
    }
}

/// A probability, 0 to 1 or a percentage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chance(pub f64);

impl Word for Chance {
    fn parse(text: &str) -> Result<Chance, String> {
        let (number, unit) = match text.strip_suffix('%') {
            Some(percent) => (percent, 100.0),
            None => (text, 1.0),
        };
        match number.parse::<f64>() {
            Ok(number) if (0.0..=unit).contains(&number) => Ok(Chance(number / unit)),
            Ok(_) | Err(_) => {
                Err("a probability from 0 to 1, such as 0.05, or a percentage such as 5%".into())
            }
        }
    }
}

/// A question to append to what was expected, if a word that is known was probably meant.
pub(crate) fn did_you_mean(text: &str, known: &[&str]) -> String {
    let meant = crate::suggest::closest(text, known.iter().copied());
    meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

/// An index of a process.
pub(crate) fn index(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not the index of a process (0, 1, 2, ...)"))
}

/// Indices of processes, with commas between.
pub(crate) fn indices(text: &str) -> Result<Vec<u32>, String> {
    text.split(',').map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(Time::parse("0.25").unwrap().ticks(), 250_000);
        assert_eq!(Time::parse("12.000001").unwrap().ticks(), 12_000_001);
        assert_eq!(Time::parse("1e3").unwrap().whole(), Some(1000));
        assert_eq!(Time::parse("0.5").unwrap().whole(), None);
        for text in ["", ".", "1.", "-1", "1.0000001", "x", "1e30", "1.5.2"] {
            assert!(Time::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn probabilities() {
        assert_eq!(Chance::parse("5%").unwrap().0, 0.05);
        assert_eq!(Chance::parse("1").unwrap().0, 1.0);
        for text in ["", "2", "-0.1", "101%", "nan", "inf"] {
            assert!(Chance::parse(text).is_err(), "{text}");
        }
    }
}
