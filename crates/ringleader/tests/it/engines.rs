//! The engines against each other: the fast lane and the general engine, one thread and two, a run and its replay.

use crate::support::{admits, all, at_least, entry, record, right, run, run_well, schedules};
use ringleader::model::{Links, RuleText, Setting, SettingValues, Shape};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{
    Delay, Entries, Fault, Initiators, Load, Meters, Observer, Recorder, Refusal, Report, Scenario, Schedule,
    Workload,
};
use ringleader::trace::{Event, Input};
use std::sync::Arc;

/// The same run through the general engine: meters are its business.
fn through_the_general_engine(name: &str, scenario: &Scenario) -> Report {
    let meters = Meters { load: true, ..Meters::default() };
    Report { load: None, ..run(name, &Scenario { meters, ..scenario.clone() }) }
}

#[test]
fn fast_lanes_agree_with_general_engine() {
    let on_a_ring = |entry: &&Entry| matches!(entry.shape, Shape::OneWayRing | Shape::TwoWayRing);
    for entry in right().filter(on_a_ring).filter(|entry| entry.problem == Problem::Election) {
        let name = entry.spec.name;
        for (schedule_name, schedule) in schedules() {
            let in_a_lane = matches!(schedule, Schedule::Rounds | Schedule::Random | Schedule::Delay(_));
            if !in_a_lane || !admits(entry, &schedule) {
                continue;
            }
            for n in [1u32, 2, 3, 4, 7, 16, 33, 100] {
                for seed in 0..6 {
                    let initiators = if seed % 2 == 0 { Initiators::All } else { Initiators::Percent(30.0) };
                    // With two values nobody is ever alone with one on a large ring.
                    let range = if name.starts_with("itai-rodeh-sync") { n + 1 } else { 2 };
                    let schedule = schedule.clone();
                    let scenario = Scenario { seed, initiators, schedule, range, ..Scenario::new(n) };
                    assert_eq!(
                        run(name, &scenario),
                        through_the_general_engine(name, &scenario),
                        "{name} {schedule_name} n={n} seed={seed}"
                    );
                }
            }
        }
    }
}

/// Half-duplex links have a lane of their own: a step may have to take what was sent in the same round.
#[test]
fn half_duplex_lane_agrees_with_general_engine() {
    for entry in right().filter(|entry| entry.shape == Shape::TwoWayRing && !entry.spec.needs.choices) {
        for n in [1u32, 2, 3, 4, 5, 8, 33, 200] {
            for seed in 0..20 {
                let initiators = if seed % 2 == 0 { Initiators::All } else { Initiators::Percent(30.0) };
                let links = Some(Links::HalfDuplex);
                let scenario = Scenario { seed, initiators, links, ..Scenario::new(n) };
                let name = entry.spec.name;
                let lane = run(name, &scenario);
                assert_eq!(lane, through_the_general_engine(name, &scenario), "{name} n={n} seed={seed}");
            }
        }
    }
}

/// Somebody who looks on after every step.
struct Spectator;

impl Observer for Spectator {
    fn wants_moves(&self) -> bool {
        true
    }
}

/// Where nobody looks on, what arrives in a round is handed over together, and what is sent to many is kept once.
#[test]
fn plain_runs_equal_watched_runs() {
    let meters = Meters { load: true, ..Meters::default() };
    let loads = [None, Some(Load::Light), Some(Load::Saturated), Some(Load::Open(0.3))];
    let mut runs = 0;
    for entry in all() {
        for (n, load) in [1, 2, 5, 12, 40].into_iter().flat_map(|n| loads.iter().map(move |load| (n, load))) {
            let is_election = entry.problem == Problem::Election;
            if is_election && load.is_some() {
                continue;
            }
            let initiators =
                if n % 2 == 0 || !is_election { Initiators::All } else { Initiators::Percent(40.0) };
            let workload = Workload { entries: Entries::Each(3), load: *load, ..Workload::default() };
            for max_steps in [1, 2, 3, 7, 20, 61, 200, 3000] {
                let (max_steps, n) = (Some(max_steps), at_least(entry, n));
                let (initiators, workload) = (initiators.clone(), workload.clone());
                let scenario = Scenario { max_steps, meters, initiators, workload, ..Scenario::new(n) };
                let watched = entry.run(&scenario, &mut Spectator).ok();
                assert_eq!(entry.run(&scenario, &mut ()).ok(), watched, "{} {scenario:?}", entry.spec.name);
                runs += u32::from(watched.is_some());
            }
        }
    }
    assert!(runs > 4000, "{runs} runs were compared");
}

