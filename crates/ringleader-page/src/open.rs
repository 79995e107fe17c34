//! The verb `open`: a run as a whole.

use crate::about::{Overlay, overlays};
use crate::monitor::is_watched;
use crate::network::{edges, ports};
use crate::question::{RunRequest, Source, read};
use crate::run::{Made, make};
use crate::source::Alive;
use crate::{Diagnostic, Stage, limits};
use ringleader::sim::{Action, Edit};
use ringleader::trace::{Event, Fate, Input, Outcome};
use ringleader_lab::formats::{IDS_OF_RUN, RunContext, run_json};
use serde::Serialize;
use serde_json::Value;

/// A run as a whole.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Run<'a> {
    source: &'a Source,
    edits: &'a [String],
    algorithm: &'a str,
    problem: &'a str,
    n: u32,
    /// The command that gives the same run; for a counterexample the `check` that finds it.
    command: &'a str,
    /// Exactly what `ringleader run --json` says of it, without the time it took.
    #[cfg_attr(test, schemars(with = "crate::schema::Report"))]
    report: Value,
    topology: &'a str,
    links: &'a str,
    schedule: &'a str,
    /// Where it left the algorithm's assumptions.
    outside: &'a [String],
    /// How many steps it has.
    steps: u64,
    /// Whether `events` gives all of it. If not, `overview` and `window` do.
    small: bool,
    properties: Vec<Property<'a>>,
    marks: Vec<Mark>,
    /// Messages sent in each of at most 240 equal shares of the steps.
    density: &'a [u64],
    /// Of a small run; empty otherwise.
    ids: &'a [u64],
    /// Who is joined to whom. On one-way rings from the first to the second.
    edges: Vec<(u32, u32)>,
    directed: bool,
    variables: &'a [&'static str],
    /// The values of the variables before the first step, for each process.
    start: &'a [Vec<String>],
    /// What is drawn of the variables.
    overlays: Vec<Overlay>,
    /// Who is behind each port of each process, where ports are numbers; empty where they are not.
    ports: Vec<Vec<u32>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Property<'a> {
    name: &'a str,
    kind: Span,
    holds: bool,
    detail: Option<&'a str>,
    /// The first step after which it does not hold.
    violated_at: Option<usize>,
}

/// `always`: has a value in each state. `end`: is decided when the run ends.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Span {
    Always,
    End,
}

/// Something that is worth a mark on the time line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Mark {
    step: u64,
    kind: Kind,
    text: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MarkKind"))]
#[serde(rename_all = "lowercase")]
enum Kind {
    Edit,
    Fault,
    Decision,
    Violation,
}

/// The answer.
pub(crate) fn answer(stage: &Stage, question: &[u8], alive: Alive<'_>) -> Result<String, Diagnostic> {
    let request: RunRequest = read("open", question)?;
    let made = make(stage, &request, alive)?;
    let report = &made.report;
    let recording = made.recording.as_deref();
    let (edges, directed) = match recording {
        Some(recording) => edges(made.entry.shape, &recording.header),
        None => (Vec::new(), made.entry.shape == ringleader::model::Shape::OneWayRing),
    };
    let run = Run {
        source: &request.source,
        edits: &request.edits,
        algorithm: made.entry.spec.name,
        problem: made.entry.problem.name(),
        n: report.n,
        command: &made.command,
        report: report_json(stage, &made)?,
        topology: report.topology,
        links: report.links.name(),
        schedule: &made.schedule,
        outside: &report.outside,
        steps: recording.map_or(report.steps, |recording| recording.events.len() as u64),
        small: recording.is_some(),
        properties: properties(&made),
        marks: marks(&made, &request.edits()?),
        density: &made.density,
        ids: recording.map_or(&[][..], |recording| &recording.header.ids),
        edges,
        directed,
        variables: &made.variables,
        start: &made.start,
        overlays: overlays(made.entry),
        ports: recording.map_or(Vec::new(), |recording| ports(made.entry.shape, &recording.header)),
    };
    Ok(serde_json::to_string(&run).expect("plain data has a JSON form"))
}

