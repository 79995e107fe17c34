//! Clocks of real processes on this machine: what the nodes find out about each other, held against what was injected.
//! The arithmetic is that of the textbook, and shares nothing with the program's own verdict.
//!
//! No time decides: a machine that is busy makes round trips longer, and so the bounds, which are measured.

use serde_json::Value;
use std::process::{Command, Output};

/// A silence that no machine reaches, however busy.
const PAUSE: &str = "60s";

/// Less is rounding: a millionth of a tick.
const ROUNDING: f64 = 1e-6;

fn up(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.args(["up", "--plain", "--pause", PAUSE]).args(words.split_whitespace());
    command.output().expect("the program starts")
}

fn summary(words: &str) -> Value {
    let output = up(&format!("{words} --once --json --for 300s --max-delay 60s"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words}: {}\n{text}\n{told}", output.status);
    serde_json::from_str(&text).expect("one object")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// What a clock that was `offset` off is off in the end, by how much it was corrected; without drift.
fn off(node: &Value) -> f64 {
    number(&node["offset"]) + number(&node["correction"])
}

fn nodes(summary: &Value) -> &Vec<Value> {
    summary["clocks"]["nodes"].as_array().expect("a list of nodes")
}

/// Half the round trip that was measured to this node: by itself, or by whoever asked it.
fn half_trip(summary: &Value, by: usize, of: &str) -> f64 {
    let found = nodes(summary)[by]["estimates"].as_array().expect("a list");
    let found = found.iter().find(|found| found["of"] == of).expect("it was asked");
    number(&found["round_trip"]) / 2.0
}

#[test]
fn clients_find_their_server_within_the_round_trip() {
    let summary = summary("cristian --clock-offset 0,400,-2500 --set rounds=3 --set period=20 --seed 5");
    assert_eq!(summary["outcome"], "done");
    assert_eq!(summary["messages"]["by_kind"]["ask"], 6);
    for (place, offset) in [(1, 400.0), (2, -2500.0)] {
        let node = &nodes(&summary)[place];
        let bound = half_trip(&summary, place, "a") + ROUNDING;
        let holds = |found: f64| (offset + found).abs() <= bound;
        assert!(holds(number(&node["correction"])), "{node}");
        assert!(off(node).abs() <= bound && node["holds"] == true, "{node}");
        // Who would answer by so much more, less, or the wrong way round, is caught.
        let correction = number(&node["correction"]);
        for wrong in [correction + 2.0 * bound + 1.0, correction - 2.0 * bound - 1.0, -correction, 0.0] {
            assert!(!holds(wrong), "{wrong} instead of {correction}, within {bound}");
        }
    }
}

#[test]
fn a_master_brings_all_within_the_round_trips() {
    let summary = summary("berkeley --clock-offset 180,205,170 --set gamma=100 --set period=60000 --seed 6");
    let master = off(&nodes(&summary)[0]);
    for (place, name) in [(1, "b"), (2, "c")] {
        let bound = half_trip(&summary, 0, name) + ROUNDING;
        let apart = off(&nodes(&summary)[place]) - master;
        assert!(apart.abs() <= bound, "{apart} and at most {bound}: {summary}");
        // Without its correction it would be further off than any measured round trip says, on a machine that answers.
        let wrong = number(&nodes(&summary)[place]["offset"]) - 180.0;
        assert!(wrong.abs() > bound || bound > 10.0, "{wrong} and at most {bound}");
    }
    let skew = &summary["clocks"]["skew"];
    assert_eq!(skew["first"], 35.0);
    assert_eq!(summary["clocks"]["reference"], "a");
}

#[test]
fn a_client_is_not_misled_by_one_liar() {
    let words = "ntp --clock-offset 0,0,0,90000,-3000 --set period=130000 --seed 7";
    let summary = summary(words);
    let client = &nodes(&summary)[4];
    // Somewhere within the intervals of those who tell the truth.
    let bound = ["a", "b", "c"].map(|name| half_trip(&summary, 4, name)).into_iter().fold(0.0, f64::max);
    assert!(off(client).abs() <= bound + ROUNDING, "{client}");
    assert!(off(client).abs() <= number(&client["bound"]) + ROUNDING, "{client}");
    assert_eq!(summary["clocks"]["reference"], "true time");
    let liar = client["estimates"].as_array().and_then(|all| all.iter().find(|found| found["of"] == "d"));
    let liar = liar.expect("the liar was asked, too");
    let trip = number(&liar["round_trip"]);
    assert!((number(&liar["ahead"]) - 93000.0).abs() <= trip / 2.0 + ROUNDING, "{liar}");
}

/// A clock that runs fast goes on doing so: what it is off grows as the promise does.
#[test]
fn clocks_that_drift_stay_within_what_is_promised() {
    let summary =
        summary("cristian --clock-offset 0,50 --clock-drift 0,2000 --set rounds=5 --set period=50 --seed 8");
    let node = &nodes(&summary)[1];
    assert_eq!((&node["drift"], &node["holds"]), (&2000.into(), &true.into()));
    assert!(number(&node["off"]).abs() <= number(&node["bound"]) + ROUNDING, "{node}");
}

#[test]
fn everybody_shows_its_clock_once() {
    // The moment must be after everybody has started: a later one, if it was not.
    let run = |at: u32| {
        let words = format!(
            "lundelius-lynch --clock-offset 0,500,-700 --set at={at} --once --json --for 300s --max-delay 20ms"
        );
        let output = up(&words);
        let found: Option<Value> = serde_json::from_slice(&output.stdout).ok();
        found.filter(|found| output.status.success() && found["outcome"] == "done")
    };
    let summary = [4_000, 16_000, 64_000].into_iter().find_map(run).expect("all have started by then");
    let mean = (0.0 + 500.0 - 700.0) / 3.0;
    for (place, node) in nodes(&summary).iter().enumerate() {
        // Each message was taken to be under way for 10 ticks, and was for none at least, for the round trip at most.
        let found = node["estimates"].as_array().expect("a list");
        let wrong = found.iter().map(|found| (number(&found["round_trip"]) - 10.0).max(10.0)).sum::<f64>();
        assert_eq!(found.len(), 2);
        assert!((off(node) - mean).abs() <= wrong / 3.0 + ROUNDING, "{place}: {node}");
        for found in found {
            assert!(number(&found["round_trip"]) >= 0.0, "no message comes before it was sent: {found}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |words: &str, expected: &[&str]| {
        let output = up(words);
        let told = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(2), "{words}: {told}");
        for expected in expected {
            assert!(told.contains(expected), "{words}: {expected}\n{told}");
        }
    };
    refused("chang-roberts --clock-offset 0,5,7", &["have no clocks", "list --problem clocks"]);
    refused("dekker --clock-drift 0,5", &["have no clocks"]);
    refused("ricart-agrawala --max-delay 5ms", &["have no clocks"]);
    refused("cristian --clock-drift 0,50,0 --drift-bound 20", &["drifts by 50 ppm", "--drift-bound 50"]);
    refused("cristian --clock-drift 0,200000", &["between -100000 and 100000 ppm"]);
    refused("cristian -n 3 --clock-offset 0,5", &["2 clock offsets"]);
    refused("cristian --clock-offset 0,x", &["a number for each clock"]);
    refused("berkeley --set period=100", &["a message takes up to 200"]);
    refused("lundelius-lynch --clock-offset 0,900 --set at=800", &["a clock shows 900"]);
    refused("ntp --clock-offset 0,5,6,7,0", &["3 of 4 sources"]);
    refused("cristian --kill-every 1s", &["does not live with crashes"]);
    refused("cristian --algorithm berkeley", &["cannot be used with"]);
    refused("", &["ALGORITHM"]);
}
