//! What is due when: faults, time-outs, users, and, where messages take time, deliveries.

#[cfg(test)]
mod tests;

use super::problem::UserInput;
use core::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Things due, earliest first. What is due at the same time happens in the order of [`Due`]'s variants.
#[derive(Default)]
pub(crate) struct Agenda {
    /// What was added in the order in which it is due, as most is.
    in_order: VecDeque<Item>,
    /// Everything else.
    others: BinaryHeap<Reverse<Item>>,
    /// Deliveries under a timed schedule: time, message, slot of the link. They come after faults.
    flights: BinaryHeap<Reverse<(u64, u64, u32)>>,
}

/// Something that is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Due {
    /// The fault at this place of the scenario's list.
    Fault(u32),
    /// A process starts, unless it has.
    Start { process: u32 },
    /// A timer of a process runs out, unless it was set or stopped since (`generation`).
    Timeout { process: u32, timer: u32, generation: u32 },
    /// A process is told of a crash.
    Suspect { process: u32, who: u32 },
    /// A user leaves or wants in.
    User { input: UserInput, process: u32 },
    /// A request comes from outside.
    Arrival { process: u32 },
    /// A process takes a local step.
    Local { process: u32, step: u32 },
}

/// What is due, and when, as numbers in the order in which things happen: these are compared and moved all the time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    time: u64,
    /// Of what sort it is, whom it concerns, and the timer or local step: 8, 32 and 24 bits.
    order: u64,
    detail: u32,
}

impl Item {
    #[inline]
    fn new(time: u64, due: Due) -> Item {
        // At one moment: faults first, and users leave before others want in.
        let (sort, whom, which, detail) = match due {
            Due::Fault(place) => (FAULT, place, 0, 0),
            Due::Start { process } => (1, process, 0, 0),
            Due::Timeout { process, timer, generation } => (2, process, timer, generation),
            Due::Suspect { process, who } => (3, process, 0, who),
            Due::User { input: UserInput::Exit, process } => (4, process, 0, 0),
            Due::User { input: UserInput::Want, process } => (5, process, 0, 0),
            Due::Arrival { process } => (6, process, 0, 0),
            Due::Local { process, step } => (7, process, step, 0),
        };
        Item { time, order: sort << 56 | u64::from(whom) << 24 | u64::from(which), detail }
    }

    #[inline]
    fn due(self) -> Due {
        let (process, which) = ((self.order >> 24) as u32, self.order as u32 & 0xFF_FFFF);
        match self.order >> 56 {
            FAULT => Due::Fault(process),
            1 => Due::Start { process },
            2 => Due::Timeout { process, timer: which, generation: self.detail },
            3 => Due::Suspect { process, who: self.detail },
            4 => Due::User { input: UserInput::Exit, process },
            5 => Due::User { input: UserInput::Want, process },
            6 => Due::Arrival { process },
            _ => Due::Local { process, step: which },
        }
    }

    fn is_fault(self) -> bool {
        self.order >> 56 == FAULT
    }
}

const FAULT: u64 = 0;

/// The next thing.
pub(crate) enum Next {
    Due(Due),
    /// A message arrives: its number and the slot of its link.
    Flight(u64, u32),
}

impl Agenda {
    pub(crate) fn add(&mut self, time: u64, due: Due) {
        let item = Item::new(time, due);
        match self.in_order.back() {
            Some(&last) if item < last => self.others.push(Reverse(item)),
            _ => self.in_order.push_back(item),
        }
    }

    #[inline]
    pub(crate) fn add_flight(&mut self, time: u64, message: u64, slot: u32) {
        self.flights.push(Reverse((time, message, slot)));
    }

    /// When the next thing is due.
    #[inline]
    pub(crate) fn next_time(&self) -> Option<u64> {
        let due = self.first_due().map(|item| item.time);
        let flight = self.flights.peek().map(|Reverse((time, ..))| *time);
        match (due, flight) {
            (Some(due), Some(flight)) => Some(due.min(flight)),
            (due, flight) => due.or(flight),
        }
    }

    /// The next thing, with its time.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u64, Next)> {
        let due = self.first_due().map(|item| (item.time, !item.is_fault()));
        let flight = self.flights.peek().map(|Reverse((time, ..))| (*time, true));
        match (due, flight) {
            // At one moment: faults, then deliveries, then the rest.
            (Some(due), Some(flight)) if due < flight => self.pop_due(),
            (Some(_), None) => self.pop_due(),
            (_, Some(_)) => {
                let Reverse((time, message, slot)) = self.flights.pop()?;
                Some((time, Next::Flight(message, slot)))
            }
            (None, None) => None,
        }
    }

    fn pop_due(&mut self) -> Option<(u64, Next)> {
        let item = self.first_due()?;
        self.remove_first_due();
        Some((item.time, Next::Due(item.due())))
    }

    /// What is due first, deliveries aside.
    #[inline]
    fn first_due(&self) -> Option<Item> {
        match (self.in_order.front().copied(), self.others.peek()) {
            (Some(first), Some(&Reverse(other))) => Some(first.min(other)),
            (first, other) => first.or(other.map(|&Reverse(other)| other)),
        }
    }

    #[inline]
    fn remove_first_due(&mut self) {
        match (self.in_order.front(), self.others.peek()) {
            (Some(first), other) if other.is_none_or(|Reverse(other)| first <= other) => {
                self.in_order.pop_front();
            }
            _ => {
                self.others.pop();
            }
        }
    }

    /// The next thing that is due by now; only faults if `faults` is set.
    #[inline]
    pub(crate) fn pop_by(&mut self, now: u64, only_faults: bool) -> Option<Due> {
        let item = self.first_due()?;
        if item.time > now || only_faults && !item.is_fault() {
            return None;
        }
        self.remove_first_due();
        Some(item.due())
    }
}
