//! Mutual exclusion by permission: what every schedule costs, who comes first, quorums that meet; and the clocks.

use crate::support::{admits, entry, exclusion, kind, record, run_well, schedules};
use ringleader::check::{Property, Scope, View, Watch};
use ringleader::model::{Clock, Peer, Size, Value, VectorClock};
use ringleader::mutex::{Paths, Planes, Quorums, live_quorum};
use ringleader::rng::{Purpose, Rng};
use ringleader::sim::{Delay, Entries, Load, Scenario, Schedule, Workload};
use std::collections::BTreeSet;

/// Over all schedules, the fewest and the most messages: of how many processes with how many entries each.
const EXACTLY: &[(&str, u32, u32, u64, u64)] = &[
    ("lamport", 1, 3, 0, 0),
    ("lamport", 2, 1, 6, 6),
    ("lamport", 2, 2, 12, 12),
    ("lamport", 2, 3, 18, 18),
    ("lamport", 3, 1, 18, 18),
    ("carvalho-roucairol", 1, 3, 0, 0),
    ("carvalho-roucairol", 2, 1, 4, 4),
    ("carvalho-roucairol", 2, 2, 4, 8),
    ("carvalho-roucairol", 2, 3, 4, 12),
    ("carvalho-roucairol", 3, 1, 12, 12),
    ("carvalho-roucairol", 3, 2, 12, 24),
    ("singhal-dynamic", 1, 3, 0, 0),
    ("singhal-dynamic", 2, 1, 2, 4),
    ("singhal-dynamic", 2, 2, 2, 8),
    ("singhal-dynamic", 2, 3, 2, 12),
    ("singhal-dynamic", 3, 1, 6, 12),
    ("singhal-dynamic", 3, 2, 6, 24),
    ("singhal-dynamic", 4, 1, 12, 24),
    ("maekawa", 1, 3, 0, 0),
    ("maekawa", 2, 1, 6, 7),
    ("maekawa", 2, 2, 12, 15),
    ("maekawa", 2, 3, 18, 23),
    ("maekawa", 3, 1, 9, 11),
    ("maekawa", 3, 2, 18, 22),
    ("maekawa", 4, 1, 24, 36),
    ("tree-quorum", 1, 3, 0, 0),
    ("tree-quorum", 3, 1, 9, 11),
    ("tree-quorum", 3, 2, 18, 23),
];

#[test]
fn every_schedule_costs_what_it_should() {
    for &(name, n, each, least, most) in EXACTLY {
        let scope = Scope { entries: Entries::Each(each), ..Scope::new(n) };
        let findings = entry(name).check(&scope, &[], &()).unwrap();
        assert!(findings.holds(), "{name} n={n}: {findings:#?}");
        let messages = findings.messages.unwrap();
        assert_eq!((messages.min, messages.max), (least, Some(most)), "{name} n={n}, {each} entries each");
    }
}

const NAMES: [&str; 5] = ["lamport", "carvalho-roucairol", "singhal-dynamic", "maekawa", "tree-quorum"];

fn entries(each: u32) -> Workload {
    Workload { entries: Entries::Each(each), ..Workload::default() }
}

/// So many entries of one process, and nobody else.
fn alone(process: u32, each: u32, n: u32) -> Scenario {
    let entries = (0..n).map(|i| if i == process { each } else { 0 }).collect();
    Scenario {
        workload: Workload { entries: Entries::Listed(entries), ..Workload::default() },
        ..Scenario::new(n)
    }
}

#[test]
fn the_only_process_enters_at_once() {
    for name in NAMES {
        let (report, recording) = record(entry(name), &Scenario { workload: entries(3), ..Scenario::new(1) });
        assert!(report.holds(), "{name}");
        assert_eq!((report.messages, exclusion(&report).entries), (0, 3), "{name}");
        assert_eq!(recording.events.len(), 6, "{name}: wants in and leaves, nothing else");
    }
}

/// Who hears enough may enter before it has all replies: then the last ones can come during its next request, and are
/// counted there. In rounds they do not.
#[test]
fn lamport_costs_exactly_3n_minus_3_per_entry() {
    for n in [1u32, 2, 3, 8, 31] {
        for (name, schedule) in schedules() {
            let report =
                run_well("lamport", &Scenario { schedule, workload: entries(2), ..Scenario::new(n) });
            let each = 3 * u64::from(n - 1);
            let details = exclusion(&report);
            assert_eq!(report.messages, each * details.entries, "n={n} {name}");
            if name == "rounds" {
                assert_eq!(details.per_entry_range, Some((each, each)), "n={n}");
            }
            assert_eq!(kind(&report, "request"), kind(&report, "reply"));
            assert_eq!(kind(&report, "request"), kind(&report, "release"));
        }
    }
}

