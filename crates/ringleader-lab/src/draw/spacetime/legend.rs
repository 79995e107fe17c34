//! The legend: a sample and words for everything that occurs in a picture, and for nothing else.

use super::edges::EdgeEnd;
use super::labels::width;
use super::layout::{Layout, Point, SpanKind};
use super::shapes::{SIGNS, Sign, arrowhead, number, saltire};
use super::style::KINDS;
use crate::draw::xml::escaped;
use ringleader::trace::History;

/// The height of a line of the legend.
const LINE: f64 = 20.0;

/// The room for a sample.
const SAMPLE: f64 = 34.0;

/// One entry.
enum Entry {
    Sign(Sign),
    /// A kind of message, by its index.
    Kind(usize),
    Line(EdgeEnd),
    Copy,
    Span(SpanKind),
    Path,
}

/// The legend as SVG, its top left corner at this place, and its height.
pub(super) fn write(
    history: &History<'_>,
    layout: &Layout,
    critical: bool,
    at: Point,
    wide: f64,
) -> (String, f64) {
    let mut svg = String::from("<g class=\"legend\">");
    let (mut x, mut y) = (at.x, at.y);
    for entry in entries(history, layout, critical) {
        let words = words(&entry, layout);
        let room = SAMPLE + width(&words, 11.0) + 18.0;
        if x + room > at.x + wide && x > at.x {
            (x, y) = (at.x, y + LINE);
        }
        svg.push_str("<g>");
        svg.push_str(&sample(&entry, Point { x, y: y - 4.0 }));
        let text = escaped(&words);
        svg.push_str(&format!(
            "<text class=\"small\" x=\"{}\" y=\"{}\">{text}</text></g>\n",
            number(x + SAMPLE),
            number(y)
        ));
        x += room;
    }
    svg.push_str("</g>");
    (svg, y + LINE - at.y)
}

/// What occurs in the picture.
fn entries(history: &History<'_>, layout: &Layout, critical: bool) -> Vec<Entry> {
    let occurs = |sign: &Sign| {
        let events = &history.recording.events;
        layout.marks.iter().any(|mark| Sign::of(&events[mark.step]) == *sign)
    };
    let mut entries: Vec<Entry> = SIGNS.iter().copied().filter(occurs).map(Entry::Sign).collect();
    let kinds = (0..layout.kinds.len()).filter(|kind| layout.edges.iter().any(|edge| edge.kind == *kind));
    entries.extend(kinds.map(Entry::Kind));
    for end in [EdgeEnd::InTransit, EdgeEnd::Later, EdgeEnd::Lost] {
        if layout.edges.iter().any(|edge| edge.end == end) {
            entries.push(Entry::Line(end));
        }
    }
    if layout.edges.iter().any(|edge| edge.fork.is_some()) {
        entries.push(Entry::Copy);
    }
    for kind in [SpanKind::Waiting, SpanKind::Inside, SpanKind::Down] {
        if layout.spans.iter().any(|span| span.kind == kind) {
            entries.push(Entry::Span(kind));
        }
    }
    if critical {
        entries.push(Entry::Path);
    }
    entries
}

fn words(entry: &Entry, layout: &Layout) -> String {
    match entry {
        Entry::Sign(sign) => sign.words().into(),
        Entry::Kind(kind) => layout.kinds[*kind].clone(),
        Entry::Line(EdgeEnd::Lost) => "lost, or not received".into(),
        Entry::Line(EdgeEnd::InTransit) => "in transit at the end".into(),
        Entry::Line(EdgeEnd::Later) => "arrives outside the picture".into(),
        Entry::Line(EdgeEnd::Arrives) => "arrives".into(),
        Entry::Copy => "a copy".into(),
        Entry::Span(SpanKind::Waiting) => "waits".into(),
        Entry::Span(SpanKind::Inside) => "is inside".into(),
        Entry::Span(SpanKind::Down) => "is down".into(),
        Entry::Path => "critical path: the longest chain of messages".into(),
    }
}

fn sample(entry: &Entry, at: Point) -> String {
    let n = number;
    let (from, to) = (at.x + 2.0, at.x + SAMPLE - 8.0);
    let line = |class: &str| format!("<path class=\"{class}\" d=\"M{} {}H{}\"/>", n(from), n(at.y), n(to));
    match entry {
        Entry::Sign(sign) => {
            let middle = Point { x: at.x + SAMPLE / 2.0 - 3.0, y: at.y };
            format!("<path class=\"mark {}\" d=\"{}\"/>", sign.class(), sign.path(middle))
        }
        Entry::Kind(kind) => {
            let (head, form) = arrowhead(*kind, Point { x: from, y: at.y }, Point { x: to, y: at.y });
            format!(
                "<g class=\"message k{}\">{}<path class=\"{form}\" d=\"{head}\"/></g>",
                kind % KINDS,
                line("")
            )
        }
        Entry::Line(EdgeEnd::InTransit) => format!("<g class=\"message k6\">{}</g>", line("transit")),
        Entry::Line(EdgeEnd::Later) => format!("<g class=\"message k6\">{}</g>", line("later")),
        Entry::Line(EdgeEnd::Arrives) => format!("<g class=\"message k6\">{}</g>", line("")),
        Entry::Line(EdgeEnd::Lost) => {
            let cross = saltire(Point { x: to - 3.0, y: at.y }, 4.0);
            format!("<g class=\"message k6\">{}<path class=\"cross\" d=\"{cross}\"/></g>", line(""))
        }
        Entry::Copy => format!(
            "<g class=\"message k6 copy\">{}<path class=\"fork\" d=\"{}\"/></g>",
            line(""),
            fork(Point { x: from + 8.0, y: at.y })
        ),
        Entry::Span(SpanKind::Waiting) => line("waiting"),
        Entry::Span(SpanKind::Inside) => line("inside"),
        Entry::Span(SpanKind::Down) => line("down"),
        Entry::Path => line("path"),
    }
}

/// The sign at which a copy leaves its original: two rings.
pub(super) fn fork(at: Point) -> String {
    let ring = |dx: f64| super::shapes::circle(Point { x: at.x + dx, y: at.y }, 2.8);
    format!("{}{}", ring(-2.2), ring(2.2))
}
