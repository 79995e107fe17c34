//! Exports of every algorithm, held against the rules of the tools that read them.

use super::*;
use ringleader::registry::find;
use ringleader::sim::{Delay, Fault, Recorder, Scenario, Schedule};
use ringleader::trace::Recording;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

fn record(name: &str, scenario: &Scenario) -> Option<Recording> {
    let mut recorder = Recorder::default();
    find(ringleader_errata::all(), name)?.run(scenario, &mut recorder).ok()?;
    recorder.recording()
}

fn faulty() -> Recording {
    let faults = vec![
        Fault::Duplicate(0.3),
        Fault::Loss(0.2),
        Fault::Crash { process: 1, at: 1 },
        Fault::Recover { process: 1, at: 4 },
    ];
    let scenario = Scenario { faults, unsound: true, max_steps: Some(200), ..Scenario::new(4) };
    record("ricart-agrawala", &scenario).expect("it is admitted")
}

fn everything() -> Vec<Recording> {
    let mut all = vec![faulty()];
    for entry in ringleader_errata::all() {
        let n = entry.spec.needs.processes.nearest(4).1;
        for schedule in [Schedule::Rounds, Schedule::Random, Schedule::Delay(Delay::Uniform(1, 1_000_000))] {
            let scenario = Scenario { schedule, seed: 5, max_steps: Some(60), ..Scenario::new(n) };
            all.extend(record(entry.spec.name, &scenario));
        }
    }
    assert!(all.len() > ringleader_errata::all().len());
    all
}

/// The whole of a run, and a window of it.
fn windows(history: &History<'_>) -> [Window; 2] {
    let end = history.steps.len().saturating_sub(3).max(2);
    let apart = if history.recording.header.n > 2 { vec![0, 2] } else { vec![0] };
    [Window::whole(history), Window { processes: apart, steps: 2..end }]
}

