//! One step as the page reads it.

use crate::monitor::Value;
use crate::values::Change;
use ringleader::registry::Entry;
use ringleader::trace::{Access, Event, Fate, Input, Line, Outcome, Sent, Standing, Step, message};
use serde::Serialize;

/// A step of a run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RunEvent<'a> {
    step: usize,
    time: &'a str,
    process: u32,
    input: RunInput<'a>,
    /// What happened, in words: `p3 receives tid(7) from p2`.
    words: &'a str,
    /// What follows from it: `sends tid(7) to p4 → LEADS`.
    effects: &'a str,
    rules: &'a [std::borrow::Cow<'static, str>],
    choices: &'a [u32],
    sends: Vec<RunSent<'a>>,
    /// leads, lost, undecided, waits, enters, leaves …
    outcome: Option<&'static str>,
    /// Where the process stands after it.
    standing: Stand,
    /// What changed: the place of the variable, before, now.
    changes: &'a [Change],
    /// The longest chain of messages that leads here.
    depth: u32,
    /// The steps that it follows from directly.
    causes: &'a [usize],
    /// Properties whose value changes with this step: their place in `Run.properties`, whether it holds here (null:
    /// nothing to say yet), whether it held so far. Before the first step all are [place, null, true].
    properties: Vec<(usize, Option<bool>, bool)>,
    /// What was read and written of shared registers, in order.
    accesses: Vec<RunAccess<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Access"))]
struct RunAccess<'a> {
    register: &'a str,
    value: u32,
    writes: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Input"))]
#[serde(tag = "kind", rename_all = "lowercase")]
enum RunInput<'a> {
    Start,
    Want,
    Exit,
    Crash,
    Recover,
    Deliver {
        messages: Vec<u64>,
        /// The process was down.
        missed: bool,
    },
    Lose {
        messages: [u64; 1],
    },
    Double {
        messages: [u64; 1],
    },
    Timeout {
        name: &'a str,
    },
    Local {
        name: &'a str,
    },
    Suspect {
        process: u32,
    },
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Sent"))]
struct RunSent<'a> {
    message: u64,
    to: u32,
    kind: &'a str,
    /// As a call: `tid(7)`.
    text: String,
    fields: &'a [(std::borrow::Cow<'static, str>, String)],
    fate: RunFate,
    announces: bool,
}

/// `doubled`: a copy with the next number travels too.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Fate"))]
#[serde(rename_all = "lowercase")]
enum RunFate {
    Travels,
    Lost,
    Doubled,
}

/// Where a process stands, as the page calls it.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Standing"))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stand {
    Open,
    Leads,
    Lost,
    Waiting,
    Inside,
    Down,
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
    let json = RunEvent {
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
        accesses: event.accesses.iter().map(access).collect(),
    };
    serde_json::to_string(&json).expect("plain data has a JSON form")
}

fn input<'a>(event: &'a Event, step: &Step) -> RunInput<'a> {
    match &event.input {
        Input::Start => RunInput::Start,
        Input::Want => RunInput::Want,
        Input::Exit => RunInput::Exit,
        Input::Crash => RunInput::Crash,
        Input::Recover => RunInput::Recover,
        Input::Deliver(arrivals) => RunInput::Deliver {
            messages: arrivals.iter().map(|arrival| arrival.message).collect(),
            missed: !step.is_local,
        },
        Input::Lose(arrival) => RunInput::Lose { messages: [arrival.message] },
        Input::Double(arrival) => RunInput::Double { messages: [arrival.message] },
        Input::Timeout(name) => RunInput::Timeout { name },
        Input::Local(name) => RunInput::Local { name },
        Input::Suspect(process) => RunInput::Suspect { process: *process },
    }
}

fn access(access: &Access) -> RunAccess<'_> {
    RunAccess { register: &access.register, value: access.value, writes: access.writes }
}

fn send<'a>(entry: &Entry, sent: &'a Sent) -> RunSent<'a> {
    let announces = entry.kinds.iter().zip(entry.announces).any(|(kind, is)| *kind == sent.kind && *is);
    RunSent {
        message: sent.message,
        to: sent.to,
        kind: &sent.kind,
        text: message(sent),
        fields: &sent.fields,
        fate: match sent.fate {
            Fate::Travels => RunFate::Travels,
            Fate::Lost => RunFate::Lost,
            Fate::Doubled => RunFate::Doubled,
        },
        announces,
    }
}

/// Where a process stands, as the page calls it.
pub(crate) fn standing(standing: Standing) -> Stand {
    match standing {
        // Clocks have no picture of their own: what they show is among the variables.
        Standing::Open | Standing::Synchronised | Standing::OutOfContact => Stand::Open,
        Standing::Leads => Stand::Leads,
        Standing::Lost => Stand::Lost,
        Standing::Waiting => Stand::Waiting,
        Standing::Inside => Stand::Inside,
        Standing::Down => Stand::Down,
    }
}
