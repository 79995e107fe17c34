//! What came of a comparison, for people and for programs.

pub mod figure;
mod json;
mod table;

pub use json::{json, value};
pub use table::{rows, summary, text};

use super::exit_code;
use crate::compare::{Cell, Place, Run, Skipped, Summary};
use crate::growth::{Growth, Measured, Model, TooFew, fit};
use crate::options::quoted;
use crate::people::grouped;
use crate::plan::PlannedComparison;
use ringleader::registry::{Entry, Problem};
use ringleader::sim::Ids;

/// A comparison and what follows from it.
pub struct ComparisonReport<'a> {
    /// What was asked for.
    pub asked: &'a PlannedComparison<'a>,
    /// What came of each place.
    pub cells: &'a [Cell],
    /// For each cell what its runs have in common.
    pub summaries: Vec<Option<Summary>>,
    /// For each algorithm and load how its cost grows.
    pub growth: Vec<Result<Growth, TooFew>>,
    /// The command that repeats it.
    pub again: String,
}

impl<'a> ComparisonReport<'a> {
    /// What follows from these cells.
    #[must_use]
    pub fn new(asked: &'a PlannedComparison<'a>, cells: &'a [Cell]) -> ComparisonReport<'a> {
        let summaries: Vec<Option<Summary>> =
            cells.iter().map(|cell| cell.runs.as_ref().ok().and_then(|runs| Summary::of(runs))).collect();
        let models = match asked.problem {
            Problem::Election => Model::OF_ALL,
            Problem::Mutex | Problem::Clocks => Model::OF_ONE,
        };
        let series = cells.chunks(asked.sizes.len()).zip(summaries.chunks(asked.sizes.len()));
        let growth = series
            .map(|(cells, summaries)| {
                let known = cells.iter().zip(summaries).filter_map(|(cell, summary)| {
                    let stats = &summary.as_ref()?.stats;
                    let n = f64::from(cell.place.nodes);
                    Some(Measured { n, cost: stats.mean, error: stats.mean_error() })
                });
                fit(&known.collect::<Vec<_>>(), &models)
            })
            .collect();
        ComparisonReport { asked, cells, summaries, growth, again: quoted(&asked.app.program, &asked.again) }
    }

    /// The places with what their runs have in common.
    pub(crate) fn summed(&self) -> impl Iterator<Item = (&Cell, Option<&Summary>)> {
        self.cells.iter().zip(self.summaries.iter().map(Option::as_ref))
    }

    pub(crate) fn entry(&self, place: Place) -> &'static Entry {
        self.asked.algorithms[place.algorithm]
    }

    /// The load at a place, in the user's words.
    pub(crate) fn load(&self, place: Place) -> Option<&str> {
        self.asked.loads[place.load].as_ref().map(|load| load.text.as_str())
    }

    /// The schedule, in the user's words.
    pub(crate) fn schedule(&self) -> &str {
        self.asked.options.environment.schedule.as_ref().map_or("rounds", |given| given.text.as_str())
    }

    /// The identities at a place, in the user's words.
    pub(crate) fn ids(&self, entry: &Entry) -> &str {
        match &self.asked.options.environment.ids {
            Some(given) => given.text.as_str(),
            None if entry.is_anonymous() => "none",
            None if entry.needs().contains(&"names") => "ascending",
            None => "random",
        }
    }

    /// The expected value at a place: it speaks of random arrangements, so it is left out where there is another.
    pub(crate) fn average(&self, place: Place, summary: &Summary) -> Option<(&'static str, f64)> {
        let plan = self.asked.plan(place, 0).ok()?;
        summary.average.filter(|_| matches!(plan.scenario.ids, Ids::Default | Ids::Random))
    }

    /// The command that repeats one run.
    pub(crate) fn again(&self, place: Place, run: &Run) -> String {
        let plan = self.asked.plan(place, run.run);
        plan.map_or_else(|_| String::new(), |plan| quoted(&self.asked.app.program, &plan.again))
    }

