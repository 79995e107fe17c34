//! A queue ordered by time, for times that never go back: a radix heap.
//!
//! Entries lie in buckets by the highest bit in which their time differs from the time of the last entry taken. Taking
//! the next one empties the lowest bucket into lower ones, so each entry moves at most once per bit, in long sequential
//! runs; a binary heap jumps through memory at every level. Entries of one time are always in one bucket and keep their
//! order, so equals come out as they went in. (R. K. Ahuja, K. Mehlhorn, J. B. Orlin and R. E. Tarjan, Faster
//! algorithms for the shortest path problem, JACM 37(2), 1990.)

#[cfg(test)]
mod tests;

/// Entries in the order of their times; equals in the order in which they came.
pub(super) struct TimeQueue<T> {
    /// The time of the last entry taken: nothing earlier may be added.
    last: u64,
    /// Bucket 0 holds what is due at `last`; bucket b what differs from it in bit b - 1 at the highest.
    buckets: [Vec<(u64, T)>; 65],
    /// How much of bucket 0 has been taken.
    taken: usize,
}

impl<T> Default for TimeQueue<T> {
    fn default() -> TimeQueue<T> {
        TimeQueue { last: 0, buckets: core::array::from_fn(|_| Vec::new()), taken: 0 }
    }
}

impl<T: Copy> TimeQueue<T> {
    /// Adds an entry, not earlier than the last one taken.
    #[inline]
    pub(super) fn push(&mut self, time: u64, item: T) {
        debug_assert!(time >= self.last, "time does not go back");
        let bucket = (u64::BITS - (time ^ self.last).leading_zeros()) as usize;
        self.buckets[bucket].push((time, item));
    }

    /// Takes the earliest entry.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u64, T)> {
        if self.taken == self.buckets[0].len() {
            self.refill()?;
        }
        let entry = self.buckets[0][self.taken];
        self.taken += 1;
        Some(entry)
    }

    /// Moves the earliest entries to bucket 0; none if there are none.
    fn refill(&mut self) -> Option<()> {
        self.buckets[0].clear();
        self.taken = 0;
        let lowest = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
        let mut entries = core::mem::take(&mut self.buckets[lowest]);
        self.last = entries.iter().map(|&(time, _)| time).min()?;
        for (time, item) in entries.drain(..) {
            self.push(time, item);
        }
        // Its room is kept for what comes next.
        self.buckets[lowest] = entries;
        Some(())
    }
}
