//! Messages as lines: straight where both lanes are there, in two halves where the ring closes, cut off where the other
//! end is not shown.

use super::layout::{Placed, Point};
use ringleader::trace::{End, History, Passage, Window};
use std::collections::BTreeSet;

/// A message.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Its number.
    pub message: u64,
    /// Its kind, an index into the kinds of the layout.
    pub kind: usize,
    /// The line, in one piece or two.
    pub pieces: Vec<Piece>,
    /// How it ends.
    pub end: EdgeEnd,
    /// Names of the other end, where the line does not lead to it.
    pub stubs: Vec<Stub>,
    /// Where a copy leaves its original, if it is one.
    pub fork: Option<Point>,
}

/// A piece of a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Piece {
    /// Straight.
    Line(Point, Point),
    /// A message to oneself: beginning, two control points, end.
    Loop([Point; 4]),
}

impl Piece {
    /// Its two ends.
    #[must_use]
    pub fn ends(&self) -> (Point, Point) {
        match self {
            Piece::Line(from, to) => (*from, *to),
            Piece::Loop([from, _, _, to]) => (*from, *to),
        }
    }

    /// The point from which it comes to its end: it gives the arrowhead its direction.
    #[must_use]
    pub fn comes_from(&self) -> Point {
        match self {
            Piece::Line(from, _) => *from,
            Piece::Loop([_, _, before, _]) => *before,
        }
    }
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeEnd {
    /// With an arrowhead: it arrived.
    Arrives,
    /// It arrives, but not in this window.
    Later,
    /// It is still on its way.
    InTransit,
    /// With a cross: it was lost, or found its receiver down.
    Lost,
}

/// The name of a process at the end of a line that does not lead to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Stub {
    /// Where.
    pub at: Point,
    /// In which direction the text goes from there: along x, negative for leftwards.
    pub side: f64,
    /// The process.
    pub process: u32,
}

/// All messages of which something is shown.
pub(super) fn all(history: &History<'_>, window: &Window, kinds: &[String], place: &Placed<'_>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    // Of all that a step sends to one side of the picture, one line is enough: they lie on each other.
    let mut stubs: BTreeSet<(usize, bool, bool)> = BTreeSet::new();
    for passage in &history.messages {
        let kind = kinds.iter().position(|kind| *kind == passage.sent.kind).unwrap_or(0);
        let builder = Builder { history, window, place, passage };
        let (comes, goes) = (place.across(passage.from).is_none(), place.across(passage.sent.to).is_none());
        if goes != comes {
            let step = if goes { passage.sender } else { passage.end.step().unwrap_or(passage.sender) };
            if !stubs.insert((step, goes, builder.direction() > 0.0)) {
                continue;
            }
        }
        if let Some(mut edge) = builder.edge(kind) {
            if passage.doubled.is_some() || passage.is_copy {
                edge.fork = edge.pieces.first().map(near_start);
            }
            edges.push(edge);
        }
    }
    edges
}

/// A little after the beginning of a line.
fn near_start(piece: &Piece) -> Point {
    let (from, to) = piece.ends();
    between(from, to, 0.2)
}

fn between(from: Point, to: Point, share: f64) -> Point {
    Point { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}

struct Builder<'a> {
    history: &'a History<'a>,
    window: &'a Window,
    place: &'a Placed<'a>,
    passage: &'a Passage<'a>,
}

