//! Numbers and colours for people.

/// Colours, as terminals take them. Who writes to something else takes them out again.
pub mod style {
    /// Headings.
    pub const BOLD: &str = "\x1b[1m";
    /// What matters less.
    pub const DIM: &str = "\x1b[2m";
    /// What is wrong.
    pub const RED: &str = "\x1b[31m";
    /// What is right.
    pub const GREEN: &str = "\x1b[32m";
    /// What to beware of.
    pub const YELLOW: &str = "\x1b[33m";
    /// What to type.
    pub const CYAN: &str = "\x1b[36m";
    /// The end of each.
    pub const RESET: &str = "\x1b[0m";
}

/// A number with commas.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A fraction as short as it stays useful.
#[must_use]
pub fn decimal(number: f64) -> String {
    if number >= 1000.0 {
        return grouped(number.round() as u64);
    }
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number of bytes in the unit that suits it.
#[must_use]
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["B", "kB", "MB", "GB", "TB"] {
        if value < 1000.0 {
            let decimals = usize::from(unit != "B" && value < 100.0);
            return format!("{value:.decimals$} {unit}");
        }
        value /= 1000.0;
    }
    format!("{} PB", grouped(value.round() as u64))
}

/// A number that nobody should take for exact: two digits, and words.
#[must_use]
pub fn about(number: u64) -> String {
    let value = number as f64;
    for (unit, word) in
        [(1e18, "quintillion"), (1e15, "quadrillion"), (1e12, "trillion"), (1e9, "billion"), (1e6, "million")]
    {
        if value >= 0.95 * unit {
            let amount = value / unit;
            let digits = if amount < 9.5 { 1 } else { 0 };
            let text = format!("{amount:.digits$}");
            return format!("{} {word}", text.strip_suffix(".0").unwrap_or(&text));
        }
    }
    let digits = 10u64.pow(number.max(1).ilog10().saturating_sub(1));
    grouped((number + digits / 2) / digits * digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1000, 165_570_613].map(grouped), ["0", "999", "1,000", "165,570,613"]);
        assert_eq!([0.0, 21.743, 14.0, 7689.3].map(decimal), ["0", "21.74", "14", "7,689"]);
        assert_eq!([12, 1500, 640_000_000, u64::MAX].map(bytes), ["12 B", "1.5 kB", "640 MB", "18,447 PB"]);
    }

    #[test]
    fn estimates_in_words() {
        let shown =
            [0, 7, 185, 21_843, 4_963_211, 10_500_000, 104_000_000, 2_000_000_000, u64::MAX].map(about);
        assert_eq!(
            shown,
            [
                "0",
                "7",
                "190",
                "22,000",
                "5 million",
                "10 million",
                "104 million",
                "2 billion",
                "18 quintillion"
            ]
        );
    }
}
