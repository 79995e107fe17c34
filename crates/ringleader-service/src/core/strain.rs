//! When a server takes on nothing new.
//!
//! The rule: a server is behind if its own timer (heartbeats, lease reads) is overdue, or if the work of clients has
//! waited, for longer than a quarter of the time after which other servers suspect it. While it is behind, and for as
//! long again, new sessions and new requests for locks are refused with `limit`. Keep-alives, releases and cancels are
//! never refused: what is granted stays granted.

use ringleader::live::Micros;
use std::sync::atomic::{AtomicU64, Ordering};

/// So often it is logged at most.
const QUIET: Micros = Micros::millis(10_000);

/// How far a server is behind.
pub(super) struct Strain {
    /// Later than this is too late.
    most: Micros,
    /// When something was put at the end of the clients' queue that has not had its turn yet; 0 is nothing.
    queued: AtomicU64,
    /// When the last thing was put there.
    asked: AtomicU64,
    /// Until when nothing new is taken on.
    until: AtomicU64,
    logged: AtomicU64,
}

impl Strain {
    /// Others suspect a server that they have not heard of for so long.
    pub(super) fn new(suspect: Micros) -> Strain {
        Strain {
            most: Micros(suspect.0 / 4),
            queued: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            until: AtomicU64::new(0),
            logged: AtomicU64::new(0),
        }
    }

    /// Whether to put something at the end of the clients' queue, to see how long it waits there. Only while there is
    /// something to do: an idle server is not woken for it.
    pub(super) fn wants_to_know(&self, now: Micros) -> bool {
        if now.0 < self.asked.load(Ordering::Relaxed) + self.most.0 / 4 {
            return false;
        }
        self.asked.store(now.0, Ordering::Relaxed);
        self.queued.compare_exchange(0, now.0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// It has had its turn.
    pub(super) fn knows(&self, now: Micros) {
        let since = self.queued.swap(0, Ordering::Relaxed);
        if since != 0 {
            self.sees(now, now - Micros(since));
        }
    }

    /// Whether nothing new may be taken on, when the timer is due at this moment.
    pub(super) fn is_behind(&self, now: Micros, due: Micros) -> bool {
        let queued = self.queued.load(Ordering::Relaxed);
        let waited = if queued == 0 { Micros(0) } else { now - Micros(queued) };
        self.sees(now, waited.max(now - due));
        now.0 < self.until.load(Ordering::Relaxed)
    }

    fn sees(&self, now: Micros, late: Micros) {
        if late <= self.most {
            return;
        }
        self.until.fetch_max((now + self.most).0, Ordering::Relaxed);
        let logged = self.logged.load(Ordering::Relaxed);
        if logged == 0 || now - Micros(logged) > QUIET {
            self.logged.store(now.0, Ordering::Relaxed);
            let late_ms = late.0 / 1000;
            tracing::warn!(event = "behind", late_ms, "new sessions and requests are refused with `limit`");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATER: Micros = Micros(u64::MAX);

    #[test]
    fn overdue_timer_sheds_until_it_has_caught_up() {
        let strain = Strain::new(Micros::millis(400));
        let due = Micros::millis(1000);
        assert!(!strain.is_behind(Micros::millis(900), due), "it is not due yet");
        assert!(!strain.is_behind(Micros::millis(1100), due), "a little late");
        assert!(strain.is_behind(Micros::millis(1101), due), "too late");
        assert!(strain.is_behind(Micros::millis(1200), LATER), "it has only just caught up");
        assert!(!strain.is_behind(Micros::millis(1201), LATER));
    }

    #[test]
    fn work_that_waits_too_long_sheds_while_it_still_waits() {
        let strain = Strain::new(Micros::millis(400));
        assert!(strain.wants_to_know(Micros::millis(1000)));
        assert!(!strain.wants_to_know(Micros::millis(1024)), "one at a time");
        assert!(!strain.wants_to_know(Micros::millis(1090)), "the first is still on its way");
        assert!(!strain.is_behind(Micros::millis(1100), LATER));
        assert!(strain.is_behind(Micros::millis(1101), LATER));
        strain.knows(Micros::millis(1500));
        assert!(strain.is_behind(Micros::millis(1599), LATER));
        assert!(!strain.is_behind(Micros::millis(1600), LATER));
        assert!(strain.wants_to_know(Micros::millis(1600)));
        strain.knows(Micros::millis(1601));
        assert!(!strain.is_behind(Micros::millis(1602), LATER), "the queue is short again");
    }
}