impl Builder<'_> {
    fn edge(&self, kind: usize) -> Option<Edge> {
        let Builder { history, place, passage, .. } = *self;
        let sent_at = place.along(history, passage.doubled.unwrap_or(passage.sender));
        let ended_at = passage.end.step().and_then(|step| place.along(history, step));
        if sent_at.is_none() && ended_at.is_none() {
            return None;
        }
        let (from, to) = (place.across(passage.from), place.across(passage.sent.to));
        let end = match passage.end {
            End::Arrived(_) if ended_at.is_some() => EdgeEnd::Arrives,
            End::Arrived(_) => EdgeEnd::Later,
            End::Missed(_) | End::Lost(_) if ended_at.is_none() => EdgeEnd::Later,
            End::Missed(_) | End::Lost(_) | End::LostAtOnce => EdgeEnd::Lost,
            End::InTransit => EdgeEnd::InTransit,
        };
        let (scale, rows) = (&place.scale, &place.rows);
        // Where it begins and ends along the lanes; at the edge where that is not shown.
        let begin = sent_at.unwrap_or(rows.start);
        let stop = match (passage.end, ended_at) {
            (End::LostAtOnce, _) => begin + scale.row * 0.8,
            (_, Some(along)) => along,
            (_, None) => rows.end,
        };
        // How much of the way is drawn.
        let share = match passage.end {
            End::LostAtOnce => 0.55,
            End::Lost(_) => 0.6,
            End::InTransit => 0.82,
            End::Arrived(_) | End::Missed(_) => 1.0,
        };
        let mut edge =
            Edge { message: passage.message, kind, pieces: Vec::new(), end, stubs: Vec::new(), fork: None };
        match (from, to) {
            (Some(from), Some(to)) if passage.from == passage.sent.to => {
                let out = scale.lane * 0.42;
                let at = |across: f64, along: f64| place.at(across, along);
                let middle = if end == EdgeEnd::Lost && share < 1.0 { out } else { 0.0 };
                edge.pieces.push(Piece::Loop([
                    at(from, begin),
                    at(from + out, begin + (stop - begin) * 0.15),
                    at(to + out, stop - (stop - begin) * 0.15),
                    at(to + middle, stop),
                ]));
            }
            (Some(from), Some(to)) => match self.wraps() {
                Some(direction) => self.wrap(&mut edge, (from, begin), (to, stop), direction, share),
                None => {
                    let (start, goal) = (place.at(from, begin), place.at(to, stop));
                    let share = if end == EdgeEnd::Later { 0.9 } else { share };
                    edge.pieces.push(Piece::Line(start, between(start, goal, share)));
                }
            },
            (Some(from), None) => {
                sent_at?;
                let direction = self.direction();
                let reach = scale.lane * 0.44 * direction;
                let tip = place.at(from + reach, begin + scale.row * 0.4);
                edge.pieces.push(Piece::Line(place.at(from, begin), tip));
                edge.stubs.push(Stub { at: tip, side: direction, process: passage.sent.to });
                if matches!(passage.end, End::Arrived(_)) {
                    edge.end = EdgeEnd::Later;
                }
            }
            (None, Some(to)) => {
                ended_at?;
                let direction = -self.direction();
                let tail = place.at(to + scale.lane * 0.44 * direction, stop - scale.row * 0.4);
                edge.pieces.push(Piece::Line(tail, place.at(to, stop)));
                edge.stubs.push(Stub { at: tail, side: direction, process: passage.from });
            }
            (None, None) => return None,
        }
        Some(edge)
    }

    /// The side towards which the receiver lies: the short way round where it is a neighbour on the ring.
    fn direction(&self) -> f64 {
        let (from, to) = (self.passage.from, self.passage.sent.to);
        let n = self.history.recording.header.n;
        let is_ring = self.history.recording.header.topology == "ring";
        let clockwise = if is_ring && n > 2 { (from + 1) % n == to } else { to > from };
        let counter = is_ring && n > 2 && (to + 1) % n == from;
        if clockwise || (!counter && to > from) { 1.0 } else { -1.0 }
    }

    /// Whether it goes from the last lane to the first, or back, where the ring closes; and to which side.
    fn wraps(&self) -> Option<f64> {
        let header = &self.history.recording.header;
        let (from, to) = (self.passage.from, self.passage.sent.to);
        let closes = header.topology == "ring" && header.n > 2 && from.abs_diff(to) == header.n - 1;
        (closes && self.window.processes.len() > 2).then(|| if from > to { 1.0 } else { -1.0 })
    }

    /// The two halves of a line that leaves at one edge of the picture and comes in at the other, as if the picture
    /// were rolled up.
    fn wrap(&self, edge: &mut Edge, from: (f64, f64), to: (f64, f64), direction: f64, share: f64) {
        let place = self.place;
        let lane = place.scale.lane * direction;
        let beyond = place.at(from.0 + lane, to.1);
        let start = place.at(from.0, from.1);
        if edge.end == EdgeEnd::Arrives || (edge.end == EdgeEnd::Lost && share >= 1.0) {
            let out = between(start, beyond, 0.5);
            let goal = place.at(to.0, to.1);
            let before = place.at(to.0 - lane, from.1);
            let back = between(before, goal, 0.5);
            edge.pieces = vec![Piece::Line(start, out), Piece::Line(back, goal)];
            edge.stubs = vec![
                Stub { at: out, side: direction, process: self.passage.sent.to },
                Stub { at: back, side: -direction, process: self.passage.from },
            ];
        } else {
            let out = between(start, beyond, 0.5);
            edge.pieces = vec![Piece::Line(start, out)];
            edge.stubs = vec![Stub { at: out, side: direction, process: self.passage.sent.to }];
        }
    }
}
