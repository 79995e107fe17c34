//! Measured messages against proved bounds, as large as a budget of messages allows.

use crate::support::all;
use ringleader::model::{Facts, Promises, Winner};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Details, Ids, Scenario};

/// The head of the table.
const TITLE: &str = "algorithm                          n  identities      measured         bound  ratio";

/// A run that would send more is not taken: what grows with n² is held at smaller n.
const MESSAGES_MAX: u64 = 160_000_000;
/// Port numbers and lists take memory for each pair of processes.
const PAIRS_MAX: u64 = 1 << 24;

/// Runs every election that claims a bound, at each of these sizes that it can be run at; a line for each, below the
/// head of the table.
///
/// # Panics
/// If a bound or a promise is broken, or an algorithm is not run at all.
pub(crate) fn held(sizes: &[u32]) -> impl Iterator<Item = String> {
    let elections = all().iter().filter(|entry| entry.problem == Problem::Election && !entry.is_literal());
    core::iter::once(TITLE.to_owned()).chain(elections.flat_map(move |entry| {
        let lines: Vec<String> = sizes.iter().flat_map(|&n| at(entry, n)).collect();
        let claims = entry.spec.cost.worst.is_some_and(|bound| bound.value(&Facts::plain(100)).is_some());
        assert!(!claims || !lines.is_empty(), "{} is not held against its bound", entry.spec.name);
        lines
    }))
}

/// Random identities, and the worst arrangement if one is known.
fn at(entry: &Entry, n: u32) -> Vec<String> {
    let Some(bound) = entry.spec.cost.worst.and_then(|bound| bound.value(&Facts::plain(u64::from(n)))) else {
        return Vec::new();
    };
    let pairs = u64::from(n) * u64::from(n);
    let by_pairs = !entry.topology().contains("ring") && pairs > PAIRS_MAX;
    let mut lines = Vec::new();
    let worst = entry.spec.worst_ids.map(|_| ("worst", Ids::Worst));
    for (name, ids) in [("random", Ids::Default)].into_iter().chain(worst) {
        // On average far less is sent than the bound of Chang and Roberts admits.
        let likely = match (name, entry.spec.cost.average) {
            ("random", Some(average)) => {
                (average.value)(&Facts::plain(u64::from(n))).map_or(bound, |mean| 2 * mean as u64)
            }
            _ => bound,
        };
        if likely > MESSAGES_MAX || by_pairs {
            continue;
        }
        let scenario = Scenario { ids, seed: u64::from(n), ..Scenario::new(n) };
        let report = entry.run(&scenario, &mut ()).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert!(report.holds(), "{} n = {n}, {name}: {report:#?}", entry.spec.name);
        let check = report.bound.as_ref().expect("it claims a bound");
        let Details::Election(details) = &report.details else { panic!("not an election") };
        let leader = details.leader.as_ref().expect("somebody leads");
        let largest = match entry.spec.promises {
            Promises::Election { winner, .. } => !matches!(winner, Winner::Any | Winner::AnyInitiator),
            Promises::Exclusion { .. } | Promises::Stabilisation | Promises::Clocks { .. } => false,
        };
        assert!(!largest || leader.id.is_none_or(|id| id == u64::from(n)), "{} {leader:?}", entry.spec.name);
        lines.push(format!(
            "{:<27} {n:>8}  {name:<8} {:>14} {:>13}  {:>5.3}",
            entry.spec.name,
            check.measured,
            check.value,
            check.measured as f64 / check.value as f64
        ));
    }
    lines
}

/// The smaller sizes, every time.
#[test]
fn bounds_hold_up_to_ten_thousand() {
    assert!(held(&[100, 1_000, 10_000]).count() > 50, "a line for each algorithm, size and arrangement");
}

/// Ten million of them fit in a small machine, and what is on its way as well.
#[test]
fn processes_of_large_rings_are_small() {
    for (name, process, message) in [
        ("alternate", 16, 8),
        ("dolev-klawe-rodeh", 16, 8),
        ("dolev-klawe-rodeh-b", 12, 16),
        ("franklin", 16, 8),
        ("higham-przytycka", 12, 16),
        ("hirschberg-sinclair", 16, 16),
        ("itai-rodeh-coin", 8, 8),
        ("peterson", 16, 8),
        ("peterson-improved", 16, 8),
        ("stages-with-feedback", 20, 8),
        ("van-leeuwen-tan", 24, 16),
    ] {
        let bytes = crate::support::entry(name).bytes;
        assert!(bytes.0 <= process && bytes.1 <= message, "{name}: {bytes:?} bytes");
    }
}
