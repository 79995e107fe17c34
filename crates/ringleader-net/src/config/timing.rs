//! `[timing]`.

use super::environment;
use super::quantity::{DURATION, PART, duration, part};
use super::source::{Given, Origin, Source, in_order};
use crate::problem::Problem;
use ringleader_live::{Micros, Timing};
use std::collections::BTreeMap;
use toml::de::DeTable;

/// What may be said, in the order in which it is written.
pub(super) const KEYS: [&str; 14] = [
    "heartbeat",
    "phi",
    "window",
    "least_deviation",
    "pause",
    "lease",
    "drift",
    "unit",
    "max_delay",
    "gather",
    "retry",
    "dwell",
    "unacknowledged",
    "ack_every",
];

/// So many heartbeats a lease must last at least: one to ask, one to be answered, and two may be lost.
const HEARTBEATS_PER_LEASE: u64 = 4;

/// Reads the times; what is not said is as usual.
pub(super) fn read(source: &Source<'_>, table: Option<&DeTable<'_>>) -> Result<Timing, Problem> {
    let mut said: BTreeMap<&str, Given> = BTreeMap::new();
    for (key, value) in table.map(in_order).unwrap_or_default() {
        let Some(known) = KEYS.iter().find(|known| *known == key.get_ref()) else {
            return Err(source.unknown(key, KEYS.iter().copied()));
        };
        let given = match *known {
            "phi" | "window" | "max_delay" | "unacknowledged" | "ack_every" => {
                source.number(value, "a whole number")?
            }
            "drift" => source.string(value, PART)?,
            _duration => source.string(value, DURATION)?,
        };
        said.insert(known, given);
    }
    for key in KEYS {
        if let Some(given) = source.variable(&environment::of_timing(key)) {
            said.insert(key, given);
        }
    }
    let usual = Timing::default();
    let span = |key: &str, usual: Micros, least: Micros| {
        let Some(given) = said.get(key) else { return Ok(usual) };
        let span = duration(&given.text)
            .map_err(|expected| source.bad(&given.origin, &format!("expected {expected}")))?;
        if span < least {
            return Err(source.bad(&given.origin, "too short"));
        }
        Ok(span)
    };
    let number = |key: &str, usual: u64, least: u64, most: u64| {
        let Some(given) = said.get(key) else { return Ok(usual) };
        let fits = given.text.parse().ok().filter(|number| (least..=most).contains(number));
        fits.ok_or_else(|| {
            let label = format!("expected a whole number from {least} to {most}, found `{}`", given.text);
            source.bad(&given.origin, &label)
        })
    };
    let mut timing = usual;
    let (nothing, tiny) = (Micros(0), Micros(100));
    timing.patience.heartbeat = span("heartbeat", usual.patience.heartbeat, Micros::millis(1))?;
    timing.patience.phi = number("phi", usual.patience.phi.into(), 1, 100)? as u8;
    timing.patience.window = number("window", usual.patience.window.into(), 4, 10_000)? as u16;
    timing.patience.least_deviation = span("least_deviation", usual.patience.least_deviation, tiny)?;
    timing.patience.pause = span("pause", usual.patience.pause, nothing)?;
    timing.terms.lease = span("lease", usual.terms.lease, Micros::millis(4))?;
    if let Some(given) = said.get("drift") {
        timing.terms.drift = part(&given.text)
            .map_err(|expected| source.bad(&given.origin, &format!("expected {expected}")))?;
    }
    timing.unit = span("unit", usual.unit, tiny)?;
    timing.max_delay = number("max_delay", usual.max_delay.into(), 1, 1_000_000)? as u32;
    timing.gather = span("gather", usual.gather, nothing)?;
    timing.retry = span("retry", usual.retry, Micros::millis(1))?;
    timing.dwell = span("dwell", usual.dwell, nothing)?;
    let waiting = number("unacknowledged", usual.limits.unacknowledged as u64, 2, 1 << 20)?;
    timing.limits.unacknowledged = waiting as usize;
    timing.limits.ack_every = number("ack_every", usual.limits.ack_every, 1, 1 << 20)?;
    let lease_and_heartbeat = said.get("lease").or(said.get("heartbeat"));
    if let Some(given) = lease_and_heartbeat {
        long_enough(source, &timing, &given.origin)?;
    }
    Ok(timing)
}

fn long_enough(source: &Source<'_>, timing: &Timing, origin: &Origin) -> Result<(), Problem> {
    use super::quantity::written;
    let (lease, heartbeat) = (timing.terms.lease, timing.patience.heartbeat);
    let least = Micros(heartbeat.0.saturating_mul(HEARTBEATS_PER_LEASE));
    if lease >= least {
        return Ok(());
    }
    let label = format!(
        "a lease of {} is too short: it must last {HEARTBEATS_PER_LEASE} heartbeats of {}, that is {}",
        written(lease),
        written(heartbeat),
        written(least)
    );
    Err(source.bad(origin, &label).help("a leader that misses a beat or two would stop leading"))
}
