//! What the page shows is what the command line says, over the whole registry.

use super::{ask, command_line as run, stage};
use ringleader::registry::Entry;
use ringleader_page::error_json;
use serde_json::{Value, json};

/// The command line on a command as it is shown.
fn command_line(command: &str) -> (u8, Value) {
    let words = split(command);
    run(words.iter().skip(1).map(String::as_str))
}

/// Words as a shell takes them apart, as far as we quote.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words
}

/// Options as words of the command line have them: `-n 5 --ids random --unsound`.
fn options(words: &str) -> Value {
    let mut options = serde_json::Map::new();
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut rest = words.as_slice();
    while let [key, after @ ..] = rest {
        let key = if *key == "-n" { "nodes" } else { key.trim_start_matches("--") }.to_owned();
        rest = match after {
            [value, after @ ..] if !value.starts_with('-') => {
                match options.get_mut(&key) {
                    Some(Value::Array(several)) => several.push(json!(value)),
                    Some(_) | None
                        if ["crash", "recover", "lose", "set", "partition"].contains(&key.as_str()) =>
                    {
                        options.insert(key, json!([value]));
                    }
                    Some(_) | None => drop(options.insert(key, json!(value))),
                }
                after
            }
            after => {
                options.insert(key, json!(true));
                after
            }
        };
    }
    Value::Object(options)
}

fn source(algorithm: &str, words: &str) -> Value {
    json!({ "source": { "kind": "run", "algorithm": algorithm, "options": options(words) }, "edits": [] })
}

fn without_times(mut report: Value) -> Value {
    for field in ["elapsed_s", "messages_per_s", "peak_bytes"] {
        report[field] = Value::Null;
    }
    report
}

/// Environments that most algorithms admit, and some that only unsound runs have.
const ENVIRONMENTS: [&str; 9] = [
    "",
    "--schedule random --seed 3",
    "--schedule lifo --seed 4",
    "--schedule delay:uniform:1:10 --seed 5",
    "--schedule random --links bag --unsound --seed 6 --max-steps 3000",
    "--schedule random --loss 0.1 --unsound --seed 7 --max-steps 3000",
    "--schedule random --duplicate 0.2 --unsound --seed 8 --max-steps 3000",
    "--crash 1@2 --recover 1@5 --unsound --seed 9 --max-steps 3000",
    "--crash 0@1 --schedule random --recover 0@9 --unsound --seed 10 --max-steps 3000",
];

fn over_the_registry(mut each: impl FnMut(&'static Entry, &str)) {
    for entry in ringleader_errata::all() {
        let n = entry.spec.needs.processes.nearest(7).1;
        for environment in ENVIRONMENTS {
            each(entry, format!("-n {n} {environment}").trim_end());
        }
        if entry.problem == ringleader::registry::Problem::Mutex {
            each(entry, "-n 3 --entries 3 --hold 2 --schedule random --seed 11");
        }
        each(entry, entry.spec.example);
    }
}

#[test]
fn the_report_is_what_the_command_says() {
    let stage = stage();
    let mut shown = 0;
    over_the_registry(|entry, words| {
        let name = entry.spec.name;
        match ask(&stage, "open", &source(name, words)) {
            Ok(run) => {
                let command = run["command"].as_str().expect("a command");
                let (_, said) = command_line(command);
                assert_eq!(run["report"], without_times(said), "{command}");
                shown += 1;
            }
            Err(complaint) => {
                let (code, said) = command_line(&format!("ringleader run {name} {words}").replace("  ", " "));
                assert_eq!(
                    (code, &said["code"]),
                    (2, &json!(format!("ringleader::{}", complaint.code))),
                    "{name} {words}"
                );
            }
        }
    });
    assert!(shown > 400, "{shown} runs were shown");
}

#[test]
fn properties_over_time_end_as_reported() {
    let stage = stage();
    let (mut judged, mut violated) = (0, 0);
    over_the_registry(|entry, words| {
        let mut question = source(entry.spec.name, words);
        let Ok(run) = ask(&stage, "open", &question) else { return };
        if run["small"] == false {
            return;
        }
        (question["from"], question["to"]) = (json!(0), run["steps"].clone());
        let said = ask(&stage, "events", &question).expect("a small run has events");
        let events = said["events"].as_array().expect("a list");
        let said_of = format!("{} {words}", entry.spec.name);
        assert_eq!(json!(events.len()), run["steps"], "{said_of}");
        let properties = run["properties"].as_array().expect("a list");
        let mut so_far = vec![true; properties.len()];
        let mut first = vec![Value::Null; properties.len()];
        let mut values = run["start"].clone();
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["step"], json!(number), "{said_of}");
            for change in event["properties"].as_array().expect("a list") {
                let place = change[0].as_u64().expect("a place") as usize;
                let holds = change[2].as_bool().expect("a value");
                if so_far[place] && !holds {
                    first[place] = json!(number);
                }
                so_far[place] = holds;
            }
            let process = event["process"].as_u64().expect("an index") as usize;
            for change in event["changes"].as_array().expect("a list") {
                let place = change[0].as_u64().expect("a place") as usize;
                assert_eq!(values[process][place], change[1], "{said_of}, step {number}");
                values[process][place] = change[2].clone();
            }
        }
        for (place, property) in properties.iter().enumerate() {
            if property["kind"] == "always" {
                judged += 1;
                violated += u32::from(property["holds"] == false);
                assert_eq!(json!(so_far[place]), property["holds"], "{said_of}: {property}");
                assert_eq!(first[place], property["violated_at"], "{said_of}: {property}");
            } else {
                assert!(so_far[place] && property["violated_at"].is_null(), "{said_of}: {property}");
            }
        }
    });
    assert!(judged > 1000 && violated > 20, "{judged} judged, {violated} violated");
}

