//! The granting side of leadership: one at a time, and another only after the grant has run out on its own clock.

use super::{Epoch, Micros, Place};

/// What a grant means, the same everywhere in the cluster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Terms {
    /// For how long a grant lasts, on the clock of the one who grants.
    pub lease: Micros,
    /// How much faster or slower than real time a clock may run, in parts per million.
    pub drift: u32,
}

impl Terms {
    /// For how long the one who asked may count on a grant, on its own clock, from the moment it *sent* the question:
    /// lease · (1 − ρ) / (1 + ρ).
    #[must_use]
    pub fn counted(self) -> Micros {
        let (million, drift) = (1_000_000u128, u128::from(self.drift));
        Micros((u128::from(self.lease.0) * (million - drift) / (million + drift)) as u64)
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

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Granted, until then on this clock.
    Granted(Micros),
    /// Another has it, until then.
    Held(Micros),
    /// A newer epoch was granted to already.
    Old,
    /// This member has started a short while ago and may have promised something that it forgot: not before then.
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
        let until = now + self.terms.lease;
        self.to = Some((claimant, until));
        Answer::Granted(until)
    }

    /// The grant is given back by the one who has it.
    pub fn released(&mut self, claimant: Claimant) {
        let _ = claimant;
    }

    /// Whom it is granted to at this moment.
    #[must_use]
    pub fn held(&self, now: Micros) -> Option<(Claimant, Micros)> {
        self.to.filter(|&(_, until)| now < until)
    }
}
