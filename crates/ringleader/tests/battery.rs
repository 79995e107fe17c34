//! The battery: every algorithm of the registry, in the weakest environment that its contract admits, for every
//! arrangement of identities, set of initiators and numbering of ports. What it finds is on record in `battery.txt`,
//! state for state; `list` reads from there up to where an algorithm was checked.
//!
//! It takes minutes, so it is not among the tests that run by default: `cargo xtask battery` runs it, and so does the
//! gate. `UPDATE=1 cargo xtask battery` rewrites the record; look at the difference before it goes in. The tests check
//! the smaller rows of the record every time.

#![expect(clippy::print_stdout, reason = "it takes minutes: one wants to see how far it is")]

#[path = "it/battery_rows.rs"]
mod rows;

use ringleader::check::{Arrangements, Budget, Scope, Starts};
use ringleader::model::{Links, Orientation, Shape};
use ringleader::registry::{ALL, Entry, Problem, find};
use ringleader::sim::{Entries, Ports, Topology};
use rows::check;
use std::fmt::Write as _;

/// The largest sizes that do not take hours, where they are smaller than the usual.
const SMALLER: &[(&str, u32, &str)] = &[
    ("bully", 3, "n = 4 has some billions of states: time, a crash and a recovery multiply"),
    (
        "probabilistic-franklin",
        4,
        "n = 5 has some hundred million states, all draws and numberings of ports together",
    ),
    ("itai-rodeh", 4, "n = 5 has some hundred million states: links that overtake, and all draws"),
    ("misra", 3, "n = 4 has some hundred million states, with a token lost and a process that crashes"),
    ("misra-bounded", 3, "likewise"),
    ("misra-k", 2, "likewise, with three tokens"),
    (
        "homed-chain-resend",
        3,
        "n = 4 has a million states with a loss alone: time, a loss and a copy multiply",
    ),
    ("cristian", 3, "every delay of every message, a loss and a copy multiply"),
    ("berkeley", 3, "likewise"),
    ("berkeley-failover", 3, "likewise, and a crash with an election"),
    ("lundelius-lynch", 3, "every delay of every message multiplies"),
    ("lamport", 3, "n = 4 has more than thirty million states: every message carries its time"),
];

/// Usually 6 on one-way rings that keep the order, where there is one interleaving to see, 5 on other rings, and 4
/// where everybody is connected with everybody.
fn largest(entry: &Entry) -> u32 {
    let smaller = SMALLER.iter().find(|row| row.0 == entry.spec.name).map(|row| row.1);
    let usual = match (entry.shape, entry.spec.needs.links) {
        // Two places and more for each machine.
        (Shape::OneWayRing, _) if entry.spec.stabilises() => 3,
        (Shape::OneWayRing, Links::Fifo | Links::HalfDuplex) if entry.problem == Problem::Election => 6,
        (Shape::OneWayRing | Shape::TwoWayRing, _) => 5,
        (Shape::Edges | Shape::Named, _) => 4,
        // Machines have few states each; locks many lines.
        (Shape::Memory, _) if entry.spec.stabilises() => 6,
        (Shape::Memory, _) => 3,
    };
    smaller.unwrap_or(usual)
}

/// More than one entry each, where that is not too much: as many entries, with up to so many processes.
const MORE_ENTRIES: &[(u32, u32)] = &[(2, 2), (2, 3), (3, 2)];

/// What would take too long or too much memory with this many processes and entries each.
const TOO_MUCH: &[(&str, u32, u32)] = &[
    ("lamport", 3, 2),
    ("homed-chain-resend", 3, 2),
    ("misra", 3, 2),
    ("misra-bounded", 3, 2),
    ("misra-k", 2, 2),
    ("misra-k", 2, 3),
];

/// Of how many processes, with how many entries each.
fn sizes(entry: &Entry) -> Vec<(u32, u32)> {
    let largest = largest(entry);
    let asks = entry.problem == Problem::Mutex && !entry.spec.stabilises();
    let more = MORE_ENTRIES.iter().copied().filter(|&(n, _)| asks && n <= largest);
    let mut sizes: Vec<(u32, u32)> = (1..=largest).map(|n| (n, 1)).chain(more).collect();
    sizes.retain(|&(n, entries)| {
        entry.spec.needs.processes.admits(n) && !TOO_MUCH.contains(&(entry.spec.name, n, entries))
    });
    sizes.sort_unstable();
    sizes
}

