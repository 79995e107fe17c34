//! The table of message constants: the worst that is known of every election whose worst case grows as n·log2 n, beside
//! the factor that was published.

use super::families::few;
use super::judge::Judge;
use super::{Progress, Question, Trouble, Watcher, parallel, trouble};
use ringleader::model::Constant;
use ringleader::registry::Entry;

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The algorithm.
    pub algorithm: &'static str,
    /// What was published.
    pub constant: Constant,
    /// Which sizes are bad for it.
    pub sizes: Sizes,
    /// What was measured, from small n to large.
    pub measured: Vec<Measured>,
    /// Messages per process and doubling of n, between the last two sizes: lower-order terms do not blur it.
    pub slope: Option<f64>,
    /// Whether the contract knows a worst arrangement. Otherwise it is the best of the known families: a lower bound.
    pub known: bool,
}

impl Row {
    /// The messages at the largest n, by n·log2 n.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.measured.last().map(Measured::ratio)
    }
}

/// The sizes at which an algorithm is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// Powers of two.
    PowersOfTwo,
    /// Fibonacci numbers.
    Fibonacci,
}

impl Sizes {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sizes::PowersOfTwo => "2^k",
            Sizes::Fibonacci => "fibonacci",
        }
    }

    /// Some of them up to `most`: the largest, one that is about a sixteenth of it, and one far below.
    fn up_to(self, most: u32) -> Vec<u32> {
        let all: Vec<u32> = match self {
            Sizes::PowersOfTwo => (2..=most.max(1).ilog2()).map(|k| 1 << k).collect(),
            Sizes::Fibonacci => {
                let pairs = std::iter::successors(Some((3u64, 5u64)), |&(a, b)| Some((b, a + b)));
                pairs.map(|(a, _)| a).take_while(|&a| a <= u64::from(most)).map(|a| a as u32).collect()
            }
        };
        let (step, far) = match self {
            Sizes::PowersOfTwo => (4, 10),
            Sizes::Fibonacci => (6, 15),
        };
        let places = [far, step, 0].map(|back| all.len().checked_sub(1 + back));
        places.into_iter().flatten().map(|place| all[place]).collect()
    }
}

/// A measurement.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The number of processes.
    pub n: u32,
    /// The messages of the election.
    pub election_messages: u64,
    /// The proved bound, where it applies.
    pub bound: Option<u64>,
    /// The arrangement.
    pub arrangement: String,
}

impl Measured {
    /// The messages by n·log2 n.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let n = f64::from(self.n);
        self.election_messages as f64 / (n * n.log2())
    }
}

/// Measures every election that has a published constant, up to this many processes: the rows in the order of the
/// constants, the largest first.
///
/// # Errors
/// If a run is refused, or the watcher stops it.
pub fn constants(
    entries: &[Entry],
    most: u32,
    threads: usize,
    watcher: &dyn Watcher,
) -> Result<Vec<Row>, Trouble> {
    let mut rows = Vec::new();
    let entries: Vec<&Entry> = entries
        .iter()
        .filter(|entry| entry.spec.cost.constant.is_some() && trouble::suited(entry).is_ok())
        .collect();
    for (done, entry) in (0..).zip(&entries) {
        let Some(constant) = entry.spec.cost.constant else { continue };
        let kinds = [Sizes::PowersOfTwo, Sizes::Fibonacci].map(|sizes| (sizes, sizes.up_to(most)));
        let mut best: Option<(Sizes, Vec<Measured>)> = None;
        for (sizes, listed) in kinds {
            let measured =
                listed.iter().map(|&n| measure(entry, n, threads)).collect::<Result<Vec<_>, _>>()?;
            // At one size or the other luck decides.
            let ratio = |measured: &[Measured]| {
                measured.iter().map(Measured::ratio).sum::<f64>() / measured.len().max(1) as f64
            };
            if best.as_ref().is_none_or(|(_, before)| ratio(&measured) > ratio(before)) {
                best = Some((sizes, measured));
            }
        }
        let progress = Progress { done: done + 1, total: entries.len() as u64, messages: 0 };
        if watcher.progress(&progress).is_break() {
            return Err(Trouble::Stopped);
        }
        let Some((sizes, measured)) = best else { continue };
        let per_process = |one: &Measured| one.election_messages as f64 / f64::from(one.n);
        let slope = match measured.as_slice() {
            [.., a, b] => {
                let doublings = f64::from(b.n).log2() - f64::from(a.n).log2();
                Some((per_process(b) - per_process(a)) / doublings)
            }
            [_] | [] => None,
        };
        let known = entry.spec.worst_ids.is_some();
        rows.push(Row { algorithm: entry.spec.name, constant, sizes, measured, slope, known });
    }
    rows.sort_by(|a, b| b.constant.value.total_cmp(&a.constant.value));
    Ok(rows)
}

/// The worst of the known arrangements at this size, in rounds.
fn measure(entry: &Entry, n: u32, threads: usize) -> Result<Measured, Trouble> {
    let question = Question { one_schedule: true, ..Question::new(entry, n) };
    let judge = Judge::new(&question)?;
    let known = few(&judge, n);
    let reports = parallel::map(known.len(), threads, &|number| {
        judge.run_with(&known[number].ids, &judge.scenario.schedule)
    })?;
    let worst = reports.iter().zip(&known).rev().max_by_key(|(report, _)| report.election_messages);
    let Some((report, named)) = worst else { return Err(Trouble::Stopped) };
    Ok(Measured {
        n,
        election_messages: report.election_messages,
        bound: report.bound.as_ref().map(|bound| bound.value),
        arrangement: named.name.clone(),
    })
}
