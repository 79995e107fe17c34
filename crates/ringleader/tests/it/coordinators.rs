//! The coordinator and the token ring: what every schedule costs, who comes first; and what becomes of a crash, with
//! any election of the registry.

use crate::support::{all, entry, exclusion, kind, run_well};
use ringleader::check::{Budget, Scope};
use ringleader::election::Franklin;
use ringleader::mutex::CentralFailover;
use ringleader::registry::{self, Entry};
use ringleader::sim::{Delay, Entries, Fault, Refusal, Scenario, Schedule, Workload};

fn entries(each: u32) -> Workload {
    Workload { entries: Entries::Each(each), ..Workload::default() }
}

fn set(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

/// The fewest and the most messages over all schedules: 3 for every entry but the coordinator's own, one more for each
/// that waits where that is told.
#[test]
fn the_coordinator_costs_three_or_four() {
    for (n, each) in [(1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2), (5, 1)] {
        let others = u64::from((n - 1) * each);
        let scope = Scope { entries: Entries::Each(each), ..Scope::new(n) };
        let findings = entry("central").check(&scope, &[], &()).unwrap();
        assert!(findings.holds(), "n={n}: {findings:#?}");
        let messages = findings.messages.unwrap();
        assert_eq!((messages.min, messages.max), (3 * others, Some(3 * others)), "n={n}, {each} each");
        let scope = Scope { settings: set("denied", "yes"), ..scope };
        let findings = entry("central").check(&scope, &[], &()).unwrap();
        assert!(findings.holds(), "n={n}, denied: {findings:#?}");
        let messages = findings.messages.unwrap();
        assert_eq!(
            (messages.min, messages.max),
            (3 * others, Some(4 * others)),
            "n={n}, {each} each, denied"
        );
    }
}

#[test]
fn coordinator_serves_in_order_of_arrival() {
    let wants = vec![(0, 3), (1, 1), (2, 2), (2, 0)];
    let workload = Workload { wants, hold: 9, ..Workload::default() };
    let report = run_well("central", &Scenario { workload, ..Scenario::new(4) });
    // The coordinator's own request arrives at once.
    assert_eq!(exclusion(&report).entry_order, [3, 1, 0, 2]);
    assert_eq!(kind(&report, "denied"), 0);
}

/// The token starts in transit to the first process: from asking to entering it is delivered once to n times, and who
/// enters comes in the order of the ring.
#[test]
fn the_token_ring_takes_one_to_n_deliveries() {
    for n in 2u32..=8 {
        for who in 0..n {
            for at in 0..2 * n {
                let workload = Workload { wants: vec![(u64::from(at), who)], ..Workload::default() };
                let report = run_well("token-ring", &Scenario { workload, ..Scenario::new(n) });
                // In round r, from 1 on, the token is delivered to r - 1 modulo n; asking comes after that.
                let turns = (1..).find(|turn| (at + turn + n - 1) % n == who).unwrap();
                assert!((1..=n).contains(&turns));
                let waited = exclusion(&report).waiting.unwrap();
                assert_eq!(waited.max as u32, turns, "n={n} who={who} at={at}");
            }
        }
    }
    let report = run_well("token-ring", &Scenario { workload: entries(2), ..Scenario::new(4) });
    assert_eq!(exclusion(&report).entry_order, [0, 1, 2, 3, 0, 1, 2, 3]);
    let alone = run_well("token-ring", &Scenario { workload: entries(3), ..Scenario::new(1) });
    assert_eq!((alone.messages, exclusion(&alone).entries), (0, 3));
}

/// Whoever crashes, and whenever: with every election that can be held inside.
#[test]
fn a_new_coordinator_by_any_ring_election() {
    let names: Vec<&str> = entry("central-failover").electors().map(|elector| elector.name).collect();
    for name in [
        "chang-roberts",
        "franklin",
        "hirschberg-sinclair",
        "peterson",
        "higham-przytycka",
        "stages-with-feedback",
        "alternate",
        "van-leeuwen-tan",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for name in names {
        for n in 2u32..=6 {
            for at in 0..12 {
                let crashes = [0, (at as u32) % n];
                for process in crashes {
                    for schedule in [
                        Schedule::Rounds,
                        Schedule::Random,
                        Schedule::Delay(Delay::Uniform(1_000_000, 9_000_000)),
                    ] {
                        let scenario = Scenario {
                            faults: vec![Fault::Crash { process, at }],
                            settings: set("election", name),
                            seed: at,
                            schedule,
                            workload: Workload { hold: at % 4, ..entries(2) },
                            ..Scenario::new(n)
                        };
                        // The coordinator with an election is the one that survives.
                        let report = run_well("central", &scenario);
                        let least = u64::from(2 * (n - 1));
                        assert!(exclusion(&report).entries >= least, "{name} n={n} {process}@{at}");
                    }
                }
            }
        }
    }
}

/// The checker with several elections: the one who crashes may be anybody, at any moment.
#[test]
fn every_crash_is_survived() {
    for name in ["chang-roberts", "peterson", "franklin", "hirschberg-sinclair"] {
        for (n, each) in [(2, 3), (3, 1), (3, 2), (4, 1)] {
            if n == 4 && name != "chang-roberts" {
                continue;
            }
            let scope =
                Scope { settings: set("election", name), entries: Entries::Each(each), ..Scope::new(n) };
            let findings = entry("central-failover").check(&scope, &[], &()).unwrap();
            assert!(findings.holds(), "{name} n={n}: {findings:#?}");
        }
    }
}

#[test]
fn an_election_that_cannot_be_held_is_refused() {
    for name in ["itai-rodeh", "bully", "van-leeuwen-tan-half-duplex", "ricart-agrawala", "nonsense"] {
        let scenario = Scenario { settings: set("election", name), ..Scenario::new(3) };
        let refused = entry("central").run(&scenario, &mut ()).unwrap_err();
        let Refusal::BadSetting { expected, .. } = refused else { panic!("{refused:?}") };
        assert!(expected.contains("chang-roberts") && expected.contains(name), "{expected}");
    }
}

/// The state spaces of Misra's tokens, complete: no user wants in, tokens move and are lost as they like.
#[test]
fn lost_tokens_come_back_from_every_state() {
    let lost = |name: &str, n: u32, losses: u32, settings: Vec<(String, String)>| {
        let faults = Budget { crashes: Some(0), losses: Some(losses), ..Budget::default() };
        let scope = Scope { faults, settings, entries: Entries::Each(0), ..Scope::new(n) };
        let findings = entry(name).check(&scope, &[], &()).unwrap();
        assert!(findings.holds(), "{name} n={n}: {findings:#?}");
        findings.states
    };
    for (n, losses) in [(1, 2), (2, 2), (3, 2), (4, 2), (5, 1)] {
        assert!(lost("misra-bounded", n, losses, Vec::new()) > 10);
        // Its numbers grow without end, but are counted from the oldest that is remembered.
        assert!(lost("misra", n, losses, Vec::new()) > 10);
    }
    for (n, k, losses) in [(1, 3, 3), (2, 3, 3), (2, 2, 3)] {
        assert!(lost("misra-k", n, losses, set("tokens", &k.to_string())) > 10, "n={n}, k={k}");
    }
}

/// Every kind of message that there is with these settings is listed, and no other.
#[test]
fn the_number_of_tokens_is_a_setting() {
    for k in 2usize..=8 {
        let settings = set("tokens", &k.to_string());
        let report = run_well("misra-k", &Scenario { settings, workload: entries(2), ..Scenario::new(3) });
        let kinds: Vec<String> = report.by_kind.iter().map(|(kind, _)| (*kind).to_owned()).collect();
        assert_eq!(kinds, (0..k).map(|token| format!("token-{token}")).collect::<Vec<_>>());
    }
    assert!(
        registry::find(all(), "misra-k")
            .unwrap()
            .run(&Scenario { settings: set("tokens", "9"), ..Scenario::new(3) }, &mut ())
            .is_err()
    );
}

/// A setting that names another algorithm finds it among those that were given, and nowhere else.
#[test]
fn settings_are_looked_up_in_the_given_registry() {
    static FEW: &[Entry] = &[Entry::exclusion::<CentralFailover>(), Entry::election::<Franklin>()];
    let with = |election: &str| Scenario {
        settings: vec![("election".into(), election.into())],
        ..Scenario::new(3)
    };
    let few = registry::own(FEW);
    assert!(few[0].run(&with("franklin"), &mut ()).expect("it is among them").holds());
    let refused = few[0].run(&with("peterson"), &mut ()).expect_err("it is not among them").to_string();
    assert!(refused.contains("must be one of franklin, not peterson"), "{refused}");
    let scope = Scope { settings: with("peterson").settings, safety_only: true, ..Scope::new(2) };
    assert_eq!(few[0].check(&scope, &[], &()).expect_err("nor is it for a check").to_string(), refused);
    // Where nothing else was said, it is the library's.
    assert!(FEW[0].run(&with("peterson"), &mut ()).expect("it is in the library").holds());
}
