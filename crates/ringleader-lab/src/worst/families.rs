//! A search: known families of arrangements first, then annealing from the best of them and from chance.

use super::annealing::{Best, anneal, draws};
use super::judge::Judge;
use super::{Found, Progress, Question, Trouble, Watcher, grown, parallel};
use ringleader::model::Arranged;
use ringleader::network::arrangement::Arrangement;
use std::sync::atomic::{AtomicU64, Ordering};

/// An arrangement with a name.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) ids: Vec<u64>,
    pub(crate) of_contract: bool,
}

/// The best of a search.
pub(crate) struct Searched {
    pub(crate) ids: Vec<u64>,
    pub(crate) count: u64,
    pub(crate) found: Found,
}

/// How many times annealing begins anew.
const RESTARTS: u64 = 8;
/// Messages that a search may send, all runs together: half a minute of one thread.
const MESSAGES: u64 = 300_000_000;
/// More runs do not help small rings.
const RUNS_MOST: u64 = 40_000;
/// Up to here every multiple is tried; beyond, those near the ratios that have proved bad.
const EVERY_MULTIPLE: u64 = 128;
/// Beyond, building on the best of smaller rings takes too long.
const GROWN_MOST: u32 = 20_000;
/// With fewer runs, it would use up most of them.
const GROWN_FROM: u64 = 2000;

/// Searches.
pub(crate) fn search(
    question: &Question<'_>,
    judge: &Judge<'_>,
    watcher: &dyn Watcher,
) -> Result<Searched, Trouble> {
    let n = question.scenario.n;
    let mut known = if question.families { families(judge, n, true) } else { Vec::new() };
    let runs = question.budget.unwrap_or_else(|| runs(judge));
    if question.families && n <= GROWN_MOST && runs >= GROWN_FROM {
        known.extend(grown::grown(judge, question.threads)?);
    }
    if !question.families {
        let ids = Arrangement::random(n, question.scenario.seed).names().collect();
        known.push(Named { name: "random".into(), ids, of_contract: false });
    }
    let runs = runs.saturating_sub(judge.evaluations());
    known.truncate(usize::try_from(runs.max(1)).unwrap_or(usize::MAX));
    let (done, seen) = (AtomicU64::new(0), AtomicU64::new(0));
    let total = runs.max(known.len() as u64);
    let tell = |count: u64| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let before = seen.load(Ordering::Relaxed);
        if before == 0 || judge.is_worse(count, before) {
            seen.store(count, Ordering::Relaxed);
        }
        let messages = seen.load(Ordering::Relaxed);
        match watcher.progress(&Progress { done: done.min(total), total, messages }).is_break() {
            true => Err(Trouble::Stopped),
            false => Ok(()),
        }
    };
    let counts = parallel::map(known.len(), question.threads, &|number| {
        let count = judge.count(&known[number].ids)?;
        tell(count)?;
        Ok(count)
    })?;
    // The worst first; of equals, the one that was listed first.
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by(|&a, &b| {
        let worse = |x: usize, y: usize| judge.is_worse(counts[x], counts[y]);
        worse(b, a).cmp(&worse(a, b)).then(a.cmp(&b))
    });
    let Some(&first) = order.first() else { return Err(Trouble::Stopped) };
    let found = match &known[first] {
        named if named.of_contract => Found::Construction,
        named if question.families => Found::Family(named.name.clone()),
        _ => Found::Annealing,
    };
    let mut best = Searched { ids: known[first].ids.clone(), count: counts[first], found };
    let each = runs.saturating_sub(known.len() as u64) / RESTARTS;
    if each == 0 || n < 3 {
        return Ok(best);
    }
    let ends = parallel::map(RESTARTS as usize, question.threads, &|restart| {
        let mut rng = draws(question.scenario.seed, restart as u64);
        // Every other one from chance.
        let start = match order.get(restart / 2) {
            Some(&place) if restart % 2 == 0 => Best { ids: known[place].ids.clone(), count: counts[place] },
            Some(_) | None => {
                let mut ids: Vec<u64> = (1..=u64::from(n)).collect();
                rng.shuffle(&mut ids);
                Best { count: judge.count(&ids)?, ids }
            }
        };
        // One run was its start, or would have been.
        anneal(judge, start, each - 1, &mut rng, &tell)
    })?;
    for end in ends {
        if judge.is_worse(end.count, best.count) {
            best = Searched { ids: end.ids, count: end.count, found: Found::Annealing };
        }
    }
    Ok(best)
}

