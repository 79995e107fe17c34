//! A snapshot of a recorded run: Chandy and Lamport's markers travel beside its messages, and disturb nothing.
//!
//! A marker takes one unit of time, longer behind messages that take longer, and never as long as a message that was
//! sent after it by the same link. What is noted is a state that the run could have been in: a *consistent cut*.
//! Whether it is one is asked of the vector clocks of the run, which know nothing of markers.

use super::{Event, Fate, History, Input, Recording, VectorClocks, Window, message};
use crate::model::Snapshot;
use std::collections::{BTreeMap, VecDeque};

/// The local variables of a process, as text.
pub type Variables = Vec<(&'static str, String)>;

/// A snapshot that was taken of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Who began it.
    pub by: u32,
    /// What each process noted of itself, by index.
    pub parts: Vec<Part>,
    /// The messages that were noted on their way, link by link; links without any are left out.
    pub links: Vec<OnTheWay>,
    /// How many markers were sent: one for each link.
    pub markers: usize,
    /// Whether no step in it follows from one that is not.
    pub is_consistent: bool,
}

/// What a process noted of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// When, in ticks.
    pub time: u64,
    /// How many steps of the run had been taken, by whomever.
    pub steps: usize,
    /// Its local variables.
    pub state: Variables,
}

/// What was on its way by a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OnTheWay {
    /// From this process.
    pub from: u32,
    /// To this one.
    pub to: u32,
    /// The messages, oldest first.
    pub messages: Vec<String>,
}

/// A link of the network of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wire {
    /// From this process.
    pub from: u32,
    /// By this port of it.
    pub out: u32,
    /// To this process.
    pub to: u32,
    /// At this port of it.
    pub arrival: u32,
}

/// How everybody is before the first step, and whoever moved after each.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct States {
    /// Before the first step, by index.
    pub first: Vec<Variables>,
    /// After each step: how the process is that it happened to.
    pub after: Vec<Variables>,
}

/// What is in a link.
enum Item {
    Message(u64, String),
    Marker { due: u64 },
}

struct Taking<'a> {
    recording: &'a Recording,
    wires: &'a [Wire],
    /// By the place of the wire.
    links: Vec<VecDeque<Item>>,
    /// For each process the wires into it.
    into: Vec<Vec<usize>>,
    parts: Vec<Snapshot<Part, String>>,
    now: Vec<Variables>,
    steps: usize,
    /// The time of the last step.
    time: u64,
}

/// Takes a snapshot that this process begins after everything that happens up to a time, in ticks.
#[must_use]
pub fn snapshot(recording: &Recording, states: &States, wires: &[Wire], by: u32, at: u64) -> Cut {
    let n = recording.header.n as usize;
    let into: Vec<Vec<usize>> =
        (0..n).map(|to| (0..wires.len()).filter(|&wire| wires[wire].to as usize == to).collect()).collect();
    let mut taking = Taking {
        recording,
        wires,
        links: wires.iter().map(|_| VecDeque::new()).collect(),
        parts: into.iter().map(|wires| Snapshot::new(wires.len())).collect(),
        into,
        now: states.first.clone(),
        steps: 0,
        time: 0,
    };
    let mut begun = false;
    for (event, after) in recording.events.iter().zip(&states.after) {
        if !begun && event.time > at {
            begun = true;
            taking.begin(by, at);
        }
        taking.markers_until(event.time);
        taking.event(event, after);
    }
    if !begun {
        taking.begin(by, at.max(recording.events.last().map_or(0, |event| event.time)));
    }
    taking.markers_until(u64::MAX);
    taking.cut(by)
}

