//! Numbers of processes to try, in one word: `1024`, `64,256,1024`, `10..1e6`, `10..1e6*2`.

use crate::number;

/// A range that is neither of powers of ten nor of powers of two has about so many sizes.
const STOPS: u32 = 12;
/// Nobody reads a table with more.
const SIZES_MAX: usize = 10_000;

const EXPECTED: &str = "a number (1024, 1e6), a list (64,256,1024), a range (10..1e6), or a range with a factor \
                        (10..1e6*2)";

/// Numbers of processes, in increasing order, each once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes(Vec<u64>);

impl Sizes {
    /// The sizes that a text means, or what was expected instead. Ends of ranges are among them, unless a factor
    /// leads past the last one.
    ///
    /// # Errors
    /// If the text is none of those.
    pub fn parse(text: &str) -> Result<Sizes, String> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                Some((from, rest)) => {
                    let (to, factor) = match rest.split_once('*') {
                        Some((to, factor)) => (to, Some(self::factor(factor)?)),
                        None => (rest, None),
                    };
                    sizes.extend(range(whole(from)?, whole(to)?, factor)?);
                }
                None => sizes.push(whole(part)?),
            }
            if sizes.len() > SIZES_MAX {
                return Err(format!("more than {SIZES_MAX} sizes; take a larger factor"));
            }
        }
        sizes.sort_unstable();
        sizes.dedup();
        Ok(Sizes(sizes))
    }

    /// The sizes, in increasing order.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

impl From<Vec<u64>> for Sizes {
    fn from(mut sizes: Vec<u64>) -> Sizes {
        sizes.sort_unstable();
        sizes.dedup();
        Sizes(sizes)
    }
}

fn whole(text: &str) -> Result<u64, String> {
    let number = number::parse(text.trim()).ok_or_else(|| EXPECTED.to_owned())?;
    u64::try_from(number).map_err(|_| format!("{} is more than 2^64", text.trim()))
}

fn factor(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 1.0 => Ok(factor),
        Ok(_) | Err(_) => Err("the factor between two sizes is a number above 1, such as 10..1e6*2".into()),
    }
}

fn range(from: u64, to: u64, factor: Option<f64>) -> Result<Vec<u64>, String> {
    if from > to {
        return Err(format!("the smaller number comes first: {to}..{from}"));
    }
    if from == 0 {
        return Err("a range begins with at least 1".into());
    }
    if let Some(factor) = factor {
        return by_factor(from, to, factor);
    }
    for base in [10, 2] {
        if is_power(from, base) && is_power(to, base) {
            let powers = std::iter::successors(Some(from), |size| size.checked_mul(base));
            return Ok(powers.take_while(|&size| size <= to).collect());
        }
    }
    if to - from < u64::from(STOPS) {
        return Ok((from..=to).collect());
    }
    let ratio = (to as f64 / from as f64).ln();
    let stop = |at: u32| (from as f64 * (ratio * f64::from(at) / f64::from(STOPS - 1)).exp()).round() as u64;
    let mut sizes: Vec<u64> = (1..STOPS - 1).map(stop).collect();
    sizes.extend([from, to]);
    Ok(sizes)
}

fn by_factor(from: u64, to: u64, factor: f64) -> Result<Vec<u64>, String> {
    let mut sizes = Vec::new();
    let mut size = from as f64;
    // Beyond 2^53 a float misses whole numbers, but nobody has so many processes.
    while size.round() <= to as f64 {
        sizes.push(size.round() as u64);
        if sizes.len() > SIZES_MAX {
            return Err(format!("more than {SIZES_MAX} sizes; take a larger factor"));
        }
        size *= factor;
    }
    Ok(sizes)
}

fn is_power(number: u64, base: u64) -> bool {
    let mut rest = number;
    while rest > 1 && rest.is_multiple_of(base) {
        rest /= base;
    }
    rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<u64> {
        Sizes::parse(text).unwrap().as_slice().to_vec()
    }

    #[test]
    fn numbers_and_lists() {
        assert_eq!(sizes("8"), [8]);
        assert_eq!(sizes("1M"), [1_000_000]);
        assert_eq!(sizes("1024, 64,2^8,64"), [64, 256, 1024]);
        assert_eq!(sizes("3,10..1000"), [3, 10, 100, 1000]);
    }

    #[test]
    fn ranges() {
        assert_eq!(sizes("10..1e6"), [10, 100, 1000, 10_000, 100_000, 1_000_000]);
        assert_eq!(sizes("8..64"), [8, 16, 32, 64]);
        assert_eq!(sizes("1..8"), [1, 2, 4, 8]);
        assert_eq!(sizes("1..100"), [1, 10, 100]);
        assert_eq!(sizes("3..7"), [3, 4, 5, 6, 7]);
        assert_eq!(sizes("5..5"), [5]);
        assert_eq!(sizes("10..100*2"), [10, 20, 40, 80]);
        assert_eq!(sizes("10..40*2"), [10, 20, 40]);
        assert_eq!(sizes("2..10*1.5"), [2, 3, 5, 7, 10]);
        let spread = sizes("8..1000");
        assert_eq!((spread.len(), spread[0], spread[11]), (12, 8, 1000));
        let ratios: Vec<f64> = spread.windows(2).map(|pair| pair[1] as f64 / pair[0] as f64).collect();
        assert!(ratios.iter().all(|ratio| (1.4..1.75).contains(ratio)), "{spread:?}");
    }

    #[test]
    fn what_is_no_size() {
        for text in ["", "x", "10..", "..10", "10..5", "0..8", "8..64*1", "8..64*x", "1,,2", "-1", "1..2..3"]
        {
            assert!(Sizes::parse(text).is_err(), "{text}");
        }
        assert!(Sizes::parse("1..1e9*1.0001").is_err_and(|said| said.contains("factor")));
        assert!(Sizes::parse("100..10").is_err_and(|said| said.contains("10..100")));
    }
}
