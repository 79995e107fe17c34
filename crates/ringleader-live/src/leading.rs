//! What leading needs: a process that says so, and grants of a majority that have not run out.

use super::exchange::{Ending, Notice};
use super::group::Group;
use super::shared::Shared;
use super::{Answer, Claimant, Epoch, Frame, Micros, Place};

/// How far leading is.
#[derive(Default)]
pub(super) struct Leading {
    /// Whether the process says that it leads, and grants are asked for.
    pub(super) claims: bool,
    /// Whether it led when somebody looked last.
    pub(super) holds: bool,
    /// Until when that is granted.
    pub(super) until: Micros,
    /// When it asks again.
    next_ask: Micros,
    /// When it gave something back last.
    given_back: Micros,
}

impl Group {
    /// Looks at the process: whether it claims to lead, or does so no more.
    pub(super) fn look_at_claim(&mut self, core: &mut Shared) {
        let claims = self.instance.as_ref().is_some_and(|instance| instance.actor().position().claims());
        if claims && !self.leading.claims && !core.leaving {
            self.leading.claims = true;
            // What is asked within the same microsecond as something was given back would not count.
            self.leading.next_ask = core.now.max(self.leading.given_back + Micros(1));
            self.ask(core);
        } else if !claims && self.leading.claims {
            self.give_back(core);
        }
    }

    /// Asks everybody, if it is time.
    pub(super) fn ask(&mut self, core: &mut Shared) {
        if !self.leading.claims || core.now < self.leading.next_ask {
            return;
        }
        let counted = core.timing.terms.counted();
        let pause = if self.leading.holds { counted.0 / 4 } else { (counted.0 / 16).min(25_000) };
        self.leading.next_ask = core.now + Micros(pause.max(1));
        let (group, epoch, sent) = (self.number, self.epoch, core.now);
        core.send_all(&Frame::Ask { group, epoch, sent });
        // The member asks itself too.
        let claimant = Claimant { place: core.me, incarnation: core.incarnation, epoch };
        if self.grants(core, claimant) {
            self.granted(core, core.me, epoch, sent);
        } else {
            self.denied.retain(|(other, _)| other.place != core.me);
            self.denied.push((claimant, sent));
        }
    }

    /// Somebody asks to lead.
    pub(super) fn asked(&mut self, core: &mut Shared, from: Place, epoch: Epoch, sent: Micros) {
        let claimant = Claimant { place: from, incarnation: core.incarnation_of(from), epoch };
        self.newest = self.newest.max(epoch);
        let group = self.number;
        if !core.peers[usize::from(from)].clock_is_wrong && self.grants(core, claimant) {
            core.send(from, Frame::Granted { group, epoch, sent });
        } else {
            self.denied.retain(|(other, _)| other.place != from);
            self.denied.push((claimant, sent));
            core.send(from, Frame::Denied { group, epoch, sent });
        }
    }

    fn grants(&mut self, core: &mut Shared, claimant: Claimant) -> bool {
        // An epoch that this member has left for a newer one is over.
        if claimant.epoch < self.epoch {
            return false;
        }
        match self.granter.asked(claimant, core.now) {
            Answer::Granted(until) => {
                core.notice(Notice::Grants(self.number, claimant.epoch, claimant.place, until));
                true
            }
            Answer::Held(_) | Answer::Old | Answer::Quarantine(_) => false,
        }
    }

    /// A grant is given back: the first that was denied may have it.
    pub(super) fn released(&mut self, core: &mut Shared, from: Place, epoch: Epoch) {
        let claimant = Claimant { place: from, incarnation: core.incarnation_of(from), epoch };
        self.granter.released(claimant);
        self.denied.retain(|(other, _)| other.place != from);
        for (claimant, sent) in core::mem::take(&mut self.denied) {
            let Claimant { place, epoch, .. } = claimant;
            let there = place == core.me || core.incarnation_of(place) == claimant.incarnation;
            if there && self.granter.held(core.now).is_none() && self.grants(core, claimant) {
                if place == core.me {
                    self.granted(core, place, epoch, sent);
                } else {
                    core.send(place, Frame::Granted { group: self.number, epoch, sent });
                }
            } else {
                self.denied.push((claimant, sent));
            }
        }
    }

    /// A member grants what was asked.
    pub(super) fn granted(&mut self, core: &mut Shared, by: Place, epoch: Epoch, sent: Micros) {
        let trusted = by == core.me || !core.peers[usize::from(by)].clock_is_wrong;
        if !self.leading.claims || epoch != self.epoch || !trusted {
            return;
        }
        self.claim.granted(by, sent);
        let until = self.claim.until();
        if core.now >= until {
            return;
        }
        if !self.leading.holds {
            self.leading.holds = true;
            self.leading.until = until;
            core.urgent = true;
            core.notice(Notice::Leads(self.number, epoch, until));
            if !self.is_election() {
                self.user_enters(core);
            }
        } else if until > self.leading.until {
            self.leading.until = until;
            core.notice(Notice::Extends(self.number, epoch, until));
        }
    }

    /// A member's grants count no more.
    pub(super) fn discount(&mut self, by: Place) {
        self.claim.discount(by);
        self.leading.until = self.leading.until.min(self.claim.until());
    }

    /// The first thing at every moment: whether the grants have run out.
    pub(super) fn expire(&mut self, core: &mut Shared) {
        if self.leading.holds && core.now >= self.leading.until {
            self.leading.holds = false;
            core.urgent = true;
            let until = self.leading.until;
            core.notice(Notice::Stops(self.number, self.epoch, until, Ending::Expired));
            if !self.is_election() {
                // Its user was inside and is not any more, whether it knows or not: others must go on.
                self.lost += 1;
                self.user_leaves(core);
            }
        }
    }

    /// It leads no more, of its own accord: others need not wait for the grants to run out.
    pub(super) fn give_back(&mut self, core: &mut Shared) {
        if !self.leading.claims {
            return;
        }
        self.leading.claims = false;
        self.claim.release(core.now);
        self.leading.given_back = core.now;
        if core::mem::take(&mut self.leading.holds) {
            core.urgent = true;
            core.notice(Notice::Stops(self.number, self.epoch, core.now, Ending::Released));
        }
        let (group, epoch) = (self.number, self.epoch);
        core.send_all(&Frame::Release { group, epoch });
        self.released(core, core.me, epoch);
    }

    /// Who leads, as far as this member can tell: itself, or whom it has granted to, or who says so.
    pub(super) fn look_for_leader(&mut self, core: &mut Shared) {
        let group = usize::from(self.number);
        let says = |place: &Place| {
            let peer = &core.peers[usize::from(*place)];
            peer.heard && peer.groups[group].leads
        };
        let leader = if self.leading.holds {
            Some(core.me)
        } else {
            core.others().filter(says).max_by_key(|&place| core.peers[usize::from(place)].groups[group].epoch)
        };
        if leader != self.leader {
            self.leader = leader;
            core.notice(Notice::Leader(self.number, leader));
        }
    }

    pub(super) fn leading_wakes_at(&self) -> Option<Micros> {
        let ends = self.leading.holds.then_some(self.leading.until);
        let asks = self.leading.claims.then_some(self.leading.next_ask);
        [ends, asks].into_iter().flatten().min()
    }
}
