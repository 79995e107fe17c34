//! Which places hold values that have a number: of equal values, one place.

use crate::hash::Numbers;

/// The places of the values of one kind that have a number.
#[derive(Default)]
pub(super) struct Equals {
    numbers: Option<Numbers>,
    /// By place; 0 where there is no number.
    hashes: Vec<u64>,
    /// What the values hold in other places, in bytes.
    elsewhere: u64,
}

impl Equals {
    /// The place of a value that `is` equal to this one; otherwise a fingerprint for it.
    pub(super) fn find<T: core::hash::Hash>(
        &mut self,
        value: &T,
        is: impl Fn(u32) -> bool,
    ) -> Result<u32, u64> {
        self.numbers.get_or_insert_with(Numbers::new).find(value, is)
    }

    /// The value with this fingerprint is at this place, and holds so many bytes elsewhere.
    pub(super) fn add(&mut self, hash: u64, place: u32, elsewhere: u64) {
        self.numbers.get_or_insert_with(Numbers::new).add(hash, place);
        if self.hashes.len() <= place as usize {
            self.hashes.resize(place as usize + 1, 0);
        }
        self.hashes[place as usize] = hash;
        self.elsewhere += elsewhere;
    }

    /// The fingerprint of the value at this place.
    pub(super) fn hash(&self, place: u32) -> u64 {
        self.hashes[place as usize]
    }

    /// Bytes in use, if a value has so many.
    pub(super) fn bytes(&self, each: usize) -> u64 {
        // By the capacity of the fingerprints: a list of values without content has room for any number of them.
        let numbers = self.numbers.as_ref().map_or(0, Numbers::bytes);
        (self.hashes.capacity() * (each + 8)) as u64 + numbers + self.elsewhere
    }
}