impl Taking<'_> {
    fn begin(&mut self, who: u32, time: u64) {
        let part = self.part(who, time);
        if self.parts[who as usize].begin(part) {
            self.send_markers(who, time);
        }
    }

    fn part(&self, who: u32, time: u64) -> Part {
        Part { time, steps: self.steps, state: self.now[who as usize].clone() }
    }

    fn send_markers(&mut self, who: u32, time: u64) {
        let due = time.saturating_add(self.recording.header.ticks_per_unit.max(1));
        for (wire, link) in self.wires.iter().zip(&mut self.links) {
            if wire.from == who {
                link.push_back(Item::Marker { due });
            }
        }
    }

    /// The markers arrive that are due before this time, and those that follow from them.
    fn markers_until(&mut self, time: u64) {
        loop {
            let heads = self.links.iter().enumerate().filter_map(|(place, link)| match link.front() {
                Some(&Item::Marker { due }) if due < time => Some((due, place)),
                Some(Item::Marker { .. } | Item::Message(..)) | None => None,
            });
            let Some((due, place)) = heads.min() else { return };
            self.marker(place, due);
        }
    }

    fn marker(&mut self, place: usize, due: u64) {
        // It may have waited behind messages.
        let time = due.max(self.time);
        self.links[place].pop_front();
        let to = self.wires[place].to;
        let channel = self.channel(place);
        let part = self.part(to, time);
        if self.parts[to as usize].marker(channel, part) {
            self.send_markers(to, time);
        }
    }

    /// The number of a wire among those into its process.
    fn channel(&self, place: usize) -> usize {
        let into = &self.into[self.wires[place].to as usize];
        into.iter().position(|&wire| wire == place).unwrap_or(into.len())
    }

    fn event(&mut self, event: &Event, after: &Variables) {
        self.time = event.time;
        for arrival in event.input.arrivals() {
            let is_meant = |wire: &Wire| wire.to == event.process && wire.arrival == arrival.port;
            let Some(place) = self.wires.iter().position(is_meant) else { continue };
            // Markers in front of it arrive first: the link keeps the order.
            while let Some(Item::Marker { .. }) = self.links[place].front() {
                self.marker(place, event.time);
            }
            let number = arrival.message;
            let is_it = |item: &Item| matches!(item, Item::Message(other, _) if *other == number);
            if let Some(found) = self.links[place].iter().position(is_it)
                && let Some(Item::Message(_, text)) = self.links[place].remove(found)
            {
                let channel = self.channel(place);
                self.parts[event.process as usize].message(channel, &text);
            }
        }
        self.now[event.process as usize].clone_from(after);
        self.steps += 1;
        for sent in event.sends.iter().filter(|sent| sent.fate == Fate::Travels) {
            let is_taken = |wire: &Wire| wire.from == event.process && wire.out == sent.port;
            if let Some(place) = self.wires.iter().position(is_taken) {
                self.links[place].push_back(Item::Message(sent.message, message(sent)));
            }
        }
    }

    fn cut(self, by: u32) -> Cut {
        let mut links: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        for (place, wire) in self.wires.iter().enumerate() {
            let noted = self.parts[wire.to as usize].on_its_way(self.channel(place));
            if !noted.is_empty() {
                links.entry((wire.from, wire.to)).or_default().extend_from_slice(noted);
            }
        }
        let parts: Vec<Part> = self.parts.iter().filter_map(|part| part.state().cloned()).collect();
        let steps: Vec<usize> = parts.iter().map(|part| part.steps).collect();
        Cut {
            by,
            is_consistent: self.parts.iter().all(Snapshot::is_complete)
                && is_consistent(self.recording, &steps),
            parts,
            links: links.into_iter().map(|((from, to), messages)| OnTheWay { from, to, messages }).collect(),
            markers: self.wires.len(),
        }
    }
}

/// Whether a cut is consistent that has, of each process, its steps among the first so many of the run: whether no
/// process in it knows of more steps of another than are in it. The vector clocks say that.
#[must_use]
pub fn is_consistent(recording: &Recording, steps: &[usize]) -> bool {
    let history = History::of(recording);
    let window = Window::whole(&history);
    // How many steps of each process are in the cut, and what each knows of all at its last.
    let mut own = vec![0u64; steps.len()];
    let mut known = vec![None; steps.len()];
    for (number, clock) in VectorClocks::new(&history, &window) {
        let who = recording.events[number].process as usize;
        if steps.get(who).is_some_and(|&steps| number < steps) {
            own[who] += 1;
            known[who] = Some(clock);
        }
    }
    let knows_too_much = |clock: &super::VectorClock| {
        clock.iter().any(|&(other, count)| own.get(other as usize).is_none_or(|&own| count > own))
    };
    steps.len() == recording.header.n as usize && !known.iter().flatten().any(knows_too_much)
}

/// Whether nothing fails in a run: a marker, too, would be lost or doubled.
#[must_use]
pub fn is_without_faults(recording: &Recording) -> bool {
    recording.events.iter().all(|event| {
        let failed = matches!(event.input, Input::Crash | Input::Recover | Input::Lose(_) | Input::Double(_));
        !failed && event.sends.iter().all(|sent| sent.fate == Fate::Travels)
    })
}
