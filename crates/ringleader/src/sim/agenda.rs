//! What is due when: faults, time-outs, users, and, where messages take time, deliveries.

use super::problem::UserInput;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// Things due, earliest first. What is due at the same time happens in the order of [`Due`]'s variants.
#[derive(Default)]
pub(crate) struct Agenda {
    heap: BinaryHeap<Reverse<(u64, Due, u64)>>,
    /// Deliveries under a timed schedule: time, message, slot of the link. They come after faults.
    flights: BinaryHeap<Reverse<(u64, u64, u32)>>,
    count: u64,
}

/// Something that is due. The order of the variants is the order within one moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
    User { input: UserInputOrder, process: u32 },
    /// A request comes from outside.
    Arrival { process: u32 },
    /// A process takes a local step.
    Local { process: u32, step: u32 },
}

/// Users leave before others want in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum UserInputOrder {
    Exit,
    Want,
}

impl From<UserInput> for UserInputOrder {
    fn from(input: UserInput) -> UserInputOrder {
        match input {
            UserInput::Exit => UserInputOrder::Exit,
            UserInput::Want => UserInputOrder::Want,
        }
    }
}

/// The next thing.
pub(crate) enum Next {
    Due(Due),
    /// A message arrives: its number and the slot of its link.
    Flight(u64, u32),
}

impl Agenda {
    pub(crate) fn add(&mut self, time: u64, due: Due) {
        self.count += 1;
        self.heap.push(Reverse((time, due, self.count)));
    }

    #[inline]
    pub(crate) fn add_flight(&mut self, time: u64, message: u64, slot: u32) {
        self.flights.push(Reverse((time, message, slot)));
    }

    /// When the next thing is due.
    #[inline]
    pub(crate) fn next_time(&self) -> Option<u64> {
        let due = self.heap.peek().map(|Reverse((time, ..))| *time);
        let flight = self.flights.peek().map(|Reverse((time, ..))| *time);
        match (due, flight) {
            (Some(due), Some(flight)) => Some(due.min(flight)),
            (due, flight) => due.or(flight),
        }
    }

    /// The next thing, with its time.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u64, Next)> {
        let due = self.heap.peek().map(|Reverse((time, due, _))| (*time, !matches!(due, Due::Fault(_))));
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
        self.heap.pop().map(|Reverse((time, due, _))| (time, Next::Due(due)))
    }

    /// The next thing that is due by now; only faults if `faults` is set.
    #[inline]
    pub(crate) fn pop_by(&mut self, now: u64, only_faults: bool) -> Option<Due> {
        let Reverse((time, due, _)) = self.heap.peek()?;
        if *time > now || (only_faults && !matches!(due, Due::Fault(_))) {
            return None;
        }
        self.heap.pop().map(|Reverse((_, due, _))| due)
    }
}
