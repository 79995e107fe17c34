//! From values to places, and where the ticks are.

/// How values are spread along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Equal steps for equal differences; from 0.
    Linear,
    /// Equal steps for equal ratios.
    Log,
}

/// An axis that knows its ends, in values and in places.
pub(super) struct Mapping {
    scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
    from: f64,
    to: f64,
}

/// A tick; minor ones have no label.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: Option<String>,
}

impl Mapping {
    /// For these values, with some air around them.
    pub(super) fn new(scale: Scale, values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Mapping {
        let known = values.filter(|value| value.is_finite() && (scale == Scale::Linear || *value > 0.0));
        let (mut low, mut high) = known
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        match scale {
            Scale::Linear => {
                let air = if high > low { (high - low) * 0.05 } else { high.abs().max(1.0) * 0.1 };
                (low, high) = (if low >= 0.0 { 0.0 } else { low - air }, high + air);
            }
            Scale::Log => {
                let air = if high > low { (high / low).powf(0.045) } else { 2.0 };
                (low, high) = (low / air, high * air);
            }
        }
        Mapping { scale, low, high, from, to }
    }

    /// Where a value is; none if it has no place.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Log => return None,
        };
        share.is_finite().then_some(self.from + share * (self.to - self.from))
    }

    /// The ticks: at these values, if there is room for their labels, otherwise at round ones.
    pub(super) fn ticks(&self, wanted: &[(f64, String)]) -> Vec<Tick> {
        if !wanted.is_empty() && wanted.len() <= 12 {
            let tick = |(value, label): &(f64, String)| Tick { value: *value, label: Some(label.clone()) };
            return wanted.iter().map(tick).collect();
        }
        match self.scale {
            Scale::Linear => self.linear(),
            Scale::Log => self.logarithmic(),
        }
    }

    fn linear(&self) -> Vec<Tick> {
        let rough = (self.high - self.low) / 8.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(power * 10.0);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step).ceil() as i64;
        (first..)
            .map(|k| k as f64 * step)
            .take_while(|value| *value <= self.high * (1.0 + 1e-12))
            .map(|value| Tick { value, label: Some(grouped(&format!("{value:.decimals$}"))) })
            .collect()
    }

    fn logarithmic(&self) -> Vec<Tick> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().floor() as i32);
        let decades = (self.high / self.low).log10();
        // Labels at every decade, every second one, ...; where there are few, between them as well.
        let every = (decades / 9.0).ceil().max(1.0) as i32;
        let between: &[u32] = if decades < 1.2 {
            &[2, 3, 5, 7]
        } else if decades < 2.2 {
            &[2, 5]
        } else {
            &[]
        };
        let powers = self.high >= 1e5 && between.is_empty();
        let mut ticks = Vec::new();
        for exponent in first..=last {
            for digit in 1..10 {
                let value = f64::from(digit) * 10f64.powi(exponent);
                if value < self.low || value > self.high {
                    continue;
                }
                let whole = digit == 1 && exponent.rem_euclid(every) == 0;
                let label = (whole || between.contains(&digit)).then(|| match powers {
                    true => power_of_ten(exponent),
                    false => short(value),
                });
                if label.is_some() || every == 1 {
                    ticks.push(Tick { value, label });
                }
            }
        }
        ticks
    }
}

/// A value as axes show it: large powers as powers, thousands with commas.
#[must_use]
pub fn short(value: f64) -> String {
    if value >= 1e5 {
        let exponent = value.log10().round();
        if (10f64.powf(exponent) / value - 1.0).abs() < 1e-9 {
            return power_of_ten(exponent as i32);
        }
        let exponent = value.log2().round();
        if exponent.exp2() == value {
            return format!("2{}", superscript(exponent as i32));
        }
    }
    if value >= 1e7 {
        let exponent = value.log10().floor();
        let mantissa = format!("{:.2}", value / 10f64.powf(exponent));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{mantissa}·{}", power_of_ten(exponent as i32));
    }
    if value.fract() == 0.0 {
        return grouped(&format!("{value:.0}"));
    }
    let decimals = (2.0 - value.abs().max(1e-9).log10().floor()).clamp(1.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn power_of_ten(exponent: i32) -> String {
    match exponent {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{}", superscript(exponent)),
    }
}

fn superscript(number: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    };
    number.to_string().chars().map(raised).collect()
}

/// Digits with commas, up to the point.
fn grouped(text: &str) -> String {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let digits = whole.trim_start_matches('-').len();
    let mut out = String::new();
    for (at, c) in whole.chars().enumerate() {
        let left = whole.len() - at;
        if c.is_ascii_digit() && left < digits && left.is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(mapping: &Mapping, wanted: &[f64]) -> Vec<String> {
        let wanted: Vec<(f64, String)> = wanted.iter().map(|&value| (value, short(value))).collect();
        mapping.ticks(&wanted).into_iter().filter_map(|tick| tick.label).collect()
    }

    #[test]
    fn decades_and_what_is_between_them() {
        let wide = Mapping::new(Scale::Log, [10.0, 1e6].into_iter(), (0.0, 100.0));
        assert_eq!(labels(&wide, &[]), ["10", "10²", "10³", "10⁴", "10⁵", "10⁶"]);
        assert!(wide.ticks(&[]).iter().any(|tick| tick.value == 20.0 && tick.label.is_none()));
        let narrow = Mapping::new(Scale::Log, [8.0, 300.0].into_iter(), (0.0, 100.0));
        assert_eq!(labels(&narrow, &[]), ["10", "20", "50", "100", "200"]);
        assert_eq!(labels(&narrow, &[8.0, 64.0, 1024.0]), ["8", "64", "1,024"]);
        let huge = Mapping::new(Scale::Log, [1.0, 1e20].into_iter(), (0.0, 100.0));
        assert!(labels(&huge, &[]).len() <= 9);
    }

    #[test]
    fn round_numbers_from_zero() {
        let linear = Mapping::new(Scale::Linear, [3.0, 14.0].into_iter(), (0.0, 100.0));
        assert_eq!(labels(&linear, &[]), ["0", "2", "4", "6", "8", "10", "12", "14"]);
        assert_eq!(linear.place(0.0), Some(0.0));
        let small = Mapping::new(Scale::Linear, [0.1, 0.42].into_iter(), (0.0, 1.0));
        assert_eq!(labels(&small, &[]), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
    }

    #[test]
    fn what_has_no_place() {
        let log = Mapping::new(Scale::Log, [0.0, f64::NAN, 5.0].into_iter(), (0.0, 100.0));
        assert_eq!((log.place(0.0), log.place(-1.0)), (None, None));
        assert!((log.place(5.0).unwrap() - 50.0).abs() < 1e-9);
        let empty = Mapping::new(Scale::Linear, std::iter::empty(), (0.0, 1.0));
        assert!(!empty.ticks(&[]).is_empty());
    }

    #[test]
    fn numbers_in_words() {
        assert_eq!(
            [7.0, 1234.0, 131_072.0, 1e6, 2.5e7, 0.25, 12.5].map(short),
            ["7", "1,234", "2¹⁷", "10⁶", "2.5·10⁷", "0.25", "12.5"]
        );
    }
}
