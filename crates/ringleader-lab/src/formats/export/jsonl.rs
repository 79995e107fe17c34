//! One flat row per step, in JSON Lines: each row stands alone, so that a data frame reads the file as it is.

use super::{input_word, told};
use ringleader::trace::{Fate, History, Input, Outcome, Window, message};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A step as a row. Every row has every column.
#[derive(Serialize)]
struct Row<'a> {
    algorithm: &'a str,
    n: u32,
    seed: u64,
    step: usize,
    time: f64,
    process: u32,
    id: Option<u64>,
    input: &'static str,
    detail: Option<&'a str>,
    message: Option<u64>,
    from: Option<u32>,
    kind: Option<&'a str>,
    fields: Option<BTreeMap<&'a str, &'a str>>,
    messages: usize,
    rules: String,
    sends: usize,
    sent: String,
    lost: usize,
    outcome: Option<&'static str>,
    standing: &'static str,
    depth: u32,
    words: String,
}

/// Writes the steps that a window shows. Of several messages that arrive at once, as on half-duplex links, the columns
/// tell the first, and `messages` how many there are.
///
/// # Errors
/// If it cannot be written.
pub fn write_jsonl(out: &mut dyn Write, history: &History<'_>, window: &Window) -> io::Result<()> {
    let header = &history.recording.header;
    for (step, line) in told(history, window) {
        let event = &history.recording.events[step];
        let (arrivals, detail) = match &event.input {
            Input::Deliver(arrivals) => (arrivals.as_slice(), None),
            Input::Lose(arrival) | Input::Double(arrival) => (std::slice::from_ref(arrival), None),
            Input::Timeout(name) | Input::Local(name) => (&[][..], Some(name.as_ref())),
            Input::Start | Input::Want | Input::Exit | Input::Crash | Input::Recover | Input::Suspect(_) => {
                (&[][..], None)
            }
        };
        let first = arrivals.first().and_then(|arrival| history.messages.get(arrival.message as usize));
        let row = Row {
            algorithm: &header.algorithm,
            n: header.n,
            seed: header.seed,
            step: step + 1,
            time: event.time as f64 / header.ticks_per_unit.max(1) as f64,
            process: event.process,
            id: header.ids.get(event.process as usize).copied(),
            input: input_word(&event.input),
            detail,
            message: arrivals.first().map(|arrival| arrival.message),
            from: match event.input {
                Input::Suspect(other) => Some(other),
                Input::Start
                | Input::Deliver(_)
                | Input::Timeout(_)
                | Input::Local(_)
                | Input::Want
                | Input::Exit
                | Input::Crash
                | Input::Recover
                | Input::Lose(_)
                | Input::Double(_) => first.map(|passage| passage.from),
            },
            kind: first.map(|passage| passage.sent.kind.as_ref()),
            fields: first.map(|passage| {
                passage.sent.fields.iter().map(|(name, value)| (name.as_ref(), value.as_str())).collect()
            }),
            messages: arrivals.len(),
            rules: event.rules.join(" "),
            sends: event.sends.len(),
            sent: event
                .sends
                .iter()
                .map(|sent| format!("{}→p{}", message(sent), sent.to))
                .collect::<Vec<_>>()
                .join(" "),
            lost: event.sends.iter().filter(|sent| sent.fate == Fate::Lost).count(),
            outcome: event.outcome.map(Outcome::name),
            standing: history.steps[step].standing.name(history.is_exclusion),
            depth: history.steps[step].depth,
            words: [line.input, line.rules, line.effects].join(" ").trim_end().to_owned(),
        };
        serde_json::to_writer(&mut *out, &row).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
