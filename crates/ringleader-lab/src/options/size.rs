//! Limits of a search: `--memory 12GiB`, `--time 5m`.

use super::Word;
use super::number::number;
use std::time::Duration;

/// A number of bytes: as a number, or with a unit (kB, MB, GB, TB, KiB, MiB, GiB, TiB).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimit(pub u64);

impl Word for MemoryLimit {
    fn parse(text: &str) -> Result<MemoryLimit, String> {
        let expected = || "an amount of memory such as 512M, 4G or 12GiB".to_owned();
        let bytes = match text.strip_suffix("iB") {
            Some(binary) => {
                let (last, unit) = binary.char_indices().next_back().ok_or_else(expected)?;
                let power = match unit {
                    'K' | 'k' => 10,
                    'M' => 20,
                    'G' => 30,
                    'T' => 40,
                    _ => return Err(expected()),
                };
                decimal(&binary[..last])
                    .map(|amount| amount * f64::from(power).exp2())
                    .ok_or_else(expected)?
            }
            None => number(text.strip_suffix('B').unwrap_or(text)).map_err(|_| expected())? as f64,
        };
        // Beyond 2^53 nobody misses the last bytes.
        if (1.0..1.8e19).contains(&bytes) { Ok(MemoryLimit(bytes as u64)) } else { Err(expected()) }
    }
}

/// How long to wait: seconds, or with a unit (ms, s, m, h).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLimit(pub Duration);

/// Nobody waits longer.
const YEARS_S: f64 = 1e9;

impl Word for TimeLimit {
    fn parse(text: &str) -> Result<TimeLimit, String> {
        let (amount, unit_s) = if let Some(amount) = text.strip_suffix("ms") {
            (amount, 0.001)
        } else if let Some(amount) = text.strip_suffix('s') {
            (amount, 1.0)
        } else if let Some(amount) = text.strip_suffix('m') {
            (amount, 60.0)
        } else if let Some(amount) = text.strip_suffix('h') {
            (amount, 3600.0)
        } else {
            (text, 1.0)
        };
        match decimal(amount).map(|amount| amount * unit_s) {
            Some(seconds) if seconds > 0.0 && seconds <= YEARS_S => {
                Ok(TimeLimit(Duration::from_secs_f64(seconds)))
            }
            Some(_) | None => Err("a time above 0 in seconds, or with a unit, such as 30s, 5m or 2h".into()),
        }
    }
}

/// A number with or without decimals, and nothing else that a float may be.
fn decimal(text: &str) -> Option<f64> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        for (text, bytes) in [
            ("512M", 512_000_000),
            ("4G", 4_000_000_000),
            ("4GB", 4_000_000_000),
            ("12GiB", 12 << 30),
            ("1.5KiB", 1536),
            ("2^30", 1 << 30),
            ("1e9", 1_000_000_000),
            ("64B", 64),
        ] {
            assert_eq!(MemoryLimit::parse(text), Ok(MemoryLimit(bytes)), "{text}");
        }
        for text in
            ["", "0", "-1G", "G", "iB", "GiB", "4XiB", "much", "1e30", "99999999999TiB", "nanGiB", "½iB"]
        {
            assert!(MemoryLimit::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_to_wait() {
        for (text, ms) in
            [("30", 30_000), ("30s", 30_000), ("5m", 300_000), ("2.5h", 9_000_000), ("20ms", 20)]
        {
            assert_eq!(TimeLimit::parse(text), Ok(TimeLimit(Duration::from_millis(ms))), "{text}");
        }
        for text in ["", "0", "s", "-1", "5d", "inf", "nan", "1e400", "99999999999h"] {
            assert!(TimeLimit::parse(text).is_err(), "{text}");
        }
    }
}
