//! The two clocks of a member: one that never goes back and counts while the machine sleeps, for everything that is
//! promised; and the wall clock, which only numbers incarnations and dates log lines.

use ringleader_live::Micros;
use rustix::time::{ClockId, clock_gettime};
use std::time::{SystemTime, UNIX_EPOCH};

/// CLOCK_MONOTONIC stands still while a laptop is closed, and a grant that ran out meanwhile would seem to hold.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: ClockId = ClockId::Monotonic;

/// This moment on the clock that promises are counted on.
#[must_use]
pub fn now() -> Micros {
    let time = clock_gettime(CLOCK);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    Micros(seconds.saturating_mul(1_000_000).saturating_add(nanos / 1000))
}

/// Microseconds since 1970 on the wall clock: what a new incarnation is numbered with.
#[must_use]
pub fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_go_back_and_the_wall_clock_is_of_this_century() {
        let first = now();
        assert!(first.0 > 0);
        assert!(now() >= first);
        assert!(wall() > 1_600_000_000_000_000, "microseconds since 1970");
    }
}
