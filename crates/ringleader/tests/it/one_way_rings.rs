//! The exact counts of Dolev–Klawe–Rodeh, Peterson's second algorithm, Algorithm B and Higham–Przytycka, against
//! formulas and tables worked out elsewhere.

use crate::support::{arrangements, election, entry, kind, record, run_well, schedules, with_ids};
use ringleader::model::Arranged;
use ringleader::sim::{Ids, Initiators, Report, Scenario, Schedule};
use ringleader::trace::Recording;

const NAMES: [&str; 4] =
    ["dolev-klawe-rodeh", "peterson-improved", "dolev-klawe-rodeh-b", "higham-przytycka"];

/// The most election messages over all arrangements of 1 ..= n.
fn most(name: &str, n: u64) -> u64 {
    let counts = arrangements(n).into_iter().map(|ids| run_well(name, &with_ids(&ids)).election_messages);
    counts.max().expect("there is an arrangement")
}

/// A run with identities in a known order.
fn arranged(name: &str, n: u32, how: Arranged) -> Report {
    run_well(name, &Scenario { ids: Ids::Arranged(how), ..Scenario::new(n) })
}

/// The largest R with F(R+1) <= n.
fn most_rounds(n: u64) -> u64 {
    let fibonacci = |k: u64| (0..k).fold((0u64, 1u64), |(a, b), _| (b, a + b)).0;
    (1..).take_while(|rounds| fibonacci(rounds + 1) <= n).last().expect("F(2) = 1")
}

/// The process that sends the first message of a kind.
fn first_sender(recording: &Recording, kind: &str) -> u32 {
    let first = recording.events.iter().find(|event| event.sends.iter().any(|sent| sent.kind == kind));
    first.expect("one is sent").process
}

#[test]
fn small_rings() {
    let small = |name, n: u32| {
        let report = run_well(name, &Scenario::new(n));
        (report.election_messages, kind(&report, "elected"))
    };
    assert_eq!(NAMES.map(|name| small(name, 1)), [(1, 1), (1, 1), (1, 1), (1, 1)]);
    assert_eq!(NAMES.map(|name| small(name, 2)), [(6, 2), (4, 2), (4, 2), (4, 2)]);
}

/// One input, in one order: neither the schedule nor who starts makes a difference to the number of messages of any
/// kind, or to who wins.
#[test]
fn counts_and_winners_depend_on_the_arrangement_alone() {
    for name in NAMES {
        for n in 1..=5u64 {
            for ids in arrangements(n) {
                let result = |report: &Report| (report.by_kind.clone(), report.leader_id(), report.phases);
                let expected = result(&run_well(name, &with_ids(&ids)));
                let agree = |scenario: &Scenario, what: &str| {
                    let report = run_well(name, scenario);
                    assert_eq!(result(&report), expected, "{name} {ids:?} {what}");
                    assert_eq!(
                        (kind(&report, "elected"), election(&report).informed),
                        (n, n),
                        "{name} {ids:?}"
                    );
                };
                for (what, schedule) in schedules() {
                    agree(&Scenario { schedule, ..with_ids(&ids) }, what);
                }
                for set in 1..1u32 << n {
                    let who: Vec<u32> = (0..n as u32).filter(|i| set >> i & 1 == 1).collect();
                    for schedule in [Schedule::Rounds, Schedule::Random, Schedule::Lifo] {
                        let initiators = Initiators::Listed(who.clone());
                        let seed = u64::from(set);
                        let scenario = Scenario { initiators, schedule, seed, ..with_ids(&ids) };
                        agree(&scenario, &format!("initiators {set:b}"));
                    }
                }
            }
        }
    }
}

#[test]
fn dolev_klawe_rodeh_messages_per_phase() {
    for n in 1..=7u64 {
        for ids in arrangements(n) {
            let report = run_well("dolev-klawe-rodeh", &with_ids(&ids));
            let phases = report.phases.expect("it has phases");
            assert_eq!(report.election_messages, 2 * n * (phases - 1) + n, "{ids:?}");
            assert_eq!(
                (kind(&report, "one"), kind(&report, "two")),
                (n * phases, n * (phases - 1)),
                "{ids:?}"
            );
            assert!(phases <= u64::from(n.ilog2()) + 1 && (phases >= 2 || n == 1), "{ids:?}: {phases}");
            assert_eq!(report.leader_id(), Some(n));
        }
    }
    for n in [2, 4, 8] {
        assert_eq!(most("dolev-klawe-rodeh", n), 2 * n * u64::from(n.ilog2()) + n, "n = {n}");
    }
    for bits in 0..=12u32 {
        let report = arranged("dolev-klawe-rodeh", 1 << bits, Arranged::BitReversal);
        assert_eq!(report.election_messages, (2 * u64::from(bits) + 1) << bits, "n = 2^{bits}");
    }
}

/// Who ends the election carries the identity of another process, unless there is no other.
#[test]
fn dolev_klawe_rodeh_is_announced_by_another_process() {
    let entry = entry("dolev-klawe-rodeh");
    for n in 1..=6 {
        for ids in arrangements(n) {
            let (_, recording) = record(entry, &with_ids(&ids));
            // The largest identity comes first.
            assert_eq!(first_sender(&recording, "elected") == 0, n == 1, "{ids:?}");
        }
    }
}

