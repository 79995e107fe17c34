//! The granting side of leadership: one at a time, and another only after the grant has run out on its own
//! clock.
//!
//! **Why no two lead at once.** Every clock gains between 1 − ρ and 1 + ρ seconds in a second. Let a question
//! be sent at the real moment s and granted at g ≥ s. The one who grants keeps its promise for a lease L on
//! its own clock, so at least until g + L/(1 + ρ). The one who asked counts on it for C = L·(1 − ρ)/(1 + ρ)
//! on its own clock from s on, so at most until
//!
//! ```text
//! s + C/(1 − ρ)  =  s + L/(1 + ρ)  ≤  g + L/(1 + ρ)
//! ```
//!
//! and never longer than the promise is kept, however long the question and the answer were under way, and
//! whichever of the two clocks is the faster one. Two that lead at once would count on two majorities; these
//! have a member in common, and it keeps one promise at a time.
//!
//! **After a restart** a member does not know what it promised. Whatever that was, it was granted before it
//! started again, at b; so nobody counts on it after b + L/(1 + ρ), and a lease L on its own clock, which
//! lasts at least L/(1 + ρ), is long enough to be silent. No margin is needed: ρ is in what the other side
//! counts already.
//!
//! **What this asks of the one who drives it.** The clock goes on while the machine sleeps. `now` is read
//! after the question has come in, never before (a reading that is older than the question would end the
//! promise too early), and the time in a question is read before it goes out. A reading is a whole number of
//! microseconds and may be one too early: that is part of what ρ allows for. Questions and releases of one
//! member arrive in the order in which they were sent, as on one connection after the other: a release that
//! arrives after the next question would give back what was granted to that.

use super::{Drift, Epoch, Micros, Place};

#[cfg(test)]
mod tests;

/// What a grant means, the same everywhere in the cluster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Terms {
    /// For how long a grant lasts, on the clock of the one who grants.
    pub lease: Micros,
    /// How much faster or slower than real time a clock may run, in parts per million.
    pub drift: u32,
}

impl Terms {
    /// For how long the one who asked may count on a grant, on its own clock, from the moment it *sent* the
    /// question.
    #[must_use]
    pub fn counted(self) -> Micros {
        Drift(self.drift).counted(self.lease)
    }
}

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claimant {
    /// Its place.
    pub place: Place,
    /// Its incarnation.
    pub incarnation: u64,
    /// The epoch in which it was elected, or let in.
    pub epoch: Epoch,
}

impl Claimant {
    /// Whether both are the same member between two restarts: only one that remembers what it was granted may
    /// be granted it again.
    #[must_use]
    pub fn is_same_run(self, other: Claimant) -> bool {
        (self.place, self.incarnation) == (other.place, other.incarnation)
    }
}

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Granted, until then on this clock.
    Granted(Micros),
    /// Another has it, until then.
    Held(Micros),
    /// A newer epoch was granted to already.
    Old,
    /// This member has started a short while ago and may have promised something that it forgot: not before
    /// then.
    Quarantine(Micros),
}

/// One member's promises for one group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Granter {
    terms: Terms,
    quiet_until: Micros,
    newest: Epoch,
    to: Option<(Claimant, Micros)>,
}

impl Granter {
    /// A member that starts at `now`, and does not know what it promised before.
    #[must_use]
    pub fn new(terms: Terms, now: Micros) -> Granter {
        Granter { terms, quiet_until: now + terms.lease, newest: Epoch::default(), to: None }
    }

    /// Somebody asks.
    pub fn asked(&mut self, claimant: Claimant, now: Micros) -> Answer {
        if now < self.quiet_until {
            return Answer::Quarantine(self.quiet_until);
        }
        if claimant.epoch < self.newest {
            return Answer::Old;
        }
        let mut until = now + self.terms.lease;
        if let Some((holder, held)) = self.held(now) {
            if !holder.is_same_run(claimant) {
                return Answer::Held(held);
            }
            until = until.max(held);
        }
        self.newest = claimant.epoch;
        self.to = Some((claimant, until));
        Answer::Granted(until)
    }

    /// The grant is given back by the one who has it. What an older epoch gives back is not what is granted
    /// now.
    pub fn released(&mut self, claimant: Claimant) {
        self.to =
            self.to.filter(|&(holder, _)| !holder.is_same_run(claimant) || claimant.epoch < holder.epoch);
    }

    /// Whom it is granted to at this moment.
    #[must_use]
    pub fn held(&self, now: Micros) -> Option<(Claimant, Micros)> {
        self.to.filter(|&(_, until)| now < until)
    }

    /// Counts all times from so much later on, and forgets what is past at `now`: a proof goes through
    /// finitely many states then.
    #[cfg(test)]
    pub(super) fn passes(&mut self, later: Micros, now: Micros) {
        self.quiet_until = self.quiet_until - later;
        if self.quiet_until <= now {
            self.quiet_until = Micros(0);
        }
        self.to = self.to.map(|(holder, until)| (holder, until - later)).filter(|&(_, until)| now < until);
    }
}