#[test]
fn concurrent_requests_are_served_in_order() {
    for name in ["lamport", "carvalho-roucairol", "singhal-dynamic"] {
        let details =
            exclusion(&run_well(name, &Scenario { workload: entries(1), ..Scenario::new(5) })).clone();
        // All ask in round 0 with the same time stamp, so the names decide.
        assert_eq!(details.entry_order, [0, 1, 2, 3, 4], "{name}");
        let delay = details.sync_delay.expect("four handed over");
        assert_eq!((delay.min, delay.mean, delay.max), (1.0, 1.0, 1.0), "{name}");
    }
}

#[test]
fn votes_are_handed_over_in_two_delays_at_most() {
    let constant = Schedule::Delay(Delay::Constant(1_000_000));
    for (name, sizes) in [("maekawa", [2, 3, 4, 7, 13, 20, 31]), ("tree-quorum", [3, 3, 7, 7, 15, 15, 31])] {
        for n in sizes {
            let scenario = Scenario { schedule: constant.clone(), workload: entries(2), ..Scenario::new(n) };
            let delay = exclusion(&run_well(name, &scenario)).sync_delay.expect("somebody waits");
            assert!(delay.min >= 1.0 && delay.max <= 2.0, "{name} n={n}: {delay:?}");
        }
    }
}

/// Who enters again and again asks once, and a first entry alone costs what the sets at the beginning say.
#[test]
fn permissions_that_nobody_asks_for_stay() {
    for n in [1u32, 2, 3, 8] {
        for process in 0..n {
            for each in [1, 2, 9] {
                let messages = |name: &str| run_well(name, &alone(process, each, n)).messages;
                assert_eq!(messages("carvalho-roucairol"), 2 * u64::from(n - 1));
                assert_eq!(messages("singhal-dynamic"), 2 * u64::from(process));
            }
        }
    }
}

#[test]
fn lone_entry_costs_three_messages_a_vote() {
    for n in [1, 2, 3, 4, 5, 7, 12, 13, 31, 91, 133, 200] {
        for process in [0, n / 2, n - 1] {
            let quorum = Planes::of(Peer(process), Size(n));
            let report = run_well("maekawa", &alone(process, 2, n));
            assert_eq!(report.messages, 2 * 3 * (quorum.len() as u64 - 1), "n={n} p{process}");
        }
    }
    for n in [1, 3, 7, 15, 31, 127] {
        for process in 0..n {
            let others = Paths::of(Peer(process), Size(n)).iter().filter(|voter| voter.0 != process).count();
            let report = run_well("tree-quorum", &alone(process, 2, n));
            assert_eq!(report.messages, 2 * 3 * others as u64, "n={n} p{process}");
        }
    }
}

/// Independent requests with a quiet system between them: n - 1 messages each, in the mean.
#[test]
fn half_of_the_permissions_are_at_hand() {
    for name in ["carvalho-roucairol", "singhal-dynamic"] {
        let workload = Workload { load: Some(Load::Light), total: Some(4000), ..Workload::default() };
        let report = run_well(name, &Scenario { workload, seed: 5, ..Scenario::new(10) });
        let mean = report.messages as f64 / 4000.0;
        assert!((mean - 9.0).abs() < 0.3, "{name}: {mean}");
    }
}

#[test]
fn many_processes_hold_under_every_schedule() {
    for name in NAMES {
        for (_, schedule) in schedules().into_iter().filter(|(_, schedule)| admits(entry(name), schedule)) {
            for seed in 0..3 {
                let scenario = Scenario {
                    seed,
                    schedule: schedule.clone(),
                    workload: Workload { hold: seed, think: 3 * seed, ..entries(3) },
                    ..Scenario::new(31)
                };
                assert_eq!(exclusion(&run_well(name, &scenario)).entries, 93, "{name}");
            }
        }
    }
}

