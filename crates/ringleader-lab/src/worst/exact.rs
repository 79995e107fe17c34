//! Every arrangement, up to rotation where a rotated ring sends the same.

use super::judge::Judge;
use super::{Distribution, Over, Progress, Question, Trouble, Watcher, parallel};
use crate::worst::Method;
use ringleader::model::Arranged;
use ringleader::network::arrangement::Arrangement;
use std::sync::atomic::{AtomicU64, Ordering};

/// The arrangements that are to be tried.
pub(crate) struct Space {
    n: u64,
    /// Whether the largest identity always comes first.
    turns: bool,
    arrangements: u64,
}

/// What came of trying them all.
pub(crate) struct Tried {
    pub(crate) ids: Vec<u64>,
    pub(crate) count: u64,
    pub(crate) distribution: Distribution,
}

/// What fits into the time that nobody minds, in messages: a minute of one thread, roughly.
const WORK_USUAL: u128 = 3_000_000_000;
/// What may be insisted on: hours.
const WORK_MOST: u128 = 1_000_000_000_000;
/// What a run costs beside its messages, in messages.
const RUN: u128 = 150;
/// What a state costs in the checker, in messages.
const STATE: u128 = 100;
/// An arrangement is one chunk of work for a thread with this many others.
const CHUNK: u64 = 512;

/// How many arrangements there are, if they can all be tried.
pub(crate) fn estimate(question: &Question<'_>, judge: &Judge<'_>) -> Result<Space, Trouble> {
    let n = question.scenario.n;
    let turns = judge.turns();
    let factors = if turns { n.saturating_sub(1) } else { n };
    let arrangements = (1..=u128::from(factors)).try_fold(1u128, u128::checked_mul).unwrap_or(u128::MAX);
    let work = match question.method {
        Method::Exact => WORK_MOST,
        Method::Either | Method::Search => WORK_USUAL,
    };
    let too_large = |states, each: u128| {
        let most = question.budget.map_or(work / each.max(1), u128::from);
        Err(Trouble::TooLarge { arrangements, states, most })
    };
    if let Some(budget) = question.budget
        && arrangements > u128::from(budget)
    {
        return too_large(None, 1);
    }
    // Trying one takes time as well, of the checker more than can be told in advance.
    if arrangements > work / RUN {
        return too_large(None, RUN);
    }
    let mut each = 0;
    let mut states = None;
    for how in [Arranged::Descending, Arranged::BitReversal, Arranged::Fibonacci] {
        let ids: Vec<u64> = Arrangement::arranged(n, how).names().collect();
        each = match judge.over {
            Over::Same | Over::RoundsSendMost | Over::Asked | Over::Several => {
                let report = judge.run_with(&ids, &judge.scenario.schedule)?;
                each.max(u128::from(report.messages) + RUN)
            }
            Over::Every => {
                let most = (work / arrangements / STATE).max(1000);
                let findings = judge.check(&ids, u64::try_from(most).ok(), None)?;
                states = states.max(Some(findings.states));
                if findings.limit.is_some() {
                    return too_large(states, u128::from(findings.states) * STATE);
                }
                each.max(u128::from(findings.states) * STATE)
            }
        };
        if question.budget.is_none() && arrangements.saturating_mul(each) > work {
            return too_large(states, each);
        }
    }
    match u64::try_from(arrangements) {
        Ok(arrangements) => Ok(Space { n: u64::from(n), turns, arrangements }),
        Err(_) => too_large(states, each),
    }
}

/// Tries them all.
pub(crate) fn exhaust(
    judge: &Judge<'_>,
    space: &Space,
    threads: usize,
    watcher: &dyn Watcher,
) -> Result<Tried, Trouble> {
    let chunk = if judge.over == Over::Every { 8 } else { CHUNK };
    let chunks = space.arrangements.div_ceil(chunk);
    let (done, seen) = (AtomicU64::new(0), AtomicU64::new(0));
    let parts = parallel::map(chunks as usize, threads, &|number| {
        let from = number as u64 * chunk;
        let until = (from + chunk).min(space.arrangements);
        let part = space.part(judge, from, until)?;
        let tried = done.fetch_add(until - from, Ordering::Relaxed) + until - from;
        let before = seen.load(Ordering::Relaxed);
        if before == 0 || judge.is_worse(part.count, before) {
            seen.store(part.count, Ordering::Relaxed);
        }
        let messages = seen.load(Ordering::Relaxed);
        if watcher.progress(&Progress { done: tried, total: space.arrangements, messages }).is_break() {
            return Err(Trouble::Stopped);
        }
        Ok(part)
    })?;
    let mut parts = parts.into_iter();
    let Some(mut all) = parts.next() else { return Err(Trouble::Stopped) };
    for part in parts {
        all.distribution.merge(&part.distribution);
        if judge.is_worse(part.count, all.count) {
            (all.count, all.ids) = (part.count, part.ids);
        }
    }
    Ok(all)
}

impl Space {
    /// The arrangement with this number, in lexicographic order.
    fn arrangement(&self, number: u64) -> Vec<u64> {
        let mut ids = Vec::with_capacity(self.n as usize);
        let mut left: Vec<u64> = (1..=self.n).collect();
        if self.turns {
            ids.extend(left.pop());
        }
        let mut rest = number;
        while !left.is_empty() {
            let ways: u64 = (1..left.len() as u64).product();
            ids.push(left.remove((rest / ways) as usize));
            rest %= ways;
        }
        ids
    }

    /// Tries some of them.
    fn part(&self, judge: &Judge<'_>, from: u64, until: u64) -> Result<Tried, Trouble> {
        let mut ids = self.arrangement(from);
        let fixed = usize::from(self.turns);
        let count = judge.count(&ids)?;
        let mut tried = Tried { ids: ids.clone(), count, distribution: Distribution::default() };
        tried.distribution.add(count);
        for _ in from + 1..until {
            advance(&mut ids[fixed..]);
            let count = judge.count(&ids)?;
            tried.distribution.add(count);
            if judge.is_worse(count, tried.count) {
                tried.count = count;
                tried.ids.clone_from(&ids);
            }
        }
        Ok(tried)
    }
}

/// The next permutation in lexicographic order; the last is left as it is.
fn advance(ids: &mut [u64]) {
    let Some(fall) = ids.windows(2).rposition(|pair| pair[0] < pair[1]) else { return };
    if let Some(larger) = ids.iter().rposition(|&id| id > ids[fall]) {
        ids.swap(fall, larger);
        ids[fall + 1..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrangement_once() {
        for (turns, arrangements) in [(true, 24), (false, 120)] {
            let space = Space { n: 5, turns, arrangements };
            let mut ids = space.arrangement(0);
            for number in 0..arrangements {
                assert_eq!(ids, space.arrangement(number), "{number}");
                assert!(!turns || ids[0] == 5);
                let before = ids.clone();
                advance(&mut ids[usize::from(turns)..]);
                assert!(ids > before || number + 1 == arrangements);
            }
        }
    }
}
