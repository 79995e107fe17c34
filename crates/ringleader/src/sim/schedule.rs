//! Who moves next, under the schedules that count steps. (Rounds and delays are a matter of time; see `agenda`.)
//!
//! A candidate is a link that carries something, or a local step that a process could take.

use crate::rng::Rng;
use std::collections::{BinaryHeap, VecDeque};

/// A link by its slot, or a local step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Candidate(u32);

const LOCAL: u32 = 1 << 31;

impl Candidate {
    pub(crate) fn link(slot: u32) -> Candidate {
        Candidate(slot)
    }

    pub(crate) fn local(process: u32, step: usize, steps: usize) -> Candidate {
        Candidate(LOCAL | (process * steps as u32 + step as u32))
    }

    /// The slot of the link, or the process and the number of its local step.
    pub(crate) fn what(self, steps: usize) -> Result<u32, (u32, usize)> {
        if self.0 & LOCAL == 0 {
            Ok(self.0)
        } else {
            let place = self.0 & !LOCAL;
            Err((place / steps as u32, place as usize % steps))
        }
    }
}

/// The candidates, in the order that the schedule wants.
pub(crate) enum Picker {
    /// A uniformly random one. `picked` is the place of the last one that was picked.
    Random { live: Vec<Candidate>, rng: Rng, picked: usize },
    /// The oldest message; those of one process last.
    Oldest { queue: VecDeque<(Candidate, u64)>, late: VecDeque<(Candidate, u64)>, starved: Option<u32> },
    /// The newest message that may be delivered.
    Newest { heap: BinaryHeap<(u64, Candidate)> },
    /// The one that causes most sends: the engine tries them all.
    Greedy { live: Vec<Candidate> },
    /// Time decides, or a recording.
    Elsewhere,
}

impl Picker {
    /// The oldest message first; those of this process last.
    pub(crate) fn oldest(starved: Option<u32>) -> Picker {
        Picker::Oldest { queue: VecDeque::new(), late: VecDeque::new(), starved }
    }

    /// A message has entered a link.
    #[inline]
    pub(crate) fn sent(&mut self, slot: u32, was_empty: bool, message: u64, from: u32, fifo: bool) {
        let candidate = Candidate::link(slot);
        match self {
            Picker::Random { live, .. } | Picker::Greedy { live } => {
                if was_empty {
                    live.push(candidate);
                }
            }
            Picker::Oldest { queue, late, starved } => {
                let line = if *starved == Some(from) { late } else { queue };
                line.push_back((candidate, message));
            }
            // On a FIFO link only the first message may be delivered.
            Picker::Newest { heap } => {
                if was_empty || !fifo {
                    heap.push((message, candidate));
                }
            }
            Picker::Elsewhere => {}
        }
    }

    /// A process could take a local step now; `stamp` says how old that is in terms of messages.
    pub(crate) fn enabled(&mut self, candidate: Candidate, stamp: u64) {
        match self {
            Picker::Random { live, .. } | Picker::Greedy { live } => live.push(candidate),
            Picker::Oldest { queue, .. } => queue.push_back((candidate, stamp)),
            Picker::Newest { heap } => heap.push((stamp, candidate)),
            Picker::Elsewhere => {}
        }
    }

    /// The next candidate, and its message where the schedule names one. It stays a candidate under `Random` and
    /// `Greedy` until `remove` says otherwise.
    #[inline]
    pub(crate) fn pick(&mut self) -> Option<(Candidate, Option<u64>)> {
        match self {
            Picker::Random { live, rng, picked } => {
                if live.is_empty() {
                    return None;
                }
                *picked = rng.below(live.len() as u64) as usize;
                Some((live[*picked], None))
            }
            Picker::Oldest { queue, late, .. } => {
                let (candidate, message) = queue.pop_front().or_else(|| late.pop_front())?;
                Some((candidate, Some(message)))
            }
            Picker::Newest { heap } => heap.pop().map(|(message, candidate)| (candidate, Some(message))),
            Picker::Greedy { .. } | Picker::Elsewhere => None,
        }
    }

    /// The candidate that was just picked is one no longer.
    #[inline]
    pub(crate) fn remove_picked(&mut self) {
        if let Picker::Random { live, picked, .. } = self {
            live.swap_remove(*picked);
        }
    }

    /// A candidate is one no longer, wherever it stands.
    pub(crate) fn remove(&mut self, candidate: Candidate) {
        if let Picker::Random { live, .. } | Picker::Greedy { live } = self {
            live.retain(|&other| other != candidate);
        }
    }

    /// The first message of a FIFO link was taken and another is first now.
    #[inline]
    pub(crate) fn next_in_line(&mut self, slot: u32, message: u64) {
        if let Picker::Newest { heap } = self {
            heap.push((message, Candidate::link(slot)));
        }
    }

    /// A number below `bound` for choices of the schedule that are not about candidates; 0 unless it is random.
    pub(crate) fn draw(&mut self, bound: u32) -> u32 {
        match self {
            Picker::Random { rng, .. } => rng.below(u64::from(bound)) as u32,
            Picker::Oldest { .. } | Picker::Newest { .. } | Picker::Greedy { .. } | Picker::Elsewhere => 0,
        }
    }

    /// The candidates under `Greedy`.
    pub(crate) fn live(&self) -> &[Candidate] {
        match self {
            Picker::Greedy { live } => live,
            Picker::Random { .. } | Picker::Oldest { .. } | Picker::Newest { .. } | Picker::Elsewhere => &[],
        }
    }
}