/// Whether a process is in a set that another one keeps.
fn is_in(state: &View<'_>, keeper: u32, set: &str, member: u32) -> bool {
    match state.field(keeper, set) {
        Some(Value::List(members)) => members.contains(&Value::Process(member)),
        other => panic!("{set} is a set, not {other:?}"),
    }
}

fn pairs(state: &View<'_>) -> Vec<(u32, u32)> {
    state.everybody().flat_map(|i| (0..i).map(move |j| (i, j))).collect()
}

/// Two processes never hold each other's permission: then both could enter without asking.
struct NeverMutual;

impl Property for NeverMutual {
    fn name(&self) -> &'static str {
        "no two processes hold each other's permission"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        match pairs(state)
            .into_iter()
            .find(|&(i, j)| is_in(state, i, "auth", j) && is_in(state, j, "auth", i))
        {
            Some(pair) => Err(format!("{pair:?} do")),
            None => Ok(()),
        }
    }
}

/// When nothing is under way, of any two processes one will ask the other.
struct OneAsks;

impl Property for OneAsks {
    fn name(&self) -> &'static str {
        "of any two processes one asks the other"
    }
    fn watches(&self) -> Watch {
        Watch::Ends
    }
    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        let asks = |i, j| is_in(state, i, "request_set", j);
        match pairs(state).into_iter().find(|&(i, j)| !asks(i, j) && !asks(j, i)) {
            Some(pair) => Err(format!("of {pair:?} none does")),
            None => Ok(()),
        }
    }
}

#[test]
fn permissions_are_one_sided() {
    for (n, each) in [(2, 3), (3, 1), (3, 2)] {
        let scope = Scope { entries: Entries::Each(each), ..Scope::new(n) };
        let findings = entry("carvalho-roucairol").check(&scope, &[&NeverMutual], &()).unwrap();
        assert!(findings.holds(), "{findings:#?}");
        let findings = entry("singhal-dynamic").check(&scope, &[&OneAsks], &()).unwrap();
        assert!(findings.holds(), "{findings:#?}");
    }
}

fn common(a: &[Peer], b: &[Peer]) -> usize {
    a.iter().filter(|member| b.contains(member)).count()
}

#[test]
fn quorums_intersect() {
    let planes: [(u32, u32); 13] = [
        (1, 3),
        (2, 7),
        (3, 13),
        (4, 21),
        (5, 31),
        (7, 57),
        (8, 73),
        (9, 91),
        (11, 133),
        (13, 183),
        (16, 273),
        (17, 307),
        (19, 381),
    ];
    for n in (1..=100).chain(planes.map(|(_, n)| n)) {
        let quorums: Vec<Vec<Peer>> = (0..n).map(|i| Planes::of(Peer(i), Size(n))).collect();
        let plane = planes.iter().find(|(_, size)| *size == n);
        for (i, quorum) in quorums.iter().enumerate() {
            assert!(quorum.is_sorted_by(|a, b| a < b), "n={n}: {quorum:?}");
            assert!(quorum.contains(&Peer(i as u32)) && quorum.iter().all(|member| member.0 < n), "n={n}");
            let least = n.isqrt() as usize + usize::from(n.isqrt().pow(2) < n);
            assert!(quorum.len() < 2 * least, "n={n}: {quorum:?}");
            for other in &quorums[..i] {
                let common = common(quorum, other);
                assert!(
                    if plane.is_some() { common == 1 } else { common >= 1 },
                    "n={n}: {quorum:?} {other:?}"
                );
            }
        }
        if let Some(&(q, _)) = plane {
            assert_eq!(n, q * q + q + 1);
            assert!(quorums.iter().all(|quorum| quorum.len() == q as usize + 1), "n={n}");
        }
    }
}

