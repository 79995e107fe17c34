//! Hirschberg–Sinclair and van Leeuwen–Tan: exact counts, the worst arrangements, what schedules can change.

use crate::support::{arrangements, election, entry, kind, record, run_well, schedules, with_ids};
use ringleader::check::{Answer, Arrangements, Findings, Property, Scope, Starts, View, Watch};
use ringleader::model::{Arranged, Facts, Orientation, Verdict, largest_phase};
use ringleader::registry::Entry;
use ringleader::sim::{Ids, Initiators, Ports, Scenario, Schedule};

const HS: &str = "hirschberg-sinclair";
const VLT: &str = "van-leeuwen-tan";

fn ceil_log2(n: u64) -> u32 {
    n.next_power_of_two().ilog2()
}

/// The synchronous count, phase by phase: a candidate asks r far if nobody within r/2 is larger; its question goes to
/// the first larger one, or r far, and back. The winner's last questions go round.
fn hs_count(ids: &[u64]) -> u64 {
    let n = ids.len();
    let larger = |i: usize, step: usize| (1..n).find(|d| ids[(i + d * step) % n] > ids[i]);
    let mut sum = 0;
    for i in 0..n {
        let (Some(right), Some(left)) = (larger(i, 1), larger(i, n - 1)) else {
            sum += hs_winner(n as u64);
            continue;
        };
        let phases = (0..).map(|k| 1 << k).take_while(|r| right.min(left) > r / 2);
        sum += phases.map(|r| 2 * left.min(r) + 2 * right.min(r)).sum::<usize>() as u64;
    }
    sum
}

/// What the winner costs: 4r for each r below n, then twice round.
fn hs_winner(n: u64) -> u64 {
    (0..ceil_log2(n)).map(|k| 4 << k).sum::<u64>() + 2 * n
}

/// The largest count over all arrangements, for each number of processes below `end`. What a process costs depends on
/// its distances to the next larger ones. The largest of k processes between two larger ones is the i-th of them, for
/// some i, and the rest are two such stretches.
fn hs_most(end: usize) -> Vec<u64> {
    let cost = |one: usize, other: usize| {
        let phases = (0..).map(|k| 1 << k).take_while(|r| one.min(other) > r / 2);
        phases.map(|r| 2 * one.min(r) + 2 * other.min(r)).sum::<usize>() as u64
    };
    let mut stretch = vec![0];
    for k in 1..end {
        let most = (1..=k).map(|i| cost(i, k + 1 - i) + stretch[i - 1] + stretch[k - i]).max();
        stretch.push(most.expect("k is not 0"));
    }
    (0..end).map(|n| if n == 0 { 0 } else { hs_winner(n as u64) + stretch[n - 1] }).collect()
}

fn hs_bound(n: u64) -> u64 {
    let bound = entry(HS).spec.cost.worst.expect("it has a bound");
    let facts = Facts::plain(n);
    bound.value(&facts).expect("it applies")
}

#[test]
fn hirschberg_sinclair_when_all_move_together() {
    for n in 1..=7u64 {
        for ids in arrangements(n) {
            let report = run_well(HS, &with_ids(&ids));
            assert_eq!(report.election_messages, hs_count(&ids), "{ids:?}");
            assert_eq!(kind(&report, "ended"), n, "{ids:?}");
            assert_eq!(report.leader_id(), Some(n));
            let last = u64::from(ceil_log2(n));
            assert_eq!(report.phases, Some(1 + last), "{ids:?}: those of the winner");
            assert_eq!(election(&report).elected_round, Some(2 * ((1 << last) - 1) + n), "{ids:?}");
        }
    }
    for n in (8..70).chain([1000, 1024, 1025]) {
        let report = run_well(HS, &Scenario { ids: Ids::Random, ..Scenario::new(n) });
        let last = u64::from(ceil_log2(n.into()));
        assert_eq!(report.phases, Some(1 + last), "n = {n}");
        assert_eq!(election(&report).elected_round, Some(2 * ((1 << last) - 1) + u64::from(n)), "n = {n}");
    }
    let small = |n: u32| {
        let report = run_well(HS, &Scenario::new(n));
        (report.election_messages, kind(&report, "ended"))
    };
    assert_eq!([small(1), small(2)], [(2, 1), (12, 2)]);
}

