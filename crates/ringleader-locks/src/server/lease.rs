//! T1 and T2: a server's lease is a linearizable read of the view that was answered; it counts from the moment at
//! which the read was sent. Whoever answered keeps no promise, so nothing can be forgotten at a restart.

use super::{Output, Rule, Server, Timer};
use crate::{Class, View};
use ringleader_live::Micros;
use std::sync::Arc;

/// Reads that may be on their way at once; the answer of an older one is not waited for.
const READS: usize = 16;

/// Hints to read sooner count at most this often: a flood of old messages must not become a flood of reads.
const HINTS: Micros = Micros::millis(10);

impl Server {
    /// T1: until when this class is leased.
    pub(super) fn leased_until(&self, class: Class) -> Option<Micros> {
        let view = self.view.as_ref().filter(|_| self.joined)?;
        Some(self.confirmed? + view.times.lease(class))
    }

    /// T1: whether this class is leased now.
    pub(super) fn leased(&self, now: Micros, class: Class) -> bool {
        self.leased_until(class).is_some_and(|until| now < until)
    }

    /// How much of the lease of this class is left.
    pub(super) fn lease_left(&self, now: Micros, class: Class) -> Micros {
        self.leased_until(class).map_or(Micros(0), |until| until - now)
    }

    /// How often the view is read: four times in the shortest lease at least. While nobody has a session here, two and
    /// a half times are enough: if a read fails then, nobody loses anything.
    fn period(&self) -> Micros {
        let shortest = self.view.as_ref().and_then(|view| view.times.leases.into_iter().min());
        let quarter = shortest.map_or(self.spec.renew, |lease| Micros(lease.0 / 4));
        let busy = self.spec.renew.min(quarter).max(Micros(1000));
        if self.sessions.is_empty() && self.joined { Micros(busy.0 * 8 / 5) } else { busy }
    }

    pub(super) fn read_is_due(&mut self) {
        self.read();
        let next = self.now + self.period();
        self.at(next, Timer::Read);
    }

    pub(super) fn read(&mut self) {
        self.read_number += 1;
        self.reads.insert(self.read_number, self.now);
        while self.reads.len() > READS {
            self.reads.pop_first();
        }
        self.out.push(Output::Read(self.read_number));
    }

    /// Somebody knows of a newer view: read at once. It is only a hint, so nothing else follows from it.
    pub(super) fn newer(&mut self, epoch: u32) {
        if epoch <= self.newest().max(self.hinted) {
            return;
        }
        self.hinted = epoch;
        self.hint_is_due();
    }

    /// The newest epoch that was read.
    fn newest(&self) -> u32 {
        self.pending.as_ref().map_or(self.epoch(), |view| view.epoch)
    }

    /// Reads, unless that has just been done, and again until the newer view is known.
    pub(super) fn hint_is_due(&mut self) {
        if self.hinted <= self.newest() {
            return;
        }
        let last = self.reads.last_key_value().map_or(Micros(0), |(_, sent)| *sent + HINTS);
        if last <= self.now {
            self.read();
            // What it was told may be wrong; then the usual reads are enough.
            self.hinted = self.newest();
        } else {
            self.at(last, Timer::Hint);
        }
    }

    pub(super) fn read_answered(&mut self, number: u64, view: Option<Arc<View>>) {
        // It came twice, or after so many others that it was given up.
        let Some(sent) = self.reads.remove(&number) else { return };
        // The store did not answer; the next read is due soon.
        let Some(view) = view else { return };
        let sent = if self.rules.has(Rule::LeaseFromSent) { sent } else { self.now };
        if view.epoch > self.newest() {
            self.guardian.learns(self.now, &view);
        }
        if view.epoch > self.epoch() || self.view.is_none() {
            if self.pending.as_ref().is_none_or(|pending| pending.epoch < view.epoch) {
                self.install(view.clone());
            }
            if self.epoch() != view.epoch {
                return;
            }
        }
        if view.epoch != self.epoch() {
            return;
        }
        self.settled(&view);
        if self.joined && view.has(self.spec.id, self.spec.incarnation) {
            self.confirmed = self.confirmed.max(Some(sent));
            // Who could not be granted for want of a lease is looked at again.
            for name in core::mem::take(&mut self.stalled) {
                self.serve(&name);
            }
        }
    }
}