    /// All runs, in order.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (Place, &Run)> {
        let of = |cell: &'a Cell| cell.runs.as_ref().map_or(&[][..], Vec::as_slice);
        self.cells.iter().flat_map(move |cell| of(cell).iter().map(|run| (cell.place, run)))
    }

    /// The first run with this exit code.
    fn first(&self, code: u8) -> Option<(Place, &Run)> {
        self.runs().find(|(_, run)| exit_code(&run.report) == code)
    }

    /// 1 if something was violated, 3 if a run was stopped by a limit.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        [1, 3].into_iter().find(|&code| self.first(code).is_some()).unwrap_or(0)
    }

    /// How it was measured, in a few words.
    pub(crate) fn how(&self) -> String {
        let asked = &self.asked;
        let mut words = Vec::new();
        if asked.problem == Problem::Election {
            let mut ids: Vec<&str> = asked.algorithms.iter().map(|entry| self.ids(entry)).collect();
            ids.retain(|ids| *ids != "none");
            ids.dedup();
            match ids.first() {
                Some(ids) if ids.starts_with('@') => words.push(format!("identities of {}", &ids[1..])),
                Some(ids) if ids.chars().count() > 40 => words.push("listed identities".to_owned()),
                Some(ids) => words.push(format!("{ids} identities")),
                None => words.push("no identities".to_owned()),
            }
        }
        words.push(self.schedule().to_owned());
        let runs: Vec<u32> = self.cells.iter().map(|cell| asked.runs(cell.place)).collect();
        let (least, most) =
            (runs.iter().min().copied().unwrap_or(1), runs.iter().max().copied().unwrap_or(1));
        let last = asked.seed.wrapping_add(u64::from(most - 1));
        words.push(match (least, most) {
            (1, 1) if asked.options.runs.is_none() => "1 run each: nothing is left to chance".to_owned(),
            (_, 1) => format!("1 run each (seed {})", asked.seed),
            (1, _) if asked.options.runs.is_none() => {
                format!(
                    "{most} runs each (seeds {} to {last}), 1 where nothing is left to chance",
                    asked.seed
                )
            }
            (_, _) => format!("{most} runs each (seeds {} to {last})", asked.seed),
        });
        words.join(" · ")
    }
}

/// What is compared, in words.
pub(super) fn what(problem: Problem) -> &'static str {
    match problem {
        Problem::Election => "election messages",
        Problem::Mutex => "messages per entry",
        Problem::Clocks => "skew in ticks",
    }
}

/// What was left out and why.
#[must_use]
pub fn notes(compared: &ComparisonReport<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for cell in compared.cells {
        let Err(skipped) = &cell.runs else { continue };
        let name = compared.entry(cell.place).spec.name;
        let load = compared.load(cell.place).map_or_else(String::new, |load| format!(" ({load})"));
        let (why, insist) = match skipped {
            Skipped::TooLong(messages) => {
                let room = 10f64.powf((messages * 1.5).log10().ceil());
                (
                    format!("a run would send about {} messages", rough(*messages)),
                    format!("; `--max-messages {room:e}` insists"),
                )
            }
            Skipped::TooLarge => ("it does not fit into memory".to_owned(), String::new()),
        };
        let n = grouped(u64::from(cell.place.nodes));
        notes.push(format!("`{name}`{load} at n = {n} is left out: {why}{insist}"));
    }
    for entry in compared.asked.algorithms.iter().filter(|entry| is_kind(compared, entry)) {
        let name = entry.spec.name;
        notes.push(format!("random identities are kind to `{name}`; its bad case: --ids worst"));
    }
    notes
}

/// Whether an algorithm stays far below its bound because nothing provokes it, although it is known what would.
fn is_kind(compared: &ComparisonReport<'_>, entry: &Entry) -> bool {
    let of = |(cell, _): &(&Cell, Option<&Summary>)| compared.entry(cell.place).spec.name == entry.spec.name;
    let largest = compared.summed().filter(of).filter_map(|(_, summary)| summary).last();
    entry.spec.worst_ids.is_some()
        && compared.ids(entry) == "random"
        && largest.is_some_and(|summary| summary.ratio.is_some_and(|ratio| ratio < KIND))
}

/// Less than this share of the bound is kindness.
const KIND: f64 = 0.25;

/// A large number in two digits.
fn rough(number: f64) -> String {
    let text = format!("{number:.1e}");
    text.replace(".0e", "e")
}

/// What a series is called: its algorithm, and its load where there are several.
pub(super) fn series_name(compared: &ComparisonReport<'_>, place: Place) -> String {
    let name = compared.entry(place).spec.name;
    match compared.load(place) {
        Some(load) if compared.asked.loads.len() > 1 => format!("{name}, {load}"),
        Some(_) | None => name.to_owned(),
    }
}
