//! The texts beside messages, where there is room for them: never over a step or over each other, and over as few lines
//! as can be. What finds no room is still in the tooltip of its message.

use super::edges::{Edge, Piece};
use super::layout::{Layout, Point};
use ringleader::trace::{History, message};
use std::collections::BTreeMap;

/// A text beside a message.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// The message.
    pub message: u64,
    /// The text.
    pub text: String,
    /// The middle of its base line.
    pub at: Point,
    /// By how much it is turned, in degrees.
    pub angle: f64,
}

/// The size of the letters.
pub(super) const SIZE: f64 = 10.5;

/// More messages than this are not labelled: there would be no room.
const LABELLED_MAX: usize = 700;

/// Lanes closer than this leave no room for texts between them.
const LANE_MIN: f64 = 34.0;

/// The radius of the circles of which a text is taken to consist, when it is asked what it touches.
const RADIUS: f64 = 5.5;

/// About how wide a text is.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// Finds places for as many texts as it can, in the order of the messages.
pub(super) fn place(history: &History<'_>, layout: &Layout) -> Vec<Label> {
    let pitch = lane_pitch(layout);
    if layout.edges.len() > LABELLED_MAX || pitch < LANE_MIN {
        return Vec::new();
    }
    let mut taken = Taken::default();
    for mark in &layout.marks {
        taken.add(mark.at);
    }
    for edge in &layout.edges {
        for stub in &edge.stubs {
            taken.add(Point { x: stub.at.x + stub.side * 9.0, y: stub.at.y });
        }
        taken.extend(edge.fork);
    }
    let mut labels = Vec::new();
    for edge in &layout.edges {
        let sent = history.messages[edge.message as usize].sent;
        let full = message(sent);
        let short = sent.kind.to_string();
        let texts = if full == short { vec![full] } else { vec![full, short] };
        if let Some(label) = texts.into_iter().find_map(|text| best(layout, edge, text, &taken)) {
            for circle in circles(&label) {
                taken.add(circle);
            }
            labels.push(label);
        }
    }
    labels
}

fn lane_pitch(layout: &Layout) -> f64 {
    let across = |point: Point| if layout.rightward { point.y } else { point.x };
    match layout.lanes.as_slice() {
        [first, second, ..] => across(second.from) - across(first.from),
        [_] | [] => f64::MAX,
    }
}

/// The best place for this text at this message.
fn best(layout: &Layout, edge: &Edge, text: String, taken: &Taken) -> Option<Label> {
    let mut found: Option<(usize, Label)> = None;
    for piece in &edge.pieces {
        let Piece::Line(from, to) = *piece else { continue };
        for share in [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74] {
            for label in candidates(edge.message, &text, (from, to), share) {
                if circles(&label).any(|circle| taken.touches(circle) || is_outside(layout, circle)) {
                    continue;
                }
                let crossed = crossings(layout, edge, &label);
                if crossed == 0 {
                    return Some(label);
                }
                if crossed <= 1 && found.as_ref().is_none_or(|(least, _)| crossed < *least) {
                    found = Some((crossed, label));
                }
            }
        }
    }
    found.map(|(_, label)| label)
}

/// This text at this place of the line, in the ways in which it can stand there; none if the line is too short for it.
fn candidates(message: u64, text: &str, (from, to): (Point, Point), share: f64) -> Vec<Label> {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx.hypot(dy);
    let wide = width(text, SIZE);
    let at = Point { x: from.x + dx * share, y: from.y + dy * share };
    let angle = if dx.abs() < 1e-9 { 90.0 } else { (dy / dx).atan().to_degrees() };
    let label = |at: Point, angle: f64| Label { message, text: text.into(), at, angle };
    if angle.abs() > 58.0 {
        // A steep line has its text beside it.
        let beside = |side: f64| Point { x: at.x + side * (wide / 2.0 + 6.0), y: at.y + SIZE * 0.35 };
        return vec![label(beside(1.0), 0.0), label(beside(-1.0), 0.0)];
    }
    let room = length * share.min(1.0 - share) * 2.0 - 14.0;
    if wide > room {
        return Vec::new();
    }
    // Above the line, reading from left to right.
    let sign = if dx < 0.0 { -1.0 } else { 1.0 };
    let (ux, uy) = (dx / length * sign, dy / length * sign);
    vec![label(Point { x: at.x + uy * 3.5, y: at.y - ux * 3.5 }, angle)]
}

/// The circles of which a text is taken to consist.
fn circles(label: &Label) -> impl Iterator<Item = Point> + use<> {
    let wide = width(&label.text, SIZE);
    let count = (wide / 6.0).ceil().max(1.0) as usize;
    let (sin, cos) = label.angle.to_radians().sin_cos();
    let at = label.at;
    (0..=count).map(move |place| {
        let along = -wide / 2.0 + wide * place as f64 / count as f64;
        // The middle of the letters is above their base line.
        Point { x: at.x + along * cos + 3.6 * sin, y: at.y + along * sin - 3.6 * cos }
    })
}

fn is_outside(layout: &Layout, point: Point) -> bool {
    point.x < RADIUS
        || point.y < RADIUS
        || point.x > layout.width - RADIUS
        || point.y > layout.height - RADIUS
}

/// How many other lines, and lanes, go through this text.
fn crossings(layout: &Layout, edge: &Edge, label: &Label) -> usize {
    let ends: Vec<Point> = circles(label).collect();
    let (Some(&from), Some(&to)) = (ends.first(), ends.last()) else { return 0 };
    // The upper and the lower edge of the letters, and the two diagonals: nothing gets past all four.
    let (sin, cos) = label.angle.to_radians().sin_cos();
    let edge_of = |point: Point, up: f64| Point { x: point.x + up * sin, y: point.y - up * cos };
    let (high_from, high_to) = (edge_of(from, 4.0), edge_of(to, 4.0));
    let (low_from, low_to) = (edge_of(from, -4.0), edge_of(to, -4.0));
    let text = [(high_from, high_to), (low_from, low_to), (high_from, low_to), (low_from, high_to)];
    let others = layout.edges.iter().filter(|other| other.message != edge.message);
    let lines = others.flat_map(|other| other.pieces.iter().map(Piece::ends));
    let lanes = layout.lanes.iter().map(|lane| (lane.from, lane.to));
    let crosses = |line: &(Point, Point)| text.iter().any(|side| cross(*line, *side));
    // A lane may carry stripes and bars: a text on it cannot be read.
    lines.filter(crosses).count() + 2 * lanes.filter(crosses).count()
}

/// Whether two lines cross.
fn cross((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// What is taken already, in squares as large as what may touch.
#[derive(Default)]
struct Taken {
    squares: BTreeMap<(i64, i64), Vec<Point>>,
}

impl Taken {
    fn square(point: Point) -> (i64, i64) {
        let side = RADIUS * 2.0;
        ((point.x / side).floor() as i64, (point.y / side).floor() as i64)
    }

    fn add(&mut self, point: Point) {
        self.squares.entry(Taken::square(point)).or_default().push(point);
    }

    fn extend(&mut self, points: impl IntoIterator<Item = Point>) {
        for point in points {
            self.add(point);
        }
    }

    fn touches(&self, point: Point) -> bool {
        let (x, y) = Taken::square(point);
        let near = (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y)));
        near.filter_map(|square| self.squares.get(&square))
            .flatten()
            .any(|taken| (taken.x - point.x).hypot(taken.y - point.y) < RADIUS * 2.0)
    }
}
