//! Experiments through the face of the module.

use super::*;
use crate::table::{Format, Writer};
use core::ops::ControlFlow;
use ringleader::model::Arranged;
use ringleader::registry::{ALL, Problem, find};
use ringleader::sim::{Details, Ids, Initiators, Load, Schedule, Workload};

fn entries(names: &[&str]) -> Vec<&'static Entry> {
    names.iter().map(|name| find(ALL, name).unwrap()).collect()
}

fn compared(
    names: &[&str],
    sizes: &[u32],
    threads: u32,
    make: &(dyn Fn(u32) -> Scenario + Sync),
) -> Vec<Cell> {
    let comparison = Comparison {
        algorithms: &entries(names),
        loads: 1,
        sizes,
        runs: &|_| 4,
        scenario: &|place, run| Scenario { seed: 7 + u64::from(run), ..make(place.nodes) },
        fits: &|place| place.nodes < 100_000,
        max_messages: 1e6,
        threads,
    };
    admits(&comparison).unwrap();
    let watch = |progress: Progress| {
        assert!((0.0..=1.0).contains(&progress.share));
        ControlFlow::Continue(())
    };
    let cells = run(&comparison, &watch).unwrap();
    assert_eq!(run(&comparison, &|_| ControlFlow::Break(())).err(), Some(Trouble::Stopped));
    cells
}

#[test]
fn all_algorithms_have_the_same_arrangements() {
    let cells = compared(&["chang-roberts", "franklin"], &[16, 64], 1, &Scenario::new);
    let leaders = |cell: &Cell| -> Vec<Option<u32>> {
        let leader = |run: &Run| match &run.report.details {
            Details::Election(election) => election.leader.as_ref().map(|leader| leader.index),
            Details::Exclusion(_) | Details::Clocks(_) => None,
        };
        cell.runs.as_ref().unwrap().iter().map(leader).collect()
    };
    assert_eq!(cells.iter().map(|cell| cell.place.nodes).collect::<Vec<_>>(), [16, 64, 16, 64]);
    assert_eq!(leaders(&cells[0]), leaders(&cells[2]));
    assert_eq!(leaders(&cells[1]), leaders(&cells[3]));
    let first = leaders(&cells[1]);
    assert!(first.iter().any(|leader| *leader != first[0]), "the seeds differ: {first:?}");
}

#[test]
fn threads_change_nothing() {
    let one = compared(&["lcr", "dkr", "hs"], &[8, 32, 128], 1, &Scenario::new);
    let four = compared(&["lcr", "dkr", "hs"], &[8, 32, 128], 4, &Scenario::new);
    assert_eq!(format!("{one:?}"), format!("{four:?}"));
}

#[test]
fn what_would_take_too_long_is_left_out_before() {
    let cells = compared(&["le-lann", "dkr"], &[16, 64, 4096, 20_000, 200_000], 2, &Scenario::new);
    let skipped: Vec<Option<Skipped>> = cells.iter().map(|cell| cell.runs.as_ref().err().copied()).collect();
    let Some(Skipped::TooLong(expected)) = skipped[2] else { panic!("{skipped:?}") };
    assert!((expected / (4096.0 * 4096.0) - 1.0).abs() < 0.1, "{expected}");
    assert!(matches!(skipped[3], Some(Skipped::TooLong(_))));
    assert_eq!(skipped[4], Some(Skipped::TooLarge));
    assert_eq!(skipped[5..9], [None, None, None, None]);
    // With nothing measured below, small sizes are tried.
    let alone = compared(&["le-lann", "dkr"], &[20_000], 1, &Scenario::new);
    assert!(matches!(alone[0].runs, Err(Skipped::TooLong(messages)) if (3.9e8..4.1e8).contains(&messages)));
    assert!(alone[1].runs.is_ok());
}

