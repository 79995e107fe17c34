//! Mutual exclusion: one at a time, in order, at the exact cost; and tokens that survive being lost.

use crate::support::{
    admits, admitted_links, at_least, entry, exclusion, kind, record, right, run, run_well, schedules,
};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Entries, Fault, Load, RunOutcome, Scenario, Schedule, Workload};
use ringleader::trace::{Fate, Input};

fn entries(each: u32) -> Workload {
    Workload { entries: Entries::Each(each), ..Workload::default() }
}

#[test]
fn everybody_enters_as_often_as_asked() {
    // Machines that begin anywhere have no users.
    let asked = |entry: &&Entry| entry.problem == Problem::Mutex && !entry.spec.stabilises();
    for algorithm in right().filter(asked) {
        let name = algorithm.spec.name;
        for n in [1u32, 2, 3, 5, 10].map(|n| at_least(algorithm, n)) {
            for (_, schedule) in schedules().into_iter().filter(|(_, schedule)| admits(algorithm, schedule)) {
                for links in admitted_links(algorithm) {
                    for seed in 0..4 {
                        let scenario = Scenario {
                            seed,
                            schedule: schedule.clone(),
                            links: Some(links),
                            workload: Workload { hold: seed, think: seed / 2, ..entries(3) },
                            ..Scenario::new(n)
                        };
                        let report = run_well(name, &scenario);
                        let details = exclusion(&report);
                        assert_eq!(details.entries, u64::from(3 * n), "{name} n={n}");
                        assert_eq!(details.in_section_max, 1);
                        assert_eq!(details.fairness, Some(1.0));
                    }
                }
            }
        }
    }
}

#[test]
fn ricart_agrawala_costs_exactly_2n_minus_2_per_entry() {
    for n in [1u32, 2, 3, 8, 31] {
        for (name, schedule) in schedules() {
            let report =
                run_well("ricart-agrawala", &Scenario { schedule, workload: entries(2), ..Scenario::new(n) });
            let each = 2 * u64::from(n - 1);
            let details = exclusion(&report);
            assert_eq!(report.messages, each * details.entries, "n={n} {name}");
            assert_eq!(details.per_entry_range, Some((each, each)), "n={n} {name}");
            assert_eq!(kind(&report, "request"), kind(&report, "reply"));
        }
    }
}

#[test]
fn bound_counts_who_asked_and_not_who_was_let_in() {
    for algorithm in right().filter(|entry| entry.problem == Problem::Mutex) {
        let (name, n) = (algorithm.spec.name, at_least(algorithm, 4));
        for steps in 0..40 {
            let scenario = Scenario { max_steps: Some(steps), workload: entries(1), ..Scenario::new(n) };
            let report = run(name, &scenario);
            if let Some(bound) = &report.bound {
                let text = format!("{name} after {steps} steps: {} > {}", bound.measured, bound.value);
                assert!(bound.holds, "{text}");
            }
        }
    }
}

#[test]
fn ricart_agrawala_order_and_delay() {
    let report = run_well("ricart-agrawala", &Scenario { workload: entries(1), ..Scenario::new(5) });
    let details = exclusion(&report);
    // All ask in round 0 with the same time stamp, so the names decide.
    assert_eq!(details.entry_order, [0, 1, 2, 3, 4]);
    let delay = details.sync_delay.expect("four handed over");
    assert_eq!((delay.min, delay.mean, delay.max), (1.0, 1.0, 1.0));
    assert_eq!(details.bypass_max, 4);
}

