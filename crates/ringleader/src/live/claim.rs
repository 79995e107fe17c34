//! The claiming side of leadership: a member leads while it counts on the grants of a majority.

use super::{Epoch, Micros, Place, Terms};

/// What a member has been granted in one epoch of one group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    terms: Terms,
    epoch: Epoch,
    /// For each member until when its grant counts, on this member's clock.
    until: Vec<Micros>,
}

impl Claim {
    /// A claim in a cluster of so many members.
    #[must_use]
    pub fn new(terms: Terms, members: usize, epoch: Epoch) -> Claim {
        Claim { terms, epoch, until: vec![Micros(0); members] }
    }

    /// Its epoch.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// A member grants what was asked at `sent`.
    pub fn granted(&mut self, by: Place, sent: Micros) {
        let _ = (by, sent);
    }

    /// A member's grants count no more (its clock cannot be trusted, it has restarted).
    pub fn discount(&mut self, by: Place) {
        let _ = by;
    }

    /// Until when a majority of all members grants it; a moment in the past if none does.
    #[must_use]
    pub fn until(&self) -> Micros {
        self.until.iter().copied().max().unwrap_or_default()
    }

    /// Whether it leads.
    #[must_use]
    pub fn holds(&self, now: Micros) -> bool {
        now < self.until()
    }
}
