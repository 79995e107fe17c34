//! Every step of every story can be opened, and what its caption says is so.

use super::{ask, stage};
use ringleader_page::story::{BUILT_IN, Facts, Step, parse};
use ringleader_page::{Source, Stage};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn story_steps_open_and_match() {
    let stage = stage();
    let mut mistakes = Vec::new();
    for (name, text) in BUILT_IN {
        let story = parse(name, text).unwrap_or_else(|complaint| panic!("{}", complaint.message));
        for (number, step) in story.steps.iter().enumerate() {
            if let Err(mistake) = told(&stage, step) {
                mistakes.push(format!("{name}, step {}: {mistake}", number + 1));
            }
        }
    }
    assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
}

/// The same test finds what is wrong: each of these facts is off by a little.
#[test]
fn a_fact_that_is_not_so_is_found() {
    let stage = stage();
    let head = "title = 'T'\nminutes = 1\nsummary = 'S'\n[[step]]\ncaption = 'c'\nalgorithm = 'chang-roberts'\n\
                options = { ids = '3,7,4,1', initiators = '0', seed = 1 }\nat = 2\nfacts = ";
    let right = "{ last = 'p1 receives election(3) from p0  sends election(7) to p2', leads = [], sent = 2, \
                 transit = 1, steps = 10, violated = [], inside = [], waiting = [] }";
    let wrong = [
        "{ last = 'p1 receives election(3) from p0' }",
        "{ leads = [1] }",
        "{ inside = [1] }",
        "{ waiting = [0] }",
        "{ sent = 3 }",
        "{ transit = 2 }",
        "{ steps = 11 }",
        "{ violated = ['exactly one leader'] }",
    ];
    let of = |facts: &str| {
        let story =
            parse("s", &format!("{head}{facts}")).unwrap_or_else(|complaint| panic!("{}", complaint.message));
        told(&stage, &story.steps[0])
    };
    assert_eq!(of(right), Ok(()));
    for facts in wrong {
        assert!(of(facts).is_err(), "{facts} passed");
    }
    let beyond = parse("s", &format!("{head}{{ }}").replace("at = 2", "at = 11"));
    let beyond = told(&stage, &beyond.expect("it can be read").steps[0]);
    assert_eq!(beyond, Err("it stands at step 11 of a run of 10".into()));
}

/// The example of the README is a story, and says what is so.
#[test]
fn the_example_of_the_readme_can_be_told() {
    let readme = include_str!("../../../../stories/README.md");
    let example = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let story =
        parse("readme", example.expect("there is one")).unwrap_or_else(|bad| panic!("{}", bad.message));
    for step in &story.steps {
        assert_eq!(told(&stage(), step), Ok(()));
    }
    let run = json!({ "source": story.steps[2].source, "edits": [] });
    assert_eq!(ask(&stage(), "open", &run).expect("it can be opened")["report"]["messages"]["total"], 9);
}

fn told(stage: &Stage, step: &Step) -> Result<(), String> {
    let facts = step.facts.clone().unwrap_or_default();
    shown(stage, &step.source, &step.edits, (step.from, step.at, step.select), &facts)?;
    match &step.beside {
        None => Ok(()),
        Some(beside) => {
            let facts = beside.facts.clone().unwrap_or_default();
            shown(stage, &beside.source, &beside.edits, (None, None, None), &facts)
                .map_err(|mistake| format!("beside: {mistake}"))
        }
    }
}

fn shown(
    stage: &Stage,
    source: &Source,
    edits: &[String],
    (from, at, select): (Option<u64>, Option<u64>, Option<u32>),
    facts: &Facts,
) -> Result<(), String> {
    let ask = |verb: &str, question: &Value| ask(stage, verb, question).map_err(|refused| refused.message);
    let run = ask("open", &json!({ "source": source, "edits": edits }))?;
    let steps = run["steps"].as_u64().ok_or("it has no steps")?;
    for moment in [from, at].into_iter().flatten() {
        if moment > steps {
            return Err(format!("it stands at step {moment} of a run of {steps}"));
        }
    }
    if let Some(select) = select.filter(|&select| u64::from(select) >= run["n"].as_u64().unwrap_or(0)) {
        return Err(format!("there is no process {select}"));
    }
    let at = at.unwrap_or(steps);
    let question = json!({ "source": source, "edits": edits, "from": 0, "to": at });
    let events = ask("events", &question)?;
    let events = events["events"].as_array().ok_or("it has no events")?;
    if events.len() as u64 != at {
        return Err(format!("{} events instead of {at}", events.len()));
    }
    hold(facts, &run, events)
}

fn hold(facts: &Facts, run: &Value, events: &[Value]) -> Result<(), String> {
    let violated =
        run["properties"].as_array().into_iter().flatten().filter(|property| property["holds"] == false);
    let violated: Vec<String> =
        violated.filter_map(|property| property["name"].as_str().map(str::to_owned)).collect();
    let last = events.last().map(|event| {
        let text = |field: &str| event[field].as_str().unwrap_or("").to_owned();
        let parts = [text("words"), text("effects")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    });
    same("last", facts.last.as_ref(), &last.unwrap_or_default())?;
    for (name, expected, standing) in [
        ("leads", &facts.leads, "leads"),
        ("inside", &facts.inside, "inside"),
        ("waiting", &facts.waiting, "waiting"),
    ] {
        same(name, expected.as_ref(), &standing_so(events, standing))?;
    }
    let (sent, transit) = messages(events);
    same("sent", facts.sent.as_ref(), &sent)?;
    same("transit", facts.transit.as_ref(), &transit)?;
    same("steps", facts.steps.as_ref(), &run["steps"].as_u64().unwrap_or(0))?;
    same("violated", facts.violated.as_ref(), &violated)
}

fn same<T: PartialEq + std::fmt::Debug>(name: &str, expected: Option<&T>, found: &T) -> Result<(), String> {
    match expected {
        Some(expected) if expected != found => Err(format!("`{name}` is {found:?}, not {expected:?}")),
        Some(_) | None => Ok(()),
    }
}

/// Who stands so after the last of these steps, in the order of their indices.
fn standing_so(events: &[Value], standing: &str) -> Vec<u32> {
    let mut who = BTreeSet::new();
    for event in events {
        let process = event["process"].as_u64().unwrap_or(0) as u32;
        if event["standing"] == standing {
            who.insert(process);
        } else {
            who.remove(&process);
        }
    }
    who.into_iter().collect()
}

/// How many messages were sent, and how many of them are on their way.
fn messages(events: &[Value]) -> (u64, u64) {
    let mut travelling = BTreeSet::new();
    let mut sent = 0;
    for event in events {
        for arrived in event["input"]["messages"].as_array().into_iter().flatten() {
            travelling.remove(&arrived.as_u64());
        }
        for message in event["sends"].as_array().into_iter().flatten() {
            sent += 1;
            if message["fate"] == "travels" {
                travelling.insert(message["message"].as_u64());
            }
        }
    }
    (sent, travelling.len() as u64)
}