#[test]
fn endless_run_is_stopped_and_command_says_so() {
    let stage = stage();
    let run =
        ask(&stage, "open", &source("token-ring", "-n 3 --load saturated --total 100000000")).expect("a run");
    assert_eq!((&run["small"], &run["report"]["outcome"]), (&json!(false), &json!("limit")));
    assert_eq!(run["steps"], json!(2_000_000));
    let command = run["command"].as_str().expect("a command");
    assert!(command.contains("--max-steps 2000000"), "{command}");
    let density: u64 = run["density"].as_array().expect("a list").iter().filter_map(Value::as_u64).sum();
    assert_eq!(json!(density), run["report"]["messages"]["total"]);
    let (code, said) = command_line(command);
    assert_eq!((code, &run["report"]), (3, &without_times(said)));
}

#[test]
fn an_edited_run_is_what_its_command_says() {
    let stage = stage();
    let mut question = source("chang-roberts", "--ids 3,7,4,1 --unsound");
    question["edits"] = json!(["9.crash.2", "5.drop.2"]);
    let run = ask(&stage, "open", &question).expect("a run");
    let command = run["command"].as_str().expect("a command");
    assert!(command.contains("--edit 5.drop.2 --edit 9.crash.2"), "{command}");
    assert_eq!(run["report"], without_times(command_line(command).1), "{command}");
    assert_eq!(run["marks"][0], json!({ "step": 5, "kind": "edit", "text": "message 2 is lost" }));
    (question["from"], question["to"]) = (json!(5), json!(6));
    let events = ask(&stage, "events", &question).expect("events");
    assert_eq!(events["events"][0]["input"], json!({ "kind": "lose", "messages": [2] }));
    question["edits"] = json!(["0.drop.99"]);
    assert_eq!(ask(&stage, "open", &question).expect_err("refused").code, "bad_edit");
    // A recording is followed up to the first edit.
    let counterexample = |edits: &Value| {
        json!({ "source": { "kind": "counterexample", "algorithm": "chang-roberts@as-printed", "options": {} },
            "edits": edits })
    };
    let found = ask(&stage, "open", &counterexample(&json!([]))).expect("a counterexample");
    assert_eq!(found["report"]["outcome"], json!("no-leader"));
    assert_eq!(found["command"], json!("ringleader check chang-roberts@as-printed -n 4"));
}

#[test]
fn abandoned_large_run_is_stopped() {
    let stage = stage();
    let question = source("chang-roberts", "-n 1000000 --seed 2");
    let text = question.to_string();
    let complaint = stage.call_while("open", text.as_bytes(), &|| false).expect_err("given up");
    assert_eq!(complaint.code, "abandoned");
    let run = ask(&stage, "open", &question).expect("a run");
    assert_eq!(run["small"], json!(false));
    assert_eq!(run["report"], without_times(command_line(run["command"].as_str().expect("a command")).1));
    let mut events = question;
    (events["from"], events["to"]) = (json!(0), json!(9));
    assert_eq!(ask(&stage, "events", &events).expect_err("too large").code, "not_small");
}

