//! The verb `events`: some steps of a small run.

use crate::question::{RunRequest, read};
use crate::run::make;
use crate::source::Alive;
use crate::{Diagnostic, Stage, limits};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct EventsRequest {
    #[serde(flatten)]
    run: RunRequest,
    from: usize,
    to: usize,
}

/// The answer.
pub(crate) fn answer(stage: &Stage, question: &[u8], alive: Alive<'_>) -> Result<String, Diagnostic> {
    let request: EventsRequest = read("events", question)?;
    let made = make(stage, &request.run, alive)?;
    if made.recording.is_none() {
        let message = format!(
            "this run is too large to be told event by event: {} processes, {} steps",
            made.report.n, made.report.steps
        );
        let help = format!(
            "up to {} processes and {} steps are; others have an overview, and windows into it",
            limits::SMALL_NODES,
            limits::SMALL_STEPS
        );
        return Err(Diagnostic::input("not_small", message).help(help));
    }
    let all = &made.lines;
    let to = request.to.min(all.len());
    let from = request.from.min(to);
    // They are JSON already.
    Ok(format!(r#"{{"from":{from},"events":[{}]}}"#, all[from..to].join(",")))
}
