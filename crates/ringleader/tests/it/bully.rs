//! Bully: exact counts, crashes, recoveries, and what it needs time for.

use crate::support::{election, entry, kind, run, run_well};
use ringleader::rng::{Purpose, Rng};
use ringleader::sim::{Delay, Fault, Initiators, Refusal, Scenario, Schedule};

fn timed() -> [Schedule; 3] {
    [
        Schedule::Rounds,
        Schedule::Delay(Delay::Constant(1_000_000)),
        Schedule::Delay(Delay::Uniform(100_000, 4_000_000)),
    ]
}

#[test]
fn counts_when_the_top_is_down_and_one_starts() {
    for n in 2..=12u32 {
        for starter in 0..n - 1 {
            for schedule in timed() {
                let scenario = Scenario {
                    schedule,
                    faults: vec![Fault::Crash { process: n - 1, at: 0 }],
                    initiators: Initiators::Listed(vec![starter]),
                    ..Scenario::new(n)
                };
                let report = run_well("bully", &scenario);
                let m = u64::from(n - 1 - starter);
                assert_eq!(kind(&report, "election"), m * (m + 1) / 2, "n={n} starter={starter}");
                assert_eq!(kind(&report, "answer"), m * (m - 1) / 2);
                assert_eq!(kind(&report, "coordinator"), u64::from(n) - 2);
                let bound = report.bound.as_ref().expect("the bound applies");
                let most = u64::from(n) * u64::from(n - 1) - 1; // n²-n-1
                assert!(bound.holds && bound.value <= most);
                assert_eq!(election(&report).leader.as_ref().map(|leader| leader.index), Some(n - 2));
            }
        }
    }
    assert_eq!(run_well("bully", &Scenario::new(1)).messages, 0);
}

/// A scenario of crashes and recoveries, far apart or close together, under one of the schedules; somebody stays up.
/// The time-outs are those of the process: T = 2D + 1 and T' = T + 2D, for the longest delay D of the schedule.
fn faulty(seed: u64) -> Scenario {
    let mut draw = Rng::new(seed, Purpose::Faults);
    let n = 2 + draw.below(6) as u32;
    let mut faults = Vec::new();
    let mut down = vec![false; n as usize];
    let mut at = 0;
    for _ in 0..draw.below(9) {
        at += 1 + draw.below(12);
        let process = draw.below(u64::from(n)) as u32;
        let is_down = &mut down[process as usize];
        faults.push(if *is_down { Fault::Recover { process, at } } else { Fault::Crash { process, at } });
        *is_down = !*is_down;
    }
    if down.iter().all(|&down| down) {
        faults.push(Fault::Recover { process: 0, at: at + 5 });
    }
    let starts: Vec<u32> = (0..n).filter(|_| draw.below(2) == 0).collect();
    let initiators = if starts.is_empty() { Initiators::One } else { Initiators::Listed(starts) };
    let schedule = timed()[(seed % 3) as usize].clone();
    Scenario { seed, schedule, faults, initiators, ..Scenario::new(n) }
}

const SCENARIOS: u64 = 20_000;

#[test]
fn live_processes_agree_after_crashes() {
    let mut some_elect = 0;
    for seed in 0..SCENARIOS {
        let scenario = faulty(seed);
        let report = run("bully", &scenario);
        // Where whoever was to start is down before it could, and nobody comes back, nobody detects anything.
        let detected = report.messages > 0 || election(&report).leaders > 0;
        assert!(report.holds() || !detected, "seed {seed}: {scenario:?} {report:#?}");
        some_elect += u64::from(detected);
    }
    assert!(some_elect > SCENARIOS * 9 / 10, "{some_elect}");
}

/// Without the guard the same scenarios end, now and then, with somebody who follows the wrong one for ever.
#[test]
fn without_the_guard_some_follow_the_wrong_one() {
    let wrong: Vec<u64> = (0..SCENARIOS).filter(|&seed| !run("bully@003-2", &faulty(seed)).holds()).collect();
    let wrong_anyway = |seed: &&u64| !run("bully", &faulty(**seed)).holds();
    let only_without = wrong.len() - wrong.iter().filter(wrong_anyway).count();
    assert!(only_without > 0, "the guard is never needed");
}

#[test]
fn unbounded_delays_are_refused() {
    for schedule in [Schedule::Random, Schedule::Delay(Delay::Exponential(1_000_000)), Schedule::Lifo] {
        let scenario = Scenario { schedule, ..Scenario::new(4) };
        assert!(matches!(entry("bully").run(&scenario, &mut ()), Err(Refusal::NeedsBoundedDelay { .. })));
        let unsound = Scenario { unsound: true, max_steps: Some(100_000), ..scenario };
        assert!(!run("bully", &unsound).outside.is_empty());
    }
}

#[test]
fn last_election_counts() {
    let faults = vec![Fault::Crash { process: 4, at: 0 }, Fault::Recover { process: 4, at: 12 }];
    let report = run_well("bully", &Scenario { faults, initiators: Initiators::One, ..Scenario::new(5) });
    let details = election(&report);
    assert_eq!(details.leader.as_ref().map(|leader| leader.index), Some(4));
    assert_eq!(
        details.elected_round,
        Some(12),
        "process 4 leads as soon as it is back, not when process 3 did"
    );
    // Timers that were stopped do not count: the last thing that happens is a delivery.
    let report = run_well("bully", &Scenario::new(3));
    assert_eq!(report.time, report.rounds.map(|round| round as f64));
}