/// Every set that can come out of the tree, whoever asks and whoever is down.
#[test]
fn quorums_of_a_tree_meet_whoever_is_down() {
    for (n, sizes) in [(1u32, 1..=1), (3, 2..=2), (7, 3..=4), (15, 4..=8)] {
        let mut sets = BTreeSet::new();
        for down in 0..1u32 << n {
            // The paths differ only in their leaves, and the last processes are the leaves.
            for leaf in n / 2..n {
                let found = live_quorum(Peer(leaf), Size(n), |process| down >> process.0 & 1 == 1);
                if let Some(quorum) = found {
                    assert!(quorum.iter().all(|process| down >> process.0 & 1 == 0), "{quorum:?}");
                    sets.insert(quorum.iter().map(|process| 1u32 << process.0).sum::<u32>());
                }
            }
        }
        for a in &sets {
            assert!(sizes.contains(&a.count_ones()), "n={n}: {a:b}");
            assert!(sets.iter().all(|b| a & b != 0), "n={n}: {a:b}");
        }
        // A leaf gives one set; a tree one for each set of a child, and for each pair of both.
        let all = [1, 3, 15, 255][n.ilog2() as usize];
        assert_eq!(sets.len(), all, "n={n}");
        let (least, most) =
            (sets.iter().map(|set| set.count_ones()).min(), sets.iter().map(|set| set.count_ones()).max());
        assert_eq!((least, most), (Some(*sizes.start()), Some(*sizes.end())), "n={n}");
    }
}

#[test]
fn the_quorum_of_a_process_is_the_path_to_a_leaf() {
    let of = |me, n| Paths::of(Peer(me), Size(n)).iter().map(|process| process.0).collect::<Vec<_>>();
    assert_eq!(of(0, 1), [0]);
    assert_eq!([0, 1, 2].map(|me| of(me, 3)), [[0, 2], [0, 1], [0, 2]]);
    assert_eq!(of(3, 7), [0, 1, 3]);
    assert_eq!(of(6, 7), [0, 2, 6]);
    assert_eq!(of(1, 7), [0, 2, 5], "it need not be on its own path");
    for n in [1, 3, 7, 15, 31, 1023] {
        for me in (0..n).map(Peer) {
            let path = Paths::of(me, Size(n));
            assert_eq!(path.len() as u32, (n + 1).ilog2(), "n={n} {me:?}");
            assert_eq!(live_quorum(me, Size(n), |_| false), Some(path), "n={n} {me:?}");
        }
        assert_eq!(live_quorum(Peer(0), Size(n), |_| true), None);
    }
}

/// Other sizes than those of complete trees are refused, with the nearest ones.
#[test]
fn a_tree_must_be_complete() {
    let refusal = entry("tree-quorum").run(&Scenario::new(8), &mut ()).unwrap_err().to_string();
    assert!(refusal.contains('7') && refusal.contains("15"), "{refusal}");
    assert!(entry("tree-quorum").check(&Scope::new(2), &[], &()).is_err());
}

/// An event of a random run: its times, and which events come before it.
struct Happened {
    lamport: u64,
    vector: VectorClock,
    before: BTreeSet<usize>,
}

/// a comes before b if and only if its vector is smaller, and only if its Lamport time is.
#[test]
fn clocks_tell_what_comes_before_what() {
    for seed in 0..80 {
        let mut rng = Rng::new(seed, Purpose::Schedule);
        let n = 2 + rng.below(4) as usize;
        let mut clocks: Vec<(Clock, VectorClock)> =
            (0..n).map(|i| (Clock::default(), VectorClock::new(i, n))).collect();
        let mut last: Vec<Option<usize>> = vec![None; n];
        // The events that are sendings, and not yet received: each with its time.
        let mut in_transit: Vec<usize> = Vec::new();
        let mut events: Vec<Happened> = Vec::new();
        for _ in 0..60 {
            let process = rng.below(n as u64) as usize;
            let (lamport, vector) = &mut clocks[process];
            let mut causes: Vec<usize> = last[process].into_iter().collect();
            if !in_transit.is_empty() && rng.below(2) == 0 {
                let sent = in_transit.swap_remove(rng.below(in_transit.len() as u64) as usize);
                lamport.seen(events[sent].lamport);
                vector.merge(&events[sent].vector);
                causes.push(sent);
            } else {
                lamport.tick();
                vector.tick();
                in_transit.push(events.len());
            }
            let before = causes
                .iter()
                .flat_map(|&cause| events[cause].before.iter().copied().chain([cause]))
                .collect();
            last[process] = Some(events.len());
            events.push(Happened { lamport: lamport.now(), vector: vector.clone(), before });
        }
        for (b, second) in events.iter().enumerate() {
            for (a, first) in events.iter().enumerate() {
                let comes_before = second.before.contains(&a);
                assert_eq!(
                    first.vector.happened_before(&second.vector),
                    comes_before,
                    "seed {seed}: {a}, {b}"
                );
                assert!(!comes_before || first.lamport < second.lamport, "seed {seed}: {a}, {b}");
            }
        }
    }
}
