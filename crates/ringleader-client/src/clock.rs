//! The clock on which deadlines are counted.

use ringleader_live::Micros;
use rustix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC, which the standard library reads, stands still while a laptop is closed: a lock that ran
/// out meanwhile would seem to be held.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: ClockId = ClockId::Monotonic;

/// This moment: microseconds since this machine was started.
#[must_use]
pub fn now() -> Micros {
    let time = clock_gettime(CLOCK);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    Micros(seconds.saturating_mul(1_000_000).saturating_add(nanos / 1000))
}