#[test]
fn threads_change_nothing() {
    for name in ["chang-roberts", "peterson", "franklin", "probabilistic-franklin", "itai-rodeh-coin"] {
        for n in [1u32, 5, 4096, 50_000] {
            for initiators in [Initiators::All, Initiators::Percent(50.0)] {
                let with = |threads| {
                    run_well(
                        name,
                        &Scenario { seed: 3, threads, initiators: initiators.clone(), ..Scenario::new(n) },
                    )
                };
                let one = with(1);
                for threads in [2, 3, 8] {
                    assert_eq!(one, with(threads), "{name} n={n} threads={threads}");
                }
            }
        }
    }
}

#[test]
fn same_seed_same_run() {
    for entry in all() {
        let (mut differs, n) = (false, at_least(entry, 6));
        for (name, schedule) in schedules() {
            if !admits(entry, &schedule) {
                continue;
            }
            let of = |seed| {
                let scenario =
                    Scenario { seed, schedule: schedule.clone(), max_steps: Some(5000), ..Scenario::new(n) };
                record(entry, &scenario).1.events
            };
            assert_eq!(of(1), of(1), "{} {name}", entry.spec.name);
            differs |= of(1) != of(2);
        }
        let random = entry.spec.needs.choices || entry.problem == Problem::Election;
        assert!(
            differs || !random || entry.spec.name.starts_with("bully"),
            "{}: the seed has no effect",
            entry.spec.name
        );
    }
}

/// Scenarios that use every kind of input.
pub(crate) fn eventful(entry: &Entry) -> Vec<Scenario> {
    let (mut scenarios, n) = (Vec::new(), at_least(entry, 5));
    for (_, schedule) in schedules() {
        if !admits(entry, &schedule) {
            continue;
        }
        for seed in 0..3 {
            let mut scenario = Scenario { seed, schedule: schedule.clone(), ..Scenario::new(n) };
            scenario.max_steps = Some(2000);
            if entry.problem == Problem::Mutex {
                scenario.workload = Workload { entries: Entries::Each(2), ..Workload::default() };
            }
            if entry.spec.needs.tolerates.crash {
                let crash = |process, at| Fault::Crash { process, at };
                scenario.faults = vec![crash(4, 3), crash(1, 12)];
            }
            if entry.spec.needs.tolerates.recovery {
                scenario.faults.push(Fault::Recover { process: 4, at: 30 });
            }
            if entry.spec.needs.tolerates.loss {
                scenario.faults.push(Fault::LoseNth { kind: entry.kinds[0].into(), nth: 4 });
            }
            scenarios.push(scenario);
        }
    }
    if entry.spec.needs.tolerates.crash {
        // Who was answered waits in vain.
        let faults = vec![Fault::Crash { process: 4, at: 0 }, Fault::Crash { process: 3, at: 3 }];
        scenarios.push(Scenario { faults, initiators: Initiators::One, ..Scenario::new(n) });
    }
    scenarios
}

