//! Which clocks a master believes: the largest group that agrees.

use crate::model::{Peer, Ticks};

/// The largest set of readings that lie within `gamma` of each other. Of equally large ones that with the master in it,
/// then the lowest.
///
/// Readings of 0, 25, -10 and 600 with γ = 60: the first three.
#[must_use]
pub fn largest_group(readings: &[(Peer, Ticks)], gamma: Ticks, master: Peer) -> Vec<(Peer, Ticks)> {
    let mut sorted = readings.to_vec();
    sorted.sort_unstable_by_key(|&(who, reading)| (reading, who));
    let window = |first: usize| {
        let least = sorted[first].1;
        sorted[first..].iter().take_while(|(_, reading)| *reading - least <= gamma).count()
    };
    let mut best: Option<(usize, bool, usize)> = None;
    for first in 0..sorted.len() {
        let size = window(first);
        let has_master = sorted[first..first + size].iter().any(|&(who, _)| who == master);
        // A later window only wins by more members, or by the master: the lower one comes first.
        if best.is_none_or(|(most, had, _)| (size, has_master) > (most, had)) {
            best = Some((size, has_master, first));
        }
    }
    best.map_or_else(Vec::new, |(size, _, first)| sorted[first..first + size].to_vec())
}

/// The mean of readings, rounded down to a part of a tick.
#[must_use]
pub fn mean(readings: &[(Peer, Ticks)]) -> Ticks {
    let sum: Ticks = readings.iter().map(|&(_, reading)| reading).sum();
    sum.over(readings.len().max(1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(ticks: &[i64]) -> Vec<(Peer, Ticks)> {
        (0..).map(Peer).zip(ticks.iter().map(|&ticks| Ticks::whole(ticks))).collect()
    }

    fn adjustments(ticks: &[i64], gamma: i64) -> (Vec<u32>, Vec<Ticks>) {
        let readings = readings(ticks);
        let mut group = largest_group(&readings, Ticks::whole(gamma), Peer(0));
        let mean = mean(&group);
        group.sort_unstable_by_key(|&(who, _)| who);
        (group.iter().map(|&(who, _)| who.0).collect(), readings.iter().map(|&(_, r)| mean - r).collect())
    }

    #[test]
    fn one_bad_clock_is_not_followed() {
        let (group, by) = adjustments(&[0, 25, -10, 600], 60);
        assert_eq!(group, [0, 1, 2]);
        assert_eq!(by, [5, -20, 15, -595].map(Ticks::whole));
    }

    #[test]
    fn of_two_groups_that_with_the_master() {
        let (group, by) = adjustments(&[0, 5, 100, 105], 10);
        assert_eq!(group, [0, 1]);
        assert_eq!(by, [5, -5, -195, -205].map(|halves| Ticks::ratio(halves, 2)));
        // The master in the upper one.
        let (group, _) = adjustments(&[0, -100, -105, 5], 10);
        assert_eq!(group, [0, 3]);
    }

    #[test]
    fn the_lower_of_two_groups_without_the_master() {
        let (group, _) = adjustments(&[0, 100, 105, 200, 205], 10);
        assert_eq!(group, [1, 2]);
    }
}
