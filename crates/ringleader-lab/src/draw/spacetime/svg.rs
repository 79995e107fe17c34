//! Writes a layout as SVG: real text, one group per step and per message with its story as a tooltip.

use super::edges::{Edge, EdgeEnd, Piece};
use super::labels::width;
use super::layout::{Layout, Point, SpanKind};
use super::legend;
use super::shapes::{Sign, arrowhead, number, saltire};
use super::style::{self, KINDS};
use super::{Options, grouped, told};
use crate::draw::xml::escaped;
use ringleader::trace::{End, History, Narrator, Outcome};

/// What the picture is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// A file of its own, with title, caption and colours.
    File,
    /// A part of a page, which has all that already; it wants places to click on.
    Page,
}

/// The least width of a picture: captions need some.
const WIDTH_MIN: f64 = 460.0;

/// The picture.
pub(super) fn write(
    history: &History<'_>,
    layout: &Layout,
    options: &Options,
    notes: &[String],
    purpose: For,
) -> String {
    let is_file = purpose == For::File;
    let wide = if is_file { layout.width.max(WIDTH_MIN) } else { layout.width };
    let top = if is_file { 40.0 } else { 0.0 };
    let plot = Plot { history, layout, options, is_file, past: options.past.map(|step| history.past(step)) };
    let body = plot.write();
    let legend_at = Point { x: 16.0, y: top + layout.height + 22.0 };
    let (legend, legend_high) = legend::write(history, layout, options.critical, legend_at, wide - 32.0);
    let caption_at = legend_at.y + legend_high + 6.0;
    let (caption, high) = if is_file {
        caption(history, options, notes, caption_at, wide - 32.0)
    } else {
        (String::new(), caption_at - 6.0)
    };
    let mut svg = String::with_capacity(body.len() + 8_000);
    let (w, h) = (number(wide), number(high));
    svg.push_str(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"spacetime\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\" role=\"img\" aria-labelledby=\"spacetime-title spacetime-desc\">\n"
    ));
    svg.push_str(&format!("<title id=\"spacetime-title\">{}</title>\n", escaped(&title(history))));
    svg.push_str(&format!("<desc id=\"spacetime-desc\">{}</desc>\n", escaped(&description(history, layout))));
    if is_file {
        svg.push_str(&format!("<style>\n{}</style>\n", style::sheet(options.dark)));
        svg.push_str(&format!("<rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>\n"));
        svg.push_str(&format!(
            "<text class=\"title\" x=\"16\" y=\"27\">{}</text>\n",
            escaped(&title(history))
        ));
    }
    svg.push_str(&format!("<g transform=\"translate(0 {})\">\n{body}</g>\n", number(top)));
    svg.push_str(&legend);
    svg.push_str(&caption);
    svg.push_str("\n</svg>\n");
    svg
}

fn title(history: &History<'_>) -> String {
    let header = &history.recording.header;
    format!("{} among {} processes", header.algorithm, header.n)
}

/// The picture in words.
fn description(history: &History<'_>, layout: &Layout) -> String {
    let mut words = format!(
        "Space-time diagram with a lane for each of {} processes, {} steps and {} messages. Time goes {}.",
        layout.lanes.len(),
        layout.marks.len(),
        layout.edges.len(),
        if layout.rightward { "to the right" } else { "downward" }
    );
    for mark in &layout.marks {
        let event = &history.recording.events[mark.step];
        if event.outcome == Some(Outcome::Leads) {
            words.push_str(&format!(" Process p{} leads from step {} on.", mark.process, mark.step + 1));
        }
    }
    words
}

/// The lines below the picture, and where they end.
fn caption(history: &History<'_>, options: &Options, notes: &[String], at: f64, wide: f64) -> (String, f64) {
    let header = &history.recording.header;
    let mut facts = vec![
        header.algorithm.clone(),
        format!("n = {}", header.n),
        header.topology.clone(),
        format!("{} links", header.links),
        format!("schedule {}", header.schedule),
        format!("seed {}", header.seed),
        format!("{} messages", grouped(history.messages.len())),
        format!("{} steps", grouped(history.steps.len())),
    ];
    if header.unsound {
        facts.push("allowed to leave its assumptions".into());
    }
    if let Some(step) = options.past {
        facts.push(format!("the causal past of step {}", step + 1));
    }
    // A fact stays on one line, and so does the point after it.
    let last = facts.len() - 1;
    let facts = facts.into_iter().enumerate();
    let facts = facts.map(|(place, fact)| if place < last { format!("{fact} ·") } else { fact });
    let mut lines: Vec<(&str, String)> =
        wrapped(facts, wide, 11.0).into_iter().map(|line| ("small", line)).collect();
    for note in notes {
        lines.extend(wrapped(note.split(' '), wide, 11.0).into_iter().map(|line| ("note", line)));
    }
    if !options.again.is_empty() {
        lines.extend(wrapped(options.again.split(' '), wide, 11.2).into_iter().map(|line| ("code", line)));
    }
    let mut svg = String::new();
    let mut y = at;
    for (class, line) in lines {
        let y_text = number(y);
        svg.push_str(&format!("<text class=\"{class}\" x=\"16\" y=\"{y_text}\">{}</text>\n", escaped(&line)));
        y += 16.0;
    }
    (svg, y + 2.0)
}

