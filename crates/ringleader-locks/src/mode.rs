//! How a lock is held: alone, with others who share it, or as one of so many permits.

#[cfg(test)]
mod tests;

/// The most who share a lock at a time, and the most permits of a semaphore: all of them fit into one message.
pub const MAX_HOLDERS: u32 = 1000;

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Mode {
    /// By one, and nobody beside.
    #[default]
    Exclusive,
    /// By everybody who shares it, and nobody exclusively.
    Shared,
    /// By so many at most: a semaphore. Each grant takes one permit.
    Permits(u32),
}

impl Mode {
    /// Of a semaphore.
    #[must_use]
    pub fn permits(permits: u64) -> Option<Mode> {
        let permits = u32::try_from(permits).ok().filter(|permits| (1..=MAX_HOLDERS).contains(permits))?;
        Some(Mode::Permits(permits))
    }

    /// Whether one more of this mode fits beside so many who hold in that mode: the rule of who holds beside whom.
    #[must_use]
    pub fn fits(self, others: Mode, holders: usize) -> bool {
        let room = match others {
            Mode::Exclusive => 0,
            Mode::Shared => MAX_HOLDERS,
            Mode::Permits(permits) => permits,
        };
        holders == 0 || self == others && holders < room as usize
    }

    /// Whether a lock that is held or wanted like this cannot be asked for like that: a semaphore is no lock, nor one
    /// with another number of permits.
    #[must_use]
    pub fn clashes(self, other: Mode) -> bool {
        let permits = |mode| if let Mode::Permits(permits) = mode { permits } else { 0 };
        permits(self) != permits(other)
    }
}
