//! Elections in which everybody hears of everybody: Le Lann, and the two rings that are closed over crashed processes.

use crate::support::arrangements;
use crate::support::{election, entry, kind, record, run, run_well, schedules, with_ids};
use ringleader::sim::{Fault, Initiators, Recorder, Refusal, Scenario, Schedule};
use std::sync::Arc;

/// The members of a set of small numbers.
fn members(set: u32) -> Vec<u32> {
    (0..u32::BITS).filter(|i| set >> i & 1 == 1).collect()
}

#[test]
fn le_lann_takes_n_messages_per_initiator() {
    for n in 1..=5u64 {
        for ids in arrangements(n).into_iter().step_by(5) {
            for set in 1..1u32 << n {
                let initiators = members(set);
                let largest = initiators.iter().map(|&i| ids[i as usize]).max();
                for (name, schedule) in schedules() {
                    let initiators = Initiators::Listed(initiators.clone());
                    let report = run_well("le-lann", &Scenario { initiators, schedule, ..with_ids(&ids) });
                    let started = u64::from(set.count_ones());
                    assert_eq!(report.messages, n * started, "{ids:?} {set:b} {name}");
                    assert_eq!(report.leader_id(), largest, "{ids:?} {set:b} {name}");
                    assert_eq!(election(&report).informed, started, "only candidates learn the result");
                }
            }
        }
    }
    assert_eq!(run_well("le-lann", &Scenario::new(1)).messages, 1);
}

/// Who wants to start later starts at the latest just before its first message, except where the text forgets that.
#[test]
fn late_start_precedes_first_message() {
    for at in 1..8 {
        let initiators = Initiators::Timed(vec![(0, 0), (2, at)]);
        let scenario = Scenario { initiators, ..with_ids(&[1, 2, 3, 4]) };
        let report = run_well("le-lann", &scenario);
        assert_eq!((report.messages, report.leader_id()), (8, Some(3)));
        let late = run("le-lann@001-8", &scenario);
        assert_eq!(late.holds(), at < 2, "the token of process 0 is at process 2 in round 2: {at}");
    }
    // Alone and late, nothing happens before.
    let alone = Scenario { initiators: Initiators::Timed(vec![(1, 5)]), ..Scenario::new(3) };
    let (report, recording) = record(entry("peterson"), &alone);
    assert!(report.holds());
    assert_eq!((recording.events[0].time, recording.events[0].process), (5, 1));
    assert_eq!(report, run("peterson", &alone), "watched or not");
}

#[test]
fn largest_live_process_is_elected() {
    for n in 1..=5u32 {
        let ids: Vec<u64> = (0..u64::from(n)).map(|i| (i * 3 + 2) % 7 + 1).collect();
        for down in 0..(1u32 << n) - 1 {
            let live = members((1 << n) - 1 - down);
            let largest = live.iter().map(|&i| ids[i as usize]).max();
            for set in [0b1u32, 0b10101, 0b11111] {
                let starters: Vec<u32> = members(set).into_iter().filter(|i| live.contains(i)).collect();
                if starters.is_empty() {
                    continue;
                }
                let (a, k) = (live.len() as u64, starters.len() as u64);
                let faults = members(down).iter().map(|&process| Fault::Crash { process, at: 0 }).collect();
                let scenario =
                    Scenario { faults, initiators: Initiators::Listed(starters), ..with_ids(&ids) };
                for (name, schedule) in schedules() {
                    let scenario = Scenario { schedule, ..scenario.clone() };
                    let report = run_well("ring-active-list", &scenario);
                    assert_eq!((report.messages, report.leader_id()), (a * a, largest), "{down:b} {name}");
                    assert_eq!(election(&report).informed, a);
                    assert_eq!(report.bound.map(|bound| bound.value), Some(a * a));
                    let report = run_well("ring-collect", &scenario);
                    assert_eq!(
                        (report.messages, report.leader_id()),
                        (2 * a * k, largest),
                        "{down:b} {name}"
                    );
                    assert_eq!(kind(&report, "coordinator"), a * k);
                    assert_eq!(report.bound.map(|bound| bound.value), Some(2 * a * k));
                }
            }
        }
    }
}

/// A recording of a ring that was closed over somebody is followed on the same ring, against the same bound.
#[test]
fn a_bypass_is_followed_by_replay() {
    for name in ["ring-active-list", "ring-collect"] {
        let scenario = Scenario { faults: vec![Fault::Crash { process: 2, at: 0 }], ..Scenario::new(4) };
        let (report, recording) = record(entry(name), &scenario);
        let again = Scenario {
            ids: ringleader::sim::Ids::Listed(report.ids.clone()),
            schedule: Schedule::Replay(Arc::new(recording.clone())),
            ..Scenario::new(4)
        };
        let mut followed = Recorder::default();
        let replayed = entry(name).run(&again, &mut followed).unwrap();
        assert_eq!(followed.events, recording.events, "{name}");
        assert_eq!(replayed.bound, report.bound, "{name}");
    }
}

/// Only what is down from the beginning is bypassed.
#[test]
fn crash_during_election_is_refused_or_harms() {
    for name in ["ring-active-list", "ring-collect"] {
        let crash = |at| Scenario { faults: vec![Fault::Crash { process: 2, at }], ..Scenario::new(4) };
        assert!(matches!(entry(name).run(&crash(1), &mut ()), Err(Refusal::FaultExcluded { .. })), "{name}");
        let report = run(name, &Scenario { unsound: true, ..crash(1) });
        assert!(!report.holds() && !report.outside.is_empty(), "{name}: {report:#?}");
        let other = entry("chang-roberts").run(&crash(0), &mut ());
        assert!(matches!(other, Err(Refusal::FaultExcluded { .. })), "others have no bypass");
    }
}
