//! Fingerprints, a map from 64-bit keys, and numbers for values. The hash is fixed, so that equal searches meet equal
//! numbers on every run, and nothing is ever iterated in the order of a table.

#[cfg(test)]
mod tests;

use core::hash::{Hash, Hasher};

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Scatters 64 bits: the two halves of a 128-bit product, folded.
#[inline]
pub(crate) fn scatter(x: u64) -> u64 {
    let product = u128::from(x ^ 0xD6E8_FEB8_6659_FD93) * u128::from(ODD);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The fingerprint of a value.
pub(crate) fn fingerprint<T: Hash>(value: &T) -> u64 {
    let mut hasher = Fixed(ODD);
    value.hash(&mut hasher);
    scatter(hasher.0)
}

struct Fixed(u64);

impl Fixed {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = scatter(self.0.rotate_left(23) ^ word.wrapping_mul(ODD));
    }
}

impl Hasher for Fixed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word) ^ (chunk.len() as u64) << 56);
        }
    }
    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }
    fn write_u16(&mut self, word: u16) {
        self.add(u64::from(word));
    }
    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }
}

/// A map from 64-bit keys, none of them `u64::MAX`, to small values, by open addressing.
pub(crate) struct Map<V> {
    slots: Vec<(u64, V)>,
    len: usize,
}

const FREE: u64 = u64::MAX;

impl<V: Copy + Default> Map<V> {
    pub(crate) fn new() -> Map<V> {
        Map { slots: vec![(FREE, V::default()); 16], len: 0 }
    }

    /// The value of this key.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<V> {
        let (found, value) = self.slots[self.place(key)];
        (found == key).then_some(value)
    }

    /// Where this key is, or would be.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = scatter(key) as usize & mask;
        loop {
            let (found, _) = self.slots[place];
            if found == key || found == FREE {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// Gives a key its value.
    pub(crate) fn set(&mut self, key: u64, value: V) {
        if (self.len + 1) * 2 > self.slots.len() {
            let larger = vec![(FREE, V::default()); self.slots.len() * 2];
            for (key, value) in core::mem::replace(&mut self.slots, larger) {
                if key != FREE {
                    let place = self.place(key);
                    self.slots[place] = (key, value);
                }
            }
        }
        let place = self.place(key);
        self.len += usize::from(self.slots[place].0 == FREE);
        self.slots[place] = (key, value);
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<(u64, V)>()) as u64
    }
}

/// The numbers of values that are kept somewhere else. Equal values get equal numbers; whether they are equal is
/// decided by comparison, not by the fingerprint.
pub(crate) struct Numbers(Map<u32>);

impl Numbers {
    pub(crate) fn new() -> Numbers {
        Numbers(Map::new())
    }

    /// The number of this value, if it `is` one that was met; otherwise a fingerprint for it that no other value has.
    pub(crate) fn find<T: Hash>(&self, value: &T, is: impl Fn(u32) -> bool) -> Result<u32, u64> {
        let mut key = fingerprint(value).min(FREE - 1);
        loop {
            match self.0.get(key) {
                Some(number) if is(number) => return Ok(number),
                // Another value with the same fingerprint: the next key will do, and its fingerprint is its own.
                Some(_) => key = (key + 1) % FREE,
                None => return Err(key),
            }
        }
    }

    /// The value with this fingerprint, which was not found, has this number.
    pub(crate) fn add(&mut self, fingerprint: u64, number: u32) {
        self.0.set(fingerprint, number);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// Values that were met, each with a number and a fingerprint of its content.
pub(crate) struct Interned<T> {
    values: Vec<T>,
    hashes: Vec<u64>,
    numbers: Numbers,
    /// What the values hold in other places, in bytes.
    elsewhere: u64,
}

impl<T: Hash + Eq> Interned<T> {
    pub(crate) fn new() -> Interned<T> {
        Interned { values: Vec::new(), hashes: Vec::new(), numbers: Numbers::new(), elsewhere: 0 }
    }

    /// The number of this value, which is all there is of it.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        self.number_with(value, 0)
    }

    /// The number of this value, which holds so many bytes in other places.
    pub(crate) fn number_with(&mut self, value: T, elsewhere: u64) -> u32 {
        let found = self.numbers.find(&value, |number| self.values[number as usize] == value);
        found.unwrap_or_else(|hash| {
            let number = self.values.len() as u32;
            self.values.push(value);
            self.hashes.push(hash);
            self.numbers.add(hash, number);
            self.elsewhere += elsewhere;
            number
        })
    }

    pub(crate) fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        // Not the capacity of the values: a list of values without content has room for any number of them.
        (self.hashes.capacity() * (size_of::<T>() + 8)) as u64 + self.numbers.bytes() + self.elsewhere
    }
}
