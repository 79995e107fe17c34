//! Mermaid: a sequence diagram. It knows no time between sending and receiving, so a message stands where it arrives;
//! and it is for small runs.

use super::{name, part, told};
use ringleader::trace::{End, History, Input, Outcome, Passage, Window, message};
use std::io::{self, Write};

/// A diagram with more messages is of no use to anybody.
pub const MERMAID_MESSAGES_MAX: usize = 200;

/// How many messages of this window would be drawn.
#[must_use]
pub fn mermaid_messages(history: &History<'_>, window: &Window) -> usize {
    history.messages.iter().filter(|passage| place(history, window, passage).is_some()).count()
}

/// The step at which a message is drawn: where it ends, or where it was sent if it does not.
fn place(history: &History<'_>, window: &Window, passage: &Passage<'_>) -> Option<usize> {
    let ends_shown = window.has(passage.from) && window.has(passage.sent.to);
    let step = match passage.end {
        End::Arrived(step) | End::Missed(step) | End::Lost(step) => step,
        End::LostAtOnce => passage.sender,
        End::InTransit => history.steps.len(),
    };
    let in_time = window.steps.contains(&step)
        || (passage.end == End::InTransit && window.steps.contains(&passage.sender));
    (ends_shown && in_time).then_some(step)
}

/// Writes the part of a run that a window shows: messages between processes that are both shown, at the step in which
/// they arrive.
///
/// # Errors
/// If it cannot be written.
pub fn write_mermaid(out: &mut dyn Write, history: &History<'_>, window: &Window) -> io::Result<()> {
    let header = &history.recording.header;
    writeln!(out, "sequenceDiagram")?;
    let facts = format!(
        "{}, {} processes, schedule {}, seed {}",
        header.algorithm, header.n, header.schedule, header.seed
    );
    writeln!(out, "    %% {}", comment(&facts))?;
    if let Some(part) = part(history, window) {
        writeln!(out, "    %% {}", comment(&part))?;
    }
    for &process in &window.processes {
        writeln!(out, "    participant p{process} as {}", text(&name(header, process)))?;
    }
    let mut drawn: Vec<(usize, &Passage<'_>)> = history
        .messages
        .iter()
        .filter_map(|passage| Some((place(history, window, passage)?, passage)))
        .collect();
    drawn.sort_by_key(|(step, passage)| (*step, passage.message));
    let mut drawn = drawn.into_iter().peekable();
    for (step, line) in told(history, window) {
        let event = &history.recording.events[step];
        // A message may end in a step whose own words are not shown.
        while let Some((_, passage)) = drawn.next_if(|(place, _)| *place <= step) {
            writeln!(out, "    {}", arrow(passage))?;
        }
        let is_silent = match event.input {
            Input::Deliver(_) | Input::Lose(_) | Input::Double(_) => true,
            Input::Start
            | Input::Timeout(_)
            | Input::Local(_)
            | Input::Want
            | Input::Exit
            | Input::Crash
            | Input::Recover
            | Input::Suspect(_) => false,
        };
        let outcome = event.outcome.map(|outcome| match outcome {
            Outcome::Leads => "★ leads",
            Outcome::Lost => "lost",
            Outcome::Undecided => "undecided again",
            Outcome::Waits => "waits",
            Outcome::Enters => "inside",
            Outcome::Leaves => "outside",
            Outcome::Synchronises => "synchronised",
            Outcome::LosesContact => "lost contact",
        });
        let mut said: Vec<String> = Vec::new();
        if !is_silent {
            said.push(super::action(&line).to_owned());
        }
        said.extend(outcome.map(str::to_owned));
        said.extend(event.impossible.as_ref().map(|why| format!("the proof excludes this: {why}")));
        if !said.is_empty() {
            writeln!(out, "    Note over p{}: {}", event.process, text(&said.join(", ")))?;
        }
    }
    for (_, passage) in drawn {
        writeln!(out, "    {}", arrow(passage))?;
    }
    Ok(())
}

/// A message as a line of the diagram.
fn arrow(passage: &Passage<'_>) -> String {
    let (line, said) = match passage.end {
        End::Arrived(_) => ("->>", ""),
        End::Missed(_) => ("-x", " (receiver down)"),
        End::LostAtOnce | End::Lost(_) => ("-x", " (lost)"),
        End::InTransit => ("--)", " (in transit)"),
    };
    let copy = if passage.is_copy { " (a copy)" } else { "" };
    let words = text(&format!("{}{copy}{said}", message(passage.sent)));
    format!("p{}{line}p{}: {words}", passage.from, passage.sent.to)
}

/// A text in which nothing means anything to Mermaid.
fn text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '#' | ';' | '<' | '>' | '%' | '{' | '}' | '"' | '&' => {
                safe.push_str(&format!("#{};", letter as u32))
            }
            '\n' | '\r' => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
}

/// A remark on one line; braces would begin a directive.
fn comment(text: &str) -> String {
    text.replace(['\n', '\r', '{', '}'], " ")
}
