//! What the steward of a group does: it opens epochs, and knows when one is needed.
//!
//! An election is left alone while somebody leads: whoever comes back waits for the next. Mutual exclusion
//! needs everybody who is there, so a new epoch begins when somebody is lost or comes back. An algorithm
//! that lives with crashes is told of them instead, and of restarts if it lives with those too.

use super::exchange::Notice;
use super::group::Group;
use super::shared::Shared;
use super::view::members;
use super::{Epoch, Micros, Payload, Phase, Place};

/// An epoch that this member has opened, until everybody has joined.
pub(super) struct Opening {
    epoch: Epoch,
    missing: u64,
}

impl Group {
    /// Looks whether a new epoch is needed, if that is this member's business.
    pub(super) fn tend(&mut self, core: &mut Shared) {
        if core.leaving || core.view.steward() != Some(core.me) {
            self.opening = None;
            return;
        }
        let clique = core.view.clique();
        if self.endures() {
            self.resume_restarted(core, clique);
        }
        if self.is_well(core, clique) {
            self.well_since = core.now;
            self.retry = core.timing.retry;
        } else if self.needs_new(core, clique) {
            self.open(core, clique);
        }
    }

    /// Whether somebody leads; in mutual exclusion, whether everybody who is there takes part.
    fn is_well(&self, core: &Shared, clique: u64) -> bool {
        if self.opening.is_some() {
            return false;
        }
        if self.is_election() {
            let leads = |who: Place| core.peers[usize::from(who)].groups[usize::from(self.number)].leads;
            return self.leading.holds || members(clique).any(|who| who != core.me && leads(who));
        }
        let wanted = self.wanted_of(clique);
        let there = |place: Place| self.index_of(place).is_some() || wanted >> place & 1 == 0;
        !self.is_overtaken(core, clique)
            && self.phase == Phase::Running
            && !self.has_lost(core, clique)
            && members(clique).all(there)
    }

    /// Whether one of those who should take part has joined a newer epoch. What others do is their business: two
    /// stewards that do not hear each other would outbid each other for ever.
    fn is_overtaken(&self, core: &Shared, clique: u64) -> bool {
        let joined = |who: Place| core.peers[usize::from(who)].groups[usize::from(self.number)].epoch;
        members(clique).any(|who| who != core.me && joined(who) > self.epoch)
    }

    /// Whether a participant is gone whom the algorithm cannot do without.
    fn has_lost(&self, core: &Shared, clique: u64) -> bool {
        self.participants.iter().any(|&(who, incarnation)| {
            let gone = clique >> who & 1 == 0;
            let restarted = core.incarnation_of(who) != incarnation;
            // Who lives with crashes is told of them; who was taken for dead and is back is not what it was.
            if self.endures() { !gone && self.suspected >> who & 1 == 1 } else { gone || restarted }
        })
    }

    fn needs_new(&self, core: &Shared, clique: u64) -> bool {
        if let Some(opening) = &self.opening {
            let lost = self
                .participants
                .iter()
                .any(|&(who, incarnation)| clique >> who & 1 == 0 || core.incarnation_of(who) != incarnation);
            let overtaken = self.is_overtaken(core, clique) && opening.epoch == self.epoch;
            return lost || overtaken || core.now >= self.well_since + self.retry;
        }
        if self.newest == Epoch::default() {
            let all = clique.count_ones() as usize == core.members.len();
            return all || core.now >= core.boot + core.timing.gather;
        }
        self.is_overtaken(core, clique)
            || self.phase != Phase::Running
            || self.has_lost(core, clique)
            || !self.is_election()
            || core.now >= self.well_since + self.retry
    }

    /// Those of a set who can take part: as many as the algorithm admits.
    fn wanted_of(&self, clique: u64) -> u64 {
        let admitted = self.spec.entry.spec.needs.processes.nearest(clique.count_ones()).0;
        members(clique).take(admitted as usize).fold(0, |set, place| set | 1 << place)
    }

    /// Opens an epoch for those who hear each other.
    fn open(&mut self, core: &mut Shared, clique: u64) {
        if core.now < self.well_since + self.retry && self.epoch.number > 0 {
            // Not out of patience, but with a reason: the next reason has as long as the first.
            self.retry = core.timing.retry;
        } else if self.epoch.number > 0 {
            self.retry = Micros(self.retry.0.saturating_mul(2).min(core.timing.retry.0.saturating_mul(16)));
        }
        let participants: Vec<Place> = members(self.wanted_of(clique)).collect();
        let epoch = Epoch { number: self.newest.number + 1, steward: core.me };
        core.notice(Notice::Opens(self.number, epoch, participants.clone()));
        // Others follow a steward of whom they know that it hears them and is fit.
        core.beat();
        for to in core.others() {
            let open = Payload::Open {
                group: self.number,
                epoch,
                participants: participants.clone(),
                resumes: false,
            };
            if core.view.hears(to) {
                core.carry(to, open);
            }
        }
        self.join(core, epoch, &participants, false);
        let missing = participants.iter().filter(|&&who| who != core.me).fold(0, |set, &who| set | 1 << who);
        self.opening = Some(Opening { epoch, missing });
        self.start_if_complete(core);
    }

    /// A participant has joined.
    pub(super) fn joined(&mut self, core: &mut Shared, from: Place, epoch: Epoch) {
        if let Some(opening) = &mut self.opening
            && opening.epoch == epoch
        {
            opening.missing &= !(1 << from);
            self.start_if_complete(core);
        }
    }

    fn start_if_complete(&mut self, core: &mut Shared) {
        if self.opening.as_ref().is_some_and(|opening| opening.missing == 0) {
            self.opening = None;
            self.well_since = core.now;
            for (to, _) in self.participants.clone() {
                if to != core.me {
                    core.carry(to, Payload::Start { group: self.number, epoch: self.epoch });
                }
            }
            self.begin(core);
        }
    }

    /// Who has restarted comes back to the epoch, where the algorithm lives with that.
    fn resume_restarted(&mut self, core: &mut Shared, clique: u64) {
        if !self.spec.entry.spec.needs.tolerates.recovery || self.phase != Phase::Running {
            return;
        }
        let participants: Vec<Place> = self.participants.iter().map(|&(who, _)| who).collect();
        for (who, incarnation) in self.participants.clone() {
            let restarted = clique >> who & 1 == 1 && core.incarnation_of(who) != incarnation;
            if restarted && who != core.me {
                let open = Payload::Open {
                    group: self.number,
                    epoch: self.epoch,
                    participants: participants.clone(),
                    resumes: true,
                };
                core.beat();
                core.carry(who, open);
                self.regain(core, who);
            }
        }
    }

    /// When the steward is to look again, if nothing happens.
    pub(super) fn steward_wakes_at(&self) -> Option<Micros> {
        // Everything else follows from beats, which come all the time.
        self.opening.as_ref().map(|_| self.well_since + self.retry)
    }
}
