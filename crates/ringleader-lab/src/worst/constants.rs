//! The table of message constants: the worst that is known of every election whose worst case grows as n·log2 n, beside
//! the factor that was published.

use super::families::few;
use super::judge::Judge;
use super::{Progress, Question, Trouble, Watcher, parallel, trouble};
use ringleader::model::{Constant, GrowingSizes};
use ringleader::registry::Entry;

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The algorithm.
    pub algorithm: &'static str,
    /// What was published.
    pub constant: Constant,
    /// Which sizes are bad for it.
    pub sizes: GrowingSizes,
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

/// Some of these sizes up to `most`: the largest, one that is about a sixteenth of it, and one far below.
fn up_to(sizes: GrowingSizes, most: u32) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    for k in 0.. {
        match u32::try_from((sizes.nth)(k)) {
            Ok(n) if n <= most && all.last().is_none_or(|&before| before < n) => {
                all.extend((n > 2).then_some(n))
            }
            Ok(_) | Err(_) => break,
        }
    }
    let Some(&last) = all.last() else { return all };
    let places = [1024, 16, 1].map(|part| all.iter().rfind(|&&n| n <= last / part).copied());
    places.into_iter().flatten().collect()
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
        let kinds = match entry.spec.cost.sizes {
            Some(sizes) => vec![sizes],
            None => vec![GrowingSizes::POWERS_OF_TWO, GrowingSizes::FIBONACCI],
        };
        let mut best: Option<(GrowingSizes, Vec<Measured>)> = None;
        for sizes in kinds {
            let listed = up_to(sizes, most);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_sizes_far_apart() {
        assert_eq!(up_to(GrowingSizes::POWERS_OF_TWO, 1_000_000), [512, 32_768, 524_288]);
        assert_eq!(up_to(GrowingSizes::FIBONACCI, 1_000_000), [610, 46_368, 832_040]);
        assert_eq!(up_to(GrowingSizes::POWERS_OF_THREE, 1_000_000), [243, 19_683, 531_441]);
        assert_eq!(up_to(GrowingSizes::POWERS_OF_TWO, 100), [4, 64]);
        assert!(up_to(GrowingSizes::FIBONACCI, 2).is_empty());
        for sizes in [GrowingSizes::POWERS_OF_TWO, GrowingSizes::FIBONACCI, GrowingSizes::POWERS_OF_THREE] {
            assert_eq!(up_to(sizes, u32::MAX).len(), 3, "{}", sizes.name);
        }
    }
}