#[test]
fn recording_replays_without_randomness() {
    for entry in all() {
        for scenario in eventful(entry) {
            let (report, recording) = record(entry, &scenario);
            assert!(!recording.events.is_empty());
            let events = recording.events.clone();
            let replay = replay_of(&scenario, recording);
            let (again, recorded_again) = record(entry, &replay);
            let what = format!("{} {:?} seed {}", entry.spec.name, scenario.schedule.name(), scenario.seed);
            assert_eq!(events, recorded_again.events, "{what}");
            assert_eq!(report.by_kind, again.by_kind, "{what}");
            assert_eq!(report.properties, again.properties, "{what}");
            assert_eq!(report.details, again.details, "{what}");
            assert_eq!((report.rounds, report.steps), (again.rounds, again.steps), "{what}");
        }
    }
}

/// The scenario that follows a recording, with a seed that would give another run.
pub(crate) fn replay_of(scenario: &Scenario, recording: ringleader::trace::Recording) -> Scenario {
    use ringleader::sim::{Ids, Ports};
    let header = recording.header.clone();
    Scenario {
        ids: if header.ids.is_empty() { Ids::Default } else { Ids::Listed(header.ids) },
        initiators: Initiators::Listed(header.initiators),
        ports: if header.ports.is_empty() { Ports::Default } else { Ports::Listed(header.ports) },
        seed: scenario.seed + 1000,
        max_steps: None,
        faults: Vec::new(),
        schedule: Schedule::Replay(Arc::new(recording)),
        ..scenario.clone()
    }
}

#[test]
fn misfit_recording_is_refused_with_its_step() {
    let scenario = Scenario { seed: 1, schedule: Schedule::Random, ..Scenario::new(4) };
    let (_, recording) = record(entry("peterson"), &scenario);
    let broken = |change: &dyn Fn(&mut Vec<Event>)| {
        let mut recording = recording.clone();
        change(&mut recording.events);
        match entry("peterson").run(&replay_of(&scenario, recording), &mut ()) {
            Err(Refusal::BrokenReplay { step, why }) => (step, why),
            other => panic!("not refused: {other:?}"),
        }
    };
    let deliver = recording.events.iter().position(|event| matches!(event.input, Input::Deliver(_))).unwrap();
    let (step, why) = broken(&|events| events[deliver].process = 9);
    assert_eq!((step, why.as_str()), (deliver + 1, "there is no process 9"));
    let (_, why) = broken(&|events| {
        if let Input::Deliver(arrivals) = &mut events[deliver].input {
            arrivals[0].message = 999;
        }
    });
    assert!(why.contains("message 999 does not wait"), "{why}");
    let (step, why) = broken(&|events| events.insert(deliver, events[0].clone()));
    assert!(why.contains("started already") && step == deliver + 1, "{why}");
    let (_, why) = broken(&|events| events[deliver].choices.push(1));
    assert!(why.contains("random choices"), "{why}");
    let (_, why) = broken(&|events| {
        let doubled = events[0].sends[0].clone();
        events[0].sends.push(doubled);
    });
    assert!(why.contains("fewer messages"), "{why}");
    let (_, why) = broken(&|events| {
        events.last_mut().unwrap().time = 0;
    });
    assert!(why.contains("time goes back"), "{why}");
}

#[test]
fn half_duplex_recording_must_be_complete() {
    let name = "van-leeuwen-tan-half-duplex";
    let refused = (0..200).any(|seed| {
        let scenario = Scenario { seed, schedule: Schedule::Random, ..Scenario::new(6) };
        let (_, mut recording) = record(entry(name), &scenario);
        let several = recording.events.iter_mut().find_map(|event| {
            if let Input::Deliver(arrivals) = &mut event.input { Some(arrivals) } else { None }
                .filter(|arrivals| arrivals.len() > 1)
        });
        let Some(arrivals) = several else { return false };
        arrivals.pop();
        matches!(entry(name).run(&replay_of(&scenario, recording), &mut ()),
            Err(Refusal::BrokenReplay { why, .. }) if why.contains("exactly these messages"))
    });
    assert!(refused);
}

