//! Select: which sources may tell the truth, if fewer than half of them lie.

use crate::model::Ticks;

/// What a source says: the offset, and how far it may be off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Candidate {
    /// The offset, θ.
    pub offset: Ticks,
    /// The root distance, λ: the true offset is said to be within λ of θ.
    pub distance: Ticks,
}

impl Candidate {
    fn low(&self) -> Ticks {
        self.offset - self.distance
    }

    fn high(&self) -> Ticks {
        self.offset + self.distance
    }
}

/// Where those agree who may tell the truth.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Agreed {
    /// The interval in which they agree.
    pub low: Ticks,
    /// Its upper end.
    pub high: Ticks,
    /// How many were allowed to lie.
    pub allow: usize,
    /// Those whose offset lies in it, by their places.
    pub truechimers: Vec<usize>,
}

/// The points of all candidates: lower ends (-1), middles (0) and upper ends (1), by place and then by type.
fn points(candidates: &[Candidate]) -> Vec<(Ticks, i32)> {
    let three = |one: &Candidate| [(one.low(), -1), (one.offset, 0), (one.high(), 1)];
    let mut points: Vec<(Ticks, i32)> = candidates.iter().flat_map(three).collect();
    points.sort_unstable();
    points
}

/// The first place, in this order, at which enough intervals have begun; and how many middles came before it.
fn reach(points: impl Iterator<Item = (Ticks, i32)>, begins: i32, enough: i64) -> (Option<Ticks>, usize) {
    let (mut chime, mut middles) = (0, 0);
    for (place, kind) in points {
        chime += i64::from(kind * begins);
        if chime >= enough {
            return (Some(place), middles);
        }
        middles += usize::from(kind == 0);
    }
    (None, middles)
}

/// Those who agree, with as few liars as possible. `enough` says how many intervals must meet, of so many sources or
/// points, with so many liars. None if no majority agrees.
#[must_use]
pub fn select(candidates: &[Candidate], enough: fn((usize, usize), usize) -> i64) -> Option<Agreed> {
    let m = candidates.len();
    let points = points(candidates);
    for allow in (0..m).take_while(|allow| 2 * allow < m) {
        let enough = enough((m, points.len()), allow);
        let (low, below) = reach(points.iter().copied(), -1, enough);
        let (high, above) = reach(points.iter().rev().copied(), 1, enough);
        let (Some(low), Some(high)) = (low, high) else { continue };
        if below + above <= allow && low <= high {
            let inside = |&place: &usize| (low..=high).contains(&candidates[place].offset);
            return Some(Agreed { low, high, allow, truechimers: (0..m).filter(inside).collect() });
        }
    }
    None
}

/// Where the true offset must be if at most so many lie: from the first place that enough intervals hold to the last.
#[must_use]
pub fn surely(candidates: &[Candidate], liars: usize) -> Option<(Ticks, Ticks)> {
    let enough = candidates.len().saturating_sub(liars).max(1) as i64;
    let points = points(candidates);
    let (low, _) = reach(points.iter().copied(), -1, enough);
    let (high, _) = reach(points.iter().rev().copied(), 1, enough);
    low.zip(high).filter(|(low, high)| low <= high)
}

/// Marzullo's form: the smallest interval that lies in the largest number of intervals, the leftmost of several; and
/// that number.
#[must_use]
pub fn marzullo(candidates: &[Candidate]) -> Option<(Ticks, Ticks, usize)> {
    let ends: Vec<(Ticks, i32)> = points(candidates).into_iter().filter(|&(_, kind)| kind != 0).collect();
    let (mut count, mut best) = (0i32, None::<(Ticks, Ticks, usize)>);
    for pair in ends.windows(2) {
        count -= pair[0].1;
        if count > 0 && best.is_none_or(|(.., most)| count as usize > most) {
            best = Some((pair[0].0, pair[1].0, count as usize));
        }
    }
    best
}
