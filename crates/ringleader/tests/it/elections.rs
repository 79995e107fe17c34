//! The exact counts of elections on rings, against formulas and tables worked out elsewhere.

use crate::support::{arrangements, election, entry, kind, run, run_well, schedules, with_ids};
use ringleader::model::{Arranged, Links};
use ringleader::sim::{Ids, Initiators, Meters, Ports, Scenario, Schedule};

/// The sum, over all processes, of the distance to the next larger identity downstream (n for the largest).
fn chang_roberts_count(ids: &[u64]) -> u64 {
    let n = ids.len();
    (0..n).map(|i| (1..=n).find(|d| *d == n || ids[(i + d) % n] > ids[i]).unwrap_or(n) as u64).sum()
}

#[test]
fn chang_roberts_counts_sum_of_distances() {
    for n in 1..=6 {
        for ids in arrangements(n) {
            for (name, schedule) in schedules() {
                if n > 4 && name != "rounds" && name != "random" {
                    continue;
                }
                let report = run_well("chang-roberts", &Scenario { schedule, ..with_ids(&ids) });
                assert_eq!(report.election_messages, chang_roberts_count(&ids), "{ids:?} {name}");
                assert_eq!(kind(&report, "elected"), n, "{ids:?} {name}");
                assert_eq!(election(&report).informed, n);
                assert_eq!(report.leader_id(), Some(n));
            }
        }
    }
}

#[test]
fn chang_roberts_takes_n_times_harmonic_n_on_average() {
    for n in 1..=7u64 {
        let all = arrangements(n);
        let sum: u64 =
            all.iter().map(|ids| run_well("chang-roberts", &with_ids(ids)).election_messages).sum();
        // n·H(n) = sum of n/k; both sides times n! are whole numbers: exact.
        let factorial: u64 = (1..=n).product();
        let exact: u64 = (1..=n).map(|k| n * factorial / k).sum();
        assert_eq!(sum * (factorial / all.len() as u64), exact, "n = {n}");
    }
}

#[test]
fn chang_roberts_best_and_worst() {
    for n in [1u32, 2, 3, 8, 50, 1000] {
        let count = |how| {
            run_well("chang-roberts", &Scenario { ids: Ids::Arranged(how), ..Scenario::new(n) })
                .election_messages
        };
        let n = u64::from(n);
        assert_eq!(count(Arranged::Descending), n * (n + 1) / 2);
        assert_eq!(count(Arranged::Ascending), 2 * n - 1);
        let worst = run_well("chang-roberts", &Scenario { ids: Ids::Worst, ..Scenario::new(n as u32) });
        assert_eq!(
            worst.bound.map(|bound| (bound.measured, bound.value)),
            Some((n * (n + 1) / 2, n * (n + 1) / 2))
        );
    }
}

#[test]
fn chang_roberts_with_any_initiators() {
    for n in 1..=5u64 {
        for ids in arrangements(n) {
            for set in 1..1u32 << n {
                let initiators: Vec<u32> = (0..n as u32).filter(|i| set >> i & 1 == 1).collect();
                let mut counts = Vec::new();
                for schedule in [Schedule::Rounds, Schedule::Random, Schedule::Lifo] {
                    let initiators = Initiators::Listed(initiators.clone());
                    let report =
                        run_well("chang-roberts", &Scenario { initiators, schedule, ..with_ids(&ids) });
                    let count = report.election_messages;
                    assert!((n..=n * (n + 1) / 2).contains(&count), "{ids:?} {set:b}: {count}");
                    assert_eq!(report.leader_id(), Some(n));
                    counts.push(count);
                    if let Some(round) = election(&report).elected_round {
                        // At most 2n-1.
                        assert!(round < 2 * n, "{ids:?} {set:b}: elected in round {round}");
                        let all_start = set == (1 << n) - 1;
                        assert!(
                            round >= n && (round == n || !all_start),
                            "{ids:?} {set:b}: in round {round}"
                        );
                    }
                }
                assert!(counts.iter().all(|&count| count == counts[0]), "{ids:?} {set:b}: {counts:?}");
            }
        }
    }
}

