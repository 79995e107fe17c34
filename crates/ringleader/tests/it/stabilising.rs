//! Machines that may begin anywhere: the thresholds from both sides, the exact worst numbers of moves and steps, the
//! published examples.

use crate::support::{entry, exclusion};
use ringleader::check::{Answer, Findings, Reduce, Scope};
use ringleader::sim::{Entries, Recorder, Refusal, Scenario, Schedule, Workload};
use ringleader::trace::{Event, Input, Recording};
use std::sync::Arc;

fn scope(n: u32, daemon: &str, k: Option<u32>) -> Scope {
    let mut settings = vec![("daemon".to_owned(), daemon.to_owned())];
    settings.extend(k.map(|k| ("k".to_owned(), k.to_string())));
    Scope { settings, unsound: true, ..Scope::new(n) }
}

fn checked(name: &str, scope: &Scope) -> Findings {
    entry(name).check(scope, &[], &()).expect("it is admitted")
}

/// The worst number of moves and of steps, if it converges.
fn worst(findings: &Findings) -> Option<(u64, u64)> {
    findings.convergence.and_then(|convergence| convergence.worst)
}

const DAEMONS: [&str; 3] = ["central", "distributed", "synchronous"];

/// The fewest values with which the ring converges.
fn enough(n: u32, daemon: &str) -> u32 {
    if daemon == "central" { (n - 1).max(2) } else { n }
}

#[test]
fn thresholds_of_k_from_both_sides() {
    for n in 2..=6 {
        for daemon in DAEMONS {
            let least = enough(n, daemon);
            for k in least..=least + 1 {
                let findings = checked("dijkstra-k", &scope(n, daemon, Some(k)));
                assert!(findings.holds(), "n = {n}, {daemon}, K = {k}: {:?}", findings.properties);
                assert!(findings.outside.is_empty());
            }
            if least <= 2 {
                continue;
            }
            let fewer = Scope { unsound: false, ..scope(n, daemon, Some(least - 1)) };
            let refused = entry("dijkstra-k").check(&fewer, &[], &()).expect_err("too few values");
            assert_eq!(refused, Refusal::NotEnough { setting: "k", least, got: least - 1 });
            let findings = checked("dijkstra-k", &Scope { unsound: true, ..fewer });
            assert_eq!(
                findings.convergence.map(|convergence| convergence.holds),
                Some(false),
                "{n} {daemon}"
            );
            let example = findings.counterexample.expect("a run that goes round");
            assert_eq!((example.property, example.repeats_from), ("convergence", Some(0)));
            goes_round(&example.recording);
        }
    }
}

/// The run comes back to where it began, and everything before has more than one privilege.
fn goes_round(recording: &Recording) {
    let mut cells: Vec<u32> = recording.header.from.clone();
    for event in &recording.events {
        for access in event.accesses.iter().filter(|access| access.writes) {
            cells[event.process as usize] = access.value;
        }
    }
    assert_eq!(cells, recording.header.from);
    assert!(!recording.events.is_empty());
}

#[test]
fn worst_numbers_of_dijkstra_k() {
    for (n, central, steps, moves, synchronous) in [(3, 2, 3, 8, 3), (4, 13, 13, 17, 5), (5, 24, 24, 29, 7)] {
        for k in [enough(n, "central"), n, n + 1, n + 3] {
            let expected = if (n, k) == (3, 2) { 1 } else { central };
            let findings = checked("dijkstra-k", &scope(n, "central", Some(k)));
            assert_eq!(worst(&findings), Some((expected, expected)), "central, n = {n}, K = {k}");
        }
        // The numbers do not depend on K.
        for k in n..n + 3 {
            let distributed = checked("dijkstra-k", &scope(n, "distributed", Some(k)));
            assert_eq!(worst(&distributed), Some((moves, steps)), "distributed, n = {n}, K = {k}");
            let all = checked("dijkstra-k", &scope(n, "synchronous", Some(k)));
            assert_eq!(worst(&all), Some((moves, synchronous)), "synchronous, n = {n}, K = {k}");
        }
    }
}

#[test]
fn legitimate_states_of_dijkstra_k() {
    for n in 2..=6u64 {
        for k in [n.max(2), n + 1] {
            let findings = checked("dijkstra-k", &scope(n as u32, "central", Some(k as u32)));
            assert_eq!(findings.legitimate, Some(k + k * (k - 1) * (n - 1)), "n = {n}, K = {k}");
        }
    }
}

