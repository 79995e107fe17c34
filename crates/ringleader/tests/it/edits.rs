//! Somebody reaches into a run: what was before stays, what was asked for happens, and the whole is a run like others.

use crate::engines::replay_of;
use crate::support::{admits, all, at_least, entry, record, schedules, with_ids};
use ringleader::model::Links;
use ringleader::registry::{Entry, Problem};
use ringleader::rng::{Purpose, Rng};
use ringleader::sim::{Action, Details, Edit, Entries, Recorder, Refusal, Scenario, Schedule, Workload};
use ringleader::trace::{Event, History, Input, Recording};

/// Runs of every algorithm under every schedule that it admits, outside its assumptions by permission.
fn runs(entry: &'static Entry) -> Vec<Scenario> {
    let n = at_least(entry, 4);
    let admitted = schedules().into_iter().filter(|(_, schedule)| admits(entry, schedule));
    let mut scenarios = Vec::new();
    for (_, schedule) in admitted {
        let mut scenario = Scenario { schedule, unsound: true, max_steps: Some(120), ..Scenario::new(n) };
        if entry.problem == Problem::Mutex {
            scenario.workload = Workload { entries: Entries::Each(2), ..Workload::default() };
        }
        scenarios.push(scenario);
    }
    if entry.spec.needs.links == Links::Fifo {
        let bag = scenarios.iter().map(|scenario| Scenario { links: Some(Links::Bag), ..scenario.clone() });
        scenarios.extend(bag.collect::<Vec<_>>());
    }
    scenarios
}

/// The messages that are on their way after so many steps.
fn in_transit(recording: &Recording, steps: usize) -> Vec<u64> {
    let history = History::of(recording);
    let sent = |passage: &&ringleader::trace::Passage<'_>| {
        passage.doubled.unwrap_or(passage.sender) < steps && passage.end != ringleader::trace::End::LostAtOnce
    };
    let there = history.messages.iter().filter(sent);
    let waits = there.filter(|passage| passage.end.step().is_none_or(|end| end >= steps));
    waits.map(|passage| passage.message).collect()
}

/// Some action that may or may not be possible.
fn some_action(rng: &mut Rng, n: u32, waiting: &[u64]) -> Action {
    let process = rng.below(u64::from(n)) as u32;
    let message = if waiting.is_empty() { 0 } else { waiting[rng.below(waiting.len() as u64) as usize] };
    match rng.below(8) {
        0 => Action::Deliver(message),
        1 => Action::Drop(message),
        2 => Action::Duplicate(message),
        3 => Action::Overtake(message),
        4 => Action::Delay(message, rng.below(12)),
        5 => Action::Crash(process),
        6 => Action::Recover(process),
        _ => Action::Want(process),
    }
}

/// Whether this is the event of the action.
fn is_event_of(action: Action, event: &Event) -> bool {
    match (action, &event.input) {
        (Action::Deliver(message), Input::Deliver(arrivals)) => {
            arrivals.iter().any(|arrival| arrival.message == message)
        }
        (Action::Drop(message), Input::Lose(arrival))
        | (Action::Duplicate(message), Input::Double(arrival)) => arrival.message == message,
        (Action::Crash(process), Input::Crash)
        | (Action::Recover(process), Input::Recover)
        | (Action::Want(process), Input::Want) => event.process == process,
        _ => false,
    }
}

/// The run with one more edit; none if it is impossible.
fn edited(entry: &Entry, scenario: &Scenario, edit: Edit) -> Option<(Scenario, Recording)> {
    let mut scenario = scenario.clone();
    scenario.edits.push(edit);
    let mut recorder = Recorder::default();
    match entry.run(&scenario, &mut recorder) {
        Ok(_) => Some((scenario, recorder.recording().expect("a run begins"))),
        Err(Refusal::BadEdit { .. } | Refusal::NoWorkload | Refusal::NoUsers) => None,
        Err(other) => panic!("{}: {other}", entry.spec.name),
    }
}

/// Held against the run before the edit, and against its own replay.
fn is_a_run(entry: &Entry, scenario: &Scenario, before: &Recording, after: &Recording, edit: Edit) {
    let what = format!("{} {} {edit} {:?}", entry.spec.name, scenario.schedule.name(), scenario.edits);
    let step = edit.step as usize;
    assert_eq!(before.events[..step], after.events[..step], "what was before stays: {what}");
    match edit.action {
        Action::Overtake(_) | Action::Delay(..) => {}
        Action::Deliver(_)
        | Action::Drop(_)
        | Action::Duplicate(_)
        | Action::Crash(_)
        | Action::Recover(_)
        | Action::Want(_) => assert!(is_event_of(edit.action, &after.events[step]), "{what}"),
    }
    let replay = Scenario { edits: Vec::new(), ..replay_of(scenario, after.clone()) };
    let (report, again) = record(entry, &replay);
    assert_eq!(after.events, again.events, "{what}");
    let (edited, _) = record(entry, scenario);
    assert_eq!(edited.by_kind, report.by_kind, "{what}");
    // A recording says neither who would have asked later nor where a limit was: what is decided at the end may differ.
    for property in &edited.properties {
        let same = report.properties.iter().find(|other| other.name == property.name);
        assert!(same.is_none_or(|same| same == property), "{what}: {property:?} {same:?}");
    }
}

