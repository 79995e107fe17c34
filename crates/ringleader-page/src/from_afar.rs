//! Tests of what is shown of large runs, on runs that are small enough to be told event by event as well.

use crate::Stage;
use crate::testing::Few;
use serde_json::{Value, json};

const SOME: [(&str, u32); 6] = [
    ("chang-roberts", 12),
    ("franklin", 9),
    ("van-leeuwen-tan-half-duplex", 7),
    ("itai-rodeh", 8),
    ("ricart-agrawala", 6),
    ("misra", 5),
];

fn ask(stage: &Stage, verb: &str, question: Value) -> Value {
    let answer = stage.call(verb, question.to_string().as_bytes());
    serde_json::from_str(&answer.unwrap_or_else(|complaint| panic!("{verb} {question}: {complaint:?}")))
        .expect("answers are JSON")
}

/// A question about a run, with these fields besides.
fn about(algorithm: &str, n: u32, more: Value) -> Value {
    let options = json!({ "nodes": n.to_string(), "seed": "7" });
    let mut question =
        json!({ "source": { "kind": "run", "algorithm": algorithm, "options": options }, "edits": [] });
    for (key, value) in more.as_object().into_iter().flatten() {
        question[key] = value.clone();
    }
    question
}

/// The run as a whole, and all its events.
fn told(stage: &Stage, algorithm: &str, n: u32) -> (Value, Vec<Value>) {
    let run = ask(stage, "open", about(algorithm, n, json!({})));
    let events = ask(stage, "events", about(algorithm, n, json!({ "from": 0, "to": 1_000_000 })));
    (run, events["events"].as_array().cloned().expect("events"))
}

#[test]
fn a_window_shows_what_the_events_say() {
    let stage = Stage::new(Box::new(Few));
    for (algorithm, n) in SOME {
        let (run, events) = told(&stage, algorithm, n);
        let steps = events.len() as u64;
        for (nodes, steps) in
            [((0u32, n), (0, steps)), ((1, 3), (0, steps)), ((0, n), (steps / 3, steps / 2))]
        {
            let window =
                ask(&stage, "window", about(algorithm, n, json!({ "nodes": nodes, "steps": steps })));
            let inside = |event: &&Value| {
                let (step, process) = (event["step"].as_u64(), event["process"].as_u64());
                let (nodes, steps) = (u64::from(nodes.0)..u64::from(nodes.1), steps.0..steps.1);
                step.is_some_and(|step| steps.contains(&step)) && process.is_some_and(|p| nodes.contains(&p))
            };
            let expected: Vec<&Value> = events.iter().filter(inside).collect();
            let shown = window["events"].as_array().expect("events");
            assert_eq!(shown.len(), expected.len(), "{algorithm} {nodes:?} {steps:?}");
            for (shown, expected) in shown.iter().zip(expected) {
                for field in ["step", "time", "process", "input", "words", "effects", "rules", "choices"] {
                    assert_eq!(shown[field], expected[field], "{algorithm} {field}");
                }
                for field in ["sends", "outcome", "standing", "changes"] {
                    assert_eq!(shown[field], expected[field], "{algorithm} {field}");
                }
            }
            assert_eq!(window["cut"], json!(false));
            // What was there before is the first values with all changes in between.
            let mut values = run["start"].clone();
            for event in events.iter().take(steps.0 as usize) {
                let process = event["process"].as_u64().expect("a process") as usize;
                for change in event["changes"].as_array().into_iter().flatten() {
                    values[process][change[0].as_u64().expect("a place") as usize] = change[2].clone();
                }
            }
            let expected = &values.as_array().expect("values")[nodes.0 as usize..nodes.1 as usize];
            assert_eq!(window["start"].as_array().map(Vec::as_slice), Some(expected), "{algorithm}");
        }
    }
}

#[test]
fn an_overview_counts_what_the_events_say() {
    let stage = Stage::new(Box::new(Few));
    for (algorithm, n) in SOME {
        let (run, events) = told(&stage, algorithm, n);
        let all = events.len() as u64;
        for (nodes, steps) in [((0u32, n), (0, all)), ((2, 5), (all / 4, all))] {
            let more = json!({ "nodes": nodes, "steps": steps, "columns": 3, "rows": 4 });
            let far = ask(&stage, "overview", about(algorithm, n, more));
            let (columns, rows) = (3u64.min(u64::from(nodes.1 - nodes.0)), 4u64.min(steps.1 - steps.0));
            let mut expected = vec![0; (columns * rows) as usize];
            for event in &events {
                let (step, process) = (event["step"].as_u64().unwrap(), event["process"].as_u64().unwrap());
                let is_in = (steps.0..steps.1).contains(&step)
                    && (u64::from(nodes.0)..u64::from(nodes.1)).contains(&process);
                if is_in && event["input"]["kind"] == "deliver" {
                    let column = (process - u64::from(nodes.0)) * columns / u64::from(nodes.1 - nodes.0);
                    let row = (step - steps.0) * rows / (steps.1 - steps.0);
                    expected[(row * columns + column) as usize] +=
                        event["input"]["messages"].as_array().unwrap().len();
                }
            }
            assert_eq!(far["received"], json!(expected), "{algorithm} {nodes:?} {steps:?}");
            let frames = far["frames"].as_array().expect("frames");
            assert_eq!(frames.len() as u64, rows);
            for frame in frames {
                let counts =
                    frame["roles"].as_array().unwrap().iter().flat_map(|role| role.as_array().unwrap());
                assert_eq!(
                    counts.map(|count| count.as_u64().unwrap()).sum::<u64>(),
                    u64::from(nodes.1 - nodes.0)
                );
            }
            let last = frames.last().expect("there is a last one");
            assert_eq!(last["step"], json!(steps.1));
            assert_eq!(last["messages"], run["report"]["messages"]["total"], "{algorithm}");
        }
    }
}

#[test]
fn who_is_left_is_named() {
    let stage = Stage::new(Box::new(Few));
    let more = json!({ "nodes": null, "steps": null, "columns": 10, "rows": 8 });
    let far = ask(&stage, "overview", about("chang-roberts", 3000, more));
    let last = far["frames"].as_array().and_then(|frames| frames.last()).expect("a last frame");
    let leaders: Vec<&Value> = last["alone"].as_array().unwrap().iter().collect();
    assert_eq!(leaders.len(), 1, "{leaders:?}");
    assert_eq!(leaders[0]["id"], json!(3000));
}

#[test]
fn what_is_not_there_is_refused() {
    let stage = Stage::new(Box::new(Few));
    let refused = |verb: &str, more: Value| {
        let question = about("franklin", 500, more).to_string();
        stage.call(verb, question.as_bytes()).expect_err("refused").message
    };
    let cells =
        |columns: u64, rows: u64| json!({ "nodes": null, "steps": null, "columns": columns, "rows": rows });
    assert!(refused("overview", cells(0, 5)).contains("1 to 50000 cells"));
    assert!(refused("overview", cells(100_000, 100_000)).contains("cells"));
    let window = |nodes: (u32, u32), steps: (u32, u32)| json!({ "nodes": nodes, "steps": steps });
    assert!(refused("window", window((0, 500), (0, 9))).contains("at most 200 processes"));
    assert!(refused("window", window((7, 3), (0, 9))).contains("no processes from 7 to 3"));
    assert!(refused("window", window((600, 700), (0, 9))).contains("there are 500"));
    assert!(refused("window", window((0, 9), (9, 9))).contains("no steps"));
}
