//! The verb `window`: a part of a large run, exactly. The run is made again, and its events are kept where they were
//! asked for; so nothing of it has to be kept in between.

use crate::event::Stand;
use crate::overview::range;
use crate::question::{RunRequest, read};
use crate::run::{make, watched};
use crate::source::Alive;
use crate::values::{Change, Values};
use crate::{Diagnostic, Stage, event, limits};
use ringleader::registry::Entry;
use ringleader::sim::{Crowd, Moved, Observer, Progress, Received};
use ringleader::trace::{Event, Header, Input, Narrator, Standing, Step};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::ops::ControlFlow;

/// A part of a large run, exactly: at most 200 processes and 2000 of their steps.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct WindowRequest {
    #[serde(flatten)]
    run: RunRequest,
    nodes: (u32, u32),
    steps: (u64, u64),
}

/// That part.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Window<'a> {
    nodes: (u32, u32),
    steps: (u64, u64),
    ids: &'a [u64],
    variables: &'a [&'static str],
    /// The values before the first of these steps.
    start: &'a [Vec<String>],
    standing: Vec<Stand>,
    #[cfg_attr(test, schemars(with = "Vec<crate::event::RunEvent<'static>>"))]
    events: Vec<Box<RawValue>>,
    /// Whether there are more events in it than were given.
    cut: bool,
}

/// The answer.
pub(crate) fn answer(stage: &Stage, question: &[u8], alive: Alive<'_>) -> Result<String, Diagnostic> {
    let request: WindowRequest = read("window", question)?;
    let made = make(stage, &request.run, alive)?;
    let nodes = range("processes", Some(request.nodes), made.report.n)?;
    let steps = range("steps", Some(request.steps), made.report.steps.max(1))?;
    if nodes.1 - nodes.0 > limits::SMALL_NODES {
        let message = format!("a window shows at most {} processes", limits::SMALL_NODES);
        return Err(Diagnostic::input("bad_question", message));
    }
    let mut near = Near::new(made.entry, nodes, steps, alive);
    watched(stage, &request.run, &mut near, alive)?;
    near.values.even_out();
    let answer = Window {
        nodes,
        steps,
        ids: &near.ids,
        variables: &near.values.names,
        start: &near.values.start,
        standing: near.standing.iter().map(|&standing| event::standing(standing)).collect(),
        events: near.lines.into_iter().filter_map(|line| RawValue::from_string(line).ok()).collect(),
        cut: near.cut,
    };
    Ok(serde_json::to_string(&answer).expect("plain data has a JSON form"))
}

/// The observer.
struct Near<'a> {
    entry: &'static Entry,
    nodes: (u32, u32),
    steps: (u64, u64),
    alive: Alive<'a>,
    taken: u64,
    /// Where the processes of the window stood before its first step.
    standing: Vec<Standing>,
    ids: Vec<u64>,
    values: Values,
    narrator: Narrator,
    ticks_per_unit: u64,
    /// The event of the step that is being taken.
    event: Option<Event>,
    lines: Vec<String>,
    cut: bool,
    /// Whether the window has been looked at before its first step.
    ready: bool,
}

impl<'a> Near<'a> {
    fn new(entry: &'static Entry, nodes: (u32, u32), steps: (u64, u64), alive: Alive<'a>) -> Near<'a> {
        Near {
            entry,
            nodes,
            steps,
            alive,
            taken: 0,
            standing: Vec::new(),
            ids: Vec::new(),
            values: Values::default(),
            narrator: Narrator::new(1),
            ticks_per_unit: 1,
            event: None,
            lines: Vec::new(),
            cut: false,
            ready: false,
        }
    }

    fn has(&self, process: u32) -> bool {
        (self.nodes.0..self.nodes.1).contains(&process)
    }

    /// Looks at everybody in the window, just before its first step.
    fn prepare(&mut self, crowd: &dyn Crowd) {
        self.ready = true;
        let inside = self.nodes.0..self.nodes.1;
        self.values.gather(inside.clone(), crowd);
        self.standing = inside.clone().map(|process| crowd.standing(process)).collect();
        self.ids = inside.filter_map(|process| crowd.id(process)).collect();
        let down = (self.nodes.0..).zip(&self.standing).filter(|(_, s)| **s == Standing::Down);
        self.narrator = Narrator::from(self.ticks_per_unit, down.map(|(process, _)| process));
    }

    fn tell(&mut self, happened: &Event, changes: &[Change], standing: Standing) {
        if self.lines.len() >= limits::WINDOW_EVENTS {
            self.cut = true;
            return;
        }
        let told = self.narrator.tell(happened);
        let moved = !matches!(happened.input, Input::Lose(_) | Input::Double(_));
        let step = Step {
            is_local: moved && (standing != Standing::Down || matches!(happened.input, Input::Crash)),
            causes: Vec::new(),
            depth: 0,
            slot: 0,
            standing,
        };
        let number = self.taken as usize;
        self.lines.push(event::line(self.entry, number, happened, &step, &told, changes, &[]));
    }
}

impl Observer for Near<'_> {
    fn wants_events(&self) -> bool {
        true
    }

    fn events_from(&self) -> u64 {
        self.steps.0
    }

    fn wants_moves(&self) -> bool {
        true
    }

    fn begins(&mut self, header: &dyn Fn() -> Header) {
        self.ticks_per_unit = header().ticks_per_unit;
    }

    fn gathers(&mut self, crowd: &dyn Crowd) {
        if self.steps.0 == 0 {
            self.prepare(crowd);
        }
    }

    fn starts_silently(&mut self, process: u32, crowd: &dyn Crowd) {
        if self.ready && self.lines.is_empty() && self.has(process) {
            self.values.settle(process, crowd);
        }
    }

    fn receives(&mut self, what: &dyn Fn() -> Received) {
        let Received { message, from, to, text } = what();
        if self.has(to) {
            self.narrator.hears(message, from, text);
        }
    }

    fn event(&mut self, event: &Event) {
        if self.has(event.process) {
            self.event = Some(event.clone());
        }
    }

    fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        let within = (self.steps.0..self.steps.1).contains(&self.taken);
        if let Some(happened) = self.event.take().filter(|_| within && self.ready) {
            let changes = self.values.changes(moved.process, crowd);
            self.tell(&happened, &changes, crowd.standing(moved.process));
        }
        self.taken += 1;
        if self.taken == self.steps.0 {
            self.prepare(crowd);
        }
    }

    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.taken >= self.steps.1 || self.cut || !(self.alive)() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
