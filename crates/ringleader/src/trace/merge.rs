//! One run from the recordings of its machines: each has seen the steps of its own process, in its own order
//! and by its own clock, and numbers messages provisionally, so that both ends say the same.
//!
//! The steps are put in an order in which every message is sent before it arrives; among those that could be next the
//! earliest is. Then messages are numbered as they are sent, and time does not go back. A process that others were told
//! is down, and of which nothing more is recorded, has crashed, and so has one that comes back. On a ring that is
//! closed over who is down, so has one that a message passes by. What depends on a step that nobody has recorded is
//! left out.

#[cfg(test)]
mod tests;

use super::{Arrival, Event, Header, Input, Recording};
use core::fmt;
use std::collections::{BTreeMap, VecDeque};

/// A run that was put together.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged {
    /// The run.
    pub recording: Recording,
    /// How many recorded steps are left out, because they depend on something that nobody has recorded.
    pub left_out: usize,
}

/// Why recordings are not parts of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MergeError {
    /// There are none.
    Nothing,
    /// This one, counted from 0, begins otherwise than the first: in this.
    Different(usize, &'static str),
    /// This one has a step of a process that there is not.
    NoSuchProcess(usize, u32),
    /// This one and that one both have the steps of this process, from its start.
    Twice(usize, usize, u32),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Nothing => f.write_str("there are no parts"),
            MergeError::Different(part, what) => {
                write!(f, "part {} is of another run than part 1: {what} differ", part + 1)
            }
            MergeError::NoSuchProcess(part, process) => {
                write!(f, "part {} has a step of process {process}, which there is not", part + 1)
            }
            MergeError::Twice(first, second, process) => {
                write!(f, "parts {} and {} both have the start of process {process}", first + 1, second + 1)
            }
        }
    }
}

impl std::error::Error for MergeError {}

/// Puts the parts of a run together. The order of the parts does not matter, except between those of one
/// process, of which all but one begin with its recovery. `bypass` says that they are of a one-way ring which is closed
/// over who is down: there nobody may be told of a crash, and only the way of a message shows it.
///
/// # Errors
/// If they are not parts of one run.
pub fn merge(parts: &[Recording], bypass: bool) -> Result<Merged, MergeError> {
    let first = parts.first().ok_or(MergeError::Nothing)?;
    for (place, part) in parts.iter().enumerate() {
        if let Some(what) = difference(&first.header, &part.header) {
            return Err(MergeError::Different(place, what));
        }
    }
    let mut merging = Merging::new(parts, first.header.n, bypass)?;
    while let Some(process) = merging.next() {
        merging.take(process);
    }
    let left_out = merging.waiting.iter().map(VecDeque::len).sum();
    Ok(Merged { recording: Recording { header: first.header.clone(), events: merging.events }, left_out })
}

/// Which of the parts under one number are of the run in which most took part, or of the first of those. Members
/// that do not hear each other may begin two under one number, each with those whom it hears.
#[must_use]
pub fn of_one_run(parts: &[Recording]) -> Vec<bool> {
    let with = |part: &Recording| -> Vec<bool> {
        parts.iter().map(|other| difference(&part.header, &other.header).is_none()).collect()
    };
    let count = |ours: &Vec<bool>| ours.iter().filter(|ours| **ours).count();
    parts.iter().rev().map(with).max_by_key(count).unwrap_or_default()
}

fn difference(one: &Header, other: &Header) -> Option<&'static str> {
    let checks = [
        (one.algorithm == other.algorithm, "the algorithms"),
        (one.n == other.n, "the numbers of processes"),
        (one.ids == other.ids, "the identities"),
        (one.settings == other.settings, "the settings"),
        (one.topology == other.topology && one.neighbours == other.neighbours, "the networks"),
        (one.ports == other.ports, "the numberings of ports"),
        (one.seed == other.seed, "the epochs"),
    ];
    checks.iter().find(|(same, _)| !same).map(|(_, what)| *what)
}

/// What is under way.
struct Merging {
    /// The steps of each process that are to come.
    waiting: Vec<VecDeque<Event>>,
    /// How many of them come before the process comes back, or ends.
    until_down: Vec<usize>,
    down: Vec<bool>,
    /// Whether a message that passes a process by shows that it is down.
    bypass: bool,
    /// The final numbers of the messages that were sent and have not arrived.
    sent: BTreeMap<u64, VecDeque<u64>>,
    count: u64,
    events: Vec<Event>,
}