/// How many runs a search may take.
fn runs(judge: &Judge<'_>) -> u64 {
    let n = u64::from(judge.scenario.n);
    let reversed: Vec<u64> = Arrangement::arranged(judge.scenario.n, Arranged::BitReversal).names().collect();
    let schedule = &judge.scenario.schedule;
    let messages = judge.run_with(&reversed, schedule).map_or(n * n, |report| report.messages);
    let each = judge.weight() * messages + n + 500;
    (MESSAGES / each).clamp(1, RUNS_MOST)
}

/// The few that are worth a run of a million processes: the worst of the contract, and the two that are bad for phases
/// that halve the active processes, or leave the golden section of them. Without the first, these in every form.
pub(crate) fn few(judge: &Judge<'_>, n: u32) -> Vec<Named> {
    let mut all = families(judge, n, false);
    let forms = judge.entry.spec.worst_ids.is_none();
    all.retain(|named| {
        let kind = named.name.split(',').next().unwrap_or_default();
        let bad = matches!(kind, "bit-reversal" | "fibonacci");
        named.of_contract || bad && (forms || named.name == kind)
    });
    all
}

/// The known families for this many processes; `many` also those of many members.
pub(crate) fn families(judge: &Judge<'_>, n: u32, many: bool) -> Vec<Named> {
    let contract = judge.entry.spec.worst_ids.map(|how| ("the worst of the contract", how));
    let known = [
        ("descending", Arranged::Descending),
        ("bit-reversal", Arranged::BitReversal),
        ("fibonacci", Arranged::Fibonacci),
        ("ascending", Arranged::Ascending),
        ("alternating", Arranged::Alternating),
    ];
    let mut all: Vec<Named> = Vec::new();
    for (name, how) in contract.into_iter().chain(known) {
        let ids: Vec<u64> = Arrangement::arranged(n, how).names().collect();
        let of_contract = contract.is_some_and(|(of, _)| of == name);
        for (turned, ids) in seen_otherwise(&ids) {
            let of_contract = of_contract && turned.is_empty();
            add(&mut all, Named { name: format!("{name}{turned}"), ids, of_contract });
        }
    }
    if many {
        for step in multiples(u64::from(n)) {
            let n = u64::from(n);
            let ids = (0..n).map(|i| 1 + (u128::from(i) * u128::from(step) % u128::from(n)) as u64).collect();
            add(&mut all, Named { name: format!("multiples of {step}"), ids, of_contract: false });
        }
    }
    if !judge.turns() {
        // Where it matters who stands where, the largest and the smallest in the first place as well.
        for place in 0..all.len() {
            for (at, id) in [("largest", u64::from(n)), ("smallest", 1)] {
                let mut ids = all[place].ids.clone();
                let from = ids.iter().position(|&other| other == id).unwrap_or(0);
                ids.rotate_left(from);
                let name = format!("{}, the {at} first", all[place].name);
                add(&mut all, Named { name, ids, of_contract: false });
            }
        }
    }
    all
}

fn add(all: &mut Vec<Named>, named: Named) {
    if !all.iter().any(|other| other.ids == named.ids) {
        all.push(named);
    }
}

/// The arrangement, the other way round, with small and large exchanged, and both.
pub(crate) fn seen_otherwise(ids: &[u64]) -> [(&'static str, Vec<u64>); 4] {
    let n = ids.len() as u64;
    let reversed: Vec<u64> = ids.iter().rev().copied().collect();
    let complement = |ids: &[u64]| ids.iter().map(|id| n + 1 - id).collect::<Vec<u64>>();
    let both = complement(&reversed);
    [
        ("", ids.to_vec()),
        (", reversed", reversed),
        (", small for large", complement(ids)),
        (", reversed, small for large", both),
    ]
}

/// Steps without a common divisor with n.
fn multiples(n: u64) -> Vec<u64> {
    let coprime = |step: &u64| *step > 1 && *step < n && common(n, *step) == 1;
    if n <= EVERY_MULTIPLE {
        return (2..n).filter(coprime).collect();
    }
    // Powers of the golden section and of the square root of two less one, in ten-thousandths, and what is near them.
    let ratios = [6180u64, 3820, 2361, 1459, 902, 4142, 1716, 5858, 5000, 3333];
    let near = ratios.iter().filter_map(|ratio| {
        let about = n * ratio / 10_000;
        (0..20).flat_map(|off| [about + off, about.saturating_sub(off)]).find(|step| coprime(step))
    });
    near.collect()
}

fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}
