//! The names of locks and elections.

use core::fmt;
use std::sync::Arc;

/// The most bytes of a name.
pub const MAX_NAME: usize = 512;

/// The most bytes of the value that a holder shows to others.
pub const MAX_VALUE: usize = 4096;

/// What a name is of: locks and elections do not get in each other's way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A lock: first come, first served, with bounded bypass.
    Lock,
    /// An election: the highest priority first, then first come.
    Election,
}

/// The name of a lock or an election.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    kind: Kind,
    text: Arc<str>,
    hash: u64,
}

/// Why a name is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadName {
    /// Nothing is there.
    Empty,
    /// More than [`MAX_NAME`] bytes.
    Long,
    /// It has a control character.
    Control,
}

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadName::Empty => write!(f, "a name needs at least one character"),
            BadName::Long => write!(f, "a name has at most {MAX_NAME} bytes"),
            BadName::Control => write!(f, "a name has no control characters"),
        }
    }
}

impl Name {
    /// The name with this text.
    ///
    /// # Errors
    /// If it is empty, too long, or has control characters.
    pub fn new(kind: Kind, text: &str) -> Result<Name, BadName> {
        if text.is_empty() {
            return Err(BadName::Empty);
        }
        if text.len() > MAX_NAME {
            return Err(BadName::Long);
        }
        if text.chars().any(char::is_control) {
            return Err(BadName::Control);
        }
        Ok(Name { kind, text: text.into(), hash: hash(kind, text) })
    }

    /// A lock's.
    ///
    /// # Errors
    /// As [`Name::new`].
    pub fn lock(text: &str) -> Result<Name, BadName> {
        Name::new(Kind::Lock, text)
    }

    /// What it is of.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A number that is the same on every server, and spread evenly: FNV-1a, mixed once more.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

fn hash(kind: Kind, text: &str) -> u64 {
    let kind = match kind {
        Kind::Lock => b'l',
        Kind::Election => b'e',
    };
    let bytes = core::iter::once(kind).chain(text.bytes());
    mixed(
        bytes
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
    )
}

/// The last step of a hash: every bit of the input moves half of those of the result (the finalizer of MurmurHash3).
pub(super) fn mixed(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
