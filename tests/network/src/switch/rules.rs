//! What happens to the frames from one host to another: a pure machine that is told when each arrives and
//! says when it leaves.

use crate::Chance;
use core::ops::{Add, Sub};
use core::time::Duration;

/// What is done to the frames of an ordered pair of hosts. The default does nothing to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rule {
    /// Nothing passes, and what was held back is dropped too.
    pub cut: bool,
    /// So many of a hundred are lost.
    pub loss_percent: u32,
    /// Each is held back for so long.
    pub delay: Duration,
    /// And for up to so much longer, drawn for each; the order stays.
    pub jitter: Duration,
    /// So many of a hundred are held back further, so that later ones overtake them.
    pub reorder_percent: u32,
    /// For up to so long.
    pub reorder_by: Duration,
    /// So many of a hundred are sent twice.
    pub duplicate_percent: u32,
}

impl Rule {
    /// Nothing passes.
    pub const CUT: Rule = Rule {
        cut: true,
        loss_percent: 0,
        delay: Duration::ZERO,
        jitter: Duration::ZERO,
        reorder_percent: 0,
        reorder_by: Duration::ZERO,
        duplicate_percent: 0,
    };
}

/// What became of the frames of an ordered pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Came in.
    pub arrived: u64,
    /// Went out, second copies included.
    pub forwarded: u64,
    /// Dropped because the pair was cut.
    pub cut: u64,
    /// Dropped by chance.
    pub lost: u64,
    /// Went out later than at once.
    pub delayed: u64,
    /// Went out after one that came in later.
    pub reordered: u64,
    /// Sent a second time.
    pub duplicated: u64,
}

impl Counts {
    fn each(self, other: Counts, with: fn(u64, u64) -> u64) -> Counts {
        Counts {
            arrived: with(self.arrived, other.arrived),
            forwarded: with(self.forwarded, other.forwarded),
            cut: with(self.cut, other.cut),
            lost: with(self.lost, other.lost),
            delayed: with(self.delayed, other.delayed),
            reordered: with(self.reordered, other.reordered),
            duplicated: with(self.duplicated, other.duplicated),
        }
    }
}

impl Add for Counts {
    type Output = Counts;
    fn add(self, other: Counts) -> Counts {
        self.each(other, |a, b| a + b)
    }
}

/// What happened since an earlier count.
impl Sub for Counts {
    type Output = Counts;
    fn sub(self, earlier: Counts) -> Counts {
        self.each(earlier, |now, then| now - then)
    }
}

/// When a copy of a frame is due, and which frame of its pair it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Due {
    /// In microseconds.
    pub at: u64,
    /// Counts the frames of the pair as they arrive.
    pub number: u64,
}

/// An ordered pair of hosts.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    rule: Rule,
    counts: Counts,
    /// When the last frame that keeps the order leaves.
    last_due: u64,
    /// The highest number that has left, and one more.
    newest: u64,
    /// Frames with lower numbers were held back when the pair was cut.
    cut_below: u64,
}

impl Pair {
    /// From now on this is done.
    pub fn set(&mut self, rule: Rule) {
        if rule.cut {
            self.cut_below = self.counts.arrived;
        }
        self.rule = rule;
    }

    /// What is done.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// What was done.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// A frame comes in at `now`: when its copies are due; nothing if it is dropped.
    pub fn arrives(&mut self, now: u64, chance: &mut Chance) -> Vec<Due> {
        let number = self.counts.arrived;
        self.counts.arrived += 1;
        let rule = self.rule;
        if rule.cut {
            self.counts.cut += 1;
            return Vec::new();
        }
        if chance.percent(rule.loss_percent) {
            self.counts.lost += 1;
            return Vec::new();
        }
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let mut at = now + micros(rule.delay) + chance.below(micros(rule.jitter).saturating_add(1));
        if chance.percent(rule.reorder_percent) {
            at += chance.between(1, micros(rule.reorder_by).max(1));
        } else {
            at = at.max(self.last_due);
            self.last_due = at;
        }
        let mut copies = vec![Due { at, number }];
        if chance.percent(rule.duplicate_percent) {
            self.counts.duplicated += 1;
            copies.push(Due { at: at + 1, number });
        }
        copies
    }

