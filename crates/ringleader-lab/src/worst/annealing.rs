//! Simulated annealing over arrangements: swap two, reverse, turn or move a stretch, exchange two stretches.
//!
//! A worse arrangement is accepted with probability e^(-difference / temperature), which is how often an exponentially
//! distributed number of that mean is at least the difference: no logarithm is taken, so that every platform finds the
//! same. Each restart has its own draws, whatever the number of threads.

use super::Trouble;
use super::judge::Judge;
use ringleader::rng::{Purpose, Rng, mix};

/// A step of temperature, as parts of a message.
const FINE: u64 = 256;

/// An arrangement and what it costs.
#[derive(Clone)]
pub(crate) struct Best {
    pub(crate) ids: Vec<u64>,
    pub(crate) count: u64,
}

/// The draws of one restart.
pub(crate) fn draws(seed: u64, restart: u64) -> Rng {
    Rng::new(seed ^ mix(restart + 1), Purpose::Ids)
}

/// So many runs from this arrangement on. `tell` hears of each, and may stop it.
pub(crate) fn anneal(
    judge: &Judge<'_>,
    start: Best,
    runs: u64,
    rng: &mut Rng,
    tell: &dyn Fn(u64) -> Result<(), Trouble>,
) -> Result<Best, Trouble> {
    let n = start.ids.len();
    let mut best = start.clone();
    let mut current = start;
    if n < 3 {
        return Ok(best);
    }
    let mut trial = current.ids.clone();
    // A fiftieth of what is sent is much to give up, and hardly happens any more at the end.
    let hottest = (current.count / 50).max(1) * FINE;
    for run in 0..runs {
        trial.clone_from(&current.ids);
        change(&mut trial, rng);
        let count = judge.count(&trial)?;
        let left = runs - run;
        let temperature = (u128::from(hottest) * u128::from(left).pow(2) / u128::from(runs).pow(2)) as u64;
        let lost = if judge.is_worse(count, current.count) { 0 } else { count.abs_diff(current.count) };
        if lost == 0 || rng.exponential(temperature) >= lost * FINE {
            std::mem::swap(&mut current.ids, &mut trial);
            current.count = count;
            if judge.is_worse(count, best.count) {
                best = current.clone();
            }
        }
        tell(best.count)?;
    }
    Ok(best)
}

/// One change.
fn change(ids: &mut [u64], rng: &mut Rng) {
    let n = ids.len() as u64;
    let place = |rng: &mut Rng, below: u64| rng.below(below) as usize;
    // Half of the stretches are short: late changes are small.
    let longest = if rng.below(2) == 0 { n.min(8) } else { n };
    let length = 2 + place(rng, longest - 1);
    let from = place(rng, n - length as u64 + 1);
    match rng.below(6) {
        0 => {
            let (a, b) = (place(rng, n), place(rng, n));
            ids.swap(a, b);
        }
        1 => ids[from..from + length].reverse(),
        2 => ids[from..from + length].rotate_left(1),
        3 => ids[from..from + length].rotate_right(1),
        4 => {
            let by = 1 + place(rng, length as u64 - 1);
            ids[from..from + length].rotate_left(by);
        }
        _ => {
            // The first and the last part of the stretch exchange places; what is between them stays.
            let part = 1 + place(rng, length as u64 / 2);
            let (front, back) = ids[from..from + length].split_at_mut(length - part);
            front[..part].swap_with_slice(back);
        }
    }
}
