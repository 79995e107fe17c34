//! Berkeley's algorithm with an election: whoever crashes, the clocks of the living are brought together again.

use crate::support::entry;
use ringleader::check::{Answer, Scope};
use ringleader::sim::{Clocks, Delay, Fault, Recorder, Refusal, Scatter, Scenario, Schedule};

fn crash(name: &str, election: &str, process: u32, at: u64, seed: u64) -> Scenario {
    let settings = [("rounds", "3"), ("period", "30"), ("election", election)];
    assert!(entry(name).spec.settings.iter().any(|setting| setting.name == "election"));
    Scenario {
        schedule: Schedule::Delay(Delay::Uniform(1_000_000, 9_000_000)),
        clocks: Clocks { offsets: Scatter::Drawn(20), drifts: Scatter::Drawn(100), ..Clocks::default() },
        faults: vec![Fault::Crash { process, at }],
        settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        seed,
        ..Scenario::new(5)
    }
}

#[test]
fn a_new_master_brings_all_together() {
    let electors: Vec<&str> = entry("berkeley-failover").electors().map(|elector| elector.name).collect();
    assert!(electors.len() > 5, "{electors:?}");
    let mut again = 0;
    for seed in 0..400 {
        let (election, process) = (electors[seed as usize % electors.len()], (seed % 7 / 4) as u32);
        let scenario = crash("berkeley", election, process, 1 + seed % 97, seed);
        let mut recorder = Recorder::default();
        let report = entry("berkeley").run(&scenario, &mut recorder).unwrap();
        assert!(report.holds(), "{seed}: {:?}", report.properties);
        let elected = report.by_kind.iter().any(|&(kind, count)| kind == "elect" && count > 0);
        again += u32::from(elected);
        assert_eq!(elected, process == 0, "{seed}: who is no master is not replaced");
        // One leads, and closes all its rounds.
        let rules = recorder.events.iter().flat_map(|event| event.rules.iter().map(|rule| &**rule));
        let rules: Vec<&str> = rules.collect();
        let led = rules.iter().position(|rule| *rule == "lead");
        assert_eq!(led.is_some(), elected, "{seed}");
        let closed = rules.iter().skip(led.unwrap_or(0)).filter(|rule| **rule == "close").count();
        assert_eq!(closed, 3, "{seed}");
    }
    assert!(again > 100, "{again}");
}

#[test]
fn every_run_with_a_crash_is_within_the_promise() {
    let found = entry("berkeley-failover").check(&Scope::new(2), &[], &()).unwrap();
    assert_eq!(found.answer, Answer::Holds, "{:?}", found.properties);
    let scope = Scope { delays: (1, 2), ..Scope::new(3) };
    let found = entry("berkeley-failover").check(&scope, &[], &()).unwrap();
    assert_eq!(found.answer, Answer::Holds, "{:?}", found.properties);
}

/// The control: rounds that are numbered alike.
#[test]
fn rounds_of_two_masters_are_not_one() {
    let found = entry("berkeley-failover@same-rounds").check(&Scope::new(3), &[], &()).unwrap();
    assert_eq!(found.answer, Answer::Violated, "{:?}", found.properties);
    let wrong = found.properties.iter().find(|finding| finding.answer == Answer::Violated).unwrap();
    assert_eq!(wrong.name, "within the promised distance at all times");
    let broken = (0..400).find(|&seed| {
        let scenario = crash("berkeley-failover@same-rounds", "chang-roberts", 0, 40 + seed % 60, seed);
        let report = entry("berkeley-failover@same-rounds").run(&scenario, &mut ()).unwrap();
        !report.holds()
    });
    assert!(broken.is_some());
}

#[test]
fn without_an_election_no_master_may_crash() {
    let mut scenario = crash("berkeley", "franklin", 0, 5, 1);
    scenario.settings.retain(|(name, _)| name != "election");
    let refused = entry("berkeley").run(&scenario, &mut ()).unwrap_err();
    assert!(matches!(refused, Refusal::FaultExcluded { .. }), "{refused:?}");
    let scenario = crash("berkeley", "nobody", 0, 5, 1);
    let refused = entry("berkeley").run(&scenario, &mut ()).unwrap_err();
    assert!(
        matches!(&refused, Refusal::BadSetting { name, expected } if name == "election"
        && expected.contains("franklin")),
        "{refused:?}"
    );
}
