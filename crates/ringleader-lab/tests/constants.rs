//! Worst cases at large n: the table of message constants, and the search where it has to find something.
//!
//! It takes minutes, so it is not among the tests that run by default: `cargo xtask bounds` runs it, and so does the
//! gate.

#![expect(clippy::print_stdout, reason = "the tables are what one runs it for")]

use ringleader::registry::{ALL, find};
use ringleader::sim::{Ids, Scenario};
use ringleader_lab::worst::{Method, Question, Row, answer, constants};
use std::fmt::Write as _;

const THREADS: usize = 2;

/// The order of the literature comes out, and nobody exceeds what was published.
#[test]
fn constants_up_to_a_million() {
    let rows = constants(ALL, 1_000_000, THREADS, &()).expect("they can all be run");
    assert!(rows.len() >= 9, "every election that claims n log n");
    println!(
        "{:<27} {:>9} {:>6} {:>6} {:>8} {:>10}",
        "algorithm", "published", "slope", "ratio", "n", "messages"
    );
    for row in &rows {
        let (last, slope) = (row.measured.last().expect("measured"), row.slope.expect("two sizes"));
        println!(
            "{:<27} {:>9.3} {slope:>6.3} {:>6.3} {:>8} {:>10}",
            row.algorithm,
            row.constant.value,
            last.ratio(),
            last.n,
            last.election_messages
        );
        for one in &row.measured {
            assert!(
                one.bound.is_some_and(|bound| one.election_messages <= bound),
                "{} {one:?}",
                row.algorithm
            );
        }
        assert!(slope <= row.constant.value + 1e-6, "{}: {slope}", row.algorithm);
        // What is left beside the leading term is at most 2n: phase 0, or the last round.
        let rest = 2.0 / f64::from(last.n).log2() + 1e-9;
        assert!(last.ratio() <= row.constant.value + rest, "{}: {}", row.algorithm, last.ratio());
        assert!(slope > 0.6 * row.constant.value, "{}: {slope} is far from the worst", row.algorithm);
    }
    in_the_book(&rows);
    for pair in rows.windows(2) {
        let (above, below) = (&pair[0], &pair[1]);
        assert!(
            above.slope > below.slope.map(|slope| slope - 1e-3),
            "{} {}",
            above.algorithm,
            below.algorithm
        );
        if above.constant.value > below.constant.value {
            assert!(above.slope > below.slope, "{} {}", above.algorithm, below.algorithm);
            assert!(above.ratio() > below.ratio() || above.constant.value - below.constant.value < 0.1);
        }
    }
}

/// The table of the book is this one; `UPDATE=1` writes it anew.
fn in_the_book(rows: &[Row]) {
    let mut table = String::from("| --- | --- | --- | --- |\n");
    for row in rows {
        let (slope, ratio) = (row.slope.expect("two sizes"), row.ratio().expect("measured"));
        writeln!(table, "| `{}` | {:.3} | {slope:.3} | {ratio:.3} |", row.algorithm, row.constant.value)
            .expect("memory");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/measure/worst.md");
    let page = std::fs::read_to_string(path).expect("it is there");
    let from = page.find("| --- | --- | --- | --- |\n").expect("it has one table of four columns");
    let end = page[from..].find("\n\n").map_or(page.len(), |end| from + end + 1);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, [&page[..from], &table, &page[end..]].concat()).expect("it can be written");
    } else {
        assert_eq!(&page[from..end], table, "UPDATE=1 cargo xtask bounds writes it anew");
    }
}

/// Maxima over all 40,320 arrangements of nine, and what a search finds of them when nobody tells it.
#[test]
fn nine_exact_and_searched() {
    let table = [
        ("hirschberg-sinclair", 152),
        ("dolev-klawe-rodeh", 63),
        ("peterson", 53),
        ("peterson-improved", 45),
        ("dolev-klawe-rodeh-b", 43),
        ("higham-przytycka", 39),
        ("franklin", 72),
        ("stages-with-feedback", 70),
        ("alternate", 45),
        ("van-leeuwen-tan", 45),
        ("van-leeuwen-tan-half-duplex", 45),
    ];
    for entry in ALL.iter().filter(|entry| entry.spec.cost.constant.is_some()) {
        assert!(table.iter().any(|row| row.0 == entry.spec.name), "{}: what is its most?", entry.spec.name);
    }
    for (name, known) in table {
        let entry = find(ALL, name).expect("it exists");
        let question = Question { one_schedule: true, threads: THREADS, ..Question::new(entry, 9) };
        let most = answer(&Question { method: Method::Exact, ..question.clone() }, &()).expect("it fits");
        assert_eq!(most.election_messages, known, "{name}");
        let bare = Question { method: Method::Search, families: false, budget: Some(8000), ..question };
        let found = answer(&bare, &()).expect("it runs").election_messages;
        println!("{name:<27} n = 9: {known}, found by chance alone {found}");
        assert!(100 * found >= 95 * known, "{name}: {found} of {known}");
    }
}

/// At least as bad as every arrangement that is known; and how far chance alone comes.
#[test]
fn a_thousand_searched() {
    for entry in ALL.iter().filter(|entry| entry.spec.cost.constant.is_some() && !entry.is_literal()) {
        let name = entry.spec.name;
        for n in [64, 1000] {
            let budget = Some(if n == 64 { 8000 } else { 1000 });
            let question = Question {
                method: Method::Search,
                one_schedule: true,
                threads: THREADS,
                budget,
                ..Question::new(entry, n)
            };
            let found = answer(&question, &()).expect("it runs").election_messages;
            let bare = Question { families: false, ..question.clone() };
            let bare = answer(&bare, &()).expect("it runs").election_messages;
            let worst = Scenario { ids: Ids::Worst, ..question.scenario };
            let worst = entry.run(&worst, &mut ()).expect("known").election_messages;
            println!("{name:<27} n = {n:>4}: found {found}, by chance alone {bare}, known {worst}");
            assert!(found >= worst, "{name} n = {n}: {found}, known {worst}");
        }
    }
}