#[test]
fn peterson_maxima_over_all_arrangements() {
    let known = [1, 5, 8, 16, 21, 27, 32, 46, 53];
    for (n, most) in (1..).zip(known) {
        let counts =
            arrangements(n).into_iter().map(|ids| run_well("peterson", &with_ids(&ids)).election_messages);
        assert_eq!(counts.max(), Some(most), "n = {n}");
    }
    for (n, count) in [(16, 122), (1024, 19970)] {
        let scenario = Scenario { ids: Ids::Arranged(Arranged::BitReversal), ..Scenario::new(n) };
        assert_eq!(run_well("peterson", &scenario).election_messages, count, "bit reversal, n = {n}");
    }
}

#[test]
fn peterson_counts_do_not_depend_on_the_schedule() {
    for n in 1..=4 {
        for ids in arrangements(n) {
            let counts: Vec<Vec<(&str, u64)>> = schedules()
                .into_iter()
                .map(|(_, schedule)| run_well("peterson", &Scenario { schedule, ..with_ids(&ids) }).by_kind)
                .collect();
            assert!(counts.iter().all(|count| *count == counts[0]), "{ids:?}: {counts:?}");
        }
    }
    let small = |n: u32| {
        let report = run_well("peterson", &Scenario::new(n));
        (report.election_messages, kind(&report, "elected"))
    };
    assert_eq!((small(1), small(2)), ((1, 1), (5, 2)));
}

#[test]
fn peterson_decides_within_2n_minus_1_delays() {
    let meters = Meters { depth: true, ..Meters::default() };
    for n in 1..=7 {
        for ids in arrangements(n) {
            for schedule in [Schedule::Rounds, Schedule::Lifo] {
                let report = run_well("peterson", &Scenario { meters, schedule, ..with_ids(&ids) });
                let depth = election(&report).elected_depth.expect("metered");
                // At most 2n-1.
                assert!(depth < 2 * n, "{ids:?}: {depth}");
            }
        }
    }
}

#[test]
fn franklin_takes_2n_messages_a_phase() {
    for n in 1..=6u64 {
        for ids in arrangements(n) {
            for (name, schedule) in schedules() {
                if n > 4 && name != "rounds" && name != "random" {
                    continue;
                }
                let report = run_well("franklin", &Scenario { schedule, ..with_ids(&ids) });
                let phases = report.phases.expect("franklin has phases");
                assert_eq!(report.election_messages, 2 * n * phases, "{ids:?} {name}");
                assert_eq!(kind(&report, "elected"), n);
                assert!(phases <= u64::from(n.ilog2()) + 1, "{ids:?}: {phases} phases");
                assert_eq!(report.leader_id(), Some(n));
            }
        }
    }
    let small = |n: u32| {
        let report = run_well("franklin", &Scenario::new(n));
        (report.election_messages, report.messages)
    };
    assert_eq!((small(1), small(2)), ((2, 3), (8, 10)));
}

#[test]
fn franklin_on_half_duplex_links_and_swapped_sides() {
    for n in 1..=5u64 {
        for ids in arrangements(n) {
            let half_duplex = Scenario { links: Some(Links::HalfDuplex), ..with_ids(&ids) };
            for schedule in [Schedule::Rounds, Schedule::Random] {
                run_well("franklin", &Scenario { schedule, ..half_duplex.clone() });
            }
            for mask in 0..1u32 << n {
                let ports =
                    (0..n).map(|i| if mask >> i & 1 == 1 { vec![1, 0] } else { vec![0, 1] }).collect();
                let swapped = Scenario { ports: Ports::Listed(ports), unsound: true, ..with_ids(&ids) };
                assert_eq!(run_well("franklin", &swapped).leader_id(), Some(n));
            }
        }
    }
}

