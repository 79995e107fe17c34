//! The agenda of a timed run: a binary heap of (time, sequence, link), the message beside them.

use crate::queue::NONE;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// A message under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    time: u64,
    sequence: u32,
    pub(crate) link: u32,
    pub(crate) message: u32,
}

pub(crate) struct Agenda {
    heap: BinaryHeap<Reverse<Event>>,
    now: u64,
    sequence: u32,
}

impl Agenda {
    pub(crate) fn with_capacity(events: usize) -> Agenda {
        Agenda { heap: BinaryHeap::with_capacity(events), now: 0, sequence: 0 }
    }

    /// Sends a message; `last` is when the one before it on the link arrives.
    #[inline]
    pub(crate) fn send(&mut self, last: &mut u64, delay: u64, link: u32, message: u32) {
        debug_assert_ne!(message, NONE);
        *last = (self.now + delay).max(*last);
        self.heap.push(Reverse(Event { time: *last, sequence: self.sequence, link, message }));
        self.sequence += 1;
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Option<Event> {
        let Reverse(event) = self.heap.pop()?;
        self.now = event.time;
        Some(event)
    }
}