#[test]
fn scripts_and_loads_decide_who_asks() {
    let wants = vec![(0, 1), (0, 3), (5, 2), (6, 2)];
    let report = run_well(
        "ricart-agrawala",
        &Scenario { workload: Workload { wants, ..entries(1) }, ..Scenario::new(4) },
    );
    assert_eq!(exclusion(&report).entries, 4);
    assert_eq!(exclusion(&report).entry_order, [1, 3, 2, 2]);
    for load in [Load::Saturated, Load::Light, Load::Open(0.5)] {
        for schedule in [Schedule::Rounds, Schedule::Random] {
            for name in ["ricart-agrawala", "misra-bounded"] {
                let workload = Workload { load: Some(load), total: Some(60), ..Workload::default() };
                let report = run_well(
                    name,
                    &Scenario { workload, seed: 2, schedule: schedule.clone(), ..Scenario::new(4) },
                );
                assert_eq!(exclusion(&report).entries, 60, "{name} {load:?}");
            }
        }
    }
    let light = Workload { load: Some(Load::Light), total: Some(60), ..Workload::default() };
    let report = run_well("ricart-agrawala", &Scenario { workload: light, ..Scenario::new(4) });
    assert_eq!(
        (exclusion(&report).bypass_max, exclusion(&report).sync_delay),
        (0, None),
        "a quiet system between"
    );
}

#[test]
fn lost_token_returns_within_n_plus_1_arrivals() {
    for n in [1u32, 2, 3, 5, 9] {
        for lost in ["ping", "pong"] {
            for nth in 1..20 {
                for (name, schedule) in
                    [("rounds", Schedule::Rounds), ("random", Schedule::Random), ("lifo", Schedule::Lifo)]
                {
                    let scenario = Scenario {
                        seed: nth,
                        schedule,
                        faults: vec![Fault::LoseNth { kind: lost.into(), nth }],
                        workload: entries(0),
                        max_steps: Some(3000),
                        ..Scenario::new(n)
                    };
                    let (report, recording) = record(entry("misra-bounded"), &scenario);
                    assert_eq!(report.outcome, RunOutcome::Limit, "tokens circulate for ever");
                    assert!(report.properties.iter().all(|property| property.holds), "{report:#?}");
                    let loss = recording
                        .events
                        .iter()
                        .position(|event| event.sends.iter().any(|sent| sent.fate == Fate::Lost));
                    let loss = loss.unwrap_or_else(|| panic!("{lost} {nth} was never sent"));
                    let arrivals = recording.events[loss + 1..]
                        .iter()
                        .filter(|event| matches!(event.input, Input::Deliver(_)))
                        .position(|event| event.rules.iter().any(|rule| rule.contains("regenerate")));
                    let arrivals = arrivals
                        .unwrap_or_else(|| panic!("n={n} {lost} {nth} {name}: never regenerated"))
                        + 1;
                    assert!(arrivals <= n as usize + 1, "n={n} {lost} {nth} {name}: {arrivals} arrivals");
                }
            }
        }
    }
}

#[test]
fn both_tokens_lost_is_said_not_hung() {
    let faults = ["ping", "pong"].map(|kind| Fault::LoseNth { kind: kind.into(), nth: 1 }).to_vec();
    let report = run("misra-bounded", &Scenario { faults, ..Scenario::new(3) });
    assert_eq!(report.outcome, RunOutcome::Violated);
    let said = report
        .properties
        .iter()
        .find(|property| !property.holds)
        .and_then(|property| property.detail.clone());
    assert!(said.as_ref().is_some_and(|said| said.contains("every token is lost")), "{said:?}");
}

#[test]
fn many_losses_one_at_a_time_never_double_a_token() {
    for seed in 0..200 {
        let n = 1 + (seed % 6) as u32;
        let faults = vec![
            Fault::LoseNth { kind: "ping".into(), nth: 1 + seed % 7 },
            Fault::LoseNth { kind: "pong".into(), nth: 60 + seed % 11 },
            Fault::LoseNth { kind: "ping".into(), nth: 120 + seed % 13 },
        ];
        let scenario = Scenario {
            seed,
            faults,
            schedule: if seed % 2 == 0 { Schedule::Random } else { Schedule::Rounds },
            workload: entries(5),
            ..Scenario::new(n)
        };
        let report = run_well("misra-bounded", &scenario);
        assert_eq!(exclusion(&report).entries, u64::from(5 * n));
    }
}