#[test]
fn a_summary_says_what_the_runs_say() {
    let descending = |n| Scenario { ids: Ids::Arranged(Arranged::Descending), ..Scenario::new(n) };
    let cells = compared(&["chang-roberts"], &[64], 1, &descending);
    let summary = Summary::of(cells[0].runs.as_ref().unwrap()).unwrap();
    assert_eq!((summary.stats.mean, summary.stats.variance), (2080.0, 0.0));
    assert_eq!(summary.bound.map(|(_, value)| value), Some(2080.0));
    assert_eq!(summary.ratio, Some(1.0));
    assert_eq!(bound_at(find(ALL, "chang-roberts").unwrap(), 64), Some(2080.0));
    assert!(Summary::of(&[]).is_none());
}

#[test]
fn messages_per_entry() {
    let saturated = |n| Scenario {
        workload: Workload { load: Some(Load::Saturated), total: Some(100), ..Workload::default() },
        ..Scenario::new(n)
    };
    let cells = compared(&["ricart-agrawala", "central"], &[8], 1, &saturated);
    let summary = |cell: &Cell| Summary::of(cell.runs.as_ref().unwrap()).unwrap();
    assert_eq!(summary(&cells[0]).stats.mean, 14.0, "2(n-1)");
    assert_eq!(summary(&cells[0]).bound.map(|(_, value)| value), Some(14.0));
    assert_eq!(bound_at(find(ALL, "ricart-agrawala").unwrap(), 8), Some(14.0));
    assert!(summary(&cells[1]).stats.mean <= 3.0);
    assert!(summary(&cells[1]).sync_delay.is_some() && summary(&cells[1]).fairness.is_some());
}

#[test]
fn refusals_come_before_anything_runs() {
    let comparison = Comparison {
        algorithms: &entries(&["franklin", "peterson"]),
        loads: 1,
        sizes: &[8],
        runs: &|_| 1,
        scenario: &|place, _| Scenario {
            links: Some(ringleader::model::Links::Bag),
            ..Scenario::new(place.nodes)
        },
        fits: &|_| true,
        max_messages: 1e9,
        threads: 1,
    };
    let (place, refusal) = admits(&comparison).unwrap_err();
    assert!(refusal.is_about_assumptions(), "{place:?} {refusal}");
}

#[test]
fn what_is_left_to_chance() {
    let random = |name: &str, scenario: &Scenario| is_random(find(ALL, name).unwrap(), scenario);
    let usual = Scenario::new(8);
    let fixed = Scenario { ids: Ids::Arranged(Arranged::Descending), ..Scenario::new(8) };
    assert!(random("chang-roberts", &usual) && !random("chang-roberts", &fixed));
    assert!(random("itai-rodeh", &usual), "it draws");
    assert!(random("chang-roberts", &Scenario { schedule: Schedule::Random, ..fixed.clone() }));
    assert!(random("chang-roberts", &Scenario { initiators: Initiators::Percent(50.0), ..fixed.clone() }));
    assert!(!random("ricart-agrawala", &usual) && !random("raymond", &usual));
    let light = Workload { load: Some(Load::Light), total: Some(9), ..Workload::default() };
    assert!(random("ricart-agrawala", &Scenario { workload: light, ..usual.clone() }));
    // What is said to be fixed is: no seed changes the report.
    for entry in ALL.iter().filter(|entry| !entry.is_literal()) {
        let scenario = if entry.needs().contains(&"distinct-ids") { &fixed } else { &usual };
        if !entry.spec.needs.processes.admits(8) || is_random(entry, scenario) {
            continue;
        }
        let reports = [1, 2, 3].map(|seed| entry.run(&Scenario { seed, ..scenario.clone() }, &mut ()));
        assert!(reports.iter().all(|report| *report == reports[0]), "{}", entry.spec.name);
    }
}

#[test]
fn rows_fit_their_columns() {
    for (name, problem) in [("dkr", Problem::Election), ("central", Problem::Mutex)] {
        let cells = compared(&[name], &[8], 1, &Scenario::new);
        let mut table = Writer::new(Format::Csv, columns(problem), Vec::new()).unwrap();
        for run in cells[0].runs.as_ref().unwrap() {
            let asked =
                Asked { algorithm: name, ids: "random", schedule: "rounds", load: None, again: "x".into() };
            table.row(&row(&asked, run)).unwrap();
        }
        let text = String::from_utf8(table.finish().unwrap()).unwrap();
        assert_eq!(text.lines().count(), 5);
    }
}