/// One state stands for K of them, and nothing else changes.
#[test]
fn symmetry_changes_no_number() {
    for (name, n) in [("dijkstra-k", 4), ("dijkstra-3", 4)] {
        for daemon in DAEMONS {
            let turned = scope(n, daemon, None);
            let whole = Scope { reduce: Reduce::None, ..turned.clone() };
            let (a, b) = (checked(name, &turned), checked(name, &whole));
            assert_eq!((worst(&a), a.legitimate, a.answer), (worst(&b), b.legitimate, b.answer));
            assert_eq!(a.states * if name == "dijkstra-k" { 4 } else { 3 }, b.states, "{name} {daemon}");
        }
    }
}

#[test]
fn worst_numbers_of_dijkstra_4() {
    for (n, moves, steps) in [(2, 0, 0), (3, 2, 1), (4, 7, 3), (5, 13, 4)] {
        let findings = checked("dijkstra-4", &scope(n, "central", None));
        assert!(findings.holds());
        assert_eq!(worst(&findings), Some((moves, moves)), "n = {n}");
        assert_eq!(findings.legitimate, Some(4 * u64::from(n - 1)));
        assert_eq!(findings.visited_states, 4 * 4u64.pow(n - 2));
        let all = checked("dijkstra-4", &scope(n, "synchronous", None));
        assert_eq!(worst(&all).map(|(_, steps)| steps), Some(steps), "n = {n}");
    }
    for n in 2..=6 {
        assert!(checked("dijkstra-4", &scope(n, "distributed", None)).holds(), "n = {n}");
    }
}

#[test]
fn worst_numbers_of_dijkstra_3() {
    for (n, moves, steps) in [(3, 2, 1), (4, 10, 2), (5, 22, 5), (6, 39, 6)] {
        let findings = checked("dijkstra-3", &scope(n, "central", None));
        assert!(findings.holds());
        assert_eq!(worst(&findings), Some((moves, moves)), "n = {n}");
        assert_eq!(findings.legitimate, Some(12 * u64::from(n) - 15));
        let distributed = checked("dijkstra-3", &scope(n, "distributed", None));
        assert_eq!(worst(&distributed).map(|(_, steps)| steps), Some(moves), "n = {n}");
        let all = checked("dijkstra-3", &scope(n, "synchronous", None));
        assert_eq!(worst(&all).map(|(_, steps)| steps), Some(steps), "n = {n}");
    }
}

/// A run in which these machines move, those of one entry at once; what the machines hold after each.
fn played(name: &str, from: &[u32], k: u32, daemon: &str, steps: &[&[u32]]) -> Vec<Vec<u32>> {
    let n = from.len() as u32;
    let settings = vec![("k".to_owned(), k.to_string()), ("daemon".to_owned(), daemon.to_owned())];
    let usual = Scenario { from: Some(from.to_vec()), settings, unsound: true, ..Scenario::new(n) };
    let mut first = Recorder::default();
    entry(name).run(&Scenario { max_steps: Some(1), ..usual.clone() }, &mut first).expect("it runs");
    let events = (1..).zip(steps).flat_map(|(time, movers)| {
        movers.iter().map(move |&mover| Event::bare(time, mover, Input::Local("move".into())))
    });
    let recording = Recording { header: first.header.expect("it has begun"), events: events.collect() };
    let mut told = Recorder::default();
    let replay = Scenario { schedule: Schedule::Replay(Arc::new(recording)), ..usual };
    entry(name).run(&replay, &mut told).expect("every one of them has a privilege");
    let mut cells = from.to_vec();
    let mut states = vec![cells.clone()];
    for (time, movers) in (1u64..).zip(steps) {
        for event in told.events.iter().filter(|event| event.time == time) {
            assert!(movers.contains(&event.process));
            let written = event.accesses.iter().filter(|access| access.writes);
            written.for_each(|access| cells[event.process as usize] = access.value);
        }
        states.push(cells.clone());
    }
    states
}