#[test]
fn hirschberg_sinclair_maxima_over_all_arrangements() {
    let known = [2, 12, 26, 40, 62, 80, 96, 112, 152, 176];
    assert_eq!(hs_most(11)[1..], known);
    for (n, most) in (1..=9).zip(known) {
        let counts = arrangements(n).into_iter().map(|ids| run_well(HS, &with_ids(&ids)).election_messages);
        assert_eq!(counts.max(), Some(most), "n = {n}");
    }
}

/// The arrangement that the contract calls the worst is, and bit reversal is not: from n = 32 on not even for powers of
/// two.
#[test]
fn hirschberg_sinclair_worst_arrangement() {
    let most = hs_most(1030);
    for n in (1..=64).chain([100, 127, 128, 129, 255, 256, 500, 512, 1000, 1023, 1024, 1025]) {
        let report = run_well(HS, &Scenario { ids: Ids::Worst, ..Scenario::new(n) });
        assert_eq!(report.election_messages, most[n as usize], "n = {n}");
    }
    let reversed = |n: u32| {
        let how = Arranged::BitReversal;
        run_well(HS, &Scenario { ids: Ids::Arranged(how), ..Scenario::new(n) }).election_messages
    };
    let of = |n: u32| (reversed(n), most[n as usize]);
    assert_eq!([of(8), of(16), of(32), of(64)], [(112, 112), (288, 288), (704, 728), (1664, 1776)]);
    assert_eq!(of(1024), (43_008, 50_688));
}

#[test]
fn hirschberg_sinclair_bounds() {
    let most = hs_most(1000);
    for (n, &most) in (0..).zip(&most).skip(1) {
        let log = f64::log2(n as f64);
        assert!(most <= hs_bound(n), "n = {n}");
        assert!(most as f64 <= 8.0 * n as f64 * (1.0 + log), "n = {n}: the chapter's bound");
        assert!(most as f64 <= 8.0 * n as f64 + 8.0 * (n as f64 * log).ceil(), "n = {n}: that of the paper");
    }
    assert_eq!([1, 2, 3, 4, 5, 8].map(hs_bound), [2, 12, 26, 40, 62, 112], "attained there");
    // 4n⌈log n⌉+2n, which one also meets, holds up to n = 17 only.
    let short = |n: u64| 4 * n * u64::from(ceil_log2(n)) + 2 * n;
    assert_eq!((1..1000).find(|&n| most[n as usize] > short(n)), Some(18));
    for ids in [Ids::Random, Ids::Worst] {
        run_well(HS, &Scenario { ids, ..Scenario::new(20_000) });
    }
}

#[test]
fn hirschberg_sinclair_with_any_initiators() {
    for n in 1..=5u64 {
        for ids in arrangements(n) {
            for set in 1..1u32 << n {
                let initiators = Initiators::Listed((0..n as u32).filter(|i| set >> i & 1 == 1).collect());
                for schedule in [Schedule::Rounds, Schedule::Random, Schedule::Lifo] {
                    let initiators = initiators.clone();
                    let report = run_well(HS, &Scenario { initiators, schedule, ..with_ids(&ids) });
                    assert!(report.election_messages <= hs_count(&ids), "{ids:?} {set:b}");
                    assert_eq!(kind(&report, "ended"), n, "{ids:?} {set:b}");
                    assert_eq!(
                        (report.leader_id(), election(&report).informed),
                        (Some(n), n),
                        "{ids:?} {set:b}"
                    );
                }
            }
        }
    }
}