#[test]
fn every_algorithm_holds_as_recorded() {
    let mut found = String::from(rows::TITLE);
    for entry in ALL.iter().filter(|entry| !entry.is_literal()) {
        for (n, entries) in sizes(entry) {
            let row = check(entry, n, entries);
            println!("{row}");
            writeln!(found, "{row}").unwrap();
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/battery.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let record = std::fs::read_to_string(path).unwrap();
    let wrong: Vec<(Option<&str>, Option<&str>)> = differences(&record, &found);
    assert!(
        wrong.is_empty(),
        "recorded, found: {wrong:#?}\nUPDATE=1 cargo xtask battery accepts what was found"
    );
}

fn differences<'a>(record: &'a str, found: &'a str) -> Vec<(Option<&'a str>, Option<&'a str>)> {
    let (mut record, mut found) = (record.lines(), found.lines());
    let mut wrong = Vec::new();
    loop {
        match (record.next(), found.next()) {
            (None, None) => return wrong,
            (a, b) if a == b => {}
            different => wrong.push(different),
        }
    }
}

/// More entries for some than for others, one process more, and tokens that are lost without users: every run of it.
#[test]
fn mutual_exclusion_holds_in_part() {
    let with =
        |n: u32, entries: &[u32]| Scope { entries: Entries::Listed(entries.to_vec()), ..Scope::new(n) };
    let lost = |n: u32, losses: u32| Scope {
        entries: Entries::Each(0),
        faults: Budget { crashes: Some(0), losses: Some(losses), ..Budget::default() },
        ..Scope::new(n)
    };
    let two_crashes =
        |n: u32| Scope { faults: Budget { crashes: Some(2), ..Budget::default() }, ..Scope::new(n) };
    let two_lost = Budget { losses: Some(2), ..Budget::default() };
    let tree = |topology: Topology| Scope { topology: Some(topology), ..Scope::new(5) };
    let each = |n: u32, entries: u32| Scope { entries: Entries::Each(entries), ..Scope::new(n) };
    let parts = [
        ("lamport", with(3, &[2, 1, 1])),
        ("ricart-agrawala", each(3, 3)),
        ("carvalho-roucairol", each(3, 3)),
        ("singhal-dynamic", each(3, 3)),
        ("maekawa", with(4, &[2, 1, 1, 1])),
        ("maekawa", with(7, &[1, 1, 1, 0, 0, 0, 0])),
        ("tree-quorum", with(7, &[1, 1, 1, 1, 0, 0, 0])),
        ("ricart-agrawala-token", each(3, 3)),
        ("suzuki-kasami", each(3, 3)),
        ("singhal-heuristic", with(4, &[2, 1, 1, 1])),
        ("singhal-heuristic", Scope { links: Some(Links::Fifo), ..each(3, 3) }),
        ("naimi-trehel", each(5, 1)),
        ("naimi-trehel", each(4, 2)),
        ("homed-chain", each(5, 1)),
        ("homed-chain", each(3, 3)),
        ("homed-chain-resend", Scope { faults: two_lost, ..Scope::new(3) }),
        ("raymond", tree(Topology::Line)),
        ("raymond", tree(Topology::Star)),
        ("raymond", each(4, 2)),
        ("central", each(5, 1)),
        ("central", each(4, 2)),
        ("central-failover", each(3, 3)),
        ("token-ring-failover", two_crashes(3)),
        ("misra-bounded", lost(4, 2)),
        ("misra-bounded", lost(5, 1)),
        ("misra", lost(4, 2)),
        ("misra", lost(5, 1)),
        ("misra-k", lost(2, 3)),
    ];
    for (name, scope) in parts {
        let entry = find(ALL, name).unwrap();
        let findings = entry.check(&Scope { threads: 2, ..scope.clone() }, &[], &()).unwrap();
        assert!(findings.holds(), "{name}, {scope:?}: {findings:#?}");
        println!("{name} {} in part ({:?}): {} states", findings.n, scope.entries, findings.states);
    }
}

/// One size beyond the record, in part: not every case, but every run of it.
#[test]
fn one_size_more_holds_in_part() {
    let none = Some(0);
    let no_faults = Budget { crashes: none, recoveries: none, losses: none, duplications: none };
    let all_start = |n| Scope { ids: Arrangements::All, starts: Starts::All, ..Scope::new(n) };
    let one_numbering = |n| Scope { ports: Ports::Kind(Orientation::Same), ..all_start(n) };
    let parts = [
        ("hirschberg-sinclair", "all start", all_start(6)),
        ("franklin", "all start", all_start(6)),
        ("stages-with-feedback", "all start, the ports are numbered alike", one_numbering(6)),
        ("stages-with-feedback", "all start, the ports are numbered alike", one_numbering(7)),
        ("alternate", "all start", all_start(7)),
        ("van-leeuwen-tan", "all start, the ports are numbered alike", one_numbering(7)),
        (
            "bully",
            "the smallest process starts, nothing fails",
            Scope { starts: Starts::Listed(vec![0]), faults: no_faults, ..Scope::new(4) },
        ),
        (
            "probabilistic-franklin",
            "all start at any moment, the ports are numbered alike",
            Scope {
                starts: Starts::AllLate,
                ports: Ports::Kind(Orientation::Same),
                expectations: false,
                ..Scope::new(5)
            },
        ),
    ];
    for (name, part, scope) in parts {
        let entry = find(ALL, name).unwrap();
        let findings = entry.check(&Scope { threads: 2, ..scope }, &[], &()).unwrap();
        assert!(findings.holds(), "{name}, {part}: {findings:#?}");
        println!("{name} {} in part ({part}): {} states", findings.n, findings.states);
    }
}
