//! A FIFO link: the first message in place, the others (there are rarely any) in a list in a common pool.

use crate::word::NONE;

#[derive(Clone, Copy)]
pub(crate) struct Queue {
    first: u32,
    /// The first and the last of the messages behind, in the pool.
    rest: u32,
    last: u32,
}

#[derive(Default)]
pub(crate) struct Pool {
    /// A message and the entry behind it.
    entries: Vec<(u32, u32)>,
    free: Vec<u32>,
}

impl Queue {
    pub(crate) const EMPTY: Queue = Queue { first: NONE, rest: NONE, last: NONE };

    /// Adds a message; says whether the link was empty.
    #[inline]
    pub(crate) fn push(&mut self, message: u32, pool: &mut Pool) -> bool {
        if self.first == NONE {
            self.first = message;
            return true;
        }
        let entry = pool.add(message);
        if self.rest == NONE {
            self.rest = entry;
        } else {
            pool.entries[self.last as usize].1 = entry;
        }
        self.last = entry;
        false
    }

    /// Takes the first message; says whether the link is now empty.
    #[inline]
    pub(crate) fn pop(&mut self, pool: &mut Pool) -> (u32, bool) {
        let message = self.first;
        if self.rest == NONE {
            self.first = NONE;
            return (message, true);
        }
        pool.free.push(self.rest);
        (self.first, self.rest) = pool.entries[self.rest as usize];
        (message, false)
    }
}

impl Pool {
    #[inline]
    fn add(&mut self, message: u32) -> u32 {
        if let Some(entry) = self.free.pop() {
            self.entries[entry as usize] = (message, NONE);
            entry
        } else {
            self.entries.push((message, NONE));
            self.entries.len() as u32 - 1
        }
    }
}