fn text(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("a vector takes everything");
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn shiviz_takes_every_line() {
    for recording in everything() {
        let history = History::of(&recording);
        for window in windows(&history) {
            let mut without_host = 0;
            let file = text(|out| {
                without_host = write_shiviz(out, &history, &window)?;
                Ok(())
            });
            let mut lines = file.lines();
            assert_eq!(lines.next(), Some(r"(?<host>\S+) (?<clock>\{.*\}) (?<event>.*)"));
            assert_eq!(lines.next(), Some(""));
            let mut own: BTreeMap<String, u64> = BTreeMap::new();
            let mut count = 0;
            for line in lines {
                let (host, rest) = line.split_once(' ').expect("a host");
                let end = rest.find('}').expect("a clock") + 1;
                let clock: BTreeMap<String, u64> = serde_json::from_str(&rest[..end]).expect("JSON");
                assert!(rest[end..].starts_with(' ') && rest.len() > end + 1, "{line}");
                // The rules of ShiViz: a host is in its own clock, which grows by one from line to line; and what a
                // clock speaks of has been seen.
                let mine = own.entry(host.into()).or_default();
                *mine += 1;
                assert_eq!(clock[host], *mine, "{line}");
                for (other, seen) in &clock {
                    assert!(own.get(other).is_some_and(|most| seen <= most), "{line}");
                }
                count += 1;
            }
            let shown =
                (0..history.steps.len()).filter(|&step| window.shows(step, recording.events[step].process));
            assert_eq!(count + without_host, shown.count(), "{}", recording.header.algorithm);
        }
    }
}

#[test]
fn rows_are_flat_and_complete() {
    for recording in everything() {
        let history = History::of(&recording);
        for window in windows(&history) {
            let file = text(|out| write_jsonl(out, &history, &window));
            let mut columns: BTreeSet<Vec<String>> = BTreeSet::new();
            for line in file.lines() {
                let row: BTreeMap<String, Value> = serde_json::from_str(line).expect("JSON");
                let step = row["step"].as_u64().expect("a number") as usize - 1;
                let event = &recording.events[step];
                assert!(window.shows(step, event.process));
                assert_eq!(row["process"], u64::from(event.process));
                assert_eq!(row["sends"], event.sends.len());
                assert_eq!(row["depth"], history.steps[step].depth);
                assert_eq!(row["input"] == "deliver", matches!(event.input, Input::Deliver(_)));
                assert_eq!(row["messages"].as_u64() > Some(0), row["kind"].is_string());
                columns.insert(row.keys().cloned().collect());
            }
            assert!(columns.len() <= 1, "every row has every column");
        }
    }
}

#[test]
fn perfetto_slices_are_disjoint_and_flows_complete() {
    for recording in everything() {
        let history = History::of(&recording);
        for window in windows(&history) {
            let file = text(|out| write_chrome(out, &history, &window));
            let trace: Value = serde_json::from_str(&file).expect("JSON");
            let events = trace["traceEvents"].as_array().expect("a list");
            let mut tracks: BTreeMap<(u64, u64), f64> = BTreeMap::new();
            let (mut sent, mut arrived) = (BTreeMap::new(), BTreeMap::new());
            for event in events {
                let number = |key: &str| event[key].as_f64().expect("a number");
                match event["ph"].as_str().expect("a phase") {
                    "M" => {}
                    "X" if event["cat"] == "step" => {
                        let track = (number("pid") as u64, number("tid") as u64);
                        let end = tracks.entry(track).or_insert(-1.0);
                        let missed =
                            event["args"]["words"].as_str().is_some_and(|words| words.contains("is down"));
                        if !missed && !["lose", "double"].iter().any(|word| event["args"]["input"] == *word) {
                            assert!(number("ts") + 0.002 >= *end, "{event} begins before {end}");
                            *end = number("ts") + number("dur");
                        }
                        assert!(number("dur") > 0.0);
                    }
                    "X" => assert_eq!(event["cat"], "user"),
                    "s" => drop(sent.insert(event["id"].to_string(), number("ts"))),
                    "f" => drop(arrived.insert(event["id"].to_string(), number("ts"))),
                    other => panic!("{other}"),
                }
            }
            assert_eq!(sent.keys().collect::<Vec<_>>(), arrived.keys().collect::<Vec<_>>());
            assert!(sent.iter().all(|(id, ts)| *ts <= arrived[id]), "{}", recording.header.algorithm);
        }
    }
}

#[test]
fn mermaid_gets_every_message_once() {
    for recording in everything() {
        let history = History::of(&recording);
        for window in windows(&history) {
            let file = text(|out| write_mermaid(out, &history, &window));
            assert!(file.starts_with("sequenceDiagram\n"));
            let lines: Vec<&str> = file.lines().map(str::trim).collect();
            let participants = lines.iter().filter(|line| line.starts_with("participant ")).count();
            assert_eq!(participants, window.processes.len());
            let arrows = lines
                .iter()
                .filter(|line| line.starts_with('p') && !line.starts_with("participant"))
                .filter(|line| ["->>", "-x", "--)"].iter().any(|arrow| line.contains(arrow)));
            assert_eq!(arrows.count(), mermaid_messages(&history, &window), "{file}");
            // What means something to Mermaid is only there as the number of a character.
            let words = lines.iter().filter_map(|line| line.split_once(": ")).map(|(_, words)| words);
            for word in words {
                let mut rest = word;
                while let Some(at) = rest.find([';', '#']) {
                    let code = rest[at..].strip_prefix('#').and_then(|code| code.split_once(';'));
                    let (digits, after) = code.unwrap_or_else(|| panic!("{word}"));
                    assert!(digits.parse::<u32>().is_ok(), "{word}");
                    rest = after;
                }
            }
        }
        let whole = Window::whole(&history);
        assert_eq!(mermaid_messages(&history, &whole), history.messages.len());
    }
    let file = text(|out| {
        write_mermaid(out, &History::of(&faulty()), &Window { processes: vec![0, 1, 2, 3], steps: 0..200 })
    });
    assert!(file.contains("-x") && file.contains("(lost)") && file.contains("(a copy)"), "{file}");
}

#[test]
fn itf_has_a_state_before_and_after_every_step() {
    for recording in everything() {
        let history = History::of(&recording);
        for window in windows(&history) {
            let file = text(|out| write_itf(out, &history, &window));
            let trace: Value = serde_json::from_str(&file).expect("JSON");
            assert_eq!(trace["#meta"]["format"], "ITF");
            let states = trace["states"].as_array().expect("a list");
            let shown =
                (0..history.steps.len()).filter(|&step| window.shows(step, recording.events[step].process));
            assert_eq!(states.len(), shown.count() + 1, "{}", recording.header.algorithm);
            let vars: BTreeSet<&str> =
                trace["vars"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            for (index, state) in states.iter().enumerate() {
                let keys: BTreeSet<&str> =
                    state.as_object().expect("a state").keys().map(String::as_str).collect();
                assert_eq!(
                    keys.iter().filter(|key| **key != "#meta").copied().collect::<BTreeSet<_>>(),
                    vars
                );
                assert_eq!(state["#meta"]["index"], index);
                assert_eq!(state["standing"]["#map"].as_array().map(Vec::len), Some(window.processes.len()));
            }
        }
        // What is in transit at the end is what never ended.
        let file = text(|out| write_itf(out, &history, &Window::whole(&history)));
        let trace: Value = serde_json::from_str(&file).expect("JSON");
        let last = trace["states"].as_array().and_then(|states| states.last()).expect("a last state");
        let waiting = history.messages.iter().filter(|passage| passage.end == End::InTransit).count();
        assert_eq!(last["transit"]["#set"].as_array().map(Vec::len), Some(waiting));
    }
}
