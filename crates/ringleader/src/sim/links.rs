//! Messages in transit: a queue per link, the first message inline.
//!
//! On rings and small trees every link has a slot of its own. On dense graphs only links that carry something have one,
//! so that n processes do not cost n² slots.

#[cfg(test)]
mod tests;

use crate::network::Link;
use core::hash::{BuildHasherDefault, Hasher};

/// The queues of all links.
pub(crate) struct LinkTable<T> {
    queues: Vec<Queue<T>>,
    /// Everything behind the first message of a link.
    spill: Vec<Spilled<T>>,
    spill_free: u32,
    /// A number above every port number: the slots of a process stand together.
    stride: u32,
    sparse: Option<Sparse>,
    in_transit: u64,
}

struct Queue<T> {
    head: Option<T>,
    /// The second message and the last one, in `spill`.
    second: u32,
    last: u32,
    len: u32,
}

struct Spilled<T> {
    item: Option<T>,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl<T> LinkTable<T> {
    /// A table for so many processes with ports below `stride`; slots are made on demand if there are many per process.
    pub(crate) fn new(n: u32, stride: u32, dense: bool) -> LinkTable<T> {
        let mut table = LinkTable {
            queues: Vec::new(),
            spill: Vec::new(),
            spill_free: NONE,
            stride,
            sparse: None,
            in_transit: 0,
        };
        if dense {
            table.queues.resize_with(n as usize * stride as usize, Queue::empty);
        } else {
            table.sparse = Some(Sparse::default());
        }
        table
    }

    /// How many messages are in transit.
    pub(crate) fn in_transit(&self) -> u64 {
        self.in_transit
    }

    /// Appends a message to a link; its slot, and whether the link was empty.
    #[inline]
    pub(crate) fn push(&mut self, link: Link, item: T) -> (u32, bool) {
        let slot = match &mut self.sparse {
            None => link.to() * self.stride + link.port(),
            Some(sparse) => sparse.slot(link, &mut self.queues),
        };
        self.in_transit += 1;
        let queue = &mut self.queues[slot as usize];
        queue.len += 1;
        if queue.head.is_none() {
            queue.head = Some(item);
            return (slot, true);
        }
        let place = if self.spill_free == NONE {
            self.spill.push(Spilled { item: Some(item), next: NONE });
            self.spill.len() as u32 - 1
        } else {
            let place = self.spill_free;
            let spilled = &mut self.spill[place as usize];
            self.spill_free = spilled.next;
            *spilled = Spilled { item: Some(item), next: NONE };
            place
        };
        if queue.second == NONE {
            queue.second = place;
        } else {
            self.spill[queue.last as usize].next = place;
        }
        self.queues[slot as usize].last = place;
        (slot, false)
    }

    /// The link at this slot.
    #[inline]
    pub(crate) fn link(&self, slot: u32) -> Link {
        match &self.sparse {
            None => Link::new(slot / self.stride, slot % self.stride),
            Some(sparse) => sparse.links[slot as usize],
        }
    }

    /// The slot of a link, if it carries anything.
    pub(crate) fn slot(&self, link: Link) -> Option<u32> {
        let slot = match &self.sparse {
            None => link.to() * self.stride + link.port(),
            Some(sparse) => *sparse.slots.get(&link.number())?,
        };
        self.queues.get(slot as usize).filter(|queue| queue.len > 0).map(|_| slot)
    }

    /// The slots of the links that carry something.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        (0..self.queues.len() as u32).filter(|&slot| self.len(slot) > 0)
    }

    /// How many messages the link at this slot carries.
    #[inline]
    pub(crate) fn len(&self, slot: u32) -> u32 {
        self.queues[slot as usize].len
    }

    /// The messages of a link, in sending order.
    pub(crate) fn iter(&self, slot: u32) -> Waiting<'_, T> {
        let queue = &self.queues[slot as usize];
        Waiting { next: queue.head.as_ref(), place: queue.second, links: self }
    }

    /// The oldest message of a link.
    pub(crate) fn head(&self, slot: u32) -> Option<&T> {
        self.queues[slot as usize].head.as_ref()
    }

    /// Takes the oldest message of a link; whether the link is empty now.
    #[inline]
    pub(crate) fn pop(&mut self, slot: u32) -> Option<(T, bool)> {
        let queue = &mut self.queues[slot as usize];
        let item = queue.head.take()?;
        queue.len -= 1;
        self.in_transit -= 1;
        let empty = queue.second == NONE;
        if empty {
            self.release(slot);
        } else {
            let place = queue.second;
            let spilled = &mut self.spill[place as usize];
            queue.head = spilled.item.take();
            queue.second = spilled.next;
            spilled.next = self.spill_free;
            self.spill_free = place;
        }
        Some((item, empty))
    }

    /// Takes the k-th oldest message of a link; whether the link is empty now.
    pub(crate) fn take(&mut self, slot: u32, k: u32) -> Option<(T, bool)> {
        if k == 0 {
            return self.pop(slot);
        }
        let queue = &mut self.queues[slot as usize];
        if k >= queue.len {
            return None;
        }
        let mut before = NONE;
        let mut place = queue.second;
        for _ in 1..k {
            before = place;
            place = self.spill[place as usize].next;
        }
        let spilled = &mut self.spill[place as usize];
        let item = spilled.item.take()?;
        let after = spilled.next;
        spilled.next = self.spill_free;
        self.spill_free = place;
        if before == NONE {
            queue.second = after;
        } else {
            self.spill[before as usize].next = after;
        }
        if after == NONE {
            queue.last = before;
        }
        queue.len -= 1;
        self.in_transit -= 1;
        Some((item, false))
    }

    fn release(&mut self, slot: u32) {
        if let Some(sparse) = &mut self.sparse {
            sparse.release(slot);
        }
    }
}

impl<T> Queue<T> {
    fn empty() -> Queue<T> {
        Queue { head: None, second: NONE, last: NONE, len: 0 }
    }
}

/// Slots for those links of a dense graph that carry something.
#[derive(Default)]
struct Sparse {
    #[expect(clippy::disallowed_types, reason = "fixed hasher, never iterated")]
    slots: std::collections::HashMap<u64, u32, BuildHasherDefault<LinkHasher>>,
    links: Vec<Link>,
    free: Vec<u32>,
}

impl Sparse {
    fn slot<T>(&mut self, link: Link, queues: &mut Vec<Queue<T>>) -> u32 {
        if let Some(&slot) = self.slots.get(&link.number()) {
            return slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            queues.push(Queue::empty());
            self.links.push(link);
            queues.len() as u32 - 1
        });
        self.links[slot as usize] = link;
        self.slots.insert(link.number(), slot);
        slot
    }

    fn release(&mut self, slot: u32) {
        self.slots.remove(&self.links[slot as usize].number());
        self.free.push(slot);
    }
}

/// Link numbers are dense and small; mixing them once spreads them well.
#[derive(Default)]
struct LinkHasher(u64);

impl Hasher for LinkHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = crate::rng::mix(self.0 ^ u64::from(byte));
        }
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = crate::rng::mix(number);
    }
}

/// The messages of a link, in sending order.
pub(crate) struct Waiting<'a, T> {
    next: Option<&'a T>,
    /// Where the one after it is.
    place: u32,
    links: &'a LinkTable<T>,
}

impl<'a, T> Iterator for Waiting<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        let item = self.next.take()?;
        if self.place != NONE {
            let spilled = &self.links.spill[self.place as usize];
            (self.next, self.place) = (spilled.item.as_ref(), spilled.next);
        }
        Some(item)
    }
}
