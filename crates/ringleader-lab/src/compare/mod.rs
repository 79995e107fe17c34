//! Algorithms side by side: the same arrangements and seeds for all, size after size.
//!
//! Whoever asks says which scenario belongs to each place (`Comparison::scenario`); here it is decided what is run,
//! what would take too long, and what came of it. Nothing depends on the number of threads.

mod chance;
mod estimate;
mod queue;
mod rows;
mod summary;
#[cfg(test)]
mod tests;

pub use chance::is_random;
pub use rows::{Asked, columns, row};
pub use summary::{Summary, bound_at, measure};

use core::ops::ControlFlow;
use estimate::History;
use ringleader::registry::Entry;
use ringleader::sim::{Refusal, Report, Scenario};

/// Where in the comparison: an algorithm, a load and a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which of the algorithms.
    pub algorithm: usize,
    /// Which of the loads; 0 where there is none to choose.
    pub load: usize,
    /// The number of processes.
    pub nodes: u32,
}

/// What is to be compared.
pub struct Comparison<'a> {
    /// The algorithms.
    pub algorithms: &'a [&'static Entry],
    /// How many loads there are, at least one.
    pub loads: usize,
    /// The numbers of processes, in increasing order.
    pub sizes: &'a [u32],
    /// How many runs there are at a place.
    pub runs: &'a (dyn Fn(Place) -> u32 + Sync),
    /// The scenario of a run, counted from 0, at a place.
    pub scenario: &'a (dyn Fn(Place, u32) -> Scenario + Sync),
    /// Whether there is room for a run at a place.
    pub fits: &'a (dyn Fn(Place) -> bool + Sync),
    /// A run that is likely to send more is not made.
    pub max_messages: f64,
    /// How many runs may be made at once.
    pub threads: u32,
}

/// What came of a place.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Where.
    pub place: Place,
    /// The runs, or why there are none.
    pub runs: Result<Vec<Run>, Skipped>,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Which one, from 0.
    pub run: u32,
    /// The seed of its draws.
    pub seed: u64,
    /// What came of it, without who entered when.
    pub report: Report,
}

/// Why a place has no runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Skipped {
    /// A run would send about so many messages.
    TooLong(f64),
    /// A run would not fit into memory.
    TooLarge,
}

/// Why a comparison has no end.
#[derive(Clone, PartialEq, Debug)]
pub enum Trouble {
    /// This place is refused.
    Refused(Place, Refusal),
    /// Whoever watches it has stopped it.
    Stopped,
}

/// How far it is, as a share of the work that there seems to be.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Runs that are done.
    pub runs: u64,
    /// The size that is being run.
    pub nodes: u32,
    /// The share of the work that is done, from 0 to 1.
    pub share: f64,
}

/// Whether everything would run.
///
/// # Errors
/// The first place that is refused, and why.
pub fn admits(comparison: &Comparison<'_>) -> Result<(), (Place, Refusal)> {
    for place in comparison.places() {
        let entry = comparison.algorithms[place.algorithm];
        let scenario = (comparison.scenario)(place, 0);
        entry.admits(&scenario).map_err(|refusal| (place, refusal))?;
    }
    Ok(())
}

/// Makes all runs, in increasing size; the cells are in the order of algorithms, loads and sizes.
///
/// # Errors
/// The first place that is refused, and why (`admits` says so before anything runs); or `progress` says `Break`.
pub fn run(
    comparison: &Comparison<'_>,
    progress: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
) -> Result<Vec<Cell>, Trouble> {
    let series = comparison.algorithms.len() * comparison.loads;
    let mut histories: Vec<History> = vec![History::default(); series];
    let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); series];
    let mut meter = queue::Meter::new(comparison);
    for &nodes in comparison.sizes {
        let mut jobs = Vec::new();
        for (at, history) in histories.iter_mut().enumerate() {
            let place = comparison.place(at, nodes);
            let skipped = if (comparison.fits)(place) {
                estimate::messages(comparison, place, history)
                    .filter(|&messages| messages > comparison.max_messages)
                    .map(Skipped::TooLong)
            } else {
                Some(Skipped::TooLarge)
            };
            match skipped {
                Some(skipped) => {
                    meter.skip(comparison, place);
                    cells[at].push(Cell { place, runs: Err(skipped) });
                }
                None => {
                    jobs.extend((0..(comparison.runs)(place)).map(|run| (place, run)));
                    cells[at].push(Cell { place, runs: Ok(Vec::new()) });
                }
            }
        }
        for (place, run) in queue::work(comparison, &jobs, &mut meter, progress)? {
            let at = place.algorithm * comparison.loads + place.load;
            histories[at].note(nodes, run.report.messages);
            if let Some(Ok(runs)) = cells[at].last_mut().map(|cell| cell.runs.as_mut()) {
                runs.push(run);
            }
        }
    }
    Ok(cells.into_iter().flatten().collect())
}

impl Comparison<'_> {
    fn place(&self, series: usize, nodes: u32) -> Place {
        Place { algorithm: series / self.loads, load: series % self.loads, nodes }
    }

    fn places(&self) -> impl Iterator<Item = Place> {
        let series = 0..self.algorithms.len() * self.loads;
        series.flat_map(move |at| self.sizes.iter().map(move |&nodes| self.place(at, nodes)))
    }
}
