//! One step as the page reads it.

use crate::monitor::Value;
use crate::values::Change;
use ringleader::registry::Entry;
use ringleader::trace::{Event, Fate, Input, Line, Outcome, Sent, Standing, Step, message};
use serde::Serialize;

#[derive(Serialize)]
struct EventJson<'a> {
    step: usize,
    time: &'a str,
    process: u32,
    input: InputJson<'a>,
    words: &'a str,
    effects: &'a str,
    rules: &'a [std::borrow::Cow<'static, str>],
    choices: &'a [u32],
    sends: Vec<SentJson<'a>>,
    outcome: Option<&'static str>,
    standing: &'static str,
    changes: &'a [Change],
    depth: u32,
    causes: &'a [usize],
    properties: Vec<(usize, Option<bool>, bool)>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum InputJson<'a> {
    Start,
    Want,
    Exit,
    Crash,
    Recover,
    Deliver { messages: Vec<u64>, missed: bool },
    Lose { messages: [u64; 1] },
    Double { messages: [u64; 1] },
    Timeout { name: &'a str },
    Local { name: &'a str },
    Suspect { process: u32 },
}

#[derive(Serialize)]
struct SentJson<'a> {
    message: u64,
    to: u32,
    kind: &'a str,
    text: String,
    fields: &'a [(std::borrow::Cow<'static, str>, String)],
    fate: &'static str,
    announces: bool,
}

/// A step as one line of JSON: what happened, what follows from it, in words, what changed, what it means for
/// properties.
pub(crate) fn line(
    entry: &Entry,
    number: usize,
    event: &Event,
    step: &Step,
    told: &Line,
    changes: &[Change],
    values: &[(usize, Value)],
) -> String {
    let json = EventJson {
        step: number,
        time: &told.time,
        process: event.process,
        input: input(event, step),
        words: &told.input,
        effects: &told.effects,
        rules: &event.rules,
        choices: &event.choices,
        sends: event.sends.iter().map(|sent| send(entry, sent)).collect(),
        outcome: event.outcome.map(Outcome::name),
        standing: standing(step.standing),
        changes,
        depth: step.depth,
        causes: &step.causes,
        properties: values.iter().map(|(place, value)| (*place, value.here, value.so_far)).collect(),
    };
    serde_json::to_string(&json).expect("plain data has a JSON form")
}

fn input<'a>(event: &'a Event, step: &Step) -> InputJson<'a> {
    match &event.input {
        Input::Start => InputJson::Start,
        Input::Want => InputJson::Want,
        Input::Exit => InputJson::Exit,
        Input::Crash => InputJson::Crash,
        Input::Recover => InputJson::Recover,
        Input::Deliver(arrivals) => InputJson::Deliver {
            messages: arrivals.iter().map(|arrival| arrival.message).collect(),
            missed: !step.is_local,
        },
        Input::Lose(arrival) => InputJson::Lose { messages: [arrival.message] },
        Input::Double(arrival) => InputJson::Double { messages: [arrival.message] },
        Input::Timeout(name) => InputJson::Timeout { name },
        Input::Local(name) => InputJson::Local { name },
        Input::Suspect(process) => InputJson::Suspect { process: *process },
    }
}

fn send<'a>(entry: &Entry, sent: &'a Sent) -> SentJson<'a> {
    let announces = entry.kinds.iter().zip(entry.announces).any(|(kind, is)| *kind == sent.kind && *is);
    SentJson {
        message: sent.message,
        to: sent.to,
        kind: &sent.kind,
        text: message(sent),
        fields: &sent.fields,
        fate: match sent.fate {
            Fate::Travels => "travels",
            Fate::Lost => "lost",
            Fate::Doubled => "doubled",
        },
        announces,
    }
}

/// Where a process stands, as the page calls it.
pub(crate) fn standing(standing: Standing) -> &'static str {
    match standing {
        // Clocks have no picture of their own: what they show is among the variables.
        Standing::Open | Standing::Synchronised | Standing::OutOfContact => "open",
        Standing::Leads => "leads",
        Standing::Lost => "lost",
        Standing::Waiting => "waiting",
        Standing::Inside => "inside",
        Standing::Down => "down",
    }
}
