//! Every mutant is killed: the checker finds a run in which the contract is broken.

use ringleader::check::{Answer, Arrangements, Scope};
use ringleader::registry::{self, Entry, Problem};
use ringleader::sim::Entries;
#[allow(unused_imports, reason = "what the sources call by these names")]
use ringleader::{clocks, election, model, mutex};
use ringleader_errata::Mutant;
use std::collections::BTreeMap;
use std::sync::{Mutex, atomic};

#[allow(
    unused,
    unreachable_pub,
    unused_qualifications,
    clippy::all,
    reason = "wrong on purpose, line by line"
)]
mod made {
    use super::{Entry, Mutant};
    include!(concat!(env!("OUT_DIR"), "/mutants.rs"));
}

/// How many mutants an algorithm has at least, and how many there are at least.
const LEAST_EACH: usize = 3;
const LEAST: usize = 36;

/// Beyond so many states a check gives up, and what it has not found does not count.
const STATES_MAX: u64 = 3_000_000;
/// Likewise bytes: a mistake may let messages grow without end.
const BYTES_MAX: u64 = 1 << 30;

/// What came of a mutant.
enum Fate {
    /// A violation: of which property, in which check, how many steps it takes, and how many states were looked at.
    Killed { by: &'static str, n: u32, entries: u32, steps: Option<u64>, states: u64 },
    /// Every property holds in every check.
    Survived { states: u64 },
    /// Neither: a check gave up.
    Unknown { n: u32, states: u64 },
}

/// Everything that a few processes can do in the weakest environment, from one process up.
fn fate(mutant: &Mutant) -> Fate {
    // Where a crash is tolerated, the only process may be the one that is down; then nobody is left to lead.
    let crashes = mutant.entry.spec.needs.tolerates.crash && mutant.entry.problem == Problem::Election;
    let least = if crashes { 2 } else { 1 };
    let mut states = 0;
    let mut unknown = None;
    for n in (least..=mutant.n).filter(|&n| mutant.entry.spec.needs.processes.admits(n)) {
        // With two entries each, one process less has as many states.
        let entries = match mutant.entry.problem {
            Problem::Mutex if n < mutant.n => 1..=2,
            Problem::Election | Problem::Mutex | Problem::Clocks => 1..=1,
        };
        for entries in entries {
            let scope = Scope {
                ids: Arrangements::All,
                entries: Entries::Each(entries),
                max_states: Some(STATES_MAX),
                max_bytes: Some(BYTES_MAX),
                ..Scope::new(n)
            };
            let findings = mutant.entry.check(&scope, &[], &()).expect("within the contract");
            states += findings.states;
            match findings.answer {
                Answer::Violated => {
                    let broken =
                        findings.properties.iter().find(|finding| finding.answer == Answer::Violated);
                    let broken = broken.expect("a violation is that of a property");
                    return Fate::Killed { by: broken.name, n, entries, steps: broken.trace_steps, states };
                }
                Answer::Unknown => unknown = unknown.or(Some(n)),
                Answer::Holds => {}
            }
        }
    }
    match unknown {
        Some(n) => Fate::Unknown { n, states },
        None => Fate::Survived { states },
    }
}

/// The fates of these mutants, in their order, with a thread for each core.
fn fates(mutants: &[&'static Mutant]) -> Vec<(&'static Mutant, Fate)> {
    let next = atomic::AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, atomic::Ordering::Relaxed);
                    let Some(mutant) = mutants.get(place) else { return };
                    let fate = fate(mutant);
                    done.lock().expect("no other thread has failed").insert(place, (*mutant, fate));
                }
            });
        }
    });
    done.into_inner().expect("no thread has failed").into_values().collect()
}

fn is_unchanged(mutant: &Mutant) -> bool {
    mutant.kind.is_empty()
}

#[test]
#[expect(clippy::print_stdout, reason = "the kill table is what a reader wants to see of this test")]
fn checker_kills_every_listed_mutant() {
    let mutants: Vec<&Mutant> = made::ALL.iter().filter(|mutant| !is_unchanged(mutant)).collect();
    let mut wrong = Vec::new();
    println!(
        "{:<32} {:<10}  {:<68} {:<42} {:>2} {:>7} {:>5} {:>7}",
        "mutant", "kind", "mistake", "killed by", "n", "entries", "steps", "states"
    );
    for (mutant, fate) in fates(&mutants) {
        let Mutant { kind, what, entry, n: most, .. } = mutant;
        let name = entry.spec.name;
        print!("{name:<32} {kind:<10}  {what:<68} ");
        match &fate {
            Fate::Killed { by, n, entries, steps, states } => {
                let steps = steps.map_or("-".into(), |steps| steps.to_string());
                println!("{by:<42} {n:>2} {entries:>7} {steps:>5} {states:>7}");
            }
            Fate::Survived { states } => {
                println!("{:<42} {most:>2} {:>7} {:>5} {states:>7}", "SURVIVES", "-", "-")
            }
            Fate::Unknown { n, states } => {
                println!("{:<42} {n:>2} {:>7} {:>5} {states:>7}", "UNKNOWN", "-", "-")
            }
        }
        match (fate, mutant.survives) {
            (Fate::Killed { .. }, false) | (Fate::Survived { .. }, true) => {}
            (Fate::Killed { .. }, true) => {
                wrong.push(format!("{name} ({what}) is killed at last: `survives` can go from its heading"));
            }
            (Fate::Survived { .. }, false) => {
                wrong.push(format!("{name} ({what}) is not killed: it holds up to n = {most}"));
            }
            (Fate::Unknown { n, .. }, _) => {
                wrong.push(format!("{name} ({what}) is not decided for n = {n}: too many states"));
            }
        }
    }
    let wrong = wrong.join("\n  ");
    assert!(wrong.is_empty(), "CONTRIBUTING.md says what to make of this:\n  {wrong}");
}

#[test]
fn what_is_not_changed_holds() {
    let unchanged: Vec<&Mutant> = made::ALL.iter().filter(|mutant| is_unchanged(mutant)).collect();
    for (mutant, fate) in fates(&unchanged) {
        let name = mutant.entry.spec.name;
        match fate {
            Fate::Survived { .. } => {}
            Fate::Killed { by, n, .. } => panic!("{name} is not changed, and breaks `{by}` for n = {n}"),
            Fate::Unknown { n, .. } => panic!("{name} is not changed, and not decided for n = {n}"),
        }
    }
}

#[test]
fn every_algorithm_has_mutants() {
    let mut count = 0;
    for entry in registry::ALL.iter().filter(|entry| !entry.is_literal()) {
        let name = entry.spec.name;
        let of_this = made::ALL.iter().filter(|mutant| mutant.algorithm == name && !mutant.survives).count();
        assert!(
            of_this >= LEAST_EACH,
            "{name} has {of_this} mutants: add {} to the mutants.txt in its folder, each a small mistake in its source",
            LEAST_EACH - of_this
        );
        count += of_this;
    }
    assert!(count >= LEAST, "{count} mutants; at least {LEAST} are wanted");
}
