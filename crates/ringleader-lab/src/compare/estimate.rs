//! How many messages a run will send, before it is made: from smaller sizes, by their growth.

use super::{Comparison, Place};
use ringleader::model::Facts;
use ringleader::registry::Problem;

/// Where too little is known, these sizes are tried first; they cost next to nothing.
const PILOTS: [u32; 2] = [64, 256];
/// So many runs of each: single ones differ much where phases are counted.
const PILOT_RUNS: u32 = 4;
/// Nothing here grows faster.
const EXPONENT_MAX: f64 = 4.0;

/// What is known of an algorithm under a load: sizes, in increasing order, and the mean number of messages at each.
#[derive(Clone, Default)]
pub(super) struct History {
    points: Vec<(u32, f64, u64)>,
    tried: bool,
}

impl History {
    /// A run of so many processes has sent so many messages.
    pub(super) fn note(&mut self, nodes: u32, messages: u64) {
        match self.points.iter_mut().find(|point| point.0 == nodes) {
            Some((_, mean, count)) => {
                *count += 1;
                *mean += (messages as f64 - *mean) / *count as f64;
            }
            None => {
                self.points.push((nodes, messages as f64, 1));
                self.points.sort_by_key(|point| point.0);
            }
        }
    }

    /// What the last two sizes below this one lead to.
    fn messages(&self, nodes: u32) -> Option<f64> {
        let below: Vec<_> = self.points.iter().filter(|point| point.0 < nodes && point.1 > 0.0).collect();
        let [.., (n1, m1, _), (n2, m2, _)] = below.as_slice() else { return None };
        let (n1, n2, n) = (f64::from(*n1), f64::from(*n2), f64::from(nodes));
        let exponent = ((m2 / m1).ln() / (n2 / n1).ln()).clamp(0.0, EXPONENT_MAX);
        Some(m2 * (n / n2).powf(exponent))
    }
}

/// About how many messages a run at this place will send; none where nothing is known, and where it does not matter.
pub(super) fn messages(comparison: &Comparison<'_>, place: Place, history: &mut History) -> Option<f64> {
    if place.nodes <= PILOTS[1] {
        return None;
    }
    if history.messages(place.nodes).is_none() && !history.tried {
        history.tried = true;
        for nodes in PILOTS {
            let pilot = Place { nodes, ..place };
            for run in 0..(comparison.runs)(place).min(PILOT_RUNS) {
                let scenario = (comparison.scenario)(pilot, run);
                // An arrangement for one size only, or an algorithm that is not for this one: then it stays unknown.
                if let Ok(report) = comparison.algorithms[place.algorithm].run(&scenario, &mut ()) {
                    history.note(nodes, report.messages);
                }
            }
        }
    }
    let (average, bound) = formulas(comparison, place);
    // Two sizes that happen to be far from their means lead far astray, but never beyond what is proved.
    let grown = history.messages(place.nodes).map(|grown| bound.map_or(grown, |bound| grown.min(bound)));
    grown.or(average).or(bound)
}

/// What the contract says of elections, on average and at most, the announcement included.
fn formulas(comparison: &Comparison<'_>, place: Place) -> (Option<f64>, Option<f64>) {
    let entry = comparison.algorithms[place.algorithm];
    if entry.problem == Problem::Mutex {
        return (None, None);
    }
    let facts = Facts::plain(u64::from(place.nodes));
    let announced = |messages: f64| messages + f64::from(place.nodes);
    let cost = &entry.spec.cost;
    let average = cost.average.and_then(|average| (average.value)(&facts));
    let bound = cost.worst.and_then(|worst| worst.value(&facts));
    (average.map(announced), bound.map(|bound| announced(bound as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_sizes_lead_on() {
        let mut history = History::default();
        assert_eq!(history.messages(1000), None);
        for (n, messages) in [(100, 10_000), (10, 90), (10, 110)] {
            history.note(n, messages);
        }
        let expected = history.messages(1000).unwrap();
        assert!((expected - 1e6).abs() < 1.0, "{expected}");
        assert_eq!(history.messages(100), None, "one size below is not enough");
    }
}
