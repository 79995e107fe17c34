//! One tidy row for each run.

use super::{Run, summary::ratio};
use crate::table::{Cell, Column, Kind};
use ringleader::model::Ticks;
use ringleader::registry::Problem;
use ringleader::sim::Details;

/// The columns that every comparison has, then those of the problem, then how to repeat the run.
#[must_use]
pub fn columns(problem: Problem) -> Vec<Column> {
    let mut columns = vec![
        ("algorithm", Kind::Text),
        ("nodes", Kind::Int),
        ("run", Kind::Int),
        ("seed", Kind::Int),
        ("ids", Kind::Text),
        ("schedule", Kind::Text),
        ("links", Kind::Text),
        ("outcome", Kind::Text),
        ("holds", Kind::Bool),
        ("messages", Kind::Int),
        ("rounds", Kind::Int),
        ("phases", Kind::Int),
        ("steps", Kind::Int),
        ("time", Kind::Float),
        ("bound", Kind::Int),
        ("ratio", Kind::Float),
    ];
    columns.extend(match problem {
        Problem::Election => vec![
            ("election_messages", Kind::Int),
            ("average", Kind::Float),
            ("leader_index", Kind::Int),
            ("leader_id", Kind::Int),
        ],
        Problem::Mutex => vec![
            ("load", Kind::Text),
            ("entries", Kind::Int),
            ("messages_per_entry", Kind::Float),
            ("waiting_mean", Kind::Float),
            ("sync_delay_mean", Kind::Float),
            ("fairness", Kind::Float),
            ("bypass_max", Kind::Int),
        ],
        Problem::Clocks => vec![
            ("skew_first", Kind::Float),
            ("skew_final", Kind::Float),
            ("skew_max", Kind::Float),
            ("error_final", Kind::Float),
            ("error_max", Kind::Float),
            ("promise", Kind::Float),
            ("optimum", Kind::Float),
        ],
    });
    columns.push(("again", Kind::Text));
    columns.into_iter().map(|(name, kind)| Column::new(name, kind)).collect()
}

/// What was asked for, in the user's words.
pub struct Asked<'a> {
    /// The name of the algorithm.
    pub algorithm: &'a str,
    /// The identities.
    pub ids: &'a str,
    /// The schedule.
    pub schedule: &'a str,
    /// The load, where there is one.
    pub load: Option<&'a str>,
    /// The command that repeats the run.
    pub again: String,
}

/// The row of a run.
#[must_use]
pub fn row(asked: &Asked<'_>, run: &Run) -> Vec<Cell> {
    let report = &run.report;
    let mut cells: Vec<Cell> = vec![
        asked.algorithm.into(),
        report.n.into(),
        run.run.into(),
        run.seed.into(),
        asked.ids.into(),
        asked.schedule.into(),
        report.links.name().into(),
        report.outcome.name().into(),
        report.holds().into(),
        report.messages.into(),
        report.rounds.into(),
        report.phases.into(),
        report.steps.into(),
        report.time.into(),
        report.bound.as_ref().map(|bound| bound.value).into(),
        ratio(report).into(),
    ];
    match &report.details {
        Details::Election(details) => cells.extend::<[Cell; 4]>([
            report.election_messages.into(),
            report.average.as_ref().map(|average| average.value).into(),
            details.leader.as_ref().map(|leader| leader.index).into(),
            report.leader_id().into(),
        ]),
        Details::Exclusion(details) => cells.extend::<[Cell; 7]>([
            asked.load.into(),
            details.entries.into(),
            details.per_entry_mean.into(),
            details.waiting.map(|waiting| waiting.mean).into(),
            details.sync_delay.map(|delay| delay.mean).into(),
            details.fairness.into(),
            details.bypass_max.into(),
        ]),
        Details::Clocks(details) => {
            let ticks = |ticks: Option<Ticks>| Cell::from(ticks.map(Ticks::as_f64));
            cells.extend::<[Cell; 7]>([
                ticks(Some(details.skew_first)),
                ticks(Some(details.skew_final)),
                ticks(details.skew_max),
                ticks(details.error_final),
                ticks(details.error_max),
                ticks(details.promise),
                ticks(Some(details.optimum)),
            ]);
        }
    }
    cells.push(asked.again.as_str().into());
    cells
}
