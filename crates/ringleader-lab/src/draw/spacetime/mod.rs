//! The space-time diagram of a recorded run: one lane per process, time along the lanes, messages from send to receive.
//!
//! [`Layout`] says where everything goes; `svg` writes it down. The player shows the same drawing.

mod edges;
mod labels;
mod layout;
mod legend;
mod shapes;
mod style;
mod svg;

pub use edges::{Edge, EdgeEnd, Piece, Stub};
pub use labels::Label;
pub use layout::{Band, Lane, Layout, Mark, Point, Span, SpanKind};

use ringleader::trace::{End, History, Passage, Window};

/// The most lanes of a drawing.
pub const LANES_MAX: usize = 200;

/// The most messages of a drawing.
pub const MESSAGES_MAX: usize = 3_000;

/// The most steps of a drawing.
pub const STEPS_MAX: usize = 6_000;

/// How a drawing is to look.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Time goes to the right instead of downward.
    pub rightward: bool,
    /// The step, from 0, whose causal past is shown while the rest is dimmed.
    pub past: Option<usize>,
    /// Whether the critical path is drawn.
    pub critical: bool,
    /// Light on dark.
    pub dark: bool,
    /// The command that makes this picture, for the caption; empty if there is none.
    pub again: String,
}

/// A drawing.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The SVG.
    pub svg: String,
    /// What was cut, in words; the picture says it as well.
    pub notes: Vec<String>,
}

/// Draws the part of a run that a window shows.
#[must_use]
pub fn draw(history: &History<'_>, window: &Window, options: &Options) -> Picture {
    let (window, notes) = fit(history, window);
    let layout = Layout::new(history, &window, options.rightward);
    let svg = svg::write(history, &layout, options, &notes, svg::For::File);
    Picture { svg, notes }
}

/// The same drawing as part of a page, which gives it its colours.
pub(crate) fn draw_for_page(history: &History<'_>, window: &Window) -> Picture {
    let (window, notes) = fit(history, window);
    let layout = Layout::new(history, &window, false);
    let options = Options { critical: true, ..Options::default() };
    let svg = svg::write(history, &layout, &options, &[], svg::For::Page);
    Picture { svg, notes }
}

/// The window, cut to what can be drawn, and what there is to say about what is not in it.
#[must_use]
pub fn fit(history: &History<'_>, window: &Window) -> (Window, Vec<String>) {
    let mut fitted = window.clone();
    let mut notes = Vec::new();
    if fitted.processes.len() > LANES_MAX {
        notes.push(format!(
            "the first {LANES_MAX} of {} processes are drawn: --nodes chooses others",
            grouped(window.processes.len())
        ));
        fitted.processes.truncate(LANES_MAX);
    }
    // A message counts where it is first to be seen; the window ends before there are too many messages or steps.
    let mut first: Vec<usize> = drawn(history, &fitted)
        .filter(|passage| fitted.has(passage.from) && fitted.has(passage.sent.to))
        .map(|passage| {
            let sent = passage.sender;
            if fitted.shows(sent, passage.from) { sent } else { passage.end.step().unwrap_or(sent) }
        })
        .collect();
    first.sort_unstable();
    let events = &history.recording.events;
    let mut shown = fitted.steps.clone().filter(|&step| fitted.shows(step, events[step].process));
    let ends = [first.get(MESSAGES_MAX).copied(), shown.nth(STEPS_MAX)];
    if let Some(end) = ends.into_iter().flatten().min() {
        fitted.steps.end = end.max(fitted.steps.start + 1);
    }
    let (cut, kept) = (drawn(history, window).count(), drawn(history, &fitted).count());
    if fitted.steps.end < window.steps.end {
        notes.push(format!(
            "steps {}..{} of {} are drawn, {} messages are not: --steps and --nodes choose others",
            fitted.steps.start + 1,
            fitted.steps.end,
            grouped(history.steps.len()),
            grouped(cut - kept)
        ));
    }
    let left_out = fitted.leaves_out(history);
    let asked = fitted == *window && !left_out.is_nothing();
    if asked {
        notes.push(format!(
            "a part of the run: {} of {} steps, {} of {} processes; {} messages are not drawn",
            grouped(history.steps.len() - left_out.steps),
            grouped(history.steps.len()),
            fitted.processes.len(),
            grouped(history.recording.header.n as usize),
            grouped(left_out.messages)
        ));
    }
    if left_out.halves > 0 {
        notes.push(format!(
            "{} messages go to or come from what is not drawn: their lines end at the edge",
            grouped(left_out.halves)
        ));
    }
    (fitted, notes)
}

/// The messages of which something is shown.
fn drawn<'a>(history: &'a History<'a>, window: &'a Window) -> impl Iterator<Item = &'a Passage<'a>> {
    let events = &history.recording.events;
    history.messages.iter().filter(move |passage| {
        window.shows(passage.sender, passage.from)
            || passage.end.step().is_some_and(|step| window.shows(step, events[step].process))
    })
}

/// What a message is called in a picture, and what became of it.
pub(crate) fn told(history: &History<'_>, message: u64) -> String {
    let passage = &history.messages[message as usize];
    let name = ringleader::trace::message(passage.sent);
    let copy = if passage.is_copy { ", a copy" } else { "" };
    let end = match passage.end {
        End::Arrived(step) => format!("arrives in step {}", step + 1),
        End::Missed(step) => format!("finds its receiver down in step {}", step + 1),
        End::LostAtOnce => "is lost".into(),
        End::Lost(step) => format!("is lost in step {}", step + 1),
        End::InTransit => "is still in transit".into(),
    };
    format!(
        "{name} from p{} to p{}{copy}: sent in step {}, {end}",
        passage.from,
        passage.sent.to,
        passage.sender + 1
    )
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
