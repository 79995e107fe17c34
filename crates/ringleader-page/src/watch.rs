//! Watches one run for the page: keeps its events and what changed in each, as long as it is small.

use crate::density::Density;
use crate::limits;
use crate::values::{Change, Values};
use ringleader::sim::{Crowd, Moved, Observer, Progress};
use ringleader::trace::{Event, Header};
use std::ops::ControlFlow;

/// What is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Closeness {
    /// Every event and every variable, until there are too many.
    Everything,
    /// How many messages are sent, step by step.
    Counts,
    /// Nothing: the fastest way.
    Nothing,
}

/// The observer.
pub(crate) struct Watch<'a> {
    closeness: Closeness,
    alive: &'a dyn Fn() -> bool,
    most_steps: u64,
    /// What is not an event.
    pub(crate) header: Option<Header>,
    /// The steps so far.
    pub(crate) events: Vec<Event>,
    /// What changed in each of them.
    pub(crate) changes: Vec<Vec<Change>>,
    /// The variables, before the first step and now.
    pub(crate) values: Values,
    /// Messages sent in each share of the steps.
    pub(crate) density: Density,
    /// There were more steps than are kept.
    pub(crate) overflowed: bool,
    /// Nobody waits for the answer any more.
    pub(crate) abandoned: bool,
    messages: u64,
}

impl<'a> Watch<'a> {
    /// Before a run. It is stopped after about so many steps, and when `alive` says no.
    pub(crate) fn new(closeness: Closeness, most_steps: u64, alive: &'a dyn Fn() -> bool) -> Watch<'a> {
        Watch {
            closeness,
            alive,
            most_steps,
            header: None,
            events: Vec::new(),
            changes: Vec::new(),
            values: Values::default(),
            density: Density::new(),
            overflowed: false,
            abandoned: false,
            messages: 0,
        }
    }

    fn keeps(&self) -> bool {
        self.closeness == Closeness::Everything && !self.overflowed
    }
}

impl Observer for Watch<'_> {
    fn wants_events(&self) -> bool {
        self.closeness == Closeness::Everything
    }

    fn wants_moves(&self) -> bool {
        self.closeness != Closeness::Nothing
    }

    fn begins(&mut self, header: &dyn Fn() -> Header) {
        if self.closeness == Closeness::Everything {
            self.header = Some(header());
        }
    }

    fn gathers(&mut self, crowd: &dyn Crowd) {
        if self.keeps() {
            self.values.gather(0..crowd.count(), crowd);
        }
    }

    fn starts_silently(&mut self, process: u32, crowd: &dyn Crowd) {
        // Before the first step it is how things were; later its next step tells of it.
        if self.keeps() && self.events.is_empty() {
            self.values.settle(process, crowd);
        }
    }

    fn event(&mut self, event: &Event) {
        if !self.keeps() {
            return;
        }
        if self.events.len() == limits::SMALL_STEPS {
            self.overflowed = true;
            (self.events, self.changes) = (Vec::new(), Vec::new());
            self.values = Values::default();
            return;
        }
        self.events.push(event.clone());
        self.changes.push(Vec::new());
    }

    fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        self.density.step(moved.messages - self.messages);
        self.messages = moved.messages;
        if !self.keeps() {
            return;
        }
        let changes = self.values.changes(moved.process, crowd);
        if let Some(last) = self.changes.last_mut() {
            last.extend(changes);
        }
    }

    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.abandoned |= !(self.alive)();
        let enough = self.abandoned || self.overflowed || progress.steps >= self.most_steps;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn ends(&mut self) {
        self.values.even_out();
    }
}
