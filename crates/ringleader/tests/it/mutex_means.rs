//! Messages per entry: measured means against exact ones under light load, and against a table under full load.

use crate::support::all;
use ringleader::model::{Peer, Size, harmonic};
use ringleader::mutex::{Planes, Quorums};
use ringleader::network::tree;
use ringleader::registry::find;
use ringleader::sim::{Details, Load, Report, Scenario, Topology, Workload};

/// A row of a table: who, on what tree where it matters.
type Who = (&'static str, Option<Topology>);

fn run((name, topology): &Who, n: u32, load: Load, total: u64) -> Report {
    let workload = Workload { load: Some(load), total: Some(total), ..Workload::default() };
    let scenario = Scenario { workload, topology: topology.clone(), seed: 5, ..Scenario::new(n) };
    let report = find(all(), name).unwrap().run(&scenario, &mut ()).unwrap();
    assert!(report.holds(), "{name} n={n}: {report:#?}");
    let Details::Exclusion(details) = &report.details else { panic!("{name}") };
    assert_eq!(details.entries, total, "{name} n={n}");
    report
}

fn shown((name, topology): &Who) -> String {
    topology.as_ref().map_or_else(|| (*name).to_owned(), |tree| format!("{name} {}", tree.name()))
}

/// The mean number of steps between two processes that are drawn independently.
fn mean_distance(neighbours: &[Vec<u32>]) -> f64 {
    let n = neighbours.len();
    let from = |start: u32| -> u64 {
        let (mut waiting, mut sum) = (vec![(start, start, 0u64)], 0);
        while let Some((at, before, steps)) = waiting.pop() {
            sum += steps;
            let onwards = neighbours[at as usize].iter().filter(|&&next| next != before);
            waiting.extend(onwards.map(|&next| (next, at, steps + 1)));
        }
        sum
    };
    (0..n as u32).map(from).sum::<u64>() as f64 / (n * n) as f64
}

/// The exact mean under light load: independent requests of processes drawn alike, a quiet system in between.
fn exact((name, topology): &Who, n: u32) -> f64 {
    let others = f64::from(n - 1);
    match (*name, topology) {
        ("central", _) => 3.0 * others / f64::from(n),
        ("lamport", _) => 3.0 * others,
        ("ricart-agrawala", _) => 2.0 * others,
        ("carvalho-roucairol" | "singhal-dynamic" | "ricart-agrawala-token" | "suzuki-kasami", _) => others,
        ("singhal-heuristic", _) => others / 2.0 + others / f64::from(n),
        ("naimi-trehel", _) => harmonic(u64::from(n - 1)),
        // The one who asks and the one who has the token are drawn alike: REQ unless the first is the home, PASS unless
        // the second is, TOKEN; and nothing if they are the same.
        ("homed-chain", _) => others * (3.0 * f64::from(n) - 2.0) / f64::from(n).powi(2),
        ("raymond", Some(Topology::Line)) => 2.0 * mean_distance(&tree::line(n)),
        ("raymond", Some(Topology::Star)) => 2.0 * mean_distance(&tree::star(n)),
        ("raymond", _) => 2.0 * mean_distance(&tree::binary(n)),
        ("maekawa", _) => {
            let others = |i: u32| Planes::of(Peer(i), Size(n)).iter().filter(|peer| peer.0 != i).count();
            3.0 * (0..n).map(others).sum::<usize>() as f64 / f64::from(n)
        }
        (other, _) => panic!("no mean is known of {other}"),
    }
}

fn everybody() -> Vec<Who> {
    let names = [
        "central",
        "lamport",
        "ricart-agrawala",
        "carvalho-roucairol",
        "singhal-dynamic",
        "ricart-agrawala-token",
        "suzuki-kasami",
        "singhal-heuristic",
        "naimi-trehel",
        "homed-chain",
        "maekawa",
    ];
    let trees = [Topology::Binary, Topology::Line, Topology::Star].map(|tree| ("raymond", Some(tree)));
    names.map(|name| (name, None)).into_iter().chain(trees).collect()
}

/// Measured against exact, for these sizes: 20n entries to warm up, 200n or more that are measured.
pub(crate) fn light(sizes: &[u32]) -> Vec<String> {
    let mut lines =
        vec![format!("{:<24} {:>5} {:>10} {:>10} {:>7}", "light load", "n", "measured", "exact", "ratio")];
    for who in everybody() {
        for &n in sizes {
            let warm = 20 * u64::from(n);
            // Few messages scatter more; a random tree of requests is forgotten slowly.
            let measured = u64::from(n) * if n < 30 { 2000 } else { 400 };
            let before = run(&who, n, Load::Light, warm).messages;
            let after = run(&who, n, Load::Light, warm + measured).messages;
            let (mean, exact) = ((after - before) as f64 / measured as f64, exact(&who, n));
            lines.push(format!(
                "{:<24} {n:>5} {mean:>10.3} {exact:>10.3} {:>7.4}",
                shown(&who),
                mean / exact
            ));
            assert!((mean / exact - 1.0).abs() < 0.02, "{}", lines.last().unwrap());
        }
    }
    lines
}

/// Under full load with 31 processes, unit delay: what a reference implementation measured.
pub(crate) fn saturated() -> Vec<String> {
    let known = |(name, topology): &Who| match (*name, topology) {
        ("central", _) => 2.97,
        ("lamport", _) => 90.0,
        ("ricart-agrawala" | "carvalho-roucairol" | "singhal-dynamic", _) => 60.0,
        ("ricart-agrawala-token" | "suzuki-kasami" | "singhal-heuristic", _) => 31.0,
        ("naimi-trehel", _) => 4.0,
        // 3 - 2/n, not measured elsewhere.
        ("homed-chain", _) => 2.935,
        ("maekawa", _) => 20.7,
        ("raymond", Some(Topology::Line)) => 3.8,
        ("raymond", _) => 3.9,
        (other, _) => panic!("nothing is known of {other}"),
    };
    let mut lines =
        vec![format!("{:<24} {:>5} {:>10} {:>10} {:>7}", "full load", "n", "measured", "table", "ratio")];
    for who in everybody() {
        let entries = 31 * 100;
        let mean = run(&who, 31, Load::Saturated, entries).messages as f64 / entries as f64;
        lines.push(format!(
            "{:<24} {:>5} {mean:>10.3} {:>10.3} {:>7.4}",
            shown(&who),
            31,
            known(&who),
            mean / known(&who)
        ));
        assert!((mean / known(&who) - 1.0).abs() < 0.05, "{}", lines.last().unwrap());
    }
    lines
}

#[test]
fn means_are_as_expected() {
    let lines = [light(&[10, 31]), saturated()].concat();
    assert!(lines.len() > 20);
}