fn words(states: &[Vec<u32>]) -> String {
    let word = |state: &Vec<u32>| state.iter().map(u32::to_string).collect::<String>();
    states.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Three machines with two values that all move at once, and four with two under a central daemon.
#[test]
fn published_cycles_go_round() {
    let states = played("dijkstra-k", &[0, 1, 0], 2, "synchronous", &[&[0, 1, 2], &[0, 1, 2]]);
    assert_eq!(words(&states), "010 101 010");
    let movers: [&[u32]; 8] = [&[0], &[3], &[2], &[1], &[0], &[3], &[2], &[1]];
    let states = played("dijkstra-k", &[0, 0, 1, 0], 2, "central", &movers);
    assert_eq!(words(&states), "0010 1010 1011 1001 1101 0101 0100 0110 0010");
}

#[test]
fn published_convergence_takes_thirteen_moves() {
    let movers = [0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 2].map(|machine| [machine]);
    let movers: Vec<&[u32]> = movers.iter().map(|one| one.as_slice()).collect();
    let states = played("dijkstra-k", &[0, 2, 1, 0], 4, "central", &movers);
    assert_eq!(words(&states), "0210 1210 1211 1221 1121 2121 2122 2112 2212 3212 3211 3221 3321 3331");
    let one = Scope { from: Some(vec![0, 2, 1, 0]), ..scope(4, "central", Some(4)) };
    assert_eq!(worst(&checked("dijkstra-k", &one)), Some((13, 13)));
}

/// In the legitimate cycle the machines move one after the other.
#[test]
fn legitimate_cycles_serve_everybody_in_turn() {
    for (name, from, order) in [
        ("dijkstra-k", vec![0, 0, 0, 0], vec![0, 1, 2, 3]),
        ("dijkstra-4", vec![0, 0, 0, 0], vec![0, 1, 2, 3, 2, 1]),
    ] {
        let workload = Workload { entries: Entries::Each(8), ..Workload::default() };
        let scenario = Scenario { from: Some(from), workload, ..Scenario::new(4) };
        let report = entry(name).run(&scenario, &mut ()).expect("it runs");
        assert!(report.holds());
        let details = exclusion(&report);
        let cycle = order.iter().cycle().take(details.entry_order.len());
        assert!(details.entry_order.iter().eq(cycle), "{name}: {:?}", details.entry_order);
        assert_eq!(details.convergence.as_ref().and_then(|convergence| convergence.moves), Some(0));
    }
}

/// From wherever a seed lets it begin, under every daemon, it converges within the exact worst number, and stays there.
#[test]
fn runs_converge_within_the_worst_number() {
    for (name, n) in [("dijkstra-k", 5), ("dijkstra-4", 5), ("dijkstra-3", 5)] {
        for daemon in DAEMONS {
            let settings = vec![("daemon".to_owned(), daemon.to_owned())];
            let (moves, steps) = worst(&checked(name, &scope(n, daemon, None))).expect("it converges");
            let mut longest = 0;
            for seed in 0..200 {
                let scenario = Scenario { seed, settings: settings.clone(), ..Scenario::new(n) };
                let report = entry(name).run(&scenario, &mut ()).expect("it runs");
                assert!(report.holds(), "{name} {daemon} {seed}: {:?}", report.properties);
                let convergence = exclusion(&report).convergence.clone().expect("it began anywhere");
                assert!(convergence.steps.is_some_and(|took| took <= steps));
                assert!(convergence.moves.is_some_and(|took| took <= moves));
                longest = longest.max(convergence.moves.unwrap_or(0));
            }
            assert!(longest > 0, "{name} {daemon}: some seeds begin with several privileges");
        }
    }
}

/// Too few values, in a run that never comes to an end: a limit is reached, and it is labelled.
#[test]
fn bad_beginnings_are_refused() {
    let run = |name: &str, scenario: &Scenario| entry(name).run(scenario, &mut ()).expect_err("refused");
    let few = Scenario { settings: vec![("k".into(), "2".into())], ..Scenario::new(5) };
    assert_eq!(run("dijkstra-k", &few), Refusal::NotEnough { setting: "k", least: 4, got: 2 });
    let from = |from: &[u32]| Scenario { from: Some(from.to_vec()), ..Scenario::new(4) };
    assert_eq!(
        run("dijkstra-k", &from(&[0, 4, 0, 0])),
        Refusal::NoSuchState { process: 1, state: 4, most: 3 }
    );
    assert_eq!(
        run("dijkstra-4", &from(&[2, 0, 0, 0])),
        Refusal::NoSuchState { process: 0, state: 2, most: 1 }
    );
    assert_eq!(run("dijkstra-3", &from(&[0, 0])), Refusal::WrongLength { what: "states", got: 2, n: 4 });
    assert_eq!(
        run("peterson-lock", &Scenario { from: Some(vec![0, 0]), ..Scenario::new(2) }),
        Refusal::BeginsOnce
    );
    assert_eq!(run("dijkstra-3", &Scenario::new(2)), Refusal::WrongSize { n: 2, nearest: (3, 3) });
}

/// Dead ends, several privileges after one, and machines that are never served do not go unnoticed.
#[test]
fn conditions_are_told_apart() {
    let findings = checked("dijkstra-k", &scope(4, "central", None));
    let names: Vec<&str> = findings.properties.iter().map(|found| found.name).collect();
    assert_eq!(names, ["no dead end", "closure", "convergence", "service"]);
    assert!(findings.properties.iter().all(|found| found.answer == Answer::Holds));
    let only = Scope { properties: vec!["closure".into()], ..scope(4, "central", Some(2)) };
    let findings = checked("dijkstra-k", &only);
    assert!(findings.holds(), "with too few values one privilege is followed by one all the same");
    assert_eq!(findings.convergence, None);
}
