//! Bully: exact counts, crashes, recoveries, and what it needs time for.

use crate::support::{election, entry, kind, run, run_well};
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

#[test]
fn all_live_processes_agree_on_the_largest_after_crashes_and_recoveries() {
    for seed in 0..400u64 {
        let n = 2 + (seed % 6) as u32;
        let mut faults = Vec::new();
        let mut down = vec![false; n as usize];
        // Faults are far apart or close together, as the seed has it; somebody stays up.
        let mut draw = ringleader::rng::Rng::new(seed, ringleader::rng::Purpose::Faults);
        let mut at = 0;
        for _ in 0..6 {
            at += 1 + draw.below(9);
            let process = draw.below(u64::from(n)) as u32;
            let is_down = &mut down[process as usize];
            if *is_down {
                faults.push(Fault::Recover { process, at });
            } else {
                faults.push(Fault::Crash { process, at });
            }
            *is_down = !*is_down;
        }
        if down.iter().all(|&down| down) {
            faults.push(Fault::Recover { process: 0, at: at + 5 });
        }
        for schedule in timed() {
            let scenario = Scenario { seed, schedule, faults: faults.clone(), ..Scenario::new(n) };
            run_well("bully", &scenario);
        }
    }
}

#[test]
fn a_schedule_without_a_bound_on_delays_is_refused() {
    for schedule in [Schedule::Random, Schedule::Delay(Delay::Exponential(1_000_000)), Schedule::Lifo] {
        let scenario = Scenario { schedule, ..Scenario::new(4) };
        assert!(matches!(entry("bully").run(&scenario, &mut ()), Err(Refusal::NeedsBoundedDelay { .. })));
        let unsound = Scenario { unsound: true, max_steps: Some(100_000), ..scenario };
        assert!(!run("bully", &unsound).outside.is_empty());
    }
}

#[test]
fn the_election_that_counts_is_the_last_and_time_ends_with_the_last_step() {
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
