//! Vector clocks of a recorded run, as tools that draw logs expect them.

use super::{History, Input, Window};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A vector clock: for each process that is known of, how many of its steps. Sorted by process.
pub type VectorClock = Rc<Vec<(u32, u64)>>;

/// Gives the steps of a run their vector clocks, one after the other.
///
/// Only steps inside a window tick, so that the clock of each process grows by one from each of its steps to the next,
/// whatever was left out; what was left out still hands on what it knew.
#[derive(Debug)]
pub struct VectorClocks<'a> {
    history: &'a History<'a>,
    window: &'a Window,
    at: usize,
    processes: Vec<VectorClock>,
    /// What a message on its way knows.
    messages: BTreeMap<u64, VectorClock>,
    crashes: BTreeMap<u32, VectorClock>,
}

impl<'a> VectorClocks<'a> {
    /// At the beginning of a run.
    #[must_use]
    pub fn new(history: &'a History<'a>, window: &'a Window) -> VectorClocks<'a> {
        let processes = vec![VectorClock::default(); history.recording.header.n as usize];
        VectorClocks {
            history,
            window,
            at: 0,
            processes,
            messages: BTreeMap::new(),
            crashes: BTreeMap::new(),
        }
    }
}

impl Iterator for VectorClocks<'_> {
    /// A step of a process in the window, and its clock.
    type Item = (usize, VectorClock);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let number = self.at;
            let event = self.history.recording.events.get(number)?;
            self.at += 1;
            if let Input::Double(arrival) = &event.input {
                let known = self.messages.get(&arrival.message).cloned();
                let copy = self.history.messages.iter().find(|passage| passage.doubled == Some(number));
                if let (Some(known), Some(copy)) = (known, copy) {
                    self.messages.insert(copy.message, known);
                }
            } else if let Input::Lose(arrival) = &event.input {
                self.messages.remove(&arrival.message);
            }
            let place = event.process as usize;
            if !self.history.steps[number].is_local || place >= self.processes.len() {
                continue;
            }
            let mut clock = Rc::clone(&self.processes[place]);
            for arrival in event.input.arrivals() {
                let known = self.messages.remove(&arrival.message).unwrap_or_default();
                clock = join(&clock, &known);
            }
            if let Input::Suspect(other) = &event.input {
                clock = join(&clock, &self.crashes.get(other).cloned().unwrap_or_default());
            }
            let is_shown = self.window.shows(number, event.process);
            if is_shown {
                clock = tick(&clock, event.process);
            }
            if event.input == Input::Crash {
                self.crashes.insert(event.process, Rc::clone(&clock));
            }
            for sent in &event.sends {
                self.messages.insert(sent.message, Rc::clone(&clock));
                if sent.fate == super::Fate::Doubled {
                    self.messages.insert(sent.message + 1, Rc::clone(&clock));
                }
            }
            self.processes[place] = Rc::clone(&clock);
            if is_shown {
                return Some((number, clock));
            }
        }
    }
}

/// What two clocks know together.
fn join(one: &VectorClock, other: &VectorClock) -> VectorClock {
    if other.is_empty() {
        return Rc::clone(one);
    }
    let mut joined = Vec::with_capacity(one.len() + other.len());
    let (mut left, mut right) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some((p, a)), Some((q, b))) if p == q => {
                joined.push((p, a.max(b)));
                left.next();
                right.next();
            }
            (Some(entry), Some((q, _))) if entry.0 < q => {
                joined.push(entry);
                left.next();
            }
            (_, Some(entry)) => {
                joined.push(entry);
                right.next();
            }
            (Some(entry), None) => {
                joined.push(entry);
                left.next();
            }
            (None, None) => return Rc::new(joined),
        }
    }
}

/// The clock one step of this process later.
fn tick(clock: &VectorClock, process: u32) -> VectorClock {
    let mut entries = clock.as_ref().clone();
    match entries.binary_search_by_key(&process, |&(p, _)| p) {
        Ok(place) => entries[place].1 += 1,
        Err(place) => entries.insert(place, (process, 1)),
    }
    Rc::new(entries)
}
