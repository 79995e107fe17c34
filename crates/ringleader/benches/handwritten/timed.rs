//! The agenda of a timed run: a binary heap of messages under way, sixteen bytes each.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

pub(crate) struct Agenda {
    /// Time of arrival, link, message, from the highest bit to the lowest. Times on a link differ, so that the links of
    /// equal times may decide and no sequence number is needed.
    heap: BinaryHeap<Reverse<u128>>,
    now: u64,
}

impl Agenda {
    pub(crate) fn with_capacity(messages: usize) -> Agenda {
        Agenda { heap: BinaryHeap::with_capacity(messages), now: 0 }
    }

    /// Sends a message; `last` is when the one before it on the link arrives.
    #[inline]
    pub(crate) fn send(&mut self, last: &mut u64, delay: u64, link: u32, message: u32) {
        *last = (self.now + delay).max(*last + 1);
        self.heap.push(Reverse(u128::from(*last) << 64 | u128::from(link) << 32 | u128::from(message)));
    }

    /// The link and the message that come next.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(u32, u32)> {
        let Reverse(event) = self.heap.pop()?;
        self.now = (event >> 64) as u64;
        Some(((event >> 32) as u32, event as u32))
    }
}
