//! Whole numbers as options, and what they may be.

use super::Word;
use crate::number::{EXPECTED, parse};

/// A whole number. It is wide, so that an absurd one is understood before it is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Number(pub u128);

impl Word for Number {
    fn parse(text: &str) -> Result<Number, String> {
        if text.starts_with('-') {
            return Err(format!("{EXPECTED}; it cannot be negative"));
        }
        parse(text).map(Number).ok_or_else(|| EXPECTED.to_owned())
    }
}

/// A number of 64 bits.
///
/// # Errors
/// What was expected instead.
pub fn number(text: &str) -> Result<u64, String> {
    let Number(value) = Number::parse(text.trim())?;
    u64::try_from(value).map_err(|_| format!("{EXPECTED}, below 2^64"))
}

/// A number of 32 bits.
///
/// # Errors
/// What was expected instead.
pub fn small(text: &str) -> Result<u32, String> {
    u32::try_from(number(text)?).map_err(|_| format!("{EXPECTED}, below 2^32"))
}

/// A number of 32 bits, where zero makes no sense.
///
/// # Errors
/// What was expected instead.
pub fn at_least_one(text: &str) -> Result<u32, String> {
    match small(text)? {
        0 => Err("at least 1".into()),
        number => Ok(number),
    }
}

/// The largest number of threads. More would only wait for each other, and a system may refuse to start them.
const MOST_THREADS: u32 = 1024;

/// A number of threads.
///
/// # Errors
/// What was expected instead.
pub fn threads(text: &str) -> Result<u32, String> {
    match at_least_one(text)? {
        number if number > MOST_THREADS => Err(format!("at most {MOST_THREADS}")),
        number => Ok(number),
    }
}

/// A number of 64 bits, where zero makes no sense.
///
/// # Errors
/// What was expected instead.
pub fn above_zero(text: &str) -> Result<u64, String> {
    match number(text)? {
        0 => Err("at least 1".into()),
        number => Ok(number),
    }
}
