//! The claiming side of leadership: a member leads while it counts on the grants of a majority.
//!
//! A grant counts from the moment the question was *sent*, not from when the answer came: [`super::Granter`]
//! says why. The member asks itself too, and its own grant counts like any other.
//!
//! A claim that was given back may be made again in the same epoch (mutual exclusion does). An answer to a
//! question from before that may still be under way; what it grants was given back since. [`Claim::release`]
//! makes such answers worthless; a new `Claim` for an epoch in which there was one already would take them
//! for its own.

use super::{Epoch, Micros, Place, Terms};

/// What a member has been granted in one epoch of one group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    terms: Terms,
    epoch: Epoch,
    /// Questions that were sent before do not count.
    since: Micros,
    /// For each member until when its grant counts, on this member's clock.
    until: Vec<Micros>,
}

impl Claim {
    /// A claim in a cluster of so many members.
    #[must_use]
    pub fn new(terms: Terms, members: usize, epoch: Epoch) -> Claim {
        Claim { terms, epoch, since: Micros(0), until: vec![Micros(0); members] }
    }

    /// Its epoch.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// A member grants what was asked at `sent`. It never takes away from what it granted before.
    pub fn granted(&mut self, by: Place, sent: Micros) {
        if sent >= self.since
            && let Some(until) = self.until.get_mut(usize::from(by))
        {
            *until = (*until).max(sent + self.terms.counted());
        }
    }

    /// A member's grants count no more (its clock cannot be trusted, it has restarted).
    pub fn discount(&mut self, by: Place) {
        if let Some(until) = self.until.get_mut(usize::from(by)) {
            *until = Micros(0);
        }
    }

    /// It is given back at `now`: nothing that was asked up to this moment counts any more. Questions that
    /// are sent later do, in the same epoch.
    pub fn release(&mut self, now: Micros) {
        // A question and the release may have been sent within the same microsecond.
        self.since = now + Micros(1);
        self.until.fill(Micros(0));
    }

    /// Until when a majority of all members grants it; a moment in the past if none does.
    #[must_use]
    pub fn until(&self) -> Micros {
        // The moment at which the last but so many of them ends that the rest is no majority any more.
        let majority = self.until.len() / 2 + 1;
        let mut ends = self.until.clone();
        ends.sort_unstable_by(|a, b| b.cmp(a));
        ends.get(majority - 1).copied().unwrap_or_default()
    }

    /// Whether it leads.
    #[must_use]
    pub fn holds(&self, now: Micros) -> bool {
        now < self.until()
    }

    /// Counts all times from so much later on, and forgets what is past at `now`: a proof goes through
    /// finitely many states then.
    #[cfg(test)]
    pub(super) fn passes(&mut self, later: Micros, now: Micros) {
        let counted = self.terms.counted();
        let ended = |moment: Micros, length: Micros| {
            let moment = moment - later;
            if moment + length <= now { Micros(0) } else { moment }
        };
        self.since = ended(self.since, counted);
        self.until.iter_mut().for_each(|until| *until = ended(*until, Micros(0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: Terms = Terms { lease: Micros(1000), drift: 100_000 };
    /// 1000 · 0.9 / 1.1, rounded down.
    const COUNTED: u64 = 818;

    fn claim(members: usize) -> Claim {
        Claim::new(TERMS, members, Epoch { number: 1, steward: 0 })
    }

    #[test]
    fn a_majority_of_all_members_is_strictly_more_than_half() {
        for members in 1..=9u16 {
            let mut claim = claim(usize::from(members));
            for by in 0..members {
                let granted = by;
                assert_eq!(claim.holds(Micros(0)), granted * 2 > members, "{granted} of {members}");
                claim.granted(by, Micros(0));
            }
            assert!(claim.holds(Micros(COUNTED - 1)), "all of {members}");
            assert!(!claim.holds(Micros(COUNTED)), "it ends with what is counted, not with the lease");
        }
        assert!(!claim(0).holds(Micros(0)), "nobody is no majority");
    }

    #[test]
    fn it_ends_when_the_first_grant_ends_that_the_majority_needs() {
        let mut claim = claim(5);
        for (by, sent) in [(0, 500), (1, 100), (2, 300), (3, 200)] {
            claim.granted(by, Micros(sent));
        }
        assert_eq!(claim.until(), Micros(200 + COUNTED));
        claim.granted(4, Micros(400));
        assert_eq!(claim.until(), Micros(300 + COUNTED));
        // The same members again are not more members.
        claim.granted(0, Micros(600));
        assert_eq!(claim.until(), Micros(300 + COUNTED));
    }

    #[test]
    fn a_late_answer_to_an_old_question_takes_nothing_away() {
        let mut claim = claim(1);
        claim.granted(0, Micros(500));
        claim.granted(0, Micros(400));
        assert_eq!(claim.until(), Micros(500 + COUNTED));
    }

    #[test]
    fn what_is_discounted_and_who_is_no_member_does_not_count() {
        let mut claim = claim(3);
        claim.granted(0, Micros(0));
        claim.granted(3, Micros(0));
        claim.granted(u16::MAX, Micros(0));
        claim.discount(17);
        assert!(!claim.holds(Micros(0)));
        claim.granted(1, Micros(0));
        assert!(claim.holds(Micros(0)));
        claim.discount(0);
        assert!(!claim.holds(Micros(0)));
        claim.granted(0, Micros(10));
        assert!(claim.holds(Micros(10)));
    }

    #[test]
    fn an_answer_from_before_it_was_given_back_does_not_count_afterwards() {
        let mut claim = claim(1);
        claim.granted(0, Micros(100));
        claim.release(Micros(200));
        assert!(!claim.holds(Micros(200)));
        claim.granted(0, Micros(150));
        claim.granted(0, Micros(200));
        assert!(!claim.holds(Micros(200)));
        claim.granted(0, Micros(201));
        assert_eq!(claim.until(), Micros(201 + COUNTED));
    }
}
