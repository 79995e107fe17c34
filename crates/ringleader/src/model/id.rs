//! The identity of a process.

use core::fmt;
use core::num::NonZeroU32;

/// The identity of a process: it can be compared, and nothing else.
///
/// Inside an engine it is the rank of the identity among those present, so that it fits in four
/// bytes whatever the identities are; reports and pictures show the identity that the user gave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU32);

impl Id {
    /// The identity with this rank, 0 for the smallest. For engines and hosts; algorithms are given theirs.
    ///
    /// # Panics
    /// If the rank is `u32::MAX`.
    #[must_use]
    pub const fn from_rank(rank: u32) -> Id {
        match NonZeroU32::new(rank.wrapping_add(1)) {
            Some(id) => Id(id),
            None => panic!("a rank is below u32::MAX"),
        }
    }

    /// How many of the identities present are smaller.
    #[must_use]
    pub const fn rank(self) -> u32 {
        self.0.get() - 1
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