/// One arrangement, every schedule.
fn every_schedule(entry: &Entry, ids: &[u64], starts: Starts, own: &[&dyn Property]) -> Findings {
    let scope = Scope {
        ids: Arrangements::Listed(ids.to_vec()),
        starts,
        // Labels change nothing: no step depends on them for n > 2. That is checked for itself, below.
        ports: Ports::Kind(Orientation::Same),
        ..Scope::new(ids.len() as u32)
    };
    entry.check(&scope, own, &()).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn least_and_most(findings: &Findings) -> (u64, u64) {
    let range = findings.election_messages.expect("complete runs were seen");
    (range.min, range.max.expect("it has an end"))
}

#[test]
fn hirschberg_sinclair_worst_case_is_lock_step() {
    let mut depends = Vec::new();
    for n in 1..=5u64 {
        for ids in arrangements(n) {
            let all = every_schedule(entry(HS), &ids, Starts::All, &[]);
            assert!(all.holds(), "{ids:?}");
            let (least, most) = least_and_most(&all);
            assert_eq!(most, hs_count(&ids), "{ids:?}");
            depends.extend((least < most).then_some(n));
            if n < 5 {
                let any = every_schedule(entry(HS), &ids, Starts::Any, &[]);
                assert_eq!(least_and_most(&any).1, most, "{ids:?}: whoever starts");
            }
        }
    }
    assert_eq!(depends.first(), Some(&4), "with fewer, all schedules send the same if all start");
    assert_eq!(least_and_most(&every_schedule(entry(HS), &[3, 1, 2], Starts::Any, &[])), (18, 26));
}

/// How many messages of each phase a run sends.
fn by_phase(entry: &Entry, scenario: &Scenario) -> Vec<u64> {
    let (report, recording) = record(entry, scenario);
    assert!(report.holds(), "{report:#?}");
    let mut counts = Vec::new();
    for sent in recording.events.iter().flat_map(|event| &event.sends).filter(|sent| sent.kind == "msg") {
        let phase = sent.fields.iter().find(|(name, _)| name == "phase").expect("msg has a phase");
        let phase: usize = phase.1.parse().expect("which is a number");
        counts.resize(counts.len().max(phase + 1), 0);
        counts[phase] += 1;
    }
    assert_eq!(report.phases, Some(counts.len() as u64 - 1), "the largest phase number");
    assert_eq!(kind(&report, "elected"), u64::from(scenario.n), "n announce, also where two begin");
    counts
}

#[test]
fn van_leeuwen_tan_messages_per_phase() {
    for n in 1..=6u64 {
        for ids in arrangements(n) {
            for (seed, (name, schedule)) in (0..).zip(schedules()) {
                if n > 5 && name != "rounds" && name != "random" {
                    continue;
                }
                let scenario = Scenario { seed, schedule, ..with_ids(&ids) };
                let counts = by_phase(entry(VLT), &scenario);
                assert_eq!(counts[0], 2 * n, "{ids:?} {name}");
                assert!(
                    counts[1..].iter().all(|&count| (1..=n).contains(&count)),
                    "{ids:?} {name}: {counts:?}"
                );
                assert!(counts.len() as u64 - 1 <= largest_phase(n), "{ids:?} {name}: {counts:?}");
            }
        }
    }
    for n in [8, 13, 21, 34, 100, 1000] {
        for seed in 0..5 {
            for schedule in [Schedule::Rounds, Schedule::Random] {
                let scenario = Scenario { seed, schedule, ids: Ids::Random, ..Scenario::new(n) };
                let counts = by_phase(entry(VLT), &scenario);
                assert_eq!(counts[0], 2 * u64::from(n));
                assert!(counts[1..].iter().all(|&count| count <= u64::from(n)), "n = {n}: {counts:?}");
            }
        }
    }
    let small = |n: u32| {
        let report = run_well(VLT, &Scenario::new(n));
        (report.election_messages, kind(&report, "elected"))
    };
    assert_eq!([small(1), small(2), small(3)], [(2, 1), (6, 2), (9, 3)]);
    let largest = |n| run_well(VLT, &Scenario::new(n)).phases;
    assert_eq!([largest(1), largest(2)], [Some(0), Some(1)], "the largest phase number, which may be 0");
}

/// The proof gives F(P+2) <= n. From three processes on it is one phase less: F(P+3) <= n, attained at the Fibonacci
/// numbers 3, 5 and 8, where each phase takes n messages.
#[test]
fn van_leeuwen_tan_largest_phase_over_all_arrangements() {
    let known = [(0, 2), (1, 6), (1, 9), (1, 12), (2, 20), (2, 24), (2, 28), (3, 40)];
    for (n, known) in (1..).zip(known) {
        let reports = arrangements(n).into_iter().map(|ids| run_well(VLT, &with_ids(&ids)));
        let seen: Vec<(u64, u64)> =
            reports.map(|report| (report.phases.expect("numbered"), report.election_messages)).collect();
        let most = seen.iter().copied().reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
        assert_eq!(most, Some(known), "n = {n}");
        assert!(n < 3 || known.0 == largest_phase(n) - 1, "n = {n}");
    }
}

#[test]
fn van_leeuwen_tan_with_any_initiators() {
    for n in 1..=5u64 {
        for ids in arrangements(n) {
            for set in 1..1u32 << n {
                let initiators = Initiators::Listed((0..n as u32).filter(|i| set >> i & 1 == 1).collect());
                for schedule in [Schedule::Rounds, Schedule::Random, Schedule::Lifo] {
                    let (initiators, seed) = (initiators.clone(), u64::from(set));
                    let report = run_well(VLT, &Scenario { initiators, schedule, seed, ..with_ids(&ids) });
                    assert_eq!(election(&report).informed, n, "{ids:?} {set:b}");
                    assert_eq!(kind(&report, "elected"), n, "{ids:?} {set:b}");
                }
            }
        }
    }
}

/// In the end this process leads.
struct Leads(u32);

impl Property for Leads {
    fn name(&self) -> &'static str {
        "the same process leads under every schedule"
    }
    fn watches(&self) -> Watch {
        Watch::Ends
    }
    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        let leads = state.everybody().find(|&i| state.verdict(i) == Verdict::Leader);
        if leads == Some(self.0) { Ok(()) } else { Err(format!("{leads:?} leads")) }
    }
}

