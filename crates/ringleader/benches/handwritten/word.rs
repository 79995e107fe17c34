//! Everything is a word. A message is the identity it carries, with the top bit set in an announcement. What a process
//! looks at in every step is its identity with its mode above it, so that a relay touches four bytes.

/// No message; no entry.
pub(crate) const NONE: u32 = u32::MAX;

/// The bit that makes a message an announcement.
pub(crate) const ELECTED: u32 = 1 << 31;

/// Identities have so many bits.
pub(crate) const ID_BITS: u32 = 28;

#[inline]
pub(crate) fn word(mode: u32, id: u32) -> u32 {
    mode << ID_BITS | id
}

#[inline]
pub(crate) fn id_of(word: u32) -> u32 {
    word & ((1 << ID_BITS) - 1)
}

#[inline]
pub(crate) fn mode_of(word: u32) -> u32 {
    word >> ID_BITS
}
