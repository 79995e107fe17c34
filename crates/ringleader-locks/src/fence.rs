//! Fencing numbers: a grant's place in the order of all grants of its lock.

use core::fmt;
use core::str::FromStr;

#[cfg(test)]
mod tests;

/// Bits of the counter.
const COUNTER_BITS: u32 = 36;

/// The largest counter of an epoch.
pub const MAX_COUNTER: u64 = (1 << COUNTER_BITS) - 1;

/// The largest epoch.
pub const MAX_EPOCH: u32 = (1 << 27) - 1;

/// The number of a grant: the epoch, then a counter inside it; later grants of a lock have larger ones. It is
/// positive as a signed number of 64 bits. In JSON it is a string, for not every reader has whole numbers as long.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Fence(u64);

/// What is no fence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadFence(pub String);

impl fmt::Display for BadFence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no fencing number: it is a whole number from 1 to {}", self.0, i64::MAX)
    }
}

impl Fence {
    /// The fence of this counter in this epoch; what is too large is cut to the largest.
    #[must_use]
    pub fn new(epoch: u32, counter: u64) -> Fence {
        Fence((u64::from(epoch.min(MAX_EPOCH)) << COUNTER_BITS) | counter.min(MAX_COUNTER))
    }

    /// From one number, as it was written down.
    #[must_use]
    pub fn from_number(number: u64) -> Option<Fence> {
        (number <= i64::MAX as u64).then_some(Fence(number))
    }

    /// As one number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// Its epoch.
    #[must_use]
    pub fn epoch(self) -> u32 {
        u32::try_from(self.0 >> COUNTER_BITS).unwrap_or(MAX_EPOCH)
    }

    /// Its counter.
    #[must_use]
    pub fn counter(self) -> u64 {
        self.0 & MAX_COUNTER
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Fence {
    type Err = BadFence;
    fn from_str(text: &str) -> Result<Fence, BadFence> {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if plain { text.parse().ok() } else { None };
        number
            .and_then(Fence::from_number)
            .filter(|fence| fence.0 > 0)
            .ok_or_else(|| BadFence(text.to_owned()))
    }
}

/// The first epoch of a cluster that is made at this time, in seconds since 1970: a cluster that was thrown away and
/// made anew uses no fence again, for no cluster has a view change every 64 seconds for long.
#[must_use]
pub fn first_epoch(unix_seconds: u64) -> u32 {
    const BEGIN_OF_2026: u64 = 1_767_225_600;
    let epoch = unix_seconds.saturating_sub(BEGIN_OF_2026) / 64;
    u32::try_from(epoch).unwrap_or(MAX_EPOCH).clamp(1, MAX_EPOCH)
}
