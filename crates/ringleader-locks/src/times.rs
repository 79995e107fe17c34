//! Every use of clocks: leases, deadlines and waits (T1 to T4 of docs/locks/design.md). Only rates are bounded;
//! nobody's clock is ever compared with another's.

use ringleader_live::{Drift, Micros};

#[cfg(test)]
mod tests;

/// How long a lease of a lock lasts: failover time and tolerance to pauses are one knob, so there are three.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Class {
    /// Fails over soon, forgives little.
    Fast,
    /// As usual.
    #[default]
    Normal,
    /// Forgives long pauses.
    Batch,
}

impl Class {
    /// All of them, the shortest first.
    pub const ALL: [Class; 3] = [Class::Fast, Class::Normal, Class::Batch];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Class::Fast => "fast",
            Class::Normal => "normal",
            Class::Batch => "batch",
        }
    }

    /// Its place in [`Class::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The times that all servers and clients must agree on; they are in the view, and changing them is a new epoch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Times {
    /// The length of a lease, by class, ascending.
    pub leases: [Micros; 3],
    /// How much faster or slower than real time a clock may run, in millionths.
    pub drift_ppm: u32,
}

impl Default for Times {
    fn default() -> Times {
        Times { leases: [Micros::millis(800), Micros::millis(3000), Micros::millis(15_000)], drift_ppm: 5000 }
    }
}

impl Times {
    /// The lease of a class.
    #[must_use]
    pub fn lease(&self, class: Class) -> Micros {
        self.leases[class.index()]
    }

    /// T3: how long a client may count on what a server promised for `valid`, from the moment at which it *sent* its
    /// question; rounded down.
    #[must_use]
    pub fn of_client(&self, valid: Micros) -> Micros {
        Drift(self.drift_ppm).counted(valid)
    }

    /// T4: how long a home waits on its own clock until every lease of this length is over; rounded up.
    #[must_use]
    pub fn wait(&self, lease: Micros) -> Micros {
        Drift(self.drift_ppm).waited(lease)
    }
}