#[test]
fn edited_runs_stay_valid() {
    let mut done = std::collections::BTreeMap::<&str, u32>::new();
    for entry in all() {
        for (place, first) in runs(entry).into_iter().enumerate() {
            let mut rng = Rng::new(place as u64, Purpose::Faults);
            let (mut scenario, (_, mut recording)) = (first.clone(), record(entry, &first));
            let mut step = rng.below(3);
            for _ in 0..6 {
                step += 1 + rng.below(8);
                if step > recording.events.len() as u64 || Some(step) >= scenario.max_steps {
                    break;
                }
                let waiting = in_transit(&recording, step as usize);
                let action = some_action(&mut rng, scenario.n, &waiting);
                let edit = Edit { step, action };
                if let Some((next, after)) = edited(entry, &scenario, edit) {
                    is_a_run(entry, &next, &recording, &after, edit);
                    *done.entry(action.name()).or_default() += 1;
                    (scenario, recording) = (next, after);
                }
            }
        }
    }
    // Each action was possible often enough to mean something.
    assert!(Action::NAMES.iter().all(|name| done.get(name).is_some_and(|&count| count >= 10)), "{done:?}");
}

#[test]
fn edit_leaves_the_recording() {
    for entry in all() {
        for first in runs(entry) {
            let (_, recording) = record(entry, &first);
            let replay = Scenario { max_steps: Some(400), ..replay_of(&first, recording.clone()) };
            let step = recording.events.len() / 2;
            let Some(&message) = in_transit(&recording, step).first() else { continue };
            let edit = Edit { step: step as u64, action: Action::Drop(message) };
            let (scenario, after) = edited(entry, &replay, edit).expect("it is on its way");
            is_a_run(entry, &scenario, &recording, &after, edit);
        }
    }
}

#[test]
fn a_delayed_message_waits() {
    let scenario = |edits: &[&str]| Scenario {
        edits: edits.iter().map(|edit| edit.parse().unwrap()).collect(),
        schedule: Schedule::Fifo,
        ..with_ids(&[3, 7, 4, 1, 5, 2])
    };
    let arrives = |recording: &Recording, number: u64| {
        let of =
            |input: &Input| if let Input::Deliver(arrivals) = input { arrivals.clone() } else { Vec::new() };
        let is_it = |event: &Event| of(&event.input).iter().any(|arrival| arrival.message == number);
        recording.events.iter().position(is_it).expect("it arrives")
    };
    let algorithm = entry("chang-roberts");
    let (_, plain) = record(algorithm, &scenario(&[]));
    let (_, late) = record(algorithm, &scenario(&["6.delay.0.3"]));
    assert_eq!(arrives(&plain, 0), 6);
    assert!(arrives(&late, 0) >= 9, "{}", arrives(&late, 0));
    // With nothing else to do, nobody waits longer than that.
    let (report, last) = record(algorithm, &scenario(&["6.delay.0.1000000"]));
    assert!(report.holds(), "{report:?}");
    assert!(arrives(&last, 0) > arrives(&late, 0), "{} {}", arrives(&last, 0), arrives(&late, 0));
}

#[test]
fn a_dropped_message_of_a_ring_leaves_no_leader() {
    let edits = vec!["4.drop.1".parse().unwrap()];
    let scenario = Scenario { edits, unsound: true, ..with_ids(&[3, 7, 4, 1]) };
    let (report, recording) = record(entry("chang-roberts"), &scenario);
    assert!(matches!(recording.events[4].input, Input::Lose(arrival) if arrival.message == 1));
    assert!(matches!(&report.details, Details::Election(details) if details.leaders == 0));
    assert_eq!(report.outside, ["its contract excludes the loss of messages"]);
}

#[test]
fn what_is_impossible_is_refused_in_words() {
    let refused = |name: &str, edits: &[&str], unsound: bool| {
        let edits = edits.iter().map(|edit| edit.parse().unwrap()).collect();
        let scenario = Scenario { edits, unsound, ..with_ids(&[3, 7, 4, 1]) };
        entry(name).run(&scenario, &mut ()).expect_err("refused").to_string()
    };
    assert_eq!(refused("peterson", &["4.drop.1"], false), "its contract excludes the loss of messages");
    assert_eq!(refused("peterson", &["4.crash.1"], false), "its contract excludes crashes");
    assert_eq!(
        refused("peterson", &["4.crash.9"], true),
        "--edit: there is no process 9; indices are 0 to 3"
    );
    let held = Scenario { edits: vec!["4.delay.1.3".parse().unwrap()], ..Scenario::new(4) };
    let excluded = entry("bully").run(&held, &mut ()).expect_err("whoever has time-outs counts on time");
    assert_eq!(excluded.to_string(), "its contract excludes messages that are held back");
    let early = Scenario { edits: vec!["4.deliver.1".parse().unwrap()], ..Scenario::new(4) };
    let excluded =
        entry("itai-rodeh-sync").run(&early, &mut ()).expect_err("nothing comes early in lock-step");
    assert_eq!(excluded.to_string(), "its contract excludes messages that come early");
    let why = |edits: &[&str]| refused("peterson", edits, true);
    assert_eq!(why(&["4.drop.99"]), "the edit 4.drop.99 is impossible: message 99 is not on its way");
    assert_eq!(
        why(&["4.overtake.1"]),
        "the edit 4.overtake.1 is impossible: the links keep the order: no message overtakes another"
    );
    assert!(why(&["100000.drop.1"]).contains("the run is over after"));
    assert!(why(&["4.recover.1"]).contains("process 1 is not down"));
    assert!(why(&["4.crash.1", "5.crash.1"]).contains("process 1 is down already"));
    assert_eq!(why(&["4.want.1"]), "it is an election, which has no critical section to enter");
}
