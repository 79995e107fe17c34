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

#[cfg(test)]
mod tests {
    use crate::Stage;
    use crate::testing::Few;
    use serde_json::{Value, json};

    /// While machines act at once they read what was there before; what they write is there all the same.
    #[test]
    fn a_write_of_a_register_is_a_change() {
        let stage = Stage::new(Box::new(Few));
        let source = json!({ "kind": "run", "algorithm": "dijkstra-k", "options": { "nodes": "4" } });
        let question = json!({ "source": source, "edits": [], "from": 0, "to": 5 }).to_string();
        let answer = stage.call("events", question.as_bytes()).expect("it runs");
        let answer: Value = serde_json::from_str(&answer).expect("the answer is JSON");
        let mut writes = 0;
        for event in answer["events"].as_array().expect("a list") {
            for access in event["accesses"].as_array().expect("a list") {
                let own = format!("S[{}]", event["process"]);
                if access["writes"] == true && access["register"] == own {
                    assert_eq!(event["changes"][0][2], access["value"].to_string(), "{event}");
                    writes += 1;
                }
            }
        }
        assert!(writes >= 4, "only {writes} writes in {answer}");
    }
}
