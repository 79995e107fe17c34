//! What registers hold, as a number.

use core::hash::{Hash, Hasher};

/// What registers hold: a number, and the fingerprint of the content; both are 0 for how they begin. Numbers depend on
/// the order of discovery.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Contained {
    pub(crate) number: u32,
    pub(crate) hash: u64,
}

impl PartialEq for Contained {
    fn eq(&self, other: &Contained) -> bool {
        self.number == other.number
    }
}

impl Eq for Contained {}

impl Hash for Contained {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}