#[test]
fn a_fifo_recording_cannot_overtake() {
    let scenario = Scenario { seed: 1, unsound: true, schedule: Schedule::Random, ..Scenario::new(4) };
    let scenario = Scenario { links: Some(Links::Bag), ..scenario };
    let overtakes = (0..200).any(|seed| {
        let scenario = Scenario { seed, max_steps: Some(500), ..scenario.clone() };
        let (_, recording) = record(entry("peterson"), &scenario);
        let fifo = Scenario { links: None, ..replay_of(&scenario, recording) };
        matches!(entry("peterson").run(&fifo, &mut ()),
            Err(Refusal::BrokenReplay { why, .. }) if why.contains("overtakes"))
    });
    assert!(overtakes);
}

#[test]
fn every_rule_fires_and_is_declared() {
    for entry in all() {
        let mut fired = std::collections::BTreeSet::new();
        let mut scenarios = eventful(entry);
        // In any order, where that is admitted; where not, as much as delays can do.
        let delays = Schedule::Delay(Delay::Uniform(1_000, 30_000_000));
        let disorder = if admits(entry, &Schedule::Random) { Schedule::Random } else { delays };
        for n in [1, 2, 4, 9].map(|n| at_least(entry, n)) {
            for seed in 0..30 {
                let one =
                    Scenario { seed, initiators: Initiators::One, max_steps: Some(3000), ..Scenario::new(n) };
                let many = Scenario { initiators: Initiators::Percent(60.0), ..one.clone() };
                scenarios.extend([one, many]);
            }
        }
        for setting in entry.spec.settings {
            let SettingValues::OneOf(words) = setting.values else { continue };
            for (seed, word) in (0..40).flat_map(|seed| words.iter().map(move |word| (seed, word))) {
                let settings = vec![(setting.name.to_owned(), (*word).to_owned())];
                scenarios.push(Scenario {
                    seed,
                    settings,
                    // A lock that needs atomic registers may do anything on others.
                    unsound: setting.name == Setting::REGISTERS.name,
                    schedule: disorder.clone(),
                    ..Scenario::new(at_least(entry, 4))
                });
            }
        }
        if admits(entry, &Schedule::Random) {
            let wild = |seed: u64| {
                let n = at_least(entry, if seed < 10 { 1 } else { 30 });
                Scenario { seed, schedule: Schedule::Random, max_steps: Some(3000), ..Scenario::new(n) }
            };
            scenarios.extend((0..30).map(wild));
        }
        if entry.problem == Problem::Mutex && entry.spec.needs.tolerates.crash {
            // What the first process has sent may be late, and it may be gone by then.
            scenarios.extend((0..300).map(|seed| Scenario {
                seed,
                schedule: Schedule::Delay(Delay::Exponential(5_000_000)),
                faults: vec![Fault::Crash { process: (seed % 5 / 4) as u32, at: 3 + seed % 8 }],
                workload: Workload { entries: Entries::Each(2), ..Workload::default() },
                max_steps: Some(3000),
                ..Scenario::new(3)
            }));
        }
        if entry.problem == Problem::Mutex && !entry.spec.stabilises() {
            // Some want in while others have not asked for long.
            scenarios.extend((0..10).map(|seed| Scenario {
                seed,
                schedule: disorder.clone(),
                workload: Workload { load: Some(Load::Open(0.3)), total: Some(40), ..Workload::default() },
                max_steps: Some(3000),
                ..Scenario::new(at_least(entry, 4))
            }));
        }
        if entry.spec.needs.tolerates.duplication {
            // A copy may come when what it was about is long past. Among two that is soon; among many one asks again.
            let copies = |seed: u64| {
                let (n, each) = if seed < 150 { (2, 200) } else { (9, 8) };
                let each = if entry.problem == Problem::Mutex { each } else { 1 };
                let workload = Workload { entries: Entries::Each(each), ..Workload::default() };
                let (schedule, faults) = (disorder.clone(), vec![Fault::Duplicate(0.3)]);
                Scenario { seed, schedule, faults, workload, max_steps: Some(3000), ..Scenario::new(n) }
            };
            scenarios.extend((0..200).map(copies));
        }
        if entry.problem == Problem::Clocks && entry.spec.settings.iter().any(|setting| setting.name == "at")
        {
            // It begins when it is too late.
            scenarios.push(Scenario {
                settings: vec![("at".into(), "0".into())],
                unsound: true,
                ..Scenario::new(4)
            });
        }
        if entry.problem == Problem::Clocks && entry.spec.needs.tolerates.crash {
            // Somebody crashes, at any moment of three rounds.
            scenarios.extend((0..200).map(|seed| Scenario {
                seed,
                schedule: Schedule::Delay(Delay::Uniform(1_000_000, 9_000_000)),
                faults: vec![Fault::Crash { process: (seed % 3 / 2) as u32, at: 1 + seed % 80 }],
                settings: vec![("rounds".into(), "3".into()), ("period".into(), "20".into())],
                ..Scenario::new(4)
            }));
        }
        if entry.problem == Problem::Clocks
            && entry.spec.needs.tolerates.loss
            && entry.spec.settings.iter().any(|setting| setting.name == "rounds")
        {
            // Answers that come late, twice or never, round after round.
            scenarios.extend((0..60).map(|seed| Scenario {
                seed,
                schedule: disorder.clone(),
                faults: vec![Fault::Loss(0.3), Fault::Duplicate(0.3)],
                settings: vec![("rounds".into(), "9".into()), ("period".into(), "62".into())],
                ..Scenario::new(5)
            }));
        }
        for scenario in scenarios {
            let mut recorder = Recorder::default();
            entry.run(&scenario, &mut recorder).unwrap();
            for event in recorder.events {
                // In an as-printed variant the impossible may happen, and a rule may be dead.
                assert!(event.impossible.is_none() || entry.is_literal(), "{}: {event:?}", entry.spec.name);
                fired.extend(event.rules);
            }
        }
        for rule in &fired {
            assert!(entry.rules.iter().any(|known| known.name == rule), "{}: rule {rule}", entry.spec.name);
        }
        let silent = entry.rules.iter().filter(|rule| !fired.contains(rule.name));
        let silent: Vec<_> = silent.map(|rule| place(entry, rule)).collect();
        assert!(silent.is_empty() || entry.is_literal(), "rules that never fired: {silent:#?}");
    }
}

