//! What a user's own algorithm gets for its few lines: the simulator in five more, and the command line in one.

use own_election::RollCall;
use std::process::{Command, Output};

/// The five lines.
#[test]
fn it_is_simulated_with_five_lines_of_code() {
    use ringleader::sim;
    let run = sim::elect::<RollCall>(&[3, 7, 4, 1]);
    assert_eq!(run.leader_id(), Some(7));
    assert_eq!(run.messages, 16);
    assert!(run.properties.iter().all(|property| property.holds), "{:?}", run.properties);
}

/// n² messages and the largest identity, whatever the size, the schedule and the links.
#[test]
fn it_keeps_its_contract_under_every_schedule() {
    use ringleader::model::Links;
    use ringleader::sim::{Delay, Initiators, Scenario, Schedule};
    let schedules = [
        Schedule::Rounds,
        Schedule::Random,
        Schedule::Lifo,
        Schedule::Fifo,
        Schedule::Delay(Delay::Uniform(1, 10_000_000)),
    ];
    for n in [1, 2, 3, 8, 50] {
        for schedule in &schedules {
            for (initiators, links) in [(Initiators::All, Links::Bag), (Initiators::One, Links::Fifo)] {
                let scenario = Scenario {
                    schedule: schedule.clone(),
                    initiators,
                    links: Some(links),
                    seed: u64::from(n),
                    ..Scenario::new(n)
                };
                let run = own_election::REGISTRY[0].run(&scenario, &mut ()).expect("within its contract");
                let place = format!("n = {n}, {schedule:?}, {links}");
                assert_eq!(run.leader_id(), Some(u64::from(n)), "{place}");
                assert_eq!(run.messages, u64::from(n).pow(2), "{place}");
                assert!(
                    run.properties.iter().all(|property| property.holds),
                    "{place}: {:?}",
                    run.properties
                );
            }
        }
    }
}

/// Runs this crate's binary.
fn own_election(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_own-election")).args(arguments).output().expect("the binary starts")
}

/// Runs this crate's binary, which must succeed, and gives its JSON without blanks.
fn json(arguments: &[&str]) -> String {
    let output = own_election(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    text.split_whitespace().collect()
}

#[test]
fn the_command_line_lists_it_and_nothing_else() {
    let list = json(&["list", "--json"]);
    assert!(list.starts_with(r#"{"schema":"ringleader.list/1""#), "{list}");
    assert!(list.contains(r#""name":"roll-call""#), "{list}");
    assert!(!list.contains("chang-roberts"), "{list}");
}

#[test]
fn the_command_line_runs_it() {
    let run = json(&["run", "roll-call", "-n", "5", "--seed", "1", "--json"]);
    assert!(run.starts_with(r#"{"schema":"ringleader.run/1""#), "{run}");
    for part in [
        r#""algorithm":"roll-call""#,
        r#""outcome":"elected""#,
        r#""id":5"#,
        r#""leaders":1"#,
        r#""informed":5"#,
        r#""messages":{"total":25,"by_kind":{"call":25}}"#,
        r#""value":25,"holds":true"#,
    ] {
        assert!(run.contains(part), "no {part} in {run}");
    }
}

/// It works in whatever order messages arrive: every process counts to n.
#[test]
fn it_can_be_checked() {
    let check = json(&["check", "roll-call", "-n", "3", "--all-ids", "--json"]);
    assert!(
        check.starts_with(
            r#"{"schema":"ringleader.check/1","algorithm":"roll-call","nodes":3,"verdict":"holds""#
        ),
        "{check}"
    );
}

#[test]
fn the_command_line_knows_no_other_algorithm() {
    let output = own_election(&["run", "chang-roberts", "-n", "5"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn it_is_short() {
    let lines = include_str!("../src/lib.rs").lines().count();
    assert!(lines < 70, "{lines} lines");
}

/// What the book shows of this crate is in this crate.
#[test]
fn book_shows_these_files() {
    // A checkout of this crate alone has no book above it.
    let Ok(page) = std::fs::read_to_string("../../docs/protocols/own-algorithm.md") else { return };
    let files =
        [include_str!("../src/lib.rs"), include_str!("../src/main.rs"), include_str!("own_election.rs")];
    let blocks: Vec<&str> =
        page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 3, "three blocks of Rust on the page");
    for block in blocks {
        assert!(files.iter().any(|file| file.contains(block)), "in no file of this crate:\n{block}");
    }
}