/// Words, or facts, in lines of at most this width.
fn wrapped<Part: AsRef<str>>(parts: impl Iterator<Item = Part>, wide: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let part = part.as_ref();
        match lines.last_mut() {
            Some(line) if width(line, size) + width(part, size) + size < wide => {
                line.push(' ');
                line.push_str(part);
            }
            Some(_) | None => lines.push(part.into()),
        }
    }
    lines
}

struct Plot<'a> {
    history: &'a History<'a>,
    layout: &'a Layout,
    options: &'a Options,
    is_file: bool,
    past: Option<Vec<bool>>,
}

impl Plot<'_> {
    fn write(&self) -> String {
        let parts = [
            self.bands(),
            self.lanes(),
            self.path(),
            self.spans(),
            self.messages(),
            self.texts(),
            self.marks(),
        ];
        parts.concat()
    }

    fn is_dim(&self, step: Option<usize>) -> bool {
        match (&self.past, step) {
            (Some(past), Some(step)) => !past[step],
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    fn bands(&self) -> String {
        let mut svg = String::from("<g class=\"times\">\n");
        let layout = self.layout;
        if layout.rightward && self.history.recording.header.schedule == "rounds" {
            svg.push_str("<text class=\"time\" x=\"16\" y=\"16\">round</text>\n");
        }
        for (place, band) in layout.bands.iter().enumerate() {
            let (from, long) = (number(band.from), number(band.to - band.from));
            if place % 2 == 1 {
                let rect = if layout.rightward {
                    format!("x=\"{from}\" width=\"{long}\" y=\"0\" height=\"{}\"", number(layout.height))
                } else {
                    format!("y=\"{from}\" height=\"{long}\" x=\"0\" width=\"{}\"", number(layout.width))
                };
                svg.push_str(&format!("<rect class=\"band\" {rect}/>\n"));
            }
            if !band.name.is_empty() {
                let place = if layout.rightward {
                    let name = band.name.strip_prefix("round ").unwrap_or(&band.name);
                    format!("x=\"{}\" y=\"16\" text-anchor=\"middle\">{name}", number(band.at))
                } else {
                    format!("x=\"12\" y=\"{}\">{}", number(band.at + 4.0), band.name)
                };
                svg.push_str(&format!("<text class=\"time\" {place}</text>\n"));
            }
        }
        svg.push_str("</g>\n");
        svg
    }

    fn lanes(&self) -> String {
        let mut svg = String::from("<g class=\"lanes\">\n");
        let layout = self.layout;
        // A long picture has the names at both ends.
        let is_long = !layout.rightward && layout.height > 620.0;
        for lane in &layout.lanes {
            let Point { x, y } = lane.from;
            let n = number;
            svg.push_str(&format!(
                "<path class=\"lane\" d=\"M{} {}L{} {}\"/>",
                n(x),
                n(y),
                n(lane.to.x),
                n(lane.to.y)
            ));
            let name = escaped(&lane.name);
            let mut put = |attributes: String| {
                svg.push_str(&format!("<text class=\"name\" {attributes}>{name}</text>"));
            };
            if layout.rightward {
                put(format!("x=\"{}\" y=\"{}\" text-anchor=\"end\"", n(x - 8.0), n(y + 4.0)));
            } else if lane.is_turned {
                put(format!("transform=\"translate({} {}) rotate(-90)\"", n(x + 4.0), n(y - 8.0)));
                if is_long {
                    let end = format!("translate({} {}) rotate(-90)", n(x + 4.0), n(lane.to.y + 8.0));
                    put(format!("transform=\"{end}\" text-anchor=\"end\""));
                }
            } else {
                put(format!("x=\"{}\" y=\"{}\" text-anchor=\"middle\"", n(x), n(y - 10.0)));
                if is_long {
                    let end = n(lane.to.y + 18.0);
                    put(format!("x=\"{}\" y=\"{end}\" text-anchor=\"middle\"", n(x)));
                }
            }
            svg.push('\n');
        }
        svg.push_str("</g>\n");
        svg
    }

    fn spans(&self) -> String {
        let mut svg = String::from("<g class=\"spans\">\n");
        for span in &self.layout.spans {
            let (class, words) = match span.kind {
                SpanKind::Waiting => ("waiting", "waits"),
                SpanKind::Inside => ("inside", "is inside"),
                SpanKind::Down => ("down", "is down"),
            };
            let n = number;
            let line = format!("M{} {}L{} {}", n(span.from.x), n(span.from.y), n(span.to.x), n(span.to.y));
            let dim = if self.is_dim(span.step) { " class=\"dim\"" } else { "" };
            let gap = if span.kind == SpanKind::Down {
                format!("<path class=\"gap\" d=\"{line}\"/>")
            } else {
                String::new()
            };
            svg.push_str(&format!(
                "<g{dim}><title>p{} {words}</title>{gap}<path class=\"{class}\" d=\"{line}\"/></g>\n",
                span.process
            ));
        }
        svg.push_str("</g>\n");
        svg
    }

    /// The critical path, as a broad line below everything that it leads through.
    fn path(&self) -> String {
        if !self.options.critical {
            return String::new();
        }
        let path = self.history.critical_path();
        let mut pieces = String::new();
        for pair in path.windows(2) {
            let by_message = self.layout.edges.iter().find(|edge| {
                let passage = &self.history.messages[edge.message as usize];
                passage.sender == pair[0] && passage.end == End::Arrived(pair[1])
            });
            match by_message {
                Some(edge) => pieces.extend(edge.pieces.iter().map(outline)),
                None => {
                    if let (Some(from), Some(to)) = (self.layout.at(pair[0]), self.layout.at(pair[1])) {
                        pieces.push_str(&outline(&Piece::Line(from, to)));
                    }
                }
            }
        }
        if pieces.is_empty() {
            return String::new();
        }
        let long = path.iter().map(|&step| self.history.steps[step].depth).max().unwrap_or(0);
        format!("<path class=\"path\" d=\"{pieces}\"><title>critical path: {long} messages</title></path>\n")
    }

    fn messages(&self) -> String {
        let mut svg = String::from("<g class=\"messages\">\n");
        for edge in &self.layout.edges {
            svg.push_str(&self.message(edge));
        }
        svg.push_str("</g>\n");
        svg
    }

    fn message(&self, edge: &Edge) -> String {
        let passage = &self.history.messages[edge.message as usize];
        let line: String = edge.pieces.iter().map(outline).collect();
        let mut inner = format!("<title>{}</title>", escaped(&told(self.history, edge.message)));
        if !self.is_file {
            inner.push_str(&format!("<path class=\"hit\" d=\"{line}\"/>"));
        }
        let form = match edge.end {
            EdgeEnd::Arrives | EdgeEnd::Lost => "",
            EdgeEnd::Later => " class=\"later\"",
            EdgeEnd::InTransit => " class=\"transit\"",
        };
        inner.push_str(&format!("<path{form} d=\"{line}\"/>"));
        if let Some(last) = edge.pieces.last() {
            let (_, tip) = last.ends();
            match edge.end {
                EdgeEnd::Arrives => {
                    let event = &self.history.recording.events[passage.end.step().unwrap_or(passage.sender)];
                    let room = Sign::of(event).radius() + 1.0;
                    let (head, form) = arrowhead(edge.kind, last.comes_from(), before(last, room));
                    inner.push_str(&format!("<path class=\"{form}\" d=\"{head}\"/>"));
                }
                EdgeEnd::Lost => {
                    inner.push_str(&format!("<path class=\"cross\" d=\"{}\"/>", saltire(tip, 4.5)));
                }
                EdgeEnd::Later | EdgeEnd::InTransit => {}
            }
        }
        if let Some(fork) = edge.fork {
            inner.push_str(&format!("<path class=\"fork\" d=\"{}\"/>", legend::fork(fork)));
        }
        for stub in &edge.stubs {
            let anchor = if self.layout.rightward {
                "middle"
            } else if stub.side > 0.0 {
                "start"
            } else {
                "end"
            };
            let (x, y) = if self.layout.rightward {
                (stub.at.x, stub.at.y + stub.side * 9.0 + 3.5)
            } else {
                (stub.at.x + stub.side * 3.0, stub.at.y + 3.5)
            };
            inner.push_str(&format!(
                "<text class=\"stub\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">p{}</text>",
                number(x),
                number(y),
                stub.process
            ));
        }
        let arrived = match passage.end {
            End::Arrived(step) => Some(step),
            End::Missed(_) | End::LostAtOnce | End::Lost(_) | End::InTransit => None,
        };
        let dim = if self.is_dim(arrived) { " dim" } else { "" };
        let copy = if passage.is_copy { " copy" } else { "" };
        let data = if self.is_file {
            String::new()
        } else {
            format!(" data-message=\"{}\" data-sent=\"{}\"", edge.message, passage.sender)
        };
        format!("<g class=\"message k{}{copy}{dim}\"{data}>{inner}</g>\n", edge.kind % KINDS)
    }

    fn texts(&self) -> String {
        let mut svg = String::from("<g class=\"labels\" aria-hidden=\"true\">\n");
        for label in &self.layout.labels {
            let passage = &self.history.messages[label.message as usize];
            let kind =
                self.layout.kinds.iter().position(|kind| *kind == passage.sent.kind).unwrap_or(0) % KINDS;
            let arrived = match passage.end {
                End::Arrived(step) => Some(step),
                End::Missed(_) | End::LostAtOnce | End::Lost(_) | End::InTransit => None,
            };
            let dim = if self.is_dim(arrived) { " dim" } else { "" };
            let data = if self.is_file {
                String::new()
            } else {
                format!(" data-message=\"{}\" data-sent=\"{}\"", label.message, passage.sender)
            };
            let (x, y) = (number(label.at.x), number(label.at.y));
            let turn = if label.angle == 0.0 {
                String::new()
            } else {
                format!(" transform=\"rotate({} {x} {y})\"", number(label.angle))
            };
            svg.push_str(&format!(
                "<text class=\"label t{kind}{dim}\"{data} x=\"{x}\" y=\"{y}\"{turn}>{}</text>\n",
                escaped(&label.text)
            ));
        }
        svg.push_str("</g>\n");
        svg
    }

    fn marks(&self) -> String {
        let mut svg = String::from("<g class=\"marks\">\n");
        let mut narrator = Narrator::new(self.history.recording.header.ticks_per_unit);
        let mut marks = self.layout.marks.iter().peekable();
        for (step, event) in self.history.recording.events.iter().enumerate() {
            let line = narrator.tell(event);
            let Some(mark) = marks.next_if(|mark| mark.step == step) else { continue };
            let mut words = format!("step {}: {}", step + 1, line.input);
            for part in [&line.rules, &line.effects] {
                if !part.is_empty() {
                    words.push(' ');
                    words.push_str(part);
                }
            }
            let sign = Sign::of(event);
            let dim = if self.is_dim(Some(step)) { " dim" } else { "" };
            let (data, hit) = if self.is_file {
                (String::new(), String::new())
            } else {
                let hit = super::shapes::circle(mark.at, 11.0);
                (format!(" data-step=\"{step}\""), format!("<path class=\"hit\" d=\"{hit}\"/>"))
            };
            svg.push_str(&format!(
                "<g class=\"event{dim}\"{data}><title>{}</title>{hit}<path class=\"mark {}\" d=\"{}\"/></g>\n",
                escaped(&words),
                sign.class(),
                sign.path(mark.at)
            ));
        }
        svg.push_str("</g>\n");
        svg
    }
}

/// A piece as a path.
fn outline(piece: &Piece) -> String {
    let at = |point: &Point| format!("{} {}", number(point.x), number(point.y));
    match piece {
        Piece::Line(from, to) => format!("M{}L{}", at(from), at(to)),
        Piece::Loop([from, one, two, to]) => format!("M{}C{} {} {}", at(from), at(one), at(two), at(to)),
    }
}

/// So many pixels before the end of a piece: the tip of an arrow must not lie below the sign that it points to.
fn before(piece: &Piece, distance: f64) -> Point {
    let (from, (_, to)) = (piece.comes_from(), piece.ends());
    let length = (to.x - from.x).hypot(to.y - from.y).max(1e-9);
    let share = (1.0 - distance / length).max(0.0);
    Point { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
