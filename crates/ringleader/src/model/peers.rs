//! A set of processes.

#[cfg(test)]
mod tests;

use super::{Peer, Show, Value};
use core::hash::{Hash, Hasher};

/// A set of processes by name. Two that hold the same are equal, and what is done to all is done in increasing order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Peers(Bits);

impl Peers {
    /// Puts a process in; whether it was not there.
    #[inline]
    pub fn insert(&mut self, who: Peer) -> bool {
        self.0.set(who.0)
    }

    /// Takes a process out; whether it was there.
    pub fn remove(&mut self, who: Peer) -> bool {
        self.0.clear(who.0)
    }

    /// Whether a process is there.
    #[must_use]
    pub fn has(&self, who: Peer) -> bool {
        self.0.has(who.0)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether nobody is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == Bits::default()
    }

    /// Everybody, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = Peer> + '_ {
        self.0.ones().map(Peer)
    }

    /// Takes everybody out, in increasing order.
    pub fn drain(&mut self) -> impl Iterator<Item = Peer> + use<> {
        let all = core::mem::take(&mut self.0);
        let words = core::iter::once(all.first).chain(all.rest);
        (0..).zip(words).flat_map(|(place, word)| ones_of(place, word)).map(Peer)
    }
}

impl FromIterator<Peer> for Peers {
    fn from_iter<I: IntoIterator<Item = Peer>>(all: I) -> Peers {
        let mut peers = Peers::default();
        for who in all {
            peers.insert(who);
        }
        peers
    }
}

impl Hash for Peers {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

impl Show for Peers {
    fn show(&self) -> Value {
        Value::List(self.iter().map(|who| who.show()).collect())
    }
}

/// A set of small numbers, one bit each. It is as long as its largest number asks for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Bits {
    first: u64,
    /// From 64 on. The last word is not 0.
    rest: Vec<u64>,
}

impl Bits {
    /// Adds a number; whether it was not there.
    #[inline]
    pub(crate) fn set(&mut self, number: u32) -> bool {
        let (place, bit) = (number as usize / 64, 1 << (number % 64));
        let word = match place {
            0 => &mut self.first,
            _ => {
                if self.rest.len() < place {
                    self.rest.resize(place, 0);
                }
                &mut self.rest[place - 1]
            }
        };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes a number away; whether it was there.
    pub(crate) fn clear(&mut self, number: u32) -> bool {
        let (place, bit) = (number as usize / 64, 1 << (number % 64));
        let was_there = self.has(number);
        match (was_there, place) {
            (false, _) => {}
            (true, 0) => self.first &= !bit,
            (true, _) => {
                self.rest[place - 1] &= !bit;
                while self.rest.last() == Some(&0) {
                    self.rest.pop();
                }
            }
        }
        was_there
    }

    /// Whether a number is there.
    pub(crate) fn has(&self, number: u32) -> bool {
        let word = match number as usize / 64 {
            0 => self.first,
            place => self.rest.get(place - 1).copied().unwrap_or(0),
        };
        word >> (number % 64) & 1 == 1
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        core::iter::once(self.first).chain(self.rest.iter().copied())
    }

    fn ones(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(self.words()).flat_map(|(place, word)| ones_of(place, word))
    }
}

/// The numbers of the bits of a word.
fn ones_of(place: u32, mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros();
        word &= word - 1;
        Some(place * 64 + bit)
    })
}

impl Hash for Bits {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.words().for_each(|word| word.hash(hasher));
    }
}
