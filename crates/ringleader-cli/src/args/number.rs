//! Whole numbers as people write them: `8`, `1e6`, `1M`, `2^20`, `1_000_000`.

use super::Word;
use ringleader_lab::number::{EXPECTED, parse};

/// A whole number. It is wide, so that an absurd one is understood before it is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Number(pub(crate) u128);

impl Word for Number {
    fn parse(text: &str) -> Result<Number, String> {
        if text.starts_with('-') {
            return Err(format!("{EXPECTED}; it cannot be negative"));
        }
        parse(text).map(Number).ok_or_else(|| EXPECTED.to_owned())
    }
}

/// For clap, where the number is 64 bits wide and its text does not matter.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    let Number(value) = Number::parse(text.trim())?;
    u64::try_from(value).map_err(|_| format!("{EXPECTED}, below 2^64"))
}

/// For clap, where the number is 32 bits wide.
pub(crate) fn small(text: &str) -> Result<u32, String> {
    u32::try_from(number(text)?).map_err(|_| format!("{EXPECTED}, below 2^32"))
}

/// For clap, where zero makes no sense.
pub(crate) fn at_least_one(text: &str) -> Result<u32, String> {
    match small(text)? {
        0 => Err("at least 1".into()),
        number => Ok(number),
    }
}

/// The largest number of threads. More would only wait for each other, and a system may refuse to start them.
const MOST_THREADS: u32 = 1024;

/// For clap, a number of threads.
pub(crate) fn threads(text: &str) -> Result<u32, String> {
    match at_least_one(text)? {
        number if number > MOST_THREADS => Err(format!("at most {MOST_THREADS}")),
        number => Ok(number),
    }
}

/// For clap, where zero makes no sense and the number may be large.
pub(crate) fn above_zero(text: &str) -> Result<u64, String> {
    match number(text)? {
        0 => Err("at least 1".into()),
        number => Ok(number),
    }
}
