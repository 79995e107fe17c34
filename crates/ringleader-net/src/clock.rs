//! The clocks of a node: one that never goes back and counts while the machine sleeps, for everything that is promised;
//! and the wall clock, which only numbers incarnations and dates log lines.

pub use ringleader_client::clock::now;

use ringleader_live::Micros;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Microseconds since 1970 on the wall clock: what a new incarnation is numbered with.
#[must_use]
pub fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// So often they are compared.
const EVERY: Micros = Micros::millis(1000);

/// So far apart they may drift in between: a clock that is slewed runs wrong by half a thousandth.
const STEP: u64 = 100_000;

/// What the clocks say, in microseconds since any moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Said {
    boot: u64,
    awake: u64,
    wall: u64,
}

/// Compares the clocks of this machine from time to time. A step of one of them against the others is worth a word: a
/// machine that slept has lost its leases, and one whose wall clock was set may find certificates expired.
pub struct Clocks {
    begun: Instant,
    last: Said,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks::new()
    }
}

impl Clocks {
    /// They go together, as far as is known.
    #[must_use]
    pub fn new() -> Clocks {
        let begun = Instant::now();
        Clocks { begun, last: Said { boot: now().0, awake: 0, wall: wall() } }
    }

    /// Which clock has made a step since they were last compared, and by how many microseconds.
    pub fn look(&mut self, now: Micros) -> Option<(&'static str, u64)> {
        if now.0 < self.last.boot + EVERY.0 {
            return None;
        }
        let awake = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let said = Said { boot: now.0, awake, wall: wall() };
        step(std::mem::replace(&mut self.last, said), said)
    }
}

/// The clocks that can make a step.
pub const CLOCKS: [&str; 2] = ["sleep", "wall"];

fn step(before: Said, after: Said) -> Option<(&'static str, u64)> {
    let went = after.boot.saturating_sub(before.boot);
    let slept = went.saturating_sub(after.awake.saturating_sub(before.awake));
    let set = after.wall.abs_diff(before.wall.saturating_add(went));
    let [sleep, wall] = CLOCKS;
    match (slept > STEP, set > STEP) {
        (true, _) => Some((sleep, slept)),
        (false, true) => Some((wall, set)),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_monotonic_and_wall_time_is_plausible() {
        let first = now();
        assert!(first.0 > 0);
        assert!(now() >= first);
        assert!(wall() > 1_600_000_000_000_000, "microseconds since 1970");
    }

    #[test]
    fn a_clock_that_makes_a_step_is_noticed() {
        let before = Said { boot: 5_000_000, awake: 1_000_000, wall: 9_000_000 };
        let said = |boot, awake, wall| Said { boot, awake, wall };
        assert_eq!(step(before, said(6_000_000, 2_000_000, 10_000_500)), None);
        assert_eq!(step(before, said(66_000_000, 2_000_000, 70_000_000)), Some(("sleep", 60_000_000)));
        assert_eq!(step(before, said(6_000_000, 2_000_000, 13_000_000)), Some(("wall", 3_000_000)));
        assert_eq!(step(before, said(6_000_000, 2_000_000, 7_000_000)), Some(("wall", 3_000_000)));
    }
}
