//! Cluster: of those who may tell the truth, the ones that are closest together.

use super::filter::spread;
use crate::model::Ticks;

/// No fewer are left.
const LEAST: usize = 3;

/// The places of those that are left: as long as there are more than three, the one that is furthest from the others
/// goes, unless that is less than the smallest jitter of any of them alone. Of equals the later one goes.
///
/// How far each is counts as often as its weight says: in ntpd that is the root distance, so that whose interval is
/// wide goes first. Whether anybody goes at all is decided without weights.
#[must_use]
pub fn cluster(offsets: &[Ticks], weights: &[Ticks], jitters: &[Ticks]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..offsets.len()).collect();
    while left.len() > LEAST {
        let others: Vec<Ticks> = left.iter().map(|&place| offsets[place]).collect();
        let far = |&place: &usize| spread(offsets[place], &others, others.len() - 1);
        let weighed = |place: &usize| i128::from(far(place).parts()) * i128::from(weights[*place].parts());
        // Of equals `max_by_key` gives the last.
        let Some(worst) = left.iter().copied().max_by_key(weighed) else { break };
        let smallest = left.iter().map(|&place| jitters[place]).min();
        if smallest.is_some_and(|smallest| far(&worst) < smallest) {
            break;
        }
        left.retain(|&place| place != worst);
    }
    left
}
