//! Where everything goes: lanes, moments, marks and messages, in pixels. Whoever draws needs to know nothing else.

use super::edges::{self, Edge};
use super::labels::{self, Label};
use ringleader::trace::{Event, Header, History, Standing, Window};

/// A place in the picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downward.
    pub y: f64,
}

/// A drawing before it is drawn.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Time goes to the right instead of downward.
    pub rightward: bool,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// One lane for each process that is shown, in order.
    pub lanes: Vec<Lane>,
    /// The moments, in order: rounds, times or steps.
    pub bands: Vec<Band>,
    /// Where a process waits, is inside, or is down.
    pub spans: Vec<Span>,
    /// The steps.
    pub marks: Vec<Mark>,
    /// The messages.
    pub edges: Vec<Edge>,
    /// The kinds of messages, in the order of their first appearance in the whole run.
    pub kinds: Vec<String>,
    /// The texts beside messages, where there is room.
    pub labels: Vec<Label>,
}

/// The lane of a process.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// Whose it is.
    pub process: u32,
    /// Its name, with its identity where it has one.
    pub name: String,
    /// Where it begins.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
    /// Whether its name does not fit side by side with the others, and is turned.
    pub is_turned: bool,
}

/// One moment: everything that has the same time.
#[derive(Clone, PartialEq, Debug)]
pub struct Band {
    /// When, in words; empty where there is no room.
    pub name: String,
    /// Along the lanes: where it begins.
    pub from: f64,
    /// Where its first step is.
    pub at: f64,
    /// Where it ends.
    pub to: f64,
}

/// What a process is doing for a while.
#[derive(Clone, PartialEq, Debug)]
pub struct Span {
    /// Who.
    pub process: u32,
    /// What.
    pub kind: SpanKind,
    /// The step with which it begins, if that is shown.
    pub step: Option<usize>,
    /// From here.
    pub from: Point,
    /// To here.
    pub to: Point,
}

/// What a process can be doing for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpanKind {
    /// Its user waits.
    Waiting,
    /// Its user is inside.
    Inside,
    /// It is down.
    Down,
}

/// A step.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// Its number, from 0.
    pub step: usize,
    /// Whose it is.
    pub process: u32,
    /// Where.
    pub at: Point,
}

/// The sizes that go with so many lanes and rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// From lane to lane.
    pub(super) lane: f64,
    /// From moment to moment.
    pub(super) row: f64,
    /// Between steps of the same moment.
    pub(super) slot: f64,
    /// Before the first lane and after the last.
    pub(super) margin: f64,
    /// For the names of the moments.
    pub(super) gutter: f64,
    /// For the names of the lanes, at each end.
    pub(super) heading: f64,
}

impl Scale {
    fn new(lanes: usize, rows: usize, widest_name: f64, header: &Header, rightward: bool) -> Scale {
        let step = |table: &[(usize, f64)], count: usize, least: f64| {
            table.iter().find(|(most, _)| count <= *most).map_or(least, |(_, size)| *size)
        };
        let (lane, row) = if rightward {
            (
                step(&[(8, 64.0), (16, 52.0), (32, 40.0), (64, 28.0)], lanes, 18.0),
                step(&[(14, 92.0), (40, 68.0), (100, 44.0), (300, 26.0)], rows, 16.0),
            )
        } else {
            (
                step(&[(4, 128.0), (6, 112.0), (10, 96.0), (16, 76.0), (32, 48.0), (64, 30.0)], lanes, 20.0),
                step(&[(24, 46.0), (60, 38.0), (160, 28.0), (400, 20.0)], rows, 14.0),
            )
        };
        let lane = if lanes <= 16 && !rightward { lane.max(widest_name + 14.0) } else { lane };
        let is_round = header.schedule == "rounds";
        let turned = !rightward && widest_name + 8.0 > lane;
        Scale {
            lane,
            row,
            slot: (row * 0.5).clamp(12.0, 30.0),
            margin: lane * 0.5 + 22.0,
            gutter: if rightward {
                26.0
            } else if is_round {
                66.0
            } else {
                56.0
            },
            heading: if rightward || turned { widest_name + 22.0 } else { 30.0 },
        }
    }
}

