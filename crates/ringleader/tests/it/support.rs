//! What the tests share: runs by name, all arrangements, all schedules.

use ringleader::model::Links;
use ringleader::registry::{Entry, find};
use ringleader::sim::{
    ClockDetails, Delay, Details, ElectionDetails, ExclusionDetails, Ids, Initiators, Ports, Recorder,
    Report, Scenario, Schedule,
};
use ringleader::trace::Recording;
use std::sync::Arc;

/// The right algorithms, each followed by its printed versions.
pub(crate) fn all() -> &'static [Entry] {
    ringleader_errata::all()
}

/// The algorithm with this name.
pub(crate) fn entry(name: &str) -> &'static Entry {
    find(all(), name).unwrap_or_else(|| panic!("no algorithm {name}"))
}

/// The algorithms as they should be. As-printed variants are broken on purpose: no promise of theirs can be tested.
pub(crate) fn right() -> impl Iterator<Item = &'static Entry> {
    all().iter().filter(|entry| !entry.is_literal())
}

/// Runs it, and expects it to be admitted.
pub(crate) fn run(name: &str, scenario: &Scenario) -> Report {
    entry(name).run(scenario, &mut ()).unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

/// Runs it and expects every property and the bound to hold.
pub(crate) fn run_well(name: &str, scenario: &Scenario) -> Report {
    let report = run(name, scenario);
    assert!(report.holds(), "{name}: {report:#?}");
    report
}

/// A scenario with these identities.
pub(crate) fn with_ids(ids: &[u64]) -> Scenario {
    Scenario { ids: Ids::Listed(ids.to_vec()), ..Scenario::new(ids.len() as u32) }
}

/// Every schedule that needs no parameter from the algorithm, with names for messages.
pub(crate) fn schedules() -> Vec<(&'static str, Schedule)> {
    vec![
        ("rounds", Schedule::Rounds),
        ("random", Schedule::Random),
        ("delay:const", Schedule::Delay(Delay::Constant(1_000_000))),
        ("delay:uniform", Schedule::Delay(Delay::Uniform(1_000_000, 10_000_000))),
        ("delay:exp", Schedule::Delay(Delay::Exponential(5_000_000))),
        ("lifo", Schedule::Lifo),
        ("fifo", Schedule::Fifo),
        ("greedy", Schedule::Greedy),
        ("starve:0", Schedule::Starve(0)),
    ]
}

/// All arrangements of 1 ..= n up to rotation: n comes first.
pub(crate) fn arrangements(n: u64) -> Vec<Vec<u64>> {
    let mut all = Vec::new();
    permute(&mut (1..n).collect(), 0, &mut |rest| {
        let mut ids = vec![n];
        ids.extend_from_slice(rest);
        all.push(ids);
    });
    all
}

fn permute(rest: &mut Vec<u64>, from: usize, each: &mut impl FnMut(&[u64])) {
    if from == rest.len() {
        each(rest);
    }
    for place in from..rest.len() {
        rest.swap(from, place);
        permute(rest, from + 1, each);
        rest.swap(from, place);
    }
}

/// What came of an election.
pub(crate) fn election(report: &Report) -> &ElectionDetails {
    match &report.details {
        Details::Election(details) => details,
        Details::Exclusion(_) | Details::Clocks(_) => panic!("not an election"),
    }
}

/// What came of bringing clocks together.
pub(crate) fn clocks(report: &Report) -> &ClockDetails {
    match &report.details {
        Details::Clocks(details) => details,
        Details::Election(_) | Details::Exclusion(_) => panic!("no clocks"),
    }
}

/// What came of mutual exclusion.
pub(crate) fn exclusion(report: &Report) -> &ExclusionDetails {
    match &report.details {
        Details::Exclusion(details) => details,
        Details::Election(_) | Details::Clocks(_) => panic!("not mutual exclusion"),
    }
}

/// The messages of one kind.
pub(crate) fn kind(report: &Report, name: &str) -> u64 {
    report
        .by_kind
        .iter()
        .find(|(kind, _)| *kind == name)
        .map_or_else(|| panic!("no kind {name}"), |(_, k)| *k)
}

/// Whether an algorithm may run under a schedule: time-outs need a bound on delays.
pub(crate) fn admits(entry: &Entry, schedule: &Schedule) -> bool {
    let scenario = Scenario { schedule: schedule.clone(), max_steps: Some(1), ..Scenario::new(3) };
    entry.run(&scenario, &mut ()).is_ok()
}

/// The number of processes from `n` on that an algorithm admits.
pub(crate) fn at_least(entry: &Entry, n: u32) -> u32 {
    entry.spec.needs.processes.nearest(n).1
}

/// Runs it with a recorder.
pub(crate) fn record(entry: &Entry, scenario: &Scenario) -> (Report, Recording) {
    let mut recorder = Recorder::default();
    let report = entry.run(scenario, &mut recorder).unwrap_or_else(|refusal| panic!("{refusal}"));
    (report, recorder.recording().expect("a run begins"))
}

/// The scenario that follows a recording, step by step.
pub(crate) fn following(recording: &Recording) -> Scenario {
    let header = &recording.header;
    Scenario {
        ids: if header.ids.is_empty() { Ids::Default } else { Ids::Listed(header.ids.clone()) },
        initiators: Initiators::Listed(header.initiators.clone()),
        ports: if header.ports.is_empty() { Ports::Default } else { Ports::Listed(header.ports.clone()) },
        schedule: Schedule::Replay(Arc::new(recording.clone())),
        unsound: header.unsound,
        ..Scenario::new(header.n)
    }
}

/// The links that an algorithm admits on its network, weakest first.
pub(crate) fn admitted_links(entry: &Entry) -> Vec<Links> {
    [Links::Bag, Links::Fifo, Links::HalfDuplex]
        .into_iter()
        .filter(|&links| {
            let scenario = Scenario { links: Some(links), ..Scenario::new(3) };
            entry.run(&scenario, &mut ()).is_ok()
        })
        .collect()
}
