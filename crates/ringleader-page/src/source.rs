//! From a source and its edits to a scenario.

use crate::question::{OptionValue, Options, RunRequest, Source};
use crate::words::Planned;
use crate::{Diagnostic, Stage, limits, refusal};
use ringleader::check::{Answer, Progress, Watcher};
use ringleader::registry::{self, Entry};
use ringleader::sim::{Edit, Scenario};
use ringleader::trace::Recording;
use ringleader_lab::formats::{End, Recorded};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What is to be run, and how it is shown.
pub(crate) struct Prepared {
    pub(crate) entry: &'static Entry,
    pub(crate) scenario: Scenario,
    /// The schedule, as it is shown.
    pub(crate) schedule: String,
    /// The command that gives the same run.
    pub(crate) command: String,
    /// The recording that it follows, if it does.
    pub(crate) follows: Option<Arc<Recording>>,
}

/// Whether somebody still waits for the answer.
pub(crate) type Alive<'a> = &'a (dyn Fn() -> bool + Sync);

/// Prepares a run.
pub(crate) fn prepare(stage: &Stage, request: &RunRequest, alive: Alive<'_>) -> Result<Prepared, Diagnostic> {
    let edits = request.edits()?;
    let prepared = match &request.source {
        Source::Run { algorithm, options } => planned(stage, algorithm, options, &edits)?,
        Source::Trace { key } => {
            let trace = stage.store.trace(key).ok_or_else(|| forgotten(key))?;
            let command = format!("{} replay {}", stage.program(), quoted(&trace.name));
            let schedule = trace.recorded.recording.header.schedule.clone();
            recorded(stage, &trace.recorded, schedule, command)?
        }
        Source::Counterexample { algorithm, options } => {
            let check = stage.words.check(algorithm, options)?;
            let recording = find(stage, &request.source, alive)?;
            let schedule = recording.header.schedule.clone();
            recorded(stage, &as_recorded(stage, recording), schedule, check.command)?
        }
    };
    if prepared.scenario.n > limits::NODES {
        return Err(too_large(prepared.scenario.n));
    }
    Ok(Prepared { scenario: Scenario { edits, ..prepared.scenario }, ..prepared })
}

/// The same run, stopped after so many steps at the latest; none if its source cannot say that.
pub(crate) fn limited(
    stage: &Stage,
    request: &RunRequest,
    steps: u64,
) -> Result<Option<Prepared>, Diagnostic> {
    let Source::Run { algorithm, options } = &request.source else { return Ok(None) };
    let edits = request.edits()?;
    let mut options = options.clone();
    options.insert("max-steps".into(), OptionValue::One(steps.to_string()));
    let prepared = planned(stage, algorithm, &options, &edits)?;
    Ok(Some(Prepared { scenario: Scenario { edits, ..prepared.scenario }, ..prepared }))
}

fn planned(
    stage: &Stage,
    algorithm: &str,
    options: &Options,
    edits: &[Edit],
) -> Result<Prepared, Diagnostic> {
    let Planned { algorithm, scenario, schedule, command } = stage.words.run(algorithm, options, edits)?;
    Ok(Prepared { entry: entry(stage, algorithm)?, scenario, schedule, command, follows: None })
}

fn recorded(
    stage: &Stage,
    recorded: &Recorded,
    schedule: String,
    command: String,
) -> Result<Prepared, Diagnostic> {
    let entry = entry(stage, &recorded.recording.header.algorithm)?;
    let follows = Some(Arc::clone(&recorded.recording));
    Ok(Prepared { entry, scenario: recorded.scenario(), schedule, command, follows })
}

/// The algorithm with this name.
pub(crate) fn entry(stage: &Stage, name: &str) -> Result<&'static Entry, Diagnostic> {
    registry::find(stage.words.registry(), name).ok_or_else(|| {
        Diagnostic::input("unknown_algorithm", format!("there is no algorithm `{name}`"))
            .help("choose one from the list")
    })
}

/// The counterexample of a check: as it was found before, or searched for now.
fn find(stage: &Stage, source: &Source, alive: Alive<'_>) -> Result<Arc<Recording>, Diagnostic> {
    let Source::Counterexample { algorithm, options } = source else {
        return Err(Diagnostic::input("bad_question", "only a check finds a counterexample"));
    };
    let key = found_key(algorithm, options);
    if let Some(found) = stage.store.found(&key) {
        return Ok(found);
    }
    let mut check = stage.words.check(algorithm, options)?;
    let entry = entry(stage, check.algorithm)?;
    let most = check.scope.max_states.unwrap_or(u64::MAX);
    check.scope.max_states = Some(most.min(limits::SEARCH_STATES));
    let findings = entry
        .check(&check.scope, &[], &Patience(alive))
        .map_err(|refused| refusal::complain(entry.with_settings(&check.scope.settings), &refused))?;
    let Some(found) = findings.counterexample else {
        let message = match findings.answer {
            Answer::Holds => {
                format!("`{}` keeps its promises here: no run shows a violation", check.algorithm)
            }
            Answer::Unknown => "the search was stopped before it found a violation".to_owned(),
            Answer::Violated => "there is no single run that shows the violation".to_owned(),
        };
        return Err(Diagnostic::input("no_counterexample", message)
            .help("Check says what was searched, and lets a longer search run"));
    };
    let recording = Arc::new(found.recording);
    stage.store.keep_found(key, Arc::clone(&recording));
    Ok(recording)
}

/// Under which a counterexample is remembered.
pub(crate) fn found_key(algorithm: &str, options: &Options) -> String {
    format!("{algorithm} {}", serde_json::json!(options))
}

fn as_recorded(stage: &Stage, recording: Arc<Recording>) -> Recorded {
    let steps = recording.events.len() as u64;
    Recorded { recording, by: stage.words.version(), end: End { steps, outcome: "violated".into() } }
}

struct Patience<'a>(Alive<'a>);

impl Watcher for Patience<'_> {
    fn progress(&self, _: &Progress) -> ControlFlow<()> {
        if (self.0)() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

pub(crate) fn too_large(n: u32) -> Diagnostic {
    let message = format!("{n} processes are too many for the page: the most is {}", limits::NODES);
    Diagnostic::input("too_large", message).help("`ringleader run` takes more, as far as memory goes")
}

fn forgotten(key: &str) -> Diagnostic {
    let message =
        format!("the trace `{key}` is not here: traces are kept while the engine runs, the latest of them");
    Diagnostic::input("no_such_trace", message).help("open the file again: drop it on the page")
}

/// A name of a file as a word of a shell.
fn quoted(name: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_@%+=:,./^".contains(c);
    if !name.is_empty() && name.chars().all(safe) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}