#[test]
fn van_leeuwen_tan_sends_most_when_all_move_together() {
    let mut depends = Vec::new();
    for n in 1..=6u64 {
        for ids in arrangements(n) {
            let report = run_well(VLT, &with_ids(&ids));
            let leader = election(&report).leader.as_ref().expect("one leader").index;
            let findings = every_schedule(entry(VLT), &ids, Starts::All, &[&Leads(leader)]);
            assert!(findings.holds(), "{ids:?}: {:?}", findings.properties);
            let (least, most) = least_and_most(&findings);
            assert_eq!(most, report.election_messages, "{ids:?}");
            depends.extend((least < most).then_some(n));
        }
    }
    assert_eq!(depends.first(), Some(&5), "with fewer, all schedules send the same");
}

/// The winner need not be the largest, and from n = 8 on it depends on the schedule.
#[test]
fn van_leeuwen_tan_winners() {
    assert_eq!(run_well(VLT, &with_ids(&[5, 4, 1, 2, 3])).leader_id(), Some(4));
    let ids = [8, 1, 4, 2, 3, 7, 5, 6];
    assert_eq!(run_well(VLT, &with_ids(&ids)).leader_id(), Some(8));
    let findings = every_schedule(entry(VLT), &ids, Starts::All, &[&Leads(0)]);
    let example = findings.counterexample.expect("7 may win as well");
    assert_eq!((example.property, example.detail.as_str()), (Leads(0).name(), "Some(5) leads"));
}

#[test]
fn van_leeuwen_tan_labels_may_be_arbitrary() {
    for n in 1..=4 {
        let scope = Scope { ids: Arrangements::All, starts: Starts::All, ..Scope::new(n) };
        let findings = entry(VLT).check(&scope, &[], &()).expect("within the contract");
        assert!(findings.holds(), "n = {n}");
        assert_eq!(findings.labellings, 1 << n);
    }
}

/// Without the bit, rule (ii) never applies, while rule (i) does: of two chases that pass each other in a link, one is
/// discarded by who began the other, and the other is stopped.
#[test]
fn both_chase_rules_are_needed_together() {
    let without = ringleader_errata::versions()
        .iter()
        .find(|version| version.entry.spec.name == "van-leeuwen-tan@002-7")
        .expect("it is not listed, but made");
    let checked = |scope: &Scope| without.entry.check(scope, &[], &()).expect("admitted");
    for n in 1..=4 {
        assert!(
            checked(&Scope { ids: Arrangements::All, starts: Starts::All, ..Scope::new(n) }).holds(),
            "{n}"
        );
    }
    let ids = Arrangements::Listed(vec![5, 1, 3, 2, 4]);
    let findings = checked(&Scope { ids, starts: Starts::All, ..Scope::new(5) });
    assert_eq!(findings.answer, Answer::Violated);
    let example = findings.counterexample.expect("a run that loses both");
    assert_eq!(example.property, "exactly one leader");
}