/// The file and the line of a rule.
fn place(entry: &Entry, rule: &RuleText) -> String {
    let folder = entry.spec.name.replace('-', "_");
    let begins =
        |line: &str| line.trim().strip_prefix("/// ").is_some_and(|text| rule.text.starts_with(text));
    let line =
        entry.spec.file.lines().position(begins).map_or(String::new(), |line| format!(":{}", line + 1));
    format!("{}/{folder}/mod.rs{line}: {}", entry.problem.name(), rule.name)
}

#[test]
fn a_rule_is_found_in_its_file() {
    for entry in right().filter(|entry| entry.spec.file.contains("rules! {")) {
        for rule in entry.rules {
            let place = place(entry, rule);
            let line = place.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
            let line = line.unwrap_or_else(|| panic!("{place}"));
            assert!(entry.spec.file.lines().nth(line).is_some(), "{place}: a rule comes after its text");
        }
    }
    let peterson = entry("peterson");
    let first = &peterson.rules[0];
    let line = peterson.spec.file.lines().position(|line| line == "    Start,").unwrap();
    assert_eq!(place(peterson, first), format!("election/peterson/mod.rs:{line}: start"));
}

#[test]
fn a_limit_ends_a_run_as_such() {
    let report = run("peterson", &Scenario { max_steps: Some(5), ..Scenario::new(8) });
    assert_eq!((report.outcome.name(), report.steps), ("limit", 5));
    assert!(!report.holds());
}