    /// A copy is due. Whether it goes out: not if the pair was cut in the meantime.
    pub fn leaves(&mut self, due: Due, arrived_at: u64) -> bool {
        if self.rule.cut || due.number < self.cut_below {
            self.counts.cut += 1;
            return false;
        }
        self.counts.forwarded += 1;
        self.counts.delayed += u64::from(due.at > arrived_at);
        self.counts.reordered += u64::from(due.number + 1 < self.newest);
        self.newest = self.newest.max(due.number + 1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred frames, one each millisecond, under a rule: the order in which they leave.
    fn passed(pair: &mut Pair, frames: u64) -> Vec<u64> {
        let mut chance = Chance::new(3);
        let mut held: Vec<(Due, u64)> = Vec::new();
        for frame in 0..frames {
            let now = frame * 1000;
            held.extend(pair.arrives(now, &mut chance).into_iter().map(|due| (due, now)));
        }
        held.sort();
        held.into_iter().filter(|&(due, at)| pair.leaves(due, at)).map(|(due, _)| due.number).collect()
    }

    #[test]
    fn by_default_everything_passes_in_order_at_once() {
        let mut pair = Pair::default();
        assert!(passed(&mut pair, 100).into_iter().eq(0..100));
        assert_eq!(pair.counts(), Counts { arrived: 100, forwarded: 100, ..Counts::default() });
    }

    #[test]
    fn a_cut_lets_nothing_pass_and_drops_what_was_held_back() {
        let mut pair = Pair::default();
        let mut chance = Chance::new(0);
        pair.set(Rule { delay: Duration::from_millis(200), ..Rule::default() });
        let held = pair.arrives(0, &mut chance);
        assert_eq!(held, [Due { at: 200_000, number: 0 }]);
        pair.set(Rule::CUT);
        assert_eq!(pair.arrives(1, &mut chance), []);
        // Healed before it was due: what was on its way when the pair was cut is gone all the same.
        pair.set(Rule::default());
        assert!(!pair.leaves(held[0], 0));
        assert_eq!(pair.counts(), Counts { arrived: 2, cut: 2, ..Counts::default() });
        let after = pair.arrives(2, &mut chance);
        assert!(pair.leaves(after[0], 2));
    }

    #[test]
    fn loss_delay_reordering_and_doubles_happen_and_are_counted() {
        let mut pair = Pair::default();
        pair.set(Rule { loss_percent: 20, ..Rule::default() });
        let left = passed(&mut pair, 1000);
        let counts = pair.counts();
        assert!((100..300).contains(&counts.lost), "{counts:?}");
        assert_eq!(left.len() as u64 + counts.lost, 1000);

        let mut pair = Pair::default();
        let (delay, jitter) = (Duration::from_millis(200), Duration::from_millis(50));
        pair.set(Rule { delay, jitter, ..Rule::default() });
        assert!(passed(&mut pair, 100).into_iter().eq(0..100), "a delay keeps the order");
        assert_eq!(pair.counts().delayed, 100);
        assert_eq!(pair.counts().reordered, 0);

        let mut pair = Pair::default();
        pair.set(Rule { reorder_percent: 25, reorder_by: Duration::from_millis(10), ..Rule::default() });
        let left = passed(&mut pair, 100);
        let overtaken = (1..left.len()).filter(|&i| left[..i].iter().any(|&one| one > left[i])).count();
        assert!(overtaken > 5, "{left:?}");
        assert_eq!(pair.counts().reordered, overtaken as u64);

        let mut pair = Pair::default();
        pair.set(Rule { duplicate_percent: 50, ..Rule::default() });
        let left = passed(&mut pair, 100).len() as u64;
        assert!(pair.counts().duplicated > 25);
        assert_eq!(left, 100 + pair.counts().duplicated);
    }
}
