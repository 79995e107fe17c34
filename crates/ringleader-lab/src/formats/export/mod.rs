//! A recorded run in the formats of other tools. Each takes a run that is tied together and a window of it, and writes
//! text; docs/reference/formats.md says what is in each.

mod chrome;
mod itf;
mod jsonl;
mod mermaid;
mod shiviz;

pub use chrome::write_chrome;
pub use itf::{ITF_CELLS_MAX, itf_cells, write_itf};
pub use jsonl::write_jsonl;
pub use mermaid::{MERMAID_MESSAGES_MAX, mermaid_messages, write_mermaid};
pub use shiviz::{SHIVIZ_ENTRIES_MAX, shiviz_entries, write_shiviz};

use ringleader::trace::{End, Header, History, Input, Line, Narrator, Passage, Window, message};

/// The input of a step in one word.
fn input_word(input: &Input) -> &'static str {
    match input {
        Input::Start => "start",
        Input::Deliver(_) => "deliver",
        Input::Timeout(_) => "timeout",
        Input::Local(_) => "local",
        Input::Want => "want",
        Input::Exit => "exit",
        Input::Crash => "crash",
        Input::Recover => "recover",
        Input::Suspect(_) => "suspect",
        Input::Lose(_) => "lose",
        Input::Double(_) => "double",
    }
}

/// What comes in, in words, without saying to whom: `receives tid(7) from p3`.
fn action(line: &Line) -> &str {
    line.input.split_once(' ').map_or(line.input.as_str(), |(_, rest)| rest)
}

/// What became of a message, in one word.
fn fate_word(end: End) -> &'static str {
    match end {
        End::Arrived(_) => "delivered",
        End::Missed(_) => "missed",
        End::LostAtOnce | End::Lost(_) => "lost",
        End::InTransit => "in transit",
    }
}

/// The steps that a window shows, with their words.
fn told<'a>(history: &'a History<'a>, window: &'a Window) -> impl Iterator<Item = (usize, Line)> + 'a {
    let mut narrator = Narrator::new(history.recording.header.ticks_per_unit);
    let lines = history.recording.events.iter().map(move |event| narrator.tell(event)).enumerate();
    lines.filter(|(step, _)| window.shows(*step, history.recording.events[*step].process))
}

/// A process with its identity, where it has one.
fn name(header: &Header, process: u32) -> String {
    match header.ids.get(process as usize) {
        Some(id) => format!("p{process} · id {id}"),
        None => format!("p{process}"),
    }
}

/// What is shown, in words, if it is not everything.
fn part(history: &History<'_>, window: &Window) -> Option<String> {
    let left_out = window.leaves_out(history);
    let all = history.steps.len();
    (!left_out.is_nothing()).then(|| {
        format!(
            "a part of the run: {} of {all} steps, {} of {} processes",
            all - left_out.steps,
            window.processes.len(),
            history.recording.header.n
        )
    })
}

/// A message with its number and its ends.
fn passage_name(passage: &Passage<'_>) -> String {
    format!("{} from p{} to p{}", message(passage.sent), passage.from, passage.sent.to)
}

#[cfg(test)]
mod tests;
