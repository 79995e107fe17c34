//! Quantities in words: durations with their unit, parts of a whole, addresses.

use ringleader_live::Micros;

/// What a duration looks like.
pub const DURATION: &str = "a duration such as \"10s\" or \"750ms\"";

/// What a part looks like.
pub const PART: &str = "a part such as \"0.5%\" or \"200ppm\"";

/// What an address looks like.
pub const ADDRESS: &str = "an address such as \"10.0.0.2:7421\" or \"b.example:7421\"";

/// The units of a duration, in microseconds, longest name first so that `ms` is not read as `s`.
const UNITS: &[(&str, f64)] = &[
    ("min", 6e7),
    ("us", 1.0),
    ("µs", 1.0),
    ("ms", 1e3),
    ("s", 1e6),
    ("m", 6e7),
    ("h", 3.6e9),
    ("d", 8.64e10),
];

/// Reads a duration: `10s`, `1.5s`, `750ms`, `200us`, `2min`, `1h`.
///
/// # Errors
/// What is expected instead, if it is none.
pub fn duration(text: &str) -> Result<Micros, String> {
    let text = text.trim();
    let unit = UNITS.iter().find_map(|(unit, micros)| Some((text.strip_suffix(unit)?, *micros)));
    let Some((number, micros)) = unit else {
        return Err(format!("{DURATION}, found `{text}`, which has no unit"));
    };
    let number = decimal(number.trim_end()).ok_or_else(|| format!("{DURATION}, found `{text}`"))?;
    let whole = number * micros;
    // Some 285 years: more than that is a slip of the finger, and would overflow when it is added to a clock.
    if whole > 9e15 {
        return Err(format!("{DURATION}, found `{text}`, which is longer than 285 years"));
    }
    Ok(Micros(whole.round() as u64))
}

/// A duration as it is written: in the largest unit that needs no fraction.
#[must_use]
pub fn written(span: Micros) -> String {
    match span.0 {
        micros if micros % 1_000_000 == 0 => format!("{}s", micros / 1_000_000),
        micros if micros % 1000 == 0 => format!("{}ms", micros / 1000),
        micros => format!("{micros}us"),
    }
}

/// Reads a part of a whole, in parts per million: `0.5%`, `200ppm`.
///
/// # Errors
/// What is expected instead, if it is none.
pub fn part(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let unit = [("%", 1e4), ("ppm", 1.0)];
    let Some((number, scale)) =
        unit.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, *scale)))
    else {
        return Err(format!("{PART}, found `{text}`, which has no unit"));
    };
    let number = decimal(number.trim_end()).ok_or_else(|| format!("{PART}, found `{text}`"))?;
    let parts = (number * scale).round();
    if parts > 100_000.0 {
        return Err(format!("at most \"10%\" (a clock that is further off is no clock), found `{text}`"));
    }
    Ok(parts as u32)
}

/// Digits, and perhaps a point and digits: no sign, no exponent, no `inf`.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain && text.starts_with(|first: char| first.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// The host and the port of an address.
///
/// # Errors
/// What is expected instead, if it is none.
pub fn host_and_port(text: &str) -> Result<(&str, u16), String> {
    let bad = |why: &str| format!("{ADDRESS}, found `{text}`{why}");
    let (host, port) = text.rsplit_once(':').ok_or_else(|| bad(", which has no port"))?;
    let port: u16 = port.parse().map_err(|_| bad(", whose port is no number up to 65535"))?;
    if port == 0 {
        return Err(bad(", whose port is 0: others could not find it"));
    }
    let host = match host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) if inner.parse::<std::net::Ipv6Addr>().is_ok() => inner,
        Some(_) => return Err(bad(", whose brackets hold no IPv6 address")),
        None if host.contains(':') => {
            return Err(bad("; an IPv6 address goes into brackets: \"[::1]:7421\""));
        }
        None => host,
    };
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let named = host.len() <= 253 && host.trim_end_matches('.').split('.').all(label);
    if !named && host.parse::<std::net::IpAddr>().is_err() {
        return Err(bad(", whose host is no name and no address"));
    }
    Ok((host, port))
}

/// Whether this can be the name of a cluster, a member or a group: it can stand in certificates, environment variables
/// and addresses of pages.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(fits) && !text.starts_with('-') && !text.ends_with('-')
}

/// Whether an address cannot be reached from another machine.
#[must_use]
pub fn is_loopback(address: &str) -> bool {
    let Ok((host, _)) = host_and_port(address) else { return false };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