impl Layout {
    /// The layout of the part of a run that a window shows.
    #[must_use]
    pub fn new(history: &History<'_>, window: &Window, rightward: bool) -> Layout {
        let header = &history.recording.header;
        let names: Vec<String> = window.processes.iter().map(|&process| name(header, process)).collect();
        let widest = names.iter().map(|name| labels::width(name, 12.0)).fold(0.0, f64::max);
        let moments = Moments::of(history, window);
        let scale = Scale::new(names.len(), moments.rows(), widest, header, rightward);
        let rows = moments.place(history, &scale);
        let place = Placed::new(window, rows, scale, rightward);
        let mut layout = Layout {
            rightward,
            width: 0.0,
            height: 0.0,
            lanes: place.lanes(&names, widest),
            bands: place.rows.bands.clone(),
            spans: spans(history, window, &place),
            marks: marks(history, window, &place),
            edges: Vec::new(),
            kinds: kinds(history),
            labels: Vec::new(),
        };
        let tail = if rightward { 20.0 } else { scale.heading };
        let end = place.at(place.last_across() + scale.margin, place.rows.end + tail);
        (layout.width, layout.height) = (end.x, end.y);
        layout.edges = edges::all(history, window, &layout.kinds, &place);
        layout.labels = labels::place(history, &layout);
        layout
    }

    /// Where this step is, if it is shown.
    #[must_use]
    pub fn at(&self, step: usize) -> Option<Point> {
        let found = self.marks.binary_search_by_key(&step, |mark| mark.step).ok()?;
        Some(self.marks[found].at)
    }
}

/// The name of a lane.
fn name(header: &Header, process: u32) -> String {
    match header.ids.get(process as usize) {
        Some(id) => format!("p{process} · id {id}"),
        None => format!("p{process}"),
    }
}

/// The kinds of messages of a run, in the order of their first appearance.
fn kinds(history: &History<'_>) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for passage in &history.messages {
        if !kinds.iter().any(|kind| *kind == passage.sent.kind) {
            kinds.push(passage.sent.kind.to_string());
        }
    }
    kinds
}

/// The moments that a window shows: time, and the slots that its steps take.
struct Moments {
    shown: Vec<(u64, u32, usize, usize)>, // time, last slot, first step, last step
}

/// Where the moments are, along the lanes.
pub(super) struct Rows {
    pub(super) bands: Vec<Band>,
    times: Vec<u64>,
    slot: f64,
    /// Where the lanes begin and end.
    pub(super) start: f64,
    pub(super) end: f64,
}

impl Moments {
    fn of(history: &History<'_>, window: &Window) -> Moments {
        let mut shown: Vec<(u64, u32, usize, usize)> = Vec::new();
        for step in window.steps.clone() {
            let Some(event) = history.recording.events.get(step) else { break };
            if !window.has(event.process) {
                continue;
            }
            let slot = history.steps[step].slot;
            match shown.last_mut() {
                Some((time, slots, _, last)) if *time == event.time => {
                    *slots = slot.max(*slots);
                    *last = step;
                }
                Some(_) | None => shown.push((event.time, slot, step, step)),
            }
        }
        Moments { shown }
    }

    fn rows(&self) -> usize {
        self.shown.iter().map(|(_, slots, ..)| 1 + *slots as usize / 2).sum()
    }

    fn place(&self, history: &History<'_>, scale: &Scale) -> Rows {
        let header = &history.recording.header;
        let start = scale.heading;
        let mut at = start + scale.row * 0.6;
        let mut bands: Vec<Band> = Vec::new();
        let mut before: Option<u64> = None;
        let mut named = f64::MIN;
        for &(time, slots, first, last) in &self.shown {
            if let Some(before) = before {
                let passed = (time - before) as f64 / header.ticks_per_unit.max(1) as f64;
                // On a clock the distance shows the time that passed, within reason.
                let gap = if header.ticks_per_unit > 1 {
                    scale.row * (0.3 + passed).clamp(0.5, 2.0)
                } else {
                    scale.row
                };
                at += gap;
                if let Some(band) = bands.last_mut() {
                    band.to = at - gap / 2.0;
                }
            }
            let from = bands.last().map_or(start, |band| band.to);
            let mut name = moment(header, time, first, last);
            if at - named < 13.0 {
                name.clear();
            } else {
                named = at;
            }
            let first_at = at;
            at += f64::from(slots) * scale.slot;
            bands.push(Band { name, from, at: first_at, to: at + scale.row / 2.0 });
            before = Some(time);
        }
        let end = at + scale.row * 0.9;
        if let Some(band) = bands.last_mut() {
            band.to = at + scale.row * 0.45;
        }
        Rows { bands, times: self.shown.iter().map(|shown| shown.0).collect(), slot: scale.slot, start, end }
    }
}

