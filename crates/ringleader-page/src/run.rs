//! Makes a run, and keeps it for the next question.

use crate::monitor::Monitor;
use crate::question::RunRequest;
use crate::source::{Alive, Prepared, limited, prepare};
use crate::watch::{Closeness, Watch};
use crate::{Diagnostic, Stage, event, limits, refusal};
use ringleader::registry::Entry;
use ringleader::sim::{Observer, Report, RunOutcome, Scenario};
use ringleader::trace::{Header, History, Narrator, Recording};
use std::sync::Arc;

/// A run that was made.
pub(crate) struct Made {
    pub(crate) entry: &'static Entry,
    pub(crate) report: Report,
    pub(crate) seed: u64,
    pub(crate) schedule: String,
    pub(crate) command: String,
    /// Messages sent in each share of the steps.
    pub(crate) density: Vec<u64>,
    /// The first step after which each property does not hold, where that can be told.
    pub(crate) violated_at: Vec<Option<usize>>,
    /// Its events, if it is small.
    pub(crate) recording: Option<Arc<Recording>>,
    /// The same as JSON, one each.
    pub(crate) lines: Vec<String>,
    /// The names of the variables of a small run.
    pub(crate) variables: Vec<&'static str>,
    /// Their values before the first step.
    pub(crate) start: Vec<Vec<String>>,
}

/// Makes a run, or takes it from memory.
pub(crate) fn make(stage: &Stage, request: &RunRequest, alive: Alive<'_>) -> Result<Arc<Made>, Diagnostic> {
    let key = serde_json::json!([request.source, request.edits]).to_string();
    if let Some(made) = stage.store.run(&key) {
        return Ok(made);
    }
    let prepared = prepare(stage, request, alive)?;
    let made = match small(&prepared, alive)? {
        Some(made) => made,
        None => large(stage, request, prepared, alive)?,
    };
    let made = Arc::new(made);
    stage.store.keep_run(key, &made);
    Ok(made)
}

/// With every event, as long as there are few.
fn small(prepared: &Prepared, alive: Alive<'_>) -> Result<Option<Made>, Diagnostic> {
    if prepared.scenario.n > limits::SMALL_NODES {
        return Ok(None);
    }
    let (report, watch) = perform(prepared, &prepared.scenario, Closeness::Everything, alive)?;
    if watch.overflowed {
        return Ok(None);
    }
    let Some(header) = watch.header else { return Ok(None) };
    // The simulator knows the kind of schedule, we know it as it was asked for.
    let header = Header { schedule: prepared.schedule.clone(), ..header };
    if let Some(followed) = &prepared.follows
        && prepared.scenario.edits.is_empty()
        && followed.events != watch.events
    {
        return Err(differs(followed, &watch.events));
    }
    let recording = Recording { header, events: watch.events };
    let mut violated_at = vec![None; report.properties.len()];
    let history = History::of(&recording);
    let mut monitor = Monitor::new(report.n, &report.properties);
    let mut narrator = Narrator::new(recording.header.ticks_per_unit);
    let mut lines = Vec::with_capacity(recording.events.len());
    let steps = recording.events.iter().zip(&history.steps).zip(&watch.changes);
    for (number, ((happened, step), changes)) in steps.enumerate() {
        let values = monitor.step(happened);
        for (place, value) in &values {
            if !value.so_far && violated_at[*place].is_none() {
                violated_at[*place] = Some(number);
            }
        }
        let told = narrator.tell(happened);
        lines.push(event::line(prepared.entry, number, happened, step, &told, changes, &values));
    }
    Ok(Some(Made {
        entry: prepared.entry,
        seed: prepared.scenario.seed,
        schedule: prepared.schedule.clone(),
        command: prepared.command.clone(),
        density: watch.density.shares(),
        violated_at,
        lines,
        recording: Some(Arc::new(recording)),
        variables: watch.values.names,
        start: watch.values.start,
        report,
    }))
}

/// Without events.
fn large(
    stage: &Stage,
    request: &RunRequest,
    prepared: Prepared,
    alive: Alive<'_>,
) -> Result<Made, Diagnostic> {
    let n = prepared.scenario.n;
    let closeness = if n <= limits::WATCHED_NODES { Closeness::Counts } else { Closeness::Nothing };
    let (mut report, mut watch) = perform(&prepared, &prepared.scenario, closeness, alive)?;
    let mut prepared = prepared;
    // It was stopped: so that the command gives the same run, it says so.
    let most = limits::steps(n);
    let stopped = report.outcome == RunOutcome::Limit && report.steps >= most;
    if stopped && prepared.scenario.max_steps.is_none_or(|asked| asked > most) {
        let exactly = closeness == Closeness::Counts;
        if let Some(again) = limited(stage, request, if exactly { most } else { report.steps })? {
            if exactly {
                (report, watch) = perform(&again, &again.scenario, closeness, alive)?;
            }
            prepared = again;
        }
    }
    Ok(Made {
        entry: prepared.entry,
        seed: prepared.scenario.seed,
        schedule: prepared.schedule,
        command: prepared.command,
        density: watch.density.shares(),
        violated_at: vec![None; report.properties.len()],
        recording: None,
        lines: Vec::new(),
        variables: Vec::new(),
        start: Vec::new(),
        report,
    })
}

fn perform<'a>(
    prepared: &Prepared,
    scenario: &Scenario,
    closeness: Closeness,
    alive: Alive<'a>,
) -> Result<(Report, Watch<'a>), Diagnostic> {
    let mut watch = Watch::new(closeness, limits::steps(scenario.n), alive);
    let form = prepared.entry.with_settings(&scenario.settings);
    let report =
        prepared.entry.run(scenario, &mut watch).map_err(|refused| refusal::complain(form, &refused))?;
    if watch.abandoned {
        return Err(abandoned());
    }
    Ok((report, watch))
}

fn abandoned() -> Diagnostic {
    Diagnostic::input("abandoned", "nobody waits for this run any more")
}

/// A trace that this version of the algorithm does not repeat.
fn differs(recorded: &Recording, now: &[ringleader::trace::Event]) -> Diagnostic {
    let same = recorded.events.iter().zip(now).take_while(|(recorded, now)| recorded == now).count();
    let message =
        format!("step {} of the recording cannot be repeated: it would be another step now", same + 1);
    Diagnostic::input("broken_replay", message)
        .help("the trace was changed, or recorded by another version of the algorithm")
}

/// Makes a run once more, for somebody who wants to see it in another way.
pub(crate) fn watched(
    stage: &Stage,
    request: &RunRequest,
    observer: &mut dyn Observer,
    alive: Alive<'_>,
) -> Result<(), Diagnostic> {
    let prepared = prepare(stage, request, alive)?;
    let form = prepared.entry.with_settings(&prepared.scenario.settings);
    let run = prepared.entry.run(&prepared.scenario, observer);
    run.map_err(|refused| refusal::complain(form, &refused))?;
    if alive() { Ok(()) } else { Err(abandoned()) }
}