#[test]
fn what_is_greyed_is_what_would_be_refused() {
    let stage = stage();
    let (mut admitted, mut refused) = (0, 0);
    for entry in ringleader_errata::all() {
        let name = entry.spec.name;
        // Whether it is refused is said before the first step.
        let n = entry.spec.needs.processes.nearest(7).1;
        let question = source(name, &format!("-n {n} --max-steps 1000"));
        let choices = ask(&stage, "choices", &question).expect("choices");
        assert_eq!(choices["outside"], json!([]), "{name}");
        for (option, values) in choices["options"].as_object().expect("options") {
            for choice in values.as_array().expect("a list") {
                let mut other = question.clone();
                other["source"]["options"][option] = choice["value"].clone();
                let opened = ask(&stage, "open", &other);
                assert_eq!(choice["why"].is_null(), opened.is_ok(), "{name} {option} {choice}");
                if opened.is_ok() { admitted += 1 } else { refused += 1 }
            }
        }
        for (action, why) in choices["actions"].as_object().expect("actions") {
            let more = if action == "delay" { ".1" } else { "" };
            let mut other = question.clone();
            other["edits"] = json!([format!("1.{action}.0{more}")]);
            // Message 0 may not be on its way then; that is not what is greyed, except that nobody overtakes here.
            let opened = ask(&stage, "open", &other);
            let by_contract = opened.is_err_and(|complaint| complaint.code != "bad_edit");
            let by_links = action == "overtake" && !why.is_null();
            assert_eq!(!why.is_null(), by_contract || by_links, "{name} {action} {why}");
        }
    }
    assert!(admitted > 500 && refused > 100, "{admitted} admitted, {refused} refused");
}

#[test]
fn files_of_the_server_stay_closed() {
    let stage = stage();
    for (key, value) in [("ids", "@/etc/passwd"), ("schedule", "replay:/etc/passwd")] {
        let question = json!({ "source": {
            "kind": "run", "algorithm": "chang-roberts", "options": { key: value } } });
        let complaint = ask(&stage, "open", &question).expect_err("refused");
        assert_eq!(complaint.code, "no_files_here", "{complaint:?}");
        assert!(!complaint.message.contains("passwd"), "{complaint:?}");
    }
    let question = json!({ "source": {
        "kind": "counterexample", "algorithm": "chang-roberts", "options": { "ids": "@/etc/passwd" } } });
    assert_eq!(ask(&stage, "open", &question).expect_err("refused").code, "no_files_here");
    let written = std::env::temp_dir().join("ringleader-page-must-not-write.rlt");
    for kind in ["run", "counterexample"] {
        let question = json!({ "source": { "kind": kind, "algorithm": "chang-roberts@as-printed",
            "options": { "trace": written.to_string_lossy() } } });
        assert_eq!(ask(&stage, "open", &question).expect_err("refused").code, "unknown_option");
    }
    assert!(!written.exists());
}