/// The name of a moment.
fn moment(header: &Header, time: u64, first: usize, last: usize) -> String {
    if header.schedule == "rounds" {
        format!("round {time}")
    } else if header.ticks_per_unit > 1 {
        format!("{:.2}", time as f64 / header.ticks_per_unit as f64)
    } else if first == last {
        format!("{}", first + 1)
    } else {
        format!("{}–{}", first + 1, last + 1)
    }
}

/// Where processes and steps are.
pub(super) struct Placed<'a> {
    window: &'a Window,
    pub(super) rows: Rows,
    pub(super) scale: Scale,
    pub(super) rightward: bool,
}

impl<'a> Placed<'a> {
    fn new(window: &'a Window, rows: Rows, scale: Scale, rightward: bool) -> Placed<'a> {
        Placed { window, rows, scale, rightward }
    }

    /// The place across and along the lanes, in the picture.
    pub(super) fn at(&self, across: f64, along: f64) -> Point {
        if self.rightward { Point { x: along, y: across } } else { Point { x: across, y: along } }
    }

    /// Where the lane of this process is, if it is shown.
    pub(super) fn across(&self, process: u32) -> Option<f64> {
        self.window.processes.binary_search(&process).ok().map(|place| self.lane_across(place))
    }

    fn lane_across(&self, place: usize) -> f64 {
        self.scale.gutter + self.scale.margin + place as f64 * self.scale.lane
    }

    fn last_across(&self) -> f64 {
        self.lane_across(self.window.processes.len().saturating_sub(1))
    }

    /// Where this step is along the lanes, if it is shown.
    pub(super) fn along(&self, history: &History<'_>, step: usize) -> Option<f64> {
        let event = history.recording.events.get(step)?;
        if !self.window.shows(step, event.process) {
            return None;
        }
        self.row(event, history.steps[step].slot)
    }

    fn row(&self, event: &Event, slot: u32) -> Option<f64> {
        let band = self.rows.times.binary_search(&event.time).ok()?;
        Some(self.rows.bands[band].at + f64::from(slot) * self.rows.slot)
    }

    fn lanes(&self, names: &[String], widest: f64) -> Vec<Lane> {
        let lanes = self.window.processes.iter().zip(names).enumerate();
        lanes
            .map(|(place, (&process, name))| Lane {
                process,
                name: name.clone(),
                from: self.at(self.lane_across(place), self.rows.start),
                to: self.at(self.lane_across(place), self.rows.end),
                is_turned: !self.rightward && widest + 8.0 > self.scale.lane,
            })
            .collect()
    }
}

fn marks(history: &History<'_>, window: &Window, place: &Placed<'_>) -> Vec<Mark> {
    let steps = window.steps.clone().filter(|&step| history.steps.get(step).is_some_and(|s| s.is_local));
    steps
        .filter_map(|step| {
            let process = history.recording.events[step].process;
            let at = place.at(place.across(process)?, place.along(history, step)?);
            Some(Mark { step, process, at })
        })
        .collect()
}

fn spans(history: &History<'_>, window: &Window, place: &Placed<'_>) -> Vec<Span> {
    let mut spans = Vec::new();
    for &process in &window.processes {
        let Some(across) = place.across(process) else { continue };
        let mut open: Option<(SpanKind, Option<usize>, f64)> = None;
        let mut close = |open: &mut Option<(SpanKind, Option<usize>, f64)>, end: f64| {
            if let Some((kind, step, from)) = open.take() {
                let (from, to) = (place.at(across, from), place.at(across, end));
                spans.push(Span { process, kind, step, from, to });
            }
        };
        for (step, event) in history.recording.events.iter().enumerate().take(window.steps.end) {
            if event.process != process || !history.steps[step].is_local {
                continue;
            }
            let kind = match history.steps[step].standing {
                Standing::Waiting => Some(SpanKind::Waiting),
                Standing::Inside => Some(SpanKind::Inside),
                Standing::Down => Some(SpanKind::Down),
                Standing::Open
                | Standing::Leads
                | Standing::Lost
                | Standing::Synchronised
                | Standing::OutOfContact => None,
            };
            if open.as_ref().map(|open| open.0) == kind {
                continue;
            }
            let shown = place.along(history, step);
            let along = shown.unwrap_or(place.rows.start);
            close(&mut open, along);
            open = kind.map(|kind| (kind, shown.map(|_| step), along));
        }
        close(&mut open, place.rows.end);
    }
    spans.retain(|span| span.from != span.to);
    spans
}