#[test]
fn peterson_improved_takes_n_messages_a_round() {
    for n in 1..=8u64 {
        let mut rounds_seen = 0;
        for ids in arrangements(n) {
            let report = run_well("peterson-improved", &with_ids(&ids));
            let rounds = report.phases.expect("it has rounds");
            assert_eq!(report.election_messages, n * rounds, "{ids:?}");
            assert_eq!(report.leader_id(), Some(n));
            rounds_seen = rounds_seen.max(rounds);
        }
        assert_eq!(rounds_seen, most_rounds(n), "n = {n}");
    }
}

/// The bound is attained for every n.
#[test]
fn peterson_improved_at_its_worst() {
    let large = [987, 1000, 1596, 1597, 1598, 10_946, 20_000];
    for n in (1..=200).chain(large) {
        let report = run_well("peterson-improved", &Scenario { ids: Ids::Worst, ..Scenario::new(n) });
        let rounds = most_rounds(u64::from(n));
        assert_eq!(report.phases, Some(rounds), "n = {n}");
        assert_eq!(
            report.bound.map(|bound| (bound.measured, bound.value)),
            Some((u64::from(n) * rounds, u64::from(n) * rounds)),
            "n = {n}"
        );
    }
}

/// The multiples of F(k-1) run the other way round, and take a round less.
#[test]
fn peterson_improved_on_its_worst_case_mirrored() {
    for (n, step) in [(5u64, 3), (8, 5), (13, 8), (89, 55), (987, 610)] {
        let ids: Vec<u64> = (0..n).map(|i| 1 + i * step % n).collect();
        let report = run_well("peterson-improved", &with_ids(&ids));
        assert_eq!(report.phases, Some(most_rounds(n) - 1), "n = {n}");
    }
}

/// The leader announces itself on rings of one and two, and on falling ones.
#[test]
fn peterson_improved_may_announce_another_process() {
    let entry = entry("peterson-improved");
    let mut by_another = 0;
    for n in 1..=6u64 {
        for ids in arrangements(n) {
            let (_, recording) = record(entry, &with_ids(&ids));
            // The largest identity comes first.
            let itself = first_sender(&recording, "elected") == 0;
            assert!(itself || n > 2 && !ids.is_sorted_by(|a, b| a > b), "{ids:?}");
            by_another += u32::from(!itself);
        }
    }
    assert!(by_another > 0);
}

#[test]
fn algorithm_b_maxima_over_all_arrangements() {
    let known = [1, 4, 7, 13, 17, 21, 26, 38, 43];
    for (n, expected) in (1..).zip(known) {
        assert_eq!(most("dolev-klawe-rodeh-b", n), expected, "n = {n}");
    }
}

/// 1.5 n log n + 1.
#[test]
fn algorithm_b_on_bit_reversal() {
    for bits in 0..=12u32 {
        let report = arranged("dolev-klawe-rodeh-b", 1 << bits, Arranged::BitReversal);
        assert_eq!(report.election_messages, ((3 * u64::from(bits)) << bits) / 2 + 1, "n = 2^{bits}");
        assert_eq!(report.phases, Some(u64::from(bits) + 1), "n = 2^{bits}");
        assert_eq!(report.leader_id(), Some(1 << bits));
    }
}

#[test]
fn higham_przytycka_maxima_over_all_arrangements() {
    let known = [1, 4, 8, 11, 18, 22, 26, 34, 39];
    for (n, expected) in (1..).zip(known) {
        assert_eq!(most("higham-przytycka", n), expected, "n = {n}");
    }
}

#[test]
fn higham_przytycka_on_the_fibonacci_arrangement() {
    let report = run_well("higham-przytycka", &Scenario { ids: Ids::Worst, ..Scenario::new(987) });
    assert_eq!((report.election_messages, report.phases), (11866, Some(15)));
    // It is among the worst arrangements of five: 18.
    let report = arranged("higham-przytycka", 5, Arranged::Fibonacci);
    assert_eq!((report.election_messages, report.phases), (18, Some(4)));
}

/// Not always the largest identity, and not always the owner of the last label.
#[test]
fn higham_przytycka_elects_at_the_last_envelope() {
    let mut not_the_largest = 0;
    for ids in arrangements(5) {
        let (report, recording) = record(entry("higham-przytycka"), &with_ids(&ids));
        let leader = election(&report).leader.clone().expect("one leader");
        assert_eq!(first_sender(&recording, "elected"), leader.index, "{ids:?}");
        not_the_largest += u32::from(leader.id != Some(5));
    }
    assert!(not_the_largest > 0);
}

#[test]
fn bounds_hold_on_larger_rings() {
    for name in NAMES {
        for n in [10u32, 13, 50, 100, 610, 1000, 10_000] {
            let orders = [Arranged::BitReversal, Arranged::Fibonacci, Arranged::Alternating];
            let arranged = orders.into_iter().map(|how| (Ids::Arranged(how), 1));
            for (ids, seeds) in arranged.chain([(Ids::Worst, 1), (Ids::Random, 5)]) {
                for seed in 0..seeds {
                    let report = run_well(name, &Scenario { ids: ids.clone(), seed, ..Scenario::new(n) });
                    assert!(report.bound.as_ref().is_some_and(|bound| bound.holds), "{name} n={n} {ids:?}");
                    assert!(name == "higham-przytycka" || report.leader_id() == Some(u64::from(n)), "{name}");
                }
            }
        }
    }
}
