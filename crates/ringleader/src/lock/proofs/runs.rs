//! The searches: what holds, how large it is, and the shortest way to what fails without a rule.

use super::world::{Move, Ruled, Size, World};
use crate::check::{self, Findings, Scope, Starts};
use crate::lock::{Flawless, Rules};
use crate::model::{Name, Process, Settings};
use crate::trace::{Event, Input};

fn searched<R: Ruled>(size: Size, most: Option<u64>) -> Findings {
    let values = size.packed();
    let names = World::<R>::SPEC.settings.iter().map(|setting| setting.name.to_owned());
    let settings = names.zip(values.map(|value| value.to_string())).collect();
    let scope = Scope { settings, starts: Starts::All, safety_only: true, max_states: most, ..Scope::new(1) };
    check::election::<World<R>>(&scope, &[], &()).expect("a scope that is possible")
}

/// How many states there are, each of which is well.
fn states(size: Size) -> u64 {
    let findings = searched::<Flawless>(size, None);
    if let Some(run) = &findings.counterexample {
        panic!("{size:?}: {}", told::<Flawless>(size, &run.recording.events));
    }
    assert!(findings.holds(), "{size:?}: {findings:?}");
    findings.states
}

/// The steps of a run, each in words.
fn told<R: Ruled>(size: Size, events: &[Event]) -> String {
    let mut world = World::<R>::new(Settings(size.packed()));
    let mut words = Vec::new();
    for event in events {
        if let Input::Local(name) = &event.input
            && let Some(step) = Move::ALL.iter().find(|step| step.name() == name.to_string())
        {
            words.push(world.told(*step));
            world.takes(*step);
        }
    }
    words.join("; ")
}

/// The shortest way to something wrong without this rule, and what it is.
fn shortest<R: Ruled>(size: Size) -> (String, String) {
    let run = searched::<R>(size, None).counterexample;
    let run = run.unwrap_or_else(|| panic!("nothing is found: {size:?}"));
    (run.detail.clone(), told::<R>(size, &run.recording.events))
}

macro_rules! without {
    ($($name:ident $rule:ident)*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            enum $name {}
            impl Rules for $name {
                const $rule: bool = false;
            }
        )*
    };
}

without! {
    Impatient WAITS
    LeaseOnce LEASE_ALWAYS
    LeaseFromAnswer LEASE_FROM_SENT
    NoQuarantine QUARANTINE
    AnyIncarnation INCARNATIONS
    AnyEpoch EPOCHS
    TakesTwice ONCE
    NoReports REPORTS
    NoStepDown STEPS_DOWN
    CounterOnly EPOCH_IN_FENCE
    NoDrift DRIFT
    AlwaysGoesOn SINCE
}

const SMALL: Size = Size { fast: 0, home: 2, ticks: 3, views: 0, restarts: 0, repetitions: 0, requests: 1 };

#[test]
fn without_faults() {
    assert_eq!(states(SMALL), 0);
}

fn tried<R: Ruled>(what: &str, text: &str) {
    let n: Vec<u32> = text.split(',').map(|x| x.parse().unwrap()).collect();
    let size = Size { fast: n[0], home: n[1], ticks: n[2], views: n[3], restarts: n[4], repetitions: n[5], requests: n[6] };
    let begin = std::time::Instant::now();
    let f = searched::<R>(size, Some(300_000));
    println!("{what} {text} {:?} states {} depth {} in {:.1}s", f.answer, f.states, f.depth, begin.elapsed().as_secs_f64());
    if let Some(run) = &f.counterexample {
        println!("   {} <- {}", run.detail, told::<R>(size, &run.recording.events));
    }
}

#[test]
fn explore() {
    let sizes = std::env::var("PROOF").unwrap_or_default();
    for text in sizes.split(' ').filter(|t| !t.is_empty()) {
        tried::<Flawless>("right", text);
    }
}
#[test]
fn explore_wrong() {
    let sizes = std::env::var("PROOFW").unwrap_or_default();
    for text in sizes.split(' ').filter(|t| !t.is_empty()) {
        let (what, text) = text.split_once(':').unwrap();
        match what {
            "waits" => tried::<Impatient>(what, text),
            "always" => tried::<LeaseOnce>(what, text),
            "sent" => tried::<LeaseFromAnswer>(what, text),
            "quarantine" => tried::<NoQuarantine>(what, text),
            "inc" => tried::<AnyIncarnation>(what, text),
            "epochs" => tried::<AnyEpoch>(what, text),
            "once" => tried::<TakesTwice>(what, text),
            "reports" => tried::<NoReports>(what, text),
            "steps" => tried::<NoStepDown>(what, text),
            "fence" => tried::<CounterOnly>(what, text),
            "drift" => tried::<NoDrift>(what, text),
            "since" => tried::<AlwaysGoesOn>(what, text),
            _ => panic!(),
        }
    }
}
