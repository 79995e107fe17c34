//! Who hears whom, and whom that makes the steward.
//!
//! A member hears another if beats of it come in. Two hear *each other* if both say so. The clique of a
//! member is a set around it in which everybody hears everybody; a member is fit if its clique is a majority
//! of all that are configured. The steward of a member is the lowest place that it hears, that hears it, and
//! that is fit. So a member that is cut off from some, however the cut runs, follows one that can do without
//! the others, and a minority follows nobody.

use super::Place;

#[cfg(test)]
mod tests;

/// What a member knows of who hears whom.
pub(super) struct View {
    me: Place,
    /// For each member whom it hears, as a set of bits: its own is up to date, that of others from their last beat.
    hears: Vec<u64>,
    fit: Vec<bool>,
}

impl View {
    pub(super) fn new(me: Place, members: usize) -> View {
        let mut hears = vec![0; members];
        hears[usize::from(me)] = 1 << me;
        View { me, hears, fit: vec![false; members] }
    }

    /// Whom this member hears; whether that is news.
    pub(super) fn i_hear(&mut self, who: Place, heard: bool) -> bool {
        let mine = &mut self.hears[usize::from(self.me)];
        let before = *mine;
        if heard {
            *mine |= 1 << who
        } else {
            *mine &= !(1 << who)
        }
        let changed = *mine != before;
        self.fit[usize::from(self.me)] = self.is_majority(self.clique());
        changed
    }

    /// What another says: whom it hears, and whether it is fit.
    pub(super) fn says(&mut self, who: Place, hears: u64, fit: bool) {
        self.hears[usize::from(who)] = hears;
        self.fit[usize::from(who)] = fit;
        self.fit[usize::from(self.me)] = self.is_majority(self.clique());
    }

    /// Whom this member hears.
    pub(super) fn mine(&self) -> u64 {
        self.hears[usize::from(self.me)]
    }

    pub(super) fn hears(&self, who: Place) -> bool {
        self.mine() >> who & 1 == 1
    }

    fn each_other(&self, a: Place, b: Place) -> bool {
        a == b || self.hears[usize::from(a)] >> b & 1 == 1 && self.hears[usize::from(b)] >> a & 1 == 1
    }

    /// A set around this member in which everybody hears everybody: of those that grow from one other each,
    /// low places first, the largest.
    pub(super) fn clique(&self) -> u64 {
        let grown = members(self.mine()).map(|first| self.grown(first));
        grown.fold(1u64 << self.me, |best, set| if set.count_ones() > best.count_ones() { set } else { best })
    }

    /// The set that grows from this member and another.
    fn grown(&self, first: Place) -> u64 {
        let mut set = 1u64 << self.me;
        // What somebody said whom we do not hear any more is old: only those that we hear count.
        for who in core::iter::once(first).chain(members(self.mine())) {
            if members(set).all(|other| self.each_other(who, other)) {
                set |= 1 << who;
            }
        }
        set
    }

    pub(super) fn is_majority(&self, set: u64) -> bool {
        2 * set.count_ones() as usize > self.hears.len()
    }

    pub(super) fn is_fit(&self) -> bool {
        self.fit[usize::from(self.me)]
    }

    /// Whom this member follows, if anybody.
    pub(super) fn steward(&self) -> Option<Place> {
        (0..self.hears.len() as Place)
            .find(|&who| self.fit[usize::from(who)] && self.each_other(self.me, who))
    }
}

/// The places in a set of bits, in increasing order.
pub(super) fn members(set: u64) -> impl Iterator<Item = Place> {
    (0..64).filter(move |&place| set >> place & 1 == 1)
}
