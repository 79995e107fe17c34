//! What a home knows to be free (4.3), although not everybody of before has reported, and old leases may still run.
//!
//! The home alone numbers the owners of a lock, so a lock without a chain has its token idle there. A home that knew a
//! shard in one epoch, and is the home of it in the very next one as well, still knows it: what had no chain is free,
//! whoever crashed meanwhile. Two things may be held by somebody who has not reported: a lock that had a chain in the
//! epoch before, and any lock of a shard that was at home elsewhere. Both are in doubt since the epoch in which the
//! home began to be without a word of them. Whoever came in later, or has reported in that epoch or a later one, cannot
//! hold them: it would have said so, and nobody was numbered since.

use super::{Rule, Rules};
use crate::{Class, Name, Run, SHARDS, ServerId, View};
use std::collections::BTreeMap;

/// No doubt.
const NEVER: u32 = 0;

/// Nobody has to be waited for.
const ALL: u32 = u32::MAX;

/// What a home knows to be free.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Known {
    /// For each shard and class, since which epoch its locks are in doubt.
    shards: Vec<[u32; 3]>,
    /// Locks that had a chain in the epoch before the one in which they began to be in doubt.
    suspects: BTreeMap<Name, u32>,
    /// In which epoch a run had, at the latest, nothing that is in doubt: it reported then, or came in.
    clean: BTreeMap<Run, u32>,
    /// For each class: what is in doubt since this epoch or an earlier one is free.
    limit: [u32; 3],
}

impl Known {
    /// What a home knows that comes from nowhere: nothing.
    pub(super) fn nothing(view: &View) -> Known {
        Known { shards: vec![[view.epoch; 3]; SHARDS], ..Known::default() }
    }

    /// What it knows if it goes on from this view, in which it knew this much, with these chains.
    pub(super) fn carried(
        rules: Rules,
        view: &View,
        (last, known): (&View, &Known),
        chains: impl Iterator<Item = Name>,
        own: ServerId,
    ) -> Known {
        if last.epoch + 1 != view.epoch && rules.has(Rule::InARow) {
            return Known::nothing(view);
        }
        let stays = |shard: usize| [last, view].iter().all(|view| view.homes.get(shard) == Some(&own));
        let same = last.classes == view.classes;
        let since = |shard: usize| {
            if !stays(shard) {
                return [view.epoch; 3];
            }
            let since = Class::ALL
                .map(|class| if rules.has(Rule::Knew) { known.of_shard(shard, class) } else { NEVER });
            // A lock may be of another class than before.
            if same { since } else { [since.into_iter().max().unwrap_or(NEVER); 3] }
        };
        let still = |(name, since): (&Name, &u32)| {
            let free = *since <= known.limit[last.class(name).index()];
            (!free).then(|| (name.clone(), *since))
        };
        let chained = chains.filter(|_| rules.has(Rule::Suspects)).map(|name| (name, view.epoch));
        let was_in = |run: &Run| last.seat(*run).is_some() || last.past.contains(run);
        let came = view.runs().filter(|run| !was_in(run)).map(|run| (run, view.epoch));
        let here = |run: &Run| view.seat(*run).is_some() || view.past.contains(run);
        let clean = known.clean.iter().map(|(run, since)| (*run, *since)).filter(|(run, _)| here(run));
        Known {
            shards: (0..SHARDS).map(since).collect(),
            suspects: known.suspects.iter().filter_map(still).chain(chained).collect(),
            clean: clean.chain(came).collect(),
            limit: [NEVER; 3],
        }
    }

    /// Since which epoch the locks of a shard are in doubt.
    fn of_shard(&self, shard: usize, class: Class) -> u32 {
        let since = self.shards.get(shard).map_or(ALL, |since| since[class.index()]);
        if since <= self.limit[class.index()] { NEVER } else { since }
    }

    /// Whether nobody can hold this lock, unless it has a chain here.
    pub(super) fn is_free(&self, name: &Name, class: Class) -> bool {
        let limit = self.limit[class.index()];
        let free = |since: u32| since <= limit;
        limit == ALL
            || self.of_shard(View::shard(name), class) == NEVER
                && self.suspects.get(name).copied().is_none_or(free)
    }

    /// Whether everything is free that has no chain.
    pub(super) fn all_free(&self) -> bool {
        self.limit == [ALL; 3]
    }

    /// Somebody has reported this lock.
    pub(super) fn found(&mut self, name: &Name) {
        self.suspects.remove(name);
    }

    /// A run has reported everything in this epoch.
    pub(super) fn reported(&mut self, rules: Rules, run: Run, epoch: u32) {
        self.clean.insert(run, if rules.has(Rule::Afterwards) { epoch } else { ALL });
    }

    /// These runs, of which nothing is known in this epoch, may still hold something of this class. Whether more is
    /// free than before.
    pub(super) fn waits_for(&mut self, class: Class, runs: impl Iterator<Item = Run>) -> bool {
        let limit = runs.map(|run| self.clean.get(&run).copied().unwrap_or(NEVER)).min().unwrap_or(ALL);
        let before = &mut self.limit[class.index()];
        let more = limit > *before;
        *before = limit.max(*before);
        more
    }

    /// How many of the shards at home here have locks that cannot be granted yet.
    pub(super) fn recovering(&self, view: &View, own: ServerId) -> usize {
        if self.all_free() {
            return 0;
        }
        let closed = |name: &&Name| !self.is_free(name, view.class(name));
        let suspects: Vec<usize> = self.suspects.keys().filter(closed).map(View::shard).collect();
        let blind = |shard: usize| Class::ALL.into_iter().any(|class| self.of_shard(shard, class) != NEVER);
        let homes = view.homes.iter().enumerate().filter(|(_, home)| **home == own);
        homes.filter(|(shard, _)| blind(*shard) || suspects.contains(shard)).count()
    }
}
