//! The set of states that were met: a 64-bit fingerprint, a number and a parent each, at most 24 bytes together.
//!
//! The table is cut into shards by the first bits of the fingerprint, so that threads can fill it side by side and so
//! that it grows piece by piece.

#[cfg(test)]
mod tests;

/// How many shards there are.
pub(crate) const SHARDS: usize = 64;

/// Number of a state that has been met but not yet been numbered.
const PENDING: u32 = u32::MAX;

/// The shard of a fingerprint.
#[inline]
pub(crate) fn shard_of(fingerprint: u64) -> usize {
    (fingerprint >> 58) as usize
}

/// One part of the table: open addressing. A slot has the two halves of a fingerprint and a number, in twelve bytes
/// side by side; a free one has the fingerprint 0.
pub(crate) struct Shard {
    slots: Vec<[u32; 3]>,
    len: usize,
}

const FREE: [u32; 3] = [0, 0, PENDING];

/// Where a state is in its shard, and whether it was met for the first time.
#[derive(Clone, Copy)]
pub(crate) struct Met {
    pub(crate) slot: u32,
    pub(crate) new: bool,
}

#[inline]
fn fingerprint_in(slot: [u32; 3]) -> u64 {
    u64::from(slot[0]) | u64::from(slot[1]) << 32
}

impl Shard {
    fn new() -> Shard {
        Shard { slots: vec![FREE; 16], len: 0 }
    }

    /// Where to begin to look for a fingerprint.
    #[inline]
    fn home(&self, fingerprint: u64) -> usize {
        // The first bits chose the shard; the next ones choose the slot.
        let spread = u128::from(fingerprint << 6) * self.slots.len() as u128;
        (spread >> 64) as usize
    }

    /// Reads what is there. Reading many places before any of them is looked at fetches them side by side.
    #[inline]
    pub(crate) fn touch(&self, fingerprint: u64) -> u32 {
        self.slots[self.home(fingerprint)][0]
    }

    /// Where this fingerprint is, or would be.
    #[inline]
    fn place(&self, fingerprint: u64) -> usize {
        let mut place = self.home(fingerprint);
        loop {
            let found = fingerprint_in(self.slots[place]);
            if found == fingerprint || found == 0 {
                return place;
            }
            place += 1;
            if place == self.slots.len() {
                place = 0;
            }
        }
    }

    /// Makes room for so many more, so that slots stay where they are while they come in.
    pub(crate) fn reserve(&mut self, more: usize) {
        let needed = self.len + more;
        if needed * 20 <= self.slots.len() * 17 {
            return;
        }
        // By 7/5 each time: never less than 60 % full, so 12 bytes of a slot are less than 20 for a state.
        let mut slots = self.slots.len();
        while needed * 20 > slots * 17 {
            slots = slots * 7 / 5 + 1;
        }
        for slot in core::mem::replace(&mut self.slots, vec![FREE; slots]) {
            let fingerprint = fingerprint_in(slot);
            if fingerprint != 0 {
                let place = self.place(fingerprint);
                self.slots[place] = slot;
            }
        }
    }

    /// Meets a state.
    #[inline]
    pub(crate) fn meet(&mut self, fingerprint: u64) -> Met {
        let fingerprint = fingerprint.max(1);
        let place = self.place(fingerprint);
        let new = fingerprint_in(self.slots[place]) == 0;
        if new {
            self.slots[place] = [fingerprint as u32, (fingerprint >> 32) as u32, PENDING];
            self.len += 1;
        }
        Met { slot: place as u32, new }
    }

    /// The number of a state that was met.
    #[inline]
    pub(crate) fn number(&self, met: Met) -> u32 {
        self.slots[met.slot as usize][2]
    }

    /// Gives a state that was met its number.
    #[inline]
    pub(crate) fn set_number(&mut self, met: Met, number: u32) {
        self.slots[met.slot as usize][2] = number;
    }
}

/// All states that were met.
pub(crate) struct Visited {
    pub(crate) shards: Vec<Shard>,
    /// The state from which each was first reached, in the order of their numbers, in pieces that are not moved.
    parents: Vec<Vec<u32>>,
    len: u32,
}

const PIECE: usize = 1 << 16;

impl Default for Visited {
    fn default() -> Visited {
        Visited { shards: (0..SHARDS).map(|_| Shard::new()).collect(), parents: Vec::new(), len: 0 }
    }
}

impl Visited {
    /// How many states were met.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Adds new states with these parents; they have the next numbers.
    pub(crate) fn add(&mut self, parents: &[u32]) {
        let mut rest = parents;
        while !rest.is_empty() {
            if (self.len as usize).is_multiple_of(PIECE) {
                self.parents.push(Vec::with_capacity(if self.len == 0 { 64 } else { PIECE }));
            }
            let room = PIECE - self.len as usize % PIECE;
            let (now, later) = rest.split_at(room.min(rest.len()));
            if let Some(piece) = self.parents.last_mut() {
                piece.extend_from_slice(now);
            }
            self.len += now.len() as u32;
            rest = later;
        }
    }

    /// The number of a state, if it was met.
    pub(crate) fn find(&self, fingerprint: u64) -> Option<u32> {
        let shard = &self.shards[shard_of(fingerprint)];
        let slot = shard.slots[shard.place(fingerprint.max(1))];
        (fingerprint_in(slot) != 0).then_some(slot[2])
    }

    /// The state from which this one was first reached.
    pub(crate) fn parent(&self, number: u32) -> u32 {
        self.parents[number as usize / PIECE][number as usize % PIECE]
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let slots: usize = self.shards.iter().map(|shard| shard.slots.len()).sum();
        let parents: usize = self.parents.iter().map(Vec::capacity).sum();
        (slots * 12 + parents * 4) as u64
    }
}
