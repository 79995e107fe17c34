//! What the runs at one place have in common.

use super::Run;
use crate::stats::Stats;
use ringleader::model::{Facts, Ticks};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Details, ExclusionDetails, Report, Spread};

/// What is compared: election messages, messages per entry, or how far clocks are apart at most once all are set. None
/// where nobody entered, or not all were set.
#[must_use]
pub fn measure(report: &Report) -> Option<f64> {
    match &report.details {
        Details::Election(_) => Some(report.election_messages as f64),
        Details::Exclusion(details) => details.per_entry_mean,
        Details::Clocks(details) => details.skew_max.map(Ticks::as_f64),
    }
}

/// The proved bound on that at this size, by the formula for a run in which all start and nothing fails; of mutual
/// exclusion for one entry of many.
#[must_use]
pub fn bound_at(entry: &Entry, nodes: u32) -> Option<f64> {
    if entry.problem == Problem::Clocks {
        return None; // what nothing can do better than depends on the delays
    }
    let worst = entry.spec.cost.worst?;
    let entries = match entry.problem {
        Problem::Election | Problem::Clocks => 0,
        Problem::Mutex => MANY,
    };
    let value = worst.value(&Facts { entries, ..Facts::plain(u64::from(nodes)) })?;
    Some(if entries == 0 { value as f64 } else { value as f64 / entries as f64 })
}

/// Closer than this no algorithm brings clocks for certain, by Lundelius and Lynch.
const OPTIMUM: &str = "u(1-1/n)";

/// So many entries that what is sent once does not count.
const MANY: u64 = 1 << 20;

/// What the runs at one place have in common.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Of what is compared.
    pub stats: Stats,
    /// The formula of the proved bound, and the largest value that it had: of mutual exclusion per entry.
    pub bound: Option<(&'static str, f64)>,
    /// What the run nearest to its bound had of it.
    pub ratio: Option<f64>,
    /// The expected value, where one is known.
    pub average: Option<(&'static str, f64)>,
    /// Most phases begun by one process.
    pub phases: Option<u64>,
    /// The mean number of rounds.
    pub rounds: Option<f64>,
    /// All messages of a run, on average.
    pub messages: f64,
    /// Time from asking to entering, on average.
    pub waiting: Option<f64>,
    /// Time from an exit to the next entry while somebody waited, on average.
    pub sync_delay: Option<f64>,
    /// The least fairness (Jain's index).
    pub fairness: Option<f64>,
    /// The most entries by others while one waited.
    pub bypass_max: Option<u64>,
}

impl Summary {
    /// Of these runs; none where there is nothing to compare.
    #[must_use]
    pub fn of(runs: &[Run]) -> Option<Summary> {
        let reports = || runs.iter().map(|run| &run.report);
        let values: Vec<f64> = reports().filter_map(measure).collect();
        let details = || {
            reports().filter_map(|report| match &report.details {
                Details::Exclusion(details) => Some(details),
                Details::Election(_) | Details::Clocks(_) => None,
            })
        };
        let spread = |of: fn(&ExclusionDetails) -> Option<Spread>| {
            mean(details().filter_map(of).map(|spread| spread.mean))
        };
        Some(Summary {
            stats: Stats::of(&values)?,
            bound: reports().filter_map(bound).max_by(|left, right| left.1.total_cmp(&right.1)),
            ratio: reports().filter_map(ratio).max_by(f64::total_cmp),
            average: reports()
                .find_map(|report| report.average.as_ref())
                .map(|mean| (mean.formula, mean.value)),
            phases: reports().filter_map(|report| report.phases).max(),
            rounds: mean(reports().filter_map(|report| report.rounds).map(|rounds| rounds as f64)),
            messages: mean(reports().map(|report| report.messages as f64)).unwrap_or(0.0),
            waiting: spread(|details| details.waiting),
            sync_delay: spread(|details| details.sync_delay),
            fairness: details().filter_map(|details| details.fairness).min_by(f64::total_cmp),
            bypass_max: details().map(|details| details.bypass_max).max(),
        })
    }
}

/// The bound of a run: of mutual exclusion per entry.
fn bound(report: &Report) -> Option<(&'static str, f64)> {
    if let Details::Clocks(details) = &report.details {
        return Some((OPTIMUM, details.optimum.as_f64()));
    }
    let bound = report.bound.as_ref()?;
    let entries = match &report.details {
        Details::Election(_) | Details::Clocks(_) => 1,
        Details::Exclusion(details) => details.entries,
    };
    (entries > 0).then(|| (bound.formula, bound.value as f64 / entries as f64))
}

/// What a run had of its bound.
pub(super) fn ratio(report: &Report) -> Option<f64> {
    if let Details::Clocks(details) = &report.details {
        let skew = details.skew_max.filter(|_| details.optimum > Ticks::ZERO)?;
        return Some(skew.as_f64() / details.optimum.as_f64());
    }
    let bound = report.bound.as_ref().filter(|bound| bound.value > 0)?;
    Some(bound.measured as f64 / bound.value as f64)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    Stats::of(&values.collect::<Vec<_>>()).map(|stats| stats.mean)
}
