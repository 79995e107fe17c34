//! What links carry, as numbers. Number 0 is the empty link.

#[cfg(test)]
mod tests;

use crate::hash::{Interned, scatter};
use core::hash::{Hash, Hasher};

/// A message on its way: the number of its stimulus, and for how many ticks it has been on its way (if time counts).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flight {
    pub(crate) stimulus: u32,
    pub(crate) age: u32,
    /// The fingerprint of the stimulus: numbers depend on the order of discovery, fingerprints do not.
    pub(crate) hash: u64,
}

impl Hash for Flight {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
        state.write_u32(self.age);
    }
}

/// All that a link was seen to carry.
pub(crate) struct Contents {
    met: Interned<Box<[Flight]>>,
    /// Whether the order of sending is kept.
    ordered: bool,
}

impl Contents {
    pub(crate) fn new(ordered: bool) -> Contents {
        let mut met = Interned::new();
        met.number(Box::default());
        Contents { met, ordered }
    }

    pub(crate) fn get(&self, number: u32) -> &[Flight] {
        self.met.value(number)
    }

    /// The fingerprints of all that was met.
    pub(crate) fn hashes(&self) -> &[u64] {
        self.met.hashes()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.met.bytes()
    }

    fn number(&mut self, mut flights: Vec<Flight>) -> u32 {
        if !self.ordered {
            flights.sort_unstable_by_key(|flight| (flight.hash, flight.age, flight.stimulus));
        }
        let bytes = size_of_val(flights.as_slice()) as u64;
        self.met.number_with(flights.into(), bytes)
    }

    /// The link after a message was sent into it.
    pub(crate) fn push(&mut self, number: u32, stimulus: u32, hash: u64, age: u32) -> u32 {
        let mut flights = self.get(number).to_vec();
        flights.push(Flight { stimulus, age, hash });
        self.number(flights)
    }

    /// The link without its k-th message.
    pub(crate) fn without(&mut self, number: u32, k: usize) -> u32 {
        let mut flights = self.get(number).to_vec();
        flights.remove(k);
        self.number(flights)
    }

    /// The link without its first so many messages.
    pub(crate) fn after(&mut self, number: u32, taken: u32) -> u32 {
        let flights = self.get(number)[taken as usize..].to_vec();
        self.number(flights)
    }

    /// The link with a copy of its k-th message at its end.
    pub(crate) fn doubled(&mut self, number: u32, k: usize) -> u32 {
        let mut flights = self.get(number).to_vec();
        flights.push(flights[k]);
        self.number(flights)
    }

    /// The link a tick later; none if a message has been on its way for `most` ticks.
    pub(crate) fn later(&mut self, number: u32, most: u32) -> Option<u32> {
        let mut flights = self.get(number).to_vec();
        if flights.iter().any(|flight| flight.age >= most) {
            return None;
        }
        for flight in &mut flights {
            flight.age += 1;
        }
        Some(self.number(flights))
    }

    /// Which messages can be delivered next: places in the link, each different message once.
    pub(crate) fn choices(&self, number: u32) -> Vec<usize> {
        let flights = self.get(number);
        if self.ordered {
            return (0..flights.len().min(1)).collect();
        }
        let is_new = |&k: &usize| k == 0 || flights[k] != flights[k - 1];
        (0..flights.len()).filter(is_new).collect()
    }

    /// Places of messages that differ, in whatever order.
    pub(crate) fn distinct(&self, number: u32) -> Vec<usize> {
        let flights = self.get(number);
        (0..flights.len()).filter(|&k| !flights[..k].contains(&flights[k])).collect()
    }
}

/// The fingerprint of a delivery.
pub(crate) fn arrival_hash(port: u32, msg_hash: u64) -> u64 {
    scatter(msg_hash.rotate_left(17) ^ u64::from(port + 1))
}