/// What `ringleader run --json` says of it, without the time it took.
pub(crate) fn report_json(stage: &Stage, made: &Made) -> Result<Value, Diagnostic> {
    let text = run_json(
        &made.report,
        &RunContext {
            algorithm: made.entry.spec.name,
            problem: made.entry.problem,
            seed: made.seed,
            schedule: &made.schedule,
            elapsed_s: None,
            peak_bytes: None,
            again: &made.command,
            version: &stage.words.version(),
            ids_most: IDS_OF_RUN,
        },
    );
    serde_json::from_str(&text)
        .map_err(|error| Diagnostic::input("inside", format!("the report cannot be read: {error}")))
}

fn properties(made: &Made) -> Vec<Property<'_>> {
    let small = made.recording.is_some();
    let pairs = made.report.properties.iter().zip(&made.violated_at);
    pairs
        .map(|(property, violated_at)| Property {
            name: property.name,
            kind: if small && is_watched(property.name) { Span::Always } else { Span::End },
            holds: property.holds,
            detail: property.detail.as_deref(),
            violated_at: *violated_at,
        })
        .collect()
}

/// What is worth a mark on the time line.
fn marks(made: &Made, edits: &[Edit]) -> Vec<Mark> {
    let mark = |step: u64, kind: Kind, text: String| Mark { step, kind, text };
    let mut marks: Vec<Mark> =
        edits.iter().map(|edit| mark(edit.step, Kind::Edit, edited(edit.action))).collect();
    let events = made.recording.iter().flat_map(|recording| recording.events.iter().enumerate());
    let mut decisions = 0;
    for (number, event) in events {
        let number = number as u64;
        marks.extend(fault(event).map(|text| mark(number, Kind::Fault, text)));
        if let Some(text) = decision(event)
            && decisions < limits::DECISIONS_MARKED
        {
            decisions += 1;
            marks.push(mark(number, Kind::Decision, text));
        }
    }
    for (property, at) in made.report.properties.iter().zip(&made.violated_at) {
        if let Some(at) = at {
            marks.push(mark(*at as u64, Kind::Violation, format!("violated: {}", property.name)));
        }
    }
    marks
}

/// An edit in words.
fn edited(action: Action) -> String {
    match action {
        Action::Deliver(message) => format!("message {message} arrives now"),
        Action::Drop(message) => format!("message {message} is lost"),
        Action::Duplicate(message) => format!("message {message} is doubled"),
        Action::Overtake(message) => format!("message {message} overtakes those ahead of it"),
        Action::Delay(message, steps) => format!("message {message} waits for {steps} steps"),
        Action::Crash(process) => format!("p{process} crashes"),
        Action::Recover(process) => format!("p{process} recovers"),
        Action::Want(process) => format!("p{process} wants in"),
    }
}

fn fault(event: &Event) -> Option<String> {
    let who = event.process;
    match &event.input {
        Input::Crash => Some(format!("p{who} crashes")),
        Input::Recover => Some(format!("p{who} recovers")),
        Input::Lose(arrival) => Some(format!("message {} is lost", arrival.message)),
        Input::Double(arrival) => Some(format!("message {} is doubled", arrival.message)),
        Input::Start
        | Input::Deliver(_)
        | Input::Timeout(_)
        | Input::Local(_)
        | Input::Want
        | Input::Exit
        | Input::Suspect(_) => event.sends.iter().find_map(|sent| match sent.fate {
            Fate::Travels => None,
            Fate::Lost => Some(format!("message {} is lost", sent.message)),
            Fate::Doubled => Some(format!("message {} is doubled", sent.message)),
        }),
    }
}

fn decision(event: &Event) -> Option<String> {
    match event.outcome? {
        Outcome::Leads => Some(format!("p{} leads", event.process)),
        Outcome::Enters => Some(format!("p{} enters", event.process)),
        Outcome::Synchronises => Some(format!("p{} sets its clock", event.process)),
        Outcome::LosesContact => Some(format!("p{} cannot set its clock", event.process)),
        Outcome::Lost | Outcome::Undecided | Outcome::Waits | Outcome::Leaves => None,
    }
}
