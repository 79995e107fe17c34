//! `[timing]`.

use super::document::Document;
use super::quantity::written;
use super::values::{Part, Span, Whole};
use crate::problem::Problem;
use ringleader_live::{Micros, Timing};

crate::section! {
    /// The times of a cluster; durations with the least that they may be, in microseconds.
    Times of Timing {
        heartbeat: Span<1_000> = patience.heartbeat;
        phi: Whole<u8, 1, 100> = patience.phi;
        window: Whole<u16, 4, 10_000> = patience.window;
        least_deviation: Span<100> = patience.least_deviation;
        pause: Span<0> = patience.pause;
        lease: Span<4_000> = terms.lease;
        drift: Part = terms.drift;
        unit: Span<100> = unit;
        max_delay: Whole<u32, 1, 1_000_000> = max_delay;
        gather: Span<0> = gather;
        retry: Span<1_000> = retry;
        dwell: Span<0> = dwell;
        unacknowledged: Whole<usize, 2, 1_048_576> = limits.unacknowledged;
        ack_every: Whole<u64, 1, 1_048_576> = limits.ack_every;
    }
}

/// So many heartbeats a lease must last at least: one to ask, one to be answered, and two may be lost.
const HEARTBEATS_PER_LEASE: u64 = 4;

/// Whether the times fit together. The defaults do.
pub(super) fn check(document: &Document<'_>, timing: &Timing) -> Result<(), Problem> {
    let (lease, heartbeat) = (timing.terms.lease, timing.patience.heartbeat);
    let least = Micros(heartbeat.0.saturating_mul(HEARTBEATS_PER_LEASE));
    let Some(at) = document.first(&["timing.lease", "timing.heartbeat"]).filter(|_| lease < least) else {
        return Ok(());
    };
    let label = format!(
        "a lease of {} is too short: it must last {HEARTBEATS_PER_LEASE} heartbeats of {}, that is {}",
        written(lease),
        written(heartbeat),
        written(least)
    );
    Err(document.bad(at, &label).help("a leader that misses a beat or two would stop leading"))
}
