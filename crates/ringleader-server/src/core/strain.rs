//! When a server takes on nothing new.
//!
//! The rule: how late the server's own timer is (heartbeats, lease reads), and how long the work of clients waits for
//! its turn, is measured again and again. A server is behind if one of them is too late twice in a row by a quarter of
//! the time after which other servers suspect it, or once by all of that time. While it is behind, and for a quarter
//! more, new sessions and new requests for locks are refused with `limit`. Keep-alives, releases and cancels are never
//! refused: what is granted stays granted. Once is not enough because a machine that pauses a process for a moment is
//! not helped by refusals.

use ringleader_live::Micros;
use std::sync::atomic::{AtomicU64, Ordering};

/// So often it is logged at most.
const QUIET: Micros = Micros::millis(10_000);

/// How far a server is behind.
pub(super) struct Strain {
    /// Later than this twice in a row is too late.
    most: Micros,
    /// Later than this is too late in any case.
    once: Micros,
    /// How often in a row the timer was late, and the work of clients.
    timer: AtomicU64,
    queue: AtomicU64,
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
            once: suspect,
            timer: AtomicU64::new(0),
            queue: AtomicU64::new(0),
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
            self.measured(now, now - Micros(since), &self.queue);
        }
    }

    /// The timer has rung, which was due at this moment.
    pub(super) fn rings(&self, now: Micros, due: Micros) {
        self.measured(now, now - due, &self.timer);
    }

    /// Whether nothing new may be taken on, when the timer is due at this moment.
    pub(super) fn is_behind(&self, now: Micros, due: Micros) -> bool {
        let queued = self.queued.load(Ordering::Relaxed);
        let waited = if queued == 0 { Micros(0) } else { now - Micros(queued) };
        let late = waited.max(now - due);
        if late > self.once {
            self.falls_behind(now, late);
        }
        now.0 < self.until.load(Ordering::Relaxed)
    }

    fn measured(&self, now: Micros, late: Micros, row: &AtomicU64) {
        if late <= self.most {
            row.store(0, Ordering::Relaxed);
        } else if row.fetch_add(1, Ordering::Relaxed) > 0 || late > self.once {
            self.falls_behind(now, late);
        }
    }

    fn falls_behind(&self, now: Micros, late: Micros) {
        self.until.fetch_max((now + self.most).0, Ordering::Relaxed);
        let logged = self.logged.load(Ordering::Relaxed);
        if logged == 0 || now - Micros(logged) > QUIET {
            self.logged.store(now.0, Ordering::Relaxed);
            let late_ms = late.0 / 1000;
            tracing::warn!(
                event = "overloaded",
                late_ms,
                "new sessions and requests are refused with `limit`"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATER: Micros = Micros(u64::MAX);

    fn millis(millis: u64) -> Micros {
        Micros::millis(millis)
    }

    #[test]
    fn two_late_timers_shed_load_until_caught_up() {
        let strain = Strain::new(millis(400));
        strain.rings(millis(1101), millis(1000));
        assert!(!strain.is_behind(millis(1101), LATER), "once is a pause of the machine");
        strain.rings(millis(1200), millis(1200));
        strain.rings(millis(1401), millis(1300));
        assert!(!strain.is_behind(millis(1401), LATER), "not in a row");
        strain.rings(millis(1601), millis(1500));
        assert!(strain.is_behind(millis(1601), LATER));
        assert!(strain.is_behind(millis(1700), LATER), "it has only just caught up");
        assert!(!strain.is_behind(millis(1701), LATER));
    }

    #[test]
    fn timer_late_beyond_suspicion_sheds_at_once() {
        let strain = Strain::new(millis(400));
        assert!(!strain.is_behind(millis(1400), millis(1000)));
        assert!(strain.is_behind(millis(1401), millis(1000)));
    }

    #[test]
    fn work_that_waits_too_long_sheds() {
        let strain = Strain::new(millis(400));
        assert!(strain.wants_to_know(millis(1000)));
        assert!(!strain.wants_to_know(millis(1024)), "not so soon again");
        assert!(!strain.wants_to_know(millis(1090)), "the first is still on its way");
        strain.knows(millis(1150));
        assert!(!strain.is_behind(millis(1150), LATER), "once");
        assert!(strain.wants_to_know(millis(1200)));
        strain.knows(millis(1350));
        assert!(strain.is_behind(millis(1350), LATER), "twice in a row");
        assert!(!strain.is_behind(millis(1450), LATER));
        assert!(strain.wants_to_know(millis(1500)));
        assert!(!strain.is_behind(millis(1900), LATER));
        assert!(strain.is_behind(millis(1901), LATER), "while it still waits");
        strain.knows(millis(1950));
        assert!(strain.wants_to_know(millis(2100)));
        strain.knows(millis(2101));
        assert!(!strain.is_behind(millis(2102), LATER), "the queue is short again");
    }
}