#[test]
fn nonsense_is_refused_in_a_sentence() {
    let stage = stage();
    let run = |algorithm: &str, options: Value| {
        let source = json!({ "kind": "run", "algorithm": algorithm, "options": options });
        json!({ "source": source })
    };
    for (question, code) in [
        (json!([]), "bad_question"),
        (json!({ "source": 7 }), "bad_question"),
        (json!({ "source": { "kind": "dream" } }), "bad_question"),
        (run("chang-roberts", json!({ "nodes": 7 })), "bad_question"),
        (run("chang-robert", json!({})), "unknown_algorithm"),
        (run("--help", json!({})), "unknown_algorithm"),
        (run("chang-roberts", json!({ "noodles": "7" })), "unknown_option"),
        (run("chang-roberts", json!({ "nodes": "many" })), "usage"),
        (run("chang-roberts", json!({ "nodes": true })), "usage"),
        (run("chang-roberts", json!({ "unsound": "yes" })), "usage"),
        (run("chang-roberts", json!({ "nodes": "0" })), "n_too_small"),
        (run("chang-roberts", json!({ "nodes": "1000001" })), "too_large"),
        // Everybody asks everybody: 400 million messages on their way.
        (run("ricart-agrawala", json!({ "nodes": "20000" })), "too_large"),
        (run("chang-roberts", json!({ "nodes": "9e99" })), "usage"),
        (run("chang-roberts", json!({ "nodes": "3e9" })), "too_large"),
        (run("ricart-agrawala", json!({ "nodes": "1e6" })), "too_large"),
        (run("chang-roberts", json!({ "links": "bag" })), "needs_fifo"),
        (run("chang-roberts", json!({ "ids": "1,1" })), "duplicate_id"),
        (json!({ "source": { "kind": "trace", "key": "abc" } }), "no_such_trace"),
        (json!({ "source": { "kind": "run", "algorithm": "peterson" }, "edits": ["eat"] }), "bad_edit"),
    ] {
        for verb in ["open", "choices"] {
            if verb == "choices" && question["edits"].is_array() {
                continue;
            }
            match ask(&stage, verb, &question) {
                Err(complaint) => {
                    assert_eq!(complaint.code, code, "{verb} {question}: {complaint:?}");
                    assert!(complaint.message.len() > 10 && !complaint.help.is_empty(), "{complaint:?}");
                }
                // What the contract excludes is what choices are about.
                Ok(answer) => {
                    assert_eq!(verb, "choices", "{question}");
                    assert!(answer["outside"][0].is_string(), "{question}: {}", answer["outside"]);
                }
            }
        }
    }
    assert_eq!(stage.call("dance", b"{}").expect_err("refused").code, "unknown_verb");
    assert_eq!(stage.call("open", b"{").expect_err("refused").code, "bad_question");
}

/// Whether an answer has what a document shows of it: `…` stands for anything, at the end of a list for the rest of
/// it.
fn shows(shown: &Value, answer: &Value) -> bool {
    match (shown, answer) {
        (Value::String(text), _) if text == "…" => true,
        (Value::Object(shown), Value::Object(answer)) => {
            shown.iter().all(|(key, shown)| answer.get(key).is_some_and(|answer| shows(shown, answer)))
        }
        (Value::Array(shown), Value::Array(answer)) => {
            let (few, rest) = match shown.as_slice() {
                [few @ .., last] if *last == json!("…") => (few, true),
                all => (all, false),
            };
            (if rest { answer.len() >= few.len() } else { answer.len() == few.len() })
                && few.iter().zip(answer).all(|(shown, answer)| shows(shown, answer))
        }
        (shown, answer) => shown == answer,
    }
}

#[test]
fn interface_description_matches() {
    let stage = stage();
    let text = include_str!("../../../../web/ENGINE.md");
    let mut asked = Vec::new();
    for block in text.split("```http\nPOST /api/").skip(1) {
        let (verb, rest) = block.split_once('\n').expect("a verb");
        let (question, rest) = rest.split_once("```").expect("a question");
        let shown =
            rest.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an answer");
        let read = |text: &str| -> Value {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{verb}: {error}: {text}"))
        };
        let answer = match ask(&stage, verb, &read(question)) {
            Ok(answer) => answer,
            Err(complaint) => read(&error_json(&complaint)),
        };
        assert!(shows(&read(shown), &answer), "{verb}: the document has\n{shown}\nthe answer is\n{answer}");
        asked.push(verb);
    }
    assert_eq!(asked, ["about", "choices", "open", "events", "export", "import", "judge", "cluster"]);
}

#[test]
fn exported_page_has_the_rules_of_the_algorithm() {
    let mut question = source("peterson", "--ids 3,7,4,1 --seed 1");
    question["kind"] = json!("html");
    let file = ask(&stage(), "export", &question).expect("a small run can be exported");
    let entry = ringleader::registry::find(ringleader_errata::all(), "peterson").expect("it is known");
    let page = file["text"].as_str().expect("a page");
    // What stands for itself in JSON within a page.
    let plain = entry.rules.iter().filter(|rule| !rule.text.contains(['<', '>', '&', '"']));
    let plain: Vec<&str> = plain.map(|rule| rule.text).collect();
    assert!(plain.len() > 3);
    for text in plain {
        assert!(page.contains(text), "no {text}");
    }
}
