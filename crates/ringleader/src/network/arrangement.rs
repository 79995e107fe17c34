//! Who gets which identity: arrangements of identities round the ring.
//!
//! Engines work with ranks (0 for the smallest identity), four bytes each. The identities that a user gave are kept
//! only if they are not simply 1 ..= n.

#[cfg(test)]
mod tests;

use crate::model::{Arranged, Id};
use crate::rng::{Purpose, Rng};

/// The identities of a ring, in ring order.
#[derive(Clone, Debug)]
pub struct Arrangement {
    ranks: Vec<u32>,
    /// The identities in increasing order; empty if they are 1 ..= n.
    named: Vec<u64>,
}

/// The same identity twice, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duplicate {
    /// The identity.
    pub id: u64,
    /// The index that has it first.
    pub first: u32,
    /// The index that has it again.
    pub second: u32,
}

impl Arrangement {
    /// A uniformly random permutation of 1 ..= n.
    #[must_use]
    pub fn random(n: u32, seed: u64) -> Arrangement {
        let mut ranks: Vec<u32> = (0..n).collect();
        Rng::new(seed, Purpose::Ids).shuffle(&mut ranks);
        Arrangement { ranks, named: Vec::new() }
    }

    /// A known arrangement of 1 ..= n.
    #[must_use]
    pub fn arranged(n: u32, how: Arranged) -> Arrangement {
        let ranks = match how {
            Arranged::Ascending => (0..n).collect(),
            Arranged::Descending => (0..n).rev().collect(),
            Arranged::Alternating => (0..n).map(|i| if i % 2 == 0 { i / 2 } else { n - 1 - i / 2 }).collect(),
            Arranged::BitReversal => bit_reversal(n),
            Arranged::Fibonacci => fibonacci(n),
            Arranged::Custom(_, ranks) => ranks(n),
        };
        Arrangement { ranks, named: Vec::new() }
    }

    /// These identities.
    ///
    /// # Errors
    /// If two of them are equal and `distinct` is asked for. Otherwise equal identities get the same rank.
    pub fn listed(ids: &[u64], distinct: bool) -> Result<Arrangement, Duplicate> {
        let mut order: Vec<u32> = (0..ids.len() as u32).collect();
        order.sort_by_key(|&index| (ids[index as usize], index));
        let mut ranks = vec![0; ids.len()];
        let mut named: Vec<u64> = Vec::with_capacity(ids.len());
        let mut before: Option<u32> = None;
        for &index in &order {
            let id = ids[index as usize];
            match before {
                Some(first) if named.last() == Some(&id) => {
                    if distinct {
                        return Err(Duplicate { id, first, second: index });
                    }
                }
                _ => named.push(id),
            }
            ranks[index as usize] = named.len() as u32 - 1;
            before = Some(index);
        }
        if named.iter().enumerate().all(|(rank, &id)| id == rank as u64 + 1) {
            named.clear();
        }
        Ok(Arrangement { ranks, named })
    }

    /// The number of processes.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// Whether there is no process.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// The identity at this index, as processes know it.
    #[inline]
    #[must_use]
    pub fn id(&self, index: u32) -> Id {
        Id::from_rank(self.ranks[index as usize])
    }

    /// The identity as the user gave it.
    #[must_use]
    pub fn name(&self, id: Id) -> u64 {
        if self.named.is_empty() { u64::from(id.rank()) + 1 } else { self.named[id.rank() as usize] }
    }

    /// The identities as the user gave them, in ring order.
    pub fn names(&self) -> impl Iterator<Item = u64> {
        self.ranks.iter().map(|&rank| self.name(Id::from_rank(rank)))
    }
}

/// The ranks of the bit-reversed indices, with as many bits as the largest index has.
#[must_use]
pub fn bit_reversal(n: u32) -> Vec<u32> {
    if n < 2 {
        return (0..n).collect();
    }
    let bits = (n - 1).ilog2() + 1;
    let reversed = |i: u32| i.reverse_bits() >> (32 - bits);
    // The k-th smallest reversed index belongs to the index that k reverses to, skipping those not below n.
    let mut ranks = vec![0; n as usize];
    let mut rank = 0;
    for value in 0..1u64 << bits {
        let index = reversed(value as u32);
        if index < n {
            ranks[index as usize] = rank;
            rank += 1;
        }
    }
    ranks
}

/// The ranks i·F(k−2) mod F(k) for n = F(k) processes: of Peterson's second algorithm each round leaves as many active
/// as the Fibonacci number before, so that it takes the most rounds that n allows.
///
/// For another n, those of the largest Fibonacci number below it are kept, and the missing ranks, smaller than them
/// all, stand as one falling block before index 1, whose rank is larger than that of index 0. Each of the block is
/// smaller than the one before it, and falls in the first round; index 1 survives it as it would have; the rest is as
/// before.
#[must_use]
pub fn fibonacci(n: u32) -> Vec<u32> {
    if n < 2 {
        return (0..n).collect();
    }
    // F(k-2), F(k-1) and F(k), the largest that is not above n.
    let (mut step, mut before, mut size) = (0u64, 1u64, 1u64);
    while before + size <= u64::from(n) {
        (step, before, size) = (before, size, before + size);
    }
    let block = n - size as u32;
    let kept = |i: u64| block + (i * step % size) as u32;
    [kept(0)].into_iter().chain((0..block).rev()).chain((1..size).map(kept)).collect()
}
