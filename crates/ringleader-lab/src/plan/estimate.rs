//! How many states a check will find, from what fewer processes gave: whoever asks for too much should know before.

use ringleader::check::{Answer, Arrangements, Progress, Scope, Watcher};
use ringleader::registry::Entry;
use ringleader::sim::Entries;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Smaller checks are over before anybody could read an estimate.
const FROM_NODES: u32 = 5;
/// How many fewer processes are looked at, at most.
const FEWER: u32 = 8;
/// No more states are looked at for an estimate.
const STATES_MAX: u64 = 200_000;
/// What a state takes, table, edges and queue together: 110 to 180 bytes were measured (bully, misra-bounded).
const BYTES_PER_STATE: u64 = 100;
/// No more time is spent on it.
const TIME_MAX: Duration = Duration::from_millis(1500);

/// How many states there are for a few numbers of processes, one after the other.
#[derive(Clone, Debug)]
pub struct StateGrowth {
    first: u32,
    states: Vec<u64>,
    /// Those of the largest case: cases are searched one after the other, and memory is needed for one.
    at_once: Vec<u64>,
}

impl StateGrowth {
    /// Checks fewer processes, a few numbers of them, as far as that is quick.
    #[must_use]
    pub fn measure(entry: &Entry, scope: &Scope) -> Option<StateGrowth> {
        let listed =
            matches!(scope.ids, Arrangements::Listed(_)) || matches!(scope.entries, Entries::Listed(_));
        if listed || scope.n < FROM_NODES {
            return None;
        }
        let clock = Clock((!cfg!(target_family = "wasm")).then(Instant::now));
        let first = scope.n.saturating_sub(FEWER).max(2);
        let (mut states, mut at_once) = (Vec::new(), Vec::new());
        for n in first..scope.n {
            let smaller = Scope { n, max_states: Some(STATES_MAX), threads: 1, ..scope.clone() };
            match entry.check(&smaller, &[], &clock) {
                Ok(findings) if findings.answer == Answer::Holds => {
                    states.push(findings.states);
                    at_once.push(findings.visited_states);
                }
                // Where it is violated the search ends early, and its size says nothing.
                Ok(_) | Err(_) => break,
            }
        }
        (states.len() >= 2).then_some(StateGrowth { first, states, at_once })
    }

    /// The states with `n` processes: counted if they were, extrapolated beyond.
    #[must_use]
    pub fn at(&self, n: u32) -> Option<u64> {
        self.term(&self.states, n)
    }

    /// The bytes that `n` processes need, roughly.
    #[must_use]
    pub fn bytes_at(&self, n: u32) -> Option<u64> {
        self.term(&self.at_once, n).map(|states| states.saturating_mul(BYTES_PER_STATE))
    }

    fn term(&self, terms: &[u64], n: u32) -> Option<u64> {
        let place = n.checked_sub(self.first)? as usize;
        match terms.get(place) {
            Some(&term) => Some(term),
            None => extrapolated(terms, place + 1 - terms.len()),
        }
    }
}

/// So many terms further. States grow a little faster than geometrically: the ratio of neighbours grows, too, about
/// linearly (chang-roberts, all arrangements, every interleaving: 7.4, 9.8, 12.1, 14.4 times).
fn extrapolated(states: &[u64], further: usize) -> Option<u64> {
    let ratios: Vec<f64> = states.windows(2).map(|pair| pair[1] as f64 / pair[0].max(1) as f64).collect();
    let (mut value, mut ratio) = (*states.last()? as f64, *ratios.last()?);
    let growth = match ratios.as_slice() {
        [.., before, last] => (last - before).max(0.0),
        _ => 0.0,
    };
    for _ in 0..further {
        ratio += growth;
        value *= ratio;
    }
    Some(value as u64)
}

/// Ends a small check that is not quick. In a browser there is no clock: there the number of states alone does.
struct Clock(Option<Instant>);

impl Watcher for Clock {
    fn progress(&self, _: &Progress) -> ControlFlow<()> {
        let late = self.0.is_some_and(|begun| begun.elapsed() >= TIME_MAX);
        if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All arrangements of chang-roberts, every interleaving, n = 3 to 7.
    const MEASURED: [u64; 5] = [25, 185, 1805, 21_843, 315_587];

    #[test]
    fn what_was_measured_is_extrapolated() {
        let near = |estimate: u64, true_value: u64| {
            let off = estimate as f64 / true_value as f64;
            assert!((0.8..1.25).contains(&off), "{estimate} for {true_value}");
        };
        for end in 3..MEASURED.len() {
            near(extrapolated(&MEASURED[end - 3..end], 1).unwrap(), MEASURED[end]);
        }
        let growth = StateGrowth { first: 3, states: MEASURED[..3].to_vec(), at_once: vec![5, 10, 20] };
        assert_eq!(growth.at(4), Some(185));
        near(growth.at(6).unwrap(), MEASURED[3]);
        near(growth.at(7).unwrap(), MEASURED[4]);
        assert_eq!(growth.at(2), None);
        assert_eq!(growth.bytes_at(6), Some(40 * BYTES_PER_STATE));
    }

    #[test]
    fn two_terms_are_enough_and_nothing_overflows() {
        assert_eq!(extrapolated(&[10, 30], 2), Some(270));
        assert_eq!(extrapolated(&[7, 7, 7], 5), Some(7));
        assert_eq!(extrapolated(&[100, 50, 20], 1), Some(8));
        assert_eq!(extrapolated(&[0, 5], 1), Some(25));
        assert_eq!(extrapolated(&[1, u64::MAX], 9), Some(u64::MAX));
        assert_eq!(extrapolated(&[5], 1), None);
    }
}
