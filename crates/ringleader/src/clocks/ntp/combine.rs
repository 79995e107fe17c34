//! Combine: one offset out of several, each the heavier the less it may be off.

use super::select::Candidate;
use crate::model::Ticks;

/// A smaller distance, some sixtieth of a tick, weighs no more.
const LEAST: u128 = 1 << 20;

/// The mean of the offsets with weights 1/λ, rounded to the nearest part of a tick; none of nobody.
#[must_use]
pub fn combine(survivors: &[Candidate]) -> Option<Ticks> {
    // As whole numbers: 2^90/λ. With offsets below 10^16 parts the sums have room.
    let weight = |one: &Candidate| {
        ((1u128 << 90) / u128::from(one.distance.parts().unsigned_abs()).max(LEAST)) as i128
    };
    let weights = survivors.iter().map(weight).sum::<i128>();
    let sum = survivors.iter().map(|one| i128::from(one.offset.parts()) * weight(one)).sum::<i128>();
    (weights > 0).then(|| Ticks::of_parts((2 * sum + weights).div_euclid(2 * weights) as i64))
}
