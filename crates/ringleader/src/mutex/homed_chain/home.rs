//! The record of the home, and what the lock service asks it besides.

use std::collections::{BTreeMap, BTreeSet};

/// What the home knows: whom it numbered last, and what it told for each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Home<S> {
    pub(super) tail: S,
    pub(super) number: u64,
    pub(super) seats: BTreeMap<S, Numbered<S>>,
}

/// What became of somebody's last request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Numbered<S> {
    pub(super) request: u64,
    pub(super) before: S,
    pub(super) k: u64,
}

/// The home tells owner number `k`, which is `from`, to send the token on to `to`, which is owner number k + 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pass<S> {
    /// Who is told.
    pub from: S,
    /// Its number.
    pub k: u64,
    /// Who is to get the token.
    pub to: S,
}

impl<S: Copy + Ord> Home<S> {
    /// A chain of one owner, with this number.
    pub fn new(owner: S, number: u64) -> Home<S> {
        Home { tail: owner, number, seats: BTreeMap::new() }
    }

    /// Who was numbered last.
    pub fn tail(&self) -> S {
        self.tail
    }

    /// With which number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What was told for whoever was numbered last; nothing if that is who had the token first.
    pub fn last(&self) -> Option<Pass<S>> {
        let seat = self.seats.get(&self.tail).filter(|seat| seat.k == self.number)?;
        Some(Pass { from: seat.before, k: seat.k - 1, to: self.tail })
    }

    /// The number of somebody's last request that was numbered.
    pub fn request(&self, who: S) -> Option<u64> {
        self.seats.get(&who).map(|seat| seat.request)
    }

    /// Everybody who may have the token: whoever was ever numbered, and those before them.
    pub fn everybody(&self) -> BTreeSet<S> {
        let numbered = self.seats.iter().flat_map(|(who, seat)| [*who, seat.before]);
        numbered.chain([self.tail]).collect()
    }

    /// A request by a number of [`wants_above`](super::Owner::wants_above). A chain may be dropped while a copy of an
    /// old request is on its way: whoever made that is then numbered without asking, and should its token be lost
    /// nobody asks for it again. Its next request says that it never had that number, and is taken for a repetition.
    pub fn asked_above(&mut self, who: S, request: u64) -> Option<Pass<S>> {
        if let Some(seat) = self.seats.get_mut(&who)
            && seat.request < request
            && request <= seat.k + 1
        {
            seat.request = request;
        }
        self.asked(who, request)
    }
}
