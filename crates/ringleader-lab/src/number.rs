//! Whole numbers as people write them: `8`, `1e6`, `1M`, `2^20`, `1_000_000`.

/// What a whole number may look like, for whoever wrote something else.
pub const EXPECTED: &str = "a whole number such as 8, 1e6, 1M, 2^20 or 1_000_000";

/// The number that a text means. It is wide, so that an absurd one is understood before it is refused.
#[must_use]
pub fn parse(text: &str) -> Option<u128> {
    if let Some((base, exponent)) = text.split_once('^') {
        return digits(base)?.checked_pow(u32::try_from(digits(exponent)?).ok()?);
    }
    if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
        return scaled(mantissa, u32::try_from(digits(exponent)?).ok()?);
    }
    let (mantissa, zeros) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 3),
        (at, 'M') => (&text[..at], 6),
        (at, 'G') => (&text[..at], 9),
        (at, 'T') => (&text[..at], 12),
        _ => (text, 0),
    };
    scaled(mantissa, zeros)
}

/// A decimal number times a power of ten, if it is whole.
fn scaled(mantissa: &str, zeros: u32) -> Option<u128> {
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, fraction.trim_end_matches('0')),
        None => (mantissa, ""),
    };
    let left = zeros.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let fraction = if fraction.is_empty() { 0 } else { digits(fraction)? };
    let scale = 10u128.checked_pow(zeros)?;
    digits(whole)?.checked_mul(scale)?.checked_add(fraction.checked_mul(10u128.checked_pow(left)?)?)
}

/// Digits, with single underscores between them.
fn digits(text: &str) -> Option<u128> {
    let well_placed = !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    let known = text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    if !well_placed || !known {
        return None;
    }
    text.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        for (text, value) in [
            ("8", 8),
            ("0", 0),
            ("1e6", 1_000_000),
            ("1E6", 1_000_000),
            ("2.5e6", 2_500_000),
            ("1M", 1_000_000),
            ("10M", 10_000_000),
            ("1.5k", 1_500),
            ("3G", 3_000_000_000),
            ("2^20", 1 << 20),
            ("1_000_000", 1_000_000),
            ("1.0", 1),
            ("1e30", 10u128.pow(30)),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for text in [
            "", "-1", "+1", "1.5", "1e", "e6", "M", "2^", "^2", "_1", "1_", "1__0", "1e400", "ten", "1,000",
            "1 M", "0x10", "2^200", "½",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
