//! Logical clocks: what an algorithm may know about before and after.
//!
//! "a comes before b" means: the same process did a and then b, or a is the sending of a message and b its receipt, or
//! there is a third event between them. A [`Clock`] numbers events so that the earlier one has the smaller number; a
//! [`VectorClock`] also tells when neither comes before the other.

#[cfg(test)]
mod tests;

use super::{Show, Value};

/// A Lamport clock: if a comes before b, then the time of a is smaller. The converse need not hold.
///
/// It starts at 0. A time is never reached twice: 2⁶⁴ events do not happen.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Clock(u64);

impl Clock {
    /// The time now.
    #[must_use]
    pub const fn now(self) -> u64 {
        self.0
    }

    /// Something happens here, a sending perhaps: C := C + 1. The new time is that of the event.
    pub const fn tick(&mut self) -> u64 {
        self.0 = self.0.saturating_add(1);
        self.0
    }

    /// A message with time `t` arrives: C := max(C, t) + 1. The new time is that of the receipt.
    pub const fn seen(&mut self, t: u64) -> u64 {
        self.raise(t);
        self.tick()
    }

    /// C := max(C, t), where only later times are to be larger and the receipt needs none of its own.
    pub const fn raise(&mut self, t: u64) {
        if self.0 < t {
            self.0 = t;
        }
    }
}

impl Show for Clock {
    fn show(&self) -> Value {
        self.0.show()
    }
}

/// A vector clock: a comes before b if and only if the time of a [happened before](VectorClock::happened_before) that
/// of b. A time has one number for each process: how many of its events come before, the event itself included.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VectorClock {
    own: usize,
    times: Vec<u64>,
}

impl VectorClock {
    /// The clock of process `own` among `n`, at the beginning; `own` must be below `n`.
    #[must_use]
    pub fn new(own: usize, n: usize) -> VectorClock {
        VectorClock { own, times: vec![0; n] }
    }

    /// Something happens here, a sending perhaps: V\[own\] := V\[own\] + 1.
    pub fn tick(&mut self) {
        if let Some(time) = self.times.get_mut(self.own) {
            *time = time.saturating_add(1);
        }
    }

    /// A message with the time of its sending arrives: the larger of the two everywhere, then V\[own\] goes up.
    pub fn merge(&mut self, sent: &VectorClock) {
        for (time, sent) in self.times.iter_mut().zip(&sent.times) {
            *time = (*time).max(*sent);
        }
        self.tick();
    }

    /// The time now, one number for each process.
    #[must_use]
    pub fn now(&self) -> &[u64] {
        &self.times
    }

    /// Whether this time is nowhere larger than the other, and somewhere smaller.
    #[must_use]
    pub fn happened_before(&self, other: &VectorClock) -> bool {
        let nowhere_larger = self.times.iter().zip(&other.times).all(|(a, b)| a <= b);
        nowhere_larger && self.times != other.times
    }
}
