//! The claiming side of leadership: a member leads while it counts on the grants of a majority.
//!
//! A grant counts from the moment the question was *sent*, not from when the answer came: [`super::Granter`]
//! says why. The member asks itself too, and its own grant counts like any other.
//!
//! A claim that was given back may be made again in the same epoch (mutual exclusion does). An answer to a
//! question from before that may still be under way; what it grants was given back since. [`Claim::release`]
//! makes such answers worthless; a new `Claim` for an epoch in which there was one already would take them
//! for its own.

use super::{Epoch, Micros, Place, Terms};

#[cfg(test)]
mod tests;

/// What a member has been granted in one epoch of one group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    terms: Terms,
    epoch: Epoch,
    /// Questions that were sent before do not count.
    since: Micros,
    /// For each member until when its grant counts, on this member's clock.
    until: Vec<Micros>,
}

impl Claim {
    /// A claim in a cluster of so many members.
    #[must_use]
    pub fn new(terms: Terms, members: usize, epoch: Epoch) -> Claim {
        Claim { terms, epoch, since: Micros(0), until: vec![Micros(0); members] }
    }

    /// Its epoch.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// A member grants what was asked at `sent`. It never takes away from what it granted before.
    pub fn granted(&mut self, by: Place, sent: Micros) {
        if sent >= self.since
            && let Some(until) = self.until.get_mut(usize::from(by))
        {
            *until = (*until).max(sent + self.terms.counted());
        }
    }

    /// A member's grants count no more (its clock cannot be trusted, it has restarted).
    pub fn discount(&mut self, by: Place) {
        if let Some(until) = self.until.get_mut(usize::from(by)) {
            *until = Micros(0);
        }
    }

    /// It is given back at `now`: nothing that was asked up to this moment counts any more. Questions that
    /// are sent later do, in the same epoch.
    pub fn release(&mut self, now: Micros) {
        // A question and the release may have been sent within the same microsecond.
        self.since = now + Micros(1);
        self.until.fill(Micros(0));
    }

    /// Until when a majority of all members grants it; a moment in the past if none does.
    #[must_use]
    pub fn until(&self) -> Micros {
        // The moment at which the last but so many of them ends that the rest is no majority any more.
        let majority = self.until.len() / 2 + 1;
        let mut ends = self.until.clone();
        ends.sort_unstable_by(|a, b| b.cmp(a));
        ends.get(majority - 1).copied().unwrap_or_default()
    }

    /// Whether it leads.
    #[must_use]
    pub fn holds(&self, now: Micros) -> bool {
        now < self.until()
    }

    /// Counts all times from so much later on, and forgets what is past at `now`: a proof goes through
    /// finitely many states then.
    #[cfg(test)]
    pub(super) fn passes(&mut self, later: Micros, now: Micros) {
        let counted = self.terms.counted();
        let ended = |moment: Micros, length: Micros| {
            let moment = moment - later;
            if moment + length <= now { Micros(0) } else { moment }
        };
        self.since = ended(self.since, counted);
        self.until.iter_mut().for_each(|until| *until = ended(*until, Micros(0)));
    }
}
