//! Arrangements built on the best of smaller rings: new identities, all smaller or all larger than those that are
//! there, put into the gaps between them. Twice as many at each step, or by the golden section: phases halve the
//! active processes of some algorithms, and leave as many of others as the Fibonacci number before.

use super::families::Named;
use super::judge::Judge;
use super::{Trouble, parallel};
use ringleader::sim::Initiators;

/// From here on all arrangements are tried.
const BASE: u32 = 5;

/// The best that each way of growing leads to.
pub(crate) fn grown(judge: &Judge<'_>, threads: usize) -> Result<Vec<Named>, Trouble> {
    // With fewer processes somebody who is to start may not be there.
    if judge.scenario.initiators != Initiators::All {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for (name, half) in [("grown by doubling", true), ("grown by the golden section", false)] {
        let ids = grow(judge, judge.scenario.n, half, threads)?;
        all.push(Named { name: name.into(), ids, of_contract: false });
    }
    Ok(all)
}

fn grow(judge: &Judge<'_>, n: u32, half: bool, threads: usize) -> Result<Vec<u64>, Trouble> {
    let here = judge.with_nodes(n);
    let candidates = if n <= BASE {
        all_arrangements(u64::from(n))
    } else {
        let smaller = if half { n.div_ceil(2) } else { golden(n) };
        candidates(&grow(judge, smaller, half, threads)?, n as usize)
    };
    let counts = parallel::map(candidates.len(), threads, &|number| here.count(&candidates[number]))?;
    judge.add_evaluations(&here);
    let mut best = 0;
    for place in 1..counts.len() {
        if judge.is_worse(counts[place], counts[best]) {
            best = place;
        }
    }
    Ok(candidates.into_iter().nth(best).unwrap_or_default())
}

/// Of this many, as many as the golden section leaves: the Fibonacci number before, if it is one.
fn golden(n: u32) -> u32 {
    ((u64::from(n) * 6_180_339_887 + 5_000_000_000) / 10_000_000_000) as u32
}

fn all_arrangements(n: u64) -> Vec<Vec<u64>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with = |ids: &Vec<u64>, place: usize| {
        let mut ids = ids.clone();
        ids.insert(place, n);
        ids
    };
    let smaller = all_arrangements(n - 1);
    smaller.iter().flat_map(|ids| (0..ids.len().max(1)).map(move |place| with(ids, place))).collect()
}

/// The arrangements of `n` that these identities can grow to.
fn candidates(ids: &[u64], n: usize) -> Vec<Vec<u64>> {
    let (old, new) = (ids.len(), n - ids.len());
    // Into which gaps: each gap is after one of those that are there.
    let chosen_by =
        |rank: &dyn Fn(usize) -> usize| -> Vec<bool> { (0..old).map(|i| rank(i) < new).collect() };
    let even = (0..old).map(|i| (i + 1) * new / old > i * new / old).collect();
    let gaps: [Vec<bool>; 5] = [
        even,
        chosen_by(&|i| ids[i] as usize - 1),
        chosen_by(&|i| old - ids[i] as usize),
        chosen_by(&|i| ids[(i + 1) % old] as usize - 1),
        chosen_by(&|i| old - ids[(i + 1) % old] as usize),
    ];
    let mut all = Vec::new();
    for gaps in gaps {
        for below in [true, false] {
            // The new ones in the order of those that they follow, against it, and rising and falling along the ring.
            for order in 0..4 {
                all.push(filled(ids, &gaps, new, below, order));
            }
        }
    }
    all
}

fn filled(ids: &[u64], gaps: &[bool], new: usize, below: bool, order: u32) -> Vec<u64> {
    let mut followed: Vec<u64> = (0..ids.len()).filter(|&i| gaps[i]).map(|i| ids[i]).collect();
    followed.sort_unstable();
    let old = ids.len() as u64;
    let mut filled = Vec::with_capacity(ids.len() + new);
    let mut placed = 0;
    for (i, &id) in ids.iter().enumerate() {
        filled.push(if below { id + new as u64 } else { id });
        if gaps[i] {
            let rank = followed.partition_point(|&other| other < id);
            let rank = match order {
                0 => rank,
                1 => new - 1 - rank,
                2 => placed,
                _ => new - 1 - placed,
            };
            filled.push(rank as u64 + 1 + if below { 0 } else { old });
            placed += 1;
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_a_permutation() {
        assert_eq!([5, 8, 13, 21, 987].map(golden), [3, 5, 8, 13, 610]);
        assert_eq!(all_arrangements(4).len(), 6);
        for (from, to) in [(3u64, 5usize), (4, 8), (5, 8), (7, 9), (5, 10)] {
            for ids in all_arrangements(from) {
                for mut grown in candidates(&ids, to) {
                    grown.sort_unstable();
                    assert_eq!(grown, (1..=to as u64).collect::<Vec<u64>>());
                }
            }
        }
    }
}
