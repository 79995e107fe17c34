//! The two clocks of a member: one that never goes back and counts while the machine sleeps, for everything that is
//! promised; and the wall clock, which only numbers incarnations and dates log lines.

pub use ringleader_client::clock::now;

use std::time::{SystemTime, UNIX_EPOCH};

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