#[test]
fn probabilistic_franklin_takes_2n_messages_a_round() {
    for n in [1u32, 2, 3, 5, 8, 40] {
        for range in [2, 3, 10] {
            for seed in 0..20 {
                let mut results = Vec::new();
                for (name, schedule) in schedules() {
                    let scenario = Scenario { range, seed, schedule, ..Scenario::new(n) };
                    let report = run_well("probabilistic-franklin", &scenario);
                    let phases = report.phases.expect("it has rounds");
                    assert_eq!(
                        report.election_messages,
                        2 * u64::from(n) * phases,
                        "n={n} seed={seed} {name}"
                    );
                    assert_eq!(kind(&report, "leader"), u64::from(n));
                    let leader = election(&report).leader.clone().expect("one leader");
                    assert_eq!(leader.id, None, "anonymous");
                    results.push((leader.index, phases));
                }
                // A process draws the same numbers whatever the schedule, and the draws decide.
                assert!(results.iter().all(|result| *result == results[0]), "n={n} seed={seed}: {results:?}");
            }
        }
    }
}

#[test]
fn ending_at_first_copy_saves_at_most_a_lap() {
    for n in [1u32, 2, 3, 6] {
        for seed in 0..40 {
            let ending = |how: &str| {
                let settings = vec![("ending".to_owned(), how.to_owned())];
                let scenario = Scenario { seed, schedule: Schedule::Random, settings, ..Scenario::new(n) };
                run_well("probabilistic-franklin", &scenario).messages
            };
            let (both, first) = (ending("both"), ending("first"));
            assert!(first <= both && both - first < u64::from(n).max(1), "n={n} seed={seed}: {first} {both}");
        }
    }
}

#[test]
fn van_leeuwen_tan_half_duplex_keeps_its_bound() {
    let small = |n: u32| {
        let report = run_well("van-leeuwen-tan-half-duplex", &Scenario::new(n));
        (report.election_messages, kind(&report, "elected"))
    };
    assert_eq!([small(1), small(2), small(3)], [(2, 1), (6, 2), (9, 3)]);
    let phases = |n| run_well("van-leeuwen-tan-half-duplex", &Scenario::new(n)).phases;
    assert_eq!([phases(1), phases(2)], [Some(0), Some(1)], "the largest phase number, which may be 0");
    for n in 1..=6u64 {
        for ids in arrangements(n) {
            for seed in 0..4 {
                for (name, schedule) in schedules() {
                    if n > 4 && name != "rounds" && name != "random" {
                        continue;
                    }
                    let scenario = Scenario { seed, schedule, ..with_ids(&ids) };
                    let report = run_well("van-leeuwen-tan-half-duplex", &scenario);
                    assert_eq!(kind(&report, "elected"), n, "{ids:?} {name}");
                }
            }
        }
    }
    for n in [8, 13, 21, 34, 100, 1000] {
        for seed in 0..5 {
            run_well("van-leeuwen-tan-half-duplex", &Scenario { seed, ..Scenario::new(n) });
        }
    }
}

#[test]
fn every_set_of_initiators_elects() {
    for name in
        ["peterson", "franklin", "van-leeuwen-tan-half-duplex", "probabilistic-franklin", "itai-rodeh-coin"]
    {
        for n in 1..=5u32 {
            for set in 1..1u32 << n {
                let initiators = Initiators::Listed((0..n).filter(|i| set >> i & 1 == 1).collect());
                for schedule in [Schedule::Rounds, Schedule::Random, Schedule::Lifo] {
                    let scenario = Scenario {
                        initiators: initiators.clone(),
                        schedule,
                        seed: u64::from(set),
                        ..Scenario::new(n)
                    };
                    let report = run_well(name, &scenario);
                    assert_eq!(election(&report).informed, u64::from(n), "{name} n={n} {set:b}");
                }
            }
        }
    }
}

#[test]
fn report_says_if_peterson_runs_without_fifo() {
    let bag = |seed| Scenario {
        seed,
        links: Some(Links::Bag),
        schedule: Schedule::Random,
        unsound: true,
        max_steps: Some(10_000),
        ..Scenario::new(4)
    };
    assert!(entry("peterson").run(&Scenario { unsound: false, ..bag(0) }, &mut ()).is_err());
    let reports: Vec<_> = (0..200).map(|seed| run("peterson", &bag(seed))).collect();
    assert!(reports.iter().all(|report| report.outside.len() == 1));
    assert!(reports.iter().any(|report| !report.holds()), "an assumption that is never needed is none");
}
