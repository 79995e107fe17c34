//! Machines that may begin anywhere: the thresholds from both sides, the exact worst numbers of moves and steps, the
//! published examples.

use crate::support::{entry, exclusion};
use ringleader::check::{Answer, Findings, Reduce, Scope};
use ringleader::sim::{Entries, Fault, Recorder, Refusal, Scenario, Schedule, Workload};
use ringleader::trace::{Event, Input, Recording};
use std::collections::{BTreeSet, VecDeque};
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

const MESSAGES: &str = "dijkstra-k-messages";

/// With links that hold so many messages.
fn linked(n: u32, capacity: u32, k: u32) -> Scope {
    let settings = vec![("capacity".to_owned(), capacity.to_string()), ("k".to_owned(), k.to_string())];
    Scope { settings, unsound: true, ..Scope::new(n) }
}

/// Machines and links, place by place: the value of each machine, and what is in its link, the newest first.
type Ring = Vec<(u32, VecDeque<(u64, u32)>)>;

/// How many places of the ring have a privilege.
fn privileges(ring: &Ring) -> usize {
    let mut places: Vec<u32> = Vec::new();
    for (value, link) in ring {
        places.push(*value);
        places.extend(link.iter().map(|(_, value)| value));
    }
    let last = places.len() - 1;
    usize::from(places[0] == places[last]) + places.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// Every ring of these sizes.
fn rings(n: usize, capacity: usize, k: u32) -> Vec<Ring> {
    let mut links: Vec<VecDeque<(u64, u32)>> = vec![VecDeque::new()];
    let mut shorter = links.clone();
    for _ in 0..capacity {
        let longer = |link: &VecDeque<(u64, u32)>| {
            let link = link.clone();
            (0..k).map(move |value| link.iter().copied().chain([(0, value)]).collect())
        };
        shorter = shorter.iter().flat_map(longer).collect();
        links.extend(shorter.clone());
    }
    (0..n).fold(vec![Vec::new()], |rings, _| {
        let longer = |ring: &Ring| {
            let ring = ring.clone();
            let links = links.clone();
            (0..k).flat_map(move |value| {
                let ring = ring.clone();
                links.clone().into_iter().map(move |link| {
                    let mut ring = ring.clone();
                    ring.push((value, link));
                    ring
                })
            })
        };
        rings.iter().flat_map(longer).collect()
    })
}

/// One less than there are places: n(c+1)-1 values are enough, and fewer are not.
#[test]
fn thresholds_with_messages_from_both_sides() {
    for (n, capacity, least) in [(2, 1, 3), (2, 2, 5), (3, 1, 5)] {
        assert_eq!(least, n * (capacity + 1) - 1);
        for k in least..=least + 1 {
            let findings = checked(MESSAGES, &linked(n, capacity, k));
            assert!(findings.holds(), "n = {n}, C = {capacity}, K = {k}: {:?}", findings.properties);
            assert!(findings.outside.is_empty());
        }
        let usual = Scope { settings: vec![("capacity".into(), capacity.to_string())], ..Scope::new(n) };
        assert_eq!(checked(MESSAGES, &usual).states, checked(MESSAGES, &linked(n, capacity, least)).states);
        let fewer = linked(n, capacity, least - 1);
        let refused = entry(MESSAGES).check(&Scope { unsound: false, ..fewer.clone() }, &[], &());
        let refused = refused.expect_err("too few values");
        assert_eq!(refused, Refusal::NotEnough { setting: "k", least, got: least - 1 });
        let findings = checked(MESSAGES, &fewer);
        assert_eq!(findings.convergence.map(|convergence| convergence.holds), Some(false));
        let example = findings.counterexample.expect("a run that goes round");
        assert_eq!((example.property, example.repeats_from), ("convergence", Some(u64::from(n))));
        goes_round_fairly(&example.recording, n as usize, capacity as usize, 0);
    }
}

/// The run comes back to where it was after the machines had started and so many more steps, with more than one
/// privilege all the time; every timer runs out on the way, and every link is empty at some moment or delivers. The
/// steps are taken here once more, by hand.
fn goes_round_fairly(recording: &Recording, n: usize, capacity: usize, ahead: usize) {
    let k: u32 = recording.header.settings.iter().find(|(name, _)| name == "k").unwrap().1.parse().unwrap();
    let mut ring: Ring = recording.header.from[..n].iter().map(|&value| (value, VecDeque::new())).collect();
    let mut number = 0;
    let mut begin: Option<Ring> = None;
    let mut timers = vec![false; n];
    let mut links = vec![false; n];
    for (place, event) in recording.events.iter().enumerate() {
        let machine = event.process as usize;
        let before = (machine + n - 1) % n;
        let mut says: Vec<u32> = Vec::new();
        if place == n + ahead {
            begin = Some(ring.clone());
        }
        match &event.input {
            Input::Start => {
                assert!(place < n);
                let held = ringleader::sim::in_links(&recording.header.from, n as u32)[machine];
                says.extend(held.iter().rev());
            }
            Input::Timeout(_) => {
                timers[machine] |= begin.is_some();
                says.push(ring[machine].0);
            }
            Input::Deliver(arrivals) => {
                let (message, told) = ring[before].1.pop_back().expect("something waits");
                assert_eq!(arrivals[0].message, message, "the oldest message arrives");
                links[machine] |= begin.is_some();
                if (told == ring[machine].0) == (machine == 0) {
                    ring[machine].0 = if machine == 0 { (told + 1) % k } else { told };
                    says.push(ring[machine].0);
                }
            }
            Input::Local(_)
            | Input::Want
            | Input::Exit
            | Input::Crash
            | Input::Recover
            | Input::Suspect(_)
            | Input::Lose(_)
            | Input::Double(_) => panic!("{:?}", event.input),
        }
        assert_eq!(event.sends.len(), says.len());
        for said in says {
            if ring[machine].1.len() < capacity {
                ring[machine].1.push_front((number, said));
            }
            number += 1;
        }
        for (machine, empty) in links.iter_mut().enumerate() {
            *empty |= begin.is_some() && ring[(machine + n - 1) % n].1.is_empty();
        }
        assert!(begin.is_none() || privileges(&ring) > 1);
    }
    let values = |ring: &Ring| -> Vec<(u32, Vec<u32>)> {
        ring.iter().map(|(value, link)| (*value, link.iter().map(|(_, value)| *value).collect())).collect()
    };
    assert_eq!(begin.map(|begin| values(&begin)), Some(values(&ring)));
    assert!(timers.iter().chain(&links).all(|done| *done), "{timers:?} {links:?}");
}

#[test]
fn states_with_messages_are_all_there() {
    for (n, capacity, k) in [(2, 1, 3), (2, 1, 4), (2, 2, 5), (3, 1, 3)] {
        let all = rings(n as usize, capacity as usize, k);
        let legitimate = all.iter().filter(|ring| privileges(ring) == 1).count() as u64;
        assert!(all.iter().all(|ring| privileges(ring) > 0));
        let whole = checked(MESSAGES, &Scope { reduce: Reduce::None, ..linked(n, capacity, k) });
        assert_eq!((whole.states, whole.legitimate), (all.len() as u64, Some(legitimate)));
        let turned = checked(MESSAGES, &linked(n, capacity, k));
        assert_eq!(turned.states * u64::from(k), whole.states);
        assert_eq!(
            (turned.answer, turned.legitimate, turned.closure),
            (whole.answer, whole.legitimate, whole.closure)
        );
    }
}

/// With too few values it depends on where it begins, and on what is in the links.
#[test]
fn one_beginning_with_messages() {
    let from = |from: &[u32]| checked(MESSAGES, &Scope { from: Some(from.to_vec()), ..linked(2, 1, 2) });
    let settled = from(&[0, 1, 0, 0]);
    assert!(settled.holds(), "{:?}", settled.properties);
    let anywhere = checked(MESSAGES, &linked(2, 1, 2)).counterexample.expect("too few values");
    let begins = anywhere.recording.header.from;
    let example = from(&begins).counterexample.expect("it goes round from there");
    assert_eq!((example.property, &example.recording.header.from), ("convergence", &begins));
    let ahead = example.repeats_from.expect("it repeats") as usize - 2;
    goes_round_fairly(&example.recording, 2, 1, ahead);
}

/// From wherever a seed lets it begin, under every schedule, whatever is in the links: it converges, and stays there.
#[test]
fn runs_with_messages_converge() {
    let schedules = [
        Schedule::Rounds,
        Schedule::Random,
        Schedule::Fifo,
        Schedule::Delay(ringleader::sim::Delay::Uniform(1_000, 5_000_000)),
    ];
    for schedule in schedules {
        for (n, capacity) in [(2, 1), (3, 2), (5, 3), (9, 1)] {
            let mut longest = 0;
            for seed in 0..40 {
                let settings = vec![("capacity".to_owned(), capacity.to_string())];
                let scenario = Scenario { seed, settings, schedule: schedule.clone(), ..Scenario::new(n) };
                let report = entry(MESSAGES).run(&scenario, &mut ()).expect("it runs");
                assert!(report.holds(), "{schedule:?} {n} {seed}: {:?}", report.properties);
                let convergence = exclusion(&report).convergence.clone().expect("it began anywhere");
                assert!(convergence.steps.is_some() && convergence.daemon.is_none());
                longest = longest.max(convergence.moves.unwrap_or(0));
                assert!(exclusion(&report).entries >= u64::from(n));
            }
            assert!(longest > 0, "{schedule:?} {n}: some seeds begin with several privileges");
        }
    }
}

/// A machine that is put into another state begins anew, and the recording says so and can be followed.
#[test]
fn corrupted_machines_converge_again() {
    for name in ["dijkstra-k", "dijkstra-4", "dijkstra-3", MESSAGES] {
        let mut again = 0;
        for seed in 0..40 {
            let faults = vec![Fault::Corrupt { process: 2, at: 40 }];
            let workload = Workload { entries: Entries::Each(2), ..Workload::default() };
            let scenario = Scenario { seed, faults, workload, ..Scenario::new(4) };
            let mut told = Recorder::default();
            let report = entry(name).run(&scenario, &mut told).expect("it runs");
            assert!(report.holds(), "{name} {seed}: {:?}", report.properties);
            let convergence = exclusion(&report).convergence.clone().expect("it began anywhere");
            again += convergence.moves.expect("it converged after that");
            let recording =
                Recording { header: told.header.expect("it has begun"), events: told.events.clone() };
            let corrupted = |event: &&Event| event.input == Input::Local("corrupted".into());
            let at = recording.events.iter().filter(corrupted).map(|event| event.process);
            assert_eq!(at.collect::<Vec<_>>(), [2], "{name} {seed}");
            let mut once_more = Recorder::default();
            let schedule = Schedule::Replay(Arc::new(recording));
            let from = Scenario { schedule, from: None, faults: Vec::new(), ..scenario };
            let replayed = entry(name).run(&from, &mut once_more).expect("it can be followed");
            assert_eq!(once_more.events, told.events, "{name} {seed}");
            let replayed = exclusion(&replayed).convergence.clone().expect("it began anywhere");
            assert_eq!((replayed.moves, replayed.steps), (convergence.moves, convergence.steps));
        }
        assert!(again > 0, "{name}: some of that takes several moves to mend");
    }
}

/// What the machines hold after every step of a run, from the first one on.
fn visited(name: &str, from: Vec<u32>, settings: &[(&str, u32)], entries: u32) -> Vec<Vec<u32>> {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    let workload = Workload { entries: Entries::Each(entries), ..Workload::default() };
    let n = from.len() as u32;
    let scenario = Scenario { from: Some(from.clone()), settings, workload, ..Scenario::new(n) };
    let mut told = Recorder::default();
    entry(name).run(&scenario, &mut told).expect("it runs");
    let mut states = vec![from];
    for event in &told.events {
        let mut next = states[states.len() - 1].clone();
        let moved = event.process as usize;
        // A machine of four states has two registers, x and up: the digits of its number.
        for access in event.accesses.iter().filter(|access| access.writes) {
            match access.register.split('[').next() {
                Some("up") => next[moved] = next[moved] % 2 + 2 * access.value,
                Some("x") => next[moved] = next[moved] / 2 * 2 + access.value,
                _ => next[moved] = access.value,
            }
        }
        states.push(next);
    }
    states
}

/// Of the 12n-15 states with one privilege of the ring of three states, 6(n-1) come back.
#[test]
fn legitimate_states_of_dijkstra_3_that_recur() {
    for n in 3..=6u32 {
        let mut recur: BTreeSet<Vec<u32>> = BTreeSet::new();
        for number in 0..3u32.pow(n) {
            let from = (0..n).map(|machine| number / 3u32.pow(machine) % 3).collect();
            let states = visited("dijkstra-3", from, &[], 30);
            recur.extend(states[states.len() / 2..].iter().cloned());
        }
        assert_eq!(recur.len() as u32, 6 * (n - 1), "n = {n}");
    }
}

/// All legitimate states of the other two that recur are in one cycle: n·K, and 4(n-1).
#[test]
fn legitimate_cycles_have_all_states() {
    for n in 2..=5u32 {
        let cycle = |states: Vec<Vec<u32>>| states.into_iter().collect::<BTreeSet<_>>().len() as u32;
        let k = n.max(3);
        assert_eq!(cycle(visited("dijkstra-k", vec![0; n as usize], &[("k", k)], 3 * k)), n * k, "n = {n}");
        assert_eq!(cycle(visited("dijkstra-4", vec![0; n as usize], &[], 9)), 4 * (n - 1), "n = {n}");
    }
}

#[test]
fn bad_beginnings_with_messages_are_refused() {
    let from = |from: &[u32]| Scenario { from: Some(from.to_vec()), ..Scenario::new(2) };
    let run = |scenario: &Scenario| entry(MESSAGES).run(scenario, &mut ()).expect_err("refused");
    assert_eq!(run(&from(&[0, 3])), Refusal::NoSuchState { process: 1, state: 3, most: 2 });
    assert_eq!(run(&from(&[0, 1, 1, 7, 0])), Refusal::NoSuchState { process: 0, state: 7, most: 2 });
    assert_eq!(run(&from(&[0, 1, 2, 0, 0, 0])), Refusal::FullLink { process: 0, got: 2, most: 1 });
    let what = "states and contents of links";
    assert_eq!(run(&from(&[0, 1, 1, 1, 3])), Refusal::WrongLength { what, got: 5, n: 2 });
    assert_eq!(run(&from(&[0])), Refusal::WrongLength { what: "states", got: 1, n: 2 });
    let none = Scenario { settings: vec![("capacity".into(), "0".into())], ..Scenario::new(2) };
    let Refusal::BadSetting { name, expected } = run(&none) else { panic!("another refusal") };
    assert_eq!((name.as_str(), expected.as_str()), ("capacity", "must be a number from 1 to 8, not 0"));
}