impl Merging {
    fn new(parts: &[Recording], n: u32, bypass: bool) -> Result<Merging, MergeError> {
        let mut waiting: Vec<VecDeque<Event>> = (0..n).map(|_| VecDeque::new()).collect();
        let mut begun: Vec<Option<usize>> = vec![None; n as usize];
        // A process begins with the part that does not begin with its recovery; then they come as they are given.
        let recovers =
            |part: &Recording| matches!(part.events.first(), Some(event) if event.input == Input::Recover);
        let mut in_order: Vec<(usize, &Recording)> = parts.iter().enumerate().collect();
        in_order.sort_by_key(|(_, part)| recovers(part));
        for (place, part) in in_order {
            // Whoever comes back counts from then on: that is after everything that it did before.
            let before = part.events.first().and_then(|event| waiting.get(event.process as usize)?.back());
            let offset = before.map_or(0, |last| last.time);
            for (step, event) in part.events.iter().enumerate() {
                let Some(queue) = waiting.get_mut(event.process as usize) else {
                    return Err(MergeError::NoSuchProcess(place, event.process));
                };
                if step == 0 && !recovers(part) {
                    if let Some(first) = begun[event.process as usize] {
                        return Err(MergeError::Twice(first, place, event.process));
                    }
                    begun[event.process as usize] = Some(place);
                }
                queue.push_back(Event { time: event.time.saturating_add(offset), ..event.clone() });
            }
        }
        let until_down = waiting.iter().map(lives).collect();
        Ok(Merging {
            waiting,
            until_down,
            down: vec![false; n as usize],
            bypass,
            sent: BTreeMap::new(),
            count: 0,
            events: Vec::new(),
        })
    }

    /// Whose step is next: of those whose messages have been sent, the earliest.
    fn next(&self) -> Option<u32> {
        let ready = self.waiting.iter().enumerate().filter_map(|(process, queue)| {
            let event = queue.front()?;
            self.is_ready(event).then_some((event.time, process as u32))
        });
        ready.min().map(|(_, process)| process)
    }

    fn is_ready(&self, event: &Event) -> bool {
        // Whoever counts as down has done everything that it does before it is.
        if let Input::Suspect(who) = event.input {
            return self.is_spent(who) || self.ends_never(who);
        }
        if self.passed_by(event).any(|who| !self.is_spent(who)) {
            return false;
        }
        let is_sent = |message| self.sent.get(message).is_some_and(|numbers| !numbers.is_empty());
        event.input.arrivals().iter().all(|arrival| is_sent(&arrival.message))
    }

    /// Whom its messages pass by.
    fn passed_by(&self, event: &Event) -> impl Iterator<Item = u32> + use<> {
        let n = self.waiting.len() as u32;
        let (process, furthest) = (event.process, event.sends.iter().filter(|_| self.bypass));
        let steps = furthest.map(|sent| (sent.to + n - process - 1) % n).max().unwrap_or(0);
        (1..=steps).map(move |step| (process + step) % n)
    }

    /// Whether everything that it did before it went down is in the run.
    fn is_spent(&self, who: u32) -> bool {
        self.until_down.get(who as usize).is_none_or(|&left| left == 0)
    }

    /// Whether it cannot go on: what it waits for was never recorded.
    fn ends_never(&self, who: u32) -> bool {
        let queue = self.waiting.get(who as usize).and_then(VecDeque::front);
        queue.is_some_and(|event| matches!(event.input, Input::Suspect(_)))
    }

    fn take(&mut self, process: u32) {
        let Some(mut event) = self.waiting[process as usize].pop_front() else { return };
        self.passed_by(&event).for_each(|who| self.crash(who, event.time));
        if let Input::Deliver(arrivals) = &mut event.input {
            for Arrival { message, .. } in arrivals {
                let number = self.sent.get_mut(message).and_then(VecDeque::pop_front);
                *message = number.unwrap_or(*message);
            }
        } else if let Input::Suspect(who) = event.input {
            if self.is_spent(who) {
                self.crash(who, event.time);
            }
        } else if event.input == Input::Recover {
            self.crash(process, event.time);
            self.down[process as usize] = false;
            self.until_down[process as usize] = 1 + lives(&self.waiting[process as usize]);
        }
        let left = &mut self.until_down[process as usize];
        *left = left.saturating_sub(1);
        for sent in &mut event.sends {
            self.sent.entry(sent.message).or_default().push_back(self.count);
            sent.message = self.count;
            self.count += 1;
        }
        self.push(event);
    }

    /// It goes down, unless it is.
    fn crash(&mut self, process: u32, time: u64) {
        if let Some(down) = self.down.get_mut(process as usize)
            && !std::mem::replace(down, true)
        {
            self.push(Event::bare(time, process, Input::Crash));
        }
    }

    fn push(&mut self, event: Event) {
        let time = self.events.last().map_or(0, |last| last.time).max(event.time);
        self.events.push(Event { time, ..event });
    }
}

/// How many steps come before it comes back.
fn lives(queue: &VecDeque<Event>) -> usize {
    queue.iter().position(|event| event.input == Input::Recover).unwrap_or(queue.len())
}
