//! What the page is told of a check is what `check --json` says.

use super::{ask, program, said, stage};
use ringleader_page::check::{Prepared, prepare};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// What depends on the clock, and on what else the process has in memory.
const PASSING: [&str; 3] = ["elapsed_s", "states_per_s", "peak_bytes"];

fn prepared(algorithm: &str, options: &Value) -> Result<Prepared, String> {
    let question = json!({ "algorithm": algorithm, "options": options }).to_string();
    prepare(&program(), question.as_bytes()).map_err(|complaint| complaint.message)
}

/// Algorithm, options as the page has them, the same as words.
fn table() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    vec![
        ("chang-roberts", json!({}), vec![]),
        ("lcr", json!({ "nodes": "5", "all-ids": true }), vec!["-n", "5", "--all-ids"]),
        ("peterson", json!({ "ids": "4,3,1,2" }), vec!["--ids", "4,3,1,2"]),
        (
            "peterson",
            json!({ "nodes": "4", "links": "bag", "unsound": true, "all-ids": true }),
            vec!["-n", "4", "--links", "bag", "--unsound", "--all-ids"],
        ),
        (
            "dolev-klawe-rodeh",
            json!({ "nodes": "3", "links": "bag", "unsound": true }),
            vec!["-n", "3", "--links", "bag", "--unsound"],
        ),
        ("franklin", json!({ "nodes": "4", "initiators": "all" }), vec!["-n", "4", "--initiators", "all"]),
        (
            "hirschberg-sinclair",
            json!({ "nodes": "3", "reduce": "none" }),
            vec!["-n", "3", "--reduce", "none"],
        ),
        ("itai-rodeh", json!({ "nodes": "3" }), vec!["-n", "3"]),
        ("bully", json!({ "nodes": "2", "crashes": "1" }), vec!["-n", "2", "--crashes", "1"]),
        ("chang-roberts@as-printed", json!({ "nodes": "3" }), vec!["-n", "3"]),
        ("maekawa@m1", json!({ "nodes": "3" }), vec!["-n", "3"]),
        ("maekawa", json!({ "nodes": "4", "max-states": "5000" }), vec!["-n", "4", "--max-states", "5000"]),
        ("ricart-agrawala", json!({ "nodes": "3", "safety": true }), vec!["-n", "3", "--safety"]),
        ("raymond", json!({ "nodes": "4", "topology": "star" }), vec!["-n", "4", "--topology", "star"]),
        ("misra", json!({ "nodes": "3", "losses": "1" }), vec!["-n", "3", "--losses", "1"]),
        (
            "token-ring",
            json!({ "nodes": "3", "losses": "1", "unsound": true }),
            vec!["-n", "3", "--losses", "1", "--unsound"],
        ),
        (
            "central",
            json!({ "nodes": "3", "denied": true, "entries": "2" }),
            vec!["-n", "3", "--denied", "--entries", "2"],
        ),
        ("suzuki-kasami", json!({ "nodes": "3", "threads": "2" }), vec!["-n", "3", "--threads", "2"]),
    ]
}

#[test]
fn findings_are_those_of_the_command_line() {
    let mut verdicts = Vec::new();
    for (algorithm, options, words) in table() {
        let prepared =
            prepared(algorithm, &options).unwrap_or_else(|refused| panic!("{algorithm}: {refused}"));
        let checked = prepared.run(&|_| ControlFlow::Continue(()));
        let checked = checked.unwrap_or_else(|refused| panic!("{algorithm}: {}", refused.message));
        let line: Vec<&str> = ["check", algorithm].into_iter().chain(words).collect();
        let mut by_command = said(&line);
        let fields = by_command.as_object_mut().expect("it is an object");
        fields.retain(|name, _| !PASSING.contains(&name.as_str()));
        assert_eq!(checked.findings, by_command, "{line:?}");
        assert_eq!(prepared.started("1").command, by_command["again"], "{line:?}");
        assert_eq!(checked.recording.is_some(), !by_command["counterexample"].is_null(), "{line:?}");
        verdicts.push(by_command["verdict"].as_str().unwrap_or("").to_owned());
    }
    for verdict in ["holds", "violated", "unknown"] {
        assert!(verdicts.iter().any(|found| found == verdict), "nothing here is {verdict}");
    }
}

#[test]
fn what_is_refused_is_refused_at_once() {
    for (algorithm, options, said) in [
        ("peterson", json!({ "links": "bag" }), "needs fifo links"),
        ("petersen", json!({}), "there is no algorithm `petersen`"),
        ("peterson", json!({ "ids": "random" }), "a check makes no random choices"),
        ("peterson", json!({ "ids": "@/etc/hostname" }), "a page reads no files"),
        ("peterson", json!({ "trace": "x.rlt" }), "`check` has no option `trace` here"),
        ("peterson", json!({ "nodes": "many" }), "many"),
        ("peterson", json!({ "nodes": "2000" }), "a check goes through every run"),
        ("chang-roberts", json!({ "nodes": "60", "all-ids": true }), "arrangements"),
    ] {
        let refused = prepared(algorithm, &options).expect_err("it is refused");
        assert!(refused.contains(said), "{algorithm} {options}: {refused}");
    }
}

/// A larger check is announced with about as many states as it will have.
#[test]
fn the_number_of_states_is_foretold() {
    let options = json!({ "nodes": "6", "all-ids": true, "reduce": "none" });
    let prepared = prepared("chang-roberts", &options).expect("it may be made");
    let checked = prepared.run(&|_| ControlFlow::Continue(())).expect("it is not refused");
    // The estimate may be given up when the machine is busy.
    if let Some(expected) = prepared.started("1").expected_states {
        let ratio = expected as f64 / checked.progress.states as f64;
        assert!((0.5..2.0).contains(&ratio), "{expected} for {}", checked.progress.states);
    }
}

/// What a check found is what the page opens as its counterexample, with the same steps.
#[test]
fn a_counterexample_can_be_opened() {
    let stage = stage();
    for (algorithm, options, words) in table() {
        let line: Vec<&str> = ["check", algorithm].into_iter().chain(words).collect();
        let by_command = said(&line);
        let Some(steps) = by_command["counterexample"].as_array() else { continue };
        let source = json!({ "kind": "counterexample", "algorithm": algorithm, "options": options });
        let question = json!({ "source": source, "edits": [], "from": 0, "to": steps.len() });
        let events =
            ask(&stage, "events", &question).unwrap_or_else(|refused| panic!("{algorithm}: {refused}"));
        let events = events["events"].as_array().expect("it has events");
        assert_eq!(events.len(), steps.len(), "{algorithm}");
        for (event, step) in events.iter().zip(steps) {
            let words = step["words"].as_str().expect("it is in words");
            let input = event["words"].as_str().expect("it is in words");
            assert!(words.starts_with(input), "{algorithm}: {input} is not {words}");
        }
    }
}
