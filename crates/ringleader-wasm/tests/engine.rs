//! The engine of the browser, without a browser.

use ringleader_page::check::Progress;
use ringleader_wasm::{Engine, Host};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::Duration;

/// A clock that goes on by a second whenever it is asked, and what it was told.
#[derive(Default)]
struct Desk(Mutex<(u64, Vec<u64>)>);

impl Host for &Desk {
    fn now(&self) -> Duration {
        let mut desk = self.0.lock().expect("nobody panics");
        desk.0 += 1;
        Duration::from_secs(desk.0)
    }

    fn progress(&self, progress: Progress) {
        self.0.lock().expect("nobody panics").1.push(progress.states);
    }
}

fn ask(engine: &Engine<&Desk>, verb: &str, question: &Value) -> (bool, Value) {
    let answer = engine.call(verb, question.to_string().as_bytes());
    (answer.ok, serde_json::from_str(&answer.text).expect("JSON"))
}

#[test]
fn runs_have_all_algorithms() {
    let desk = Desk::default();
    let engine = Engine::new(&desk);
    let (ok, about) = ask(&engine, "about", &json!({}));
    let listed = about["algorithms"].as_array().expect("a list").len();
    assert!(ok && listed == ringleader_errata::all().len());
    let source = json!({ "kind": "run", "algorithm": "chang-roberts", "options": { "ids": "3,7,4,1" } });
    let (ok, run) = ask(&engine, "open", &json!({ "source": source, "edits": [] }));
    assert!(ok);
    assert_eq!((&run["steps"], &run["report"]["messages"]["total"]), (&json!(17), &json!(13)));
}

#[test]
fn check_is_announced_made_and_its_counterexample_opened() {
    let desk = Desk::default();
    let engine = Engine::new(&desk);
    let options = json!({ "nodes": "4", "links": "bag", "unsound": true });
    let question = json!({ "algorithm": "peterson", "options": options });
    let (ok, started) = ask(&engine, "check", &question);
    assert!(ok && started["command"] == "ringleader check peterson -n 4 --links bag --unsound", "{started}");
    let (ok, look) = ask(&engine, "search", &question);
    assert!(ok && look["state"] == "done" && look["counterexample"] == true, "{look}");
    let source = json!({ "kind": "counterexample", "algorithm": "peterson", "options": options });
    let (ok, run) = ask(&engine, "open", &json!({ "source": source, "edits": [] }));
    assert!(ok && run["report"]["outcome"] == "violated", "{run}");
}

#[test]
fn check_ends_when_its_time_is_over() {
    let desk = Desk::default();
    let engine = Engine::new(&desk);
    let question = json!({ "algorithm": "misra", "options": { "nodes": "4", "time": "1s" } });
    let (ok, look) = ask(&engine, "search", &question);
    assert!(ok && look["findings"]["verdict"] == "unknown", "{look}");
    assert!(!desk.0.lock().expect("nobody panics").1.is_empty(), "nobody was told how far it is");
}

#[test]
fn nonsense_has_a_sentence() {
    let desk = Desk::default();
    let engine = Engine::new(&desk);
    for (verb, question) in
        [("open", json!([])), ("dance", json!({})), ("search", json!({ "algorithm": "zzz" }))]
    {
        let (ok, answer) = ask(&engine, verb, &question);
        assert!(!ok && answer["error"]["message"].is_string(), "{verb}: {answer}");
    }
}
