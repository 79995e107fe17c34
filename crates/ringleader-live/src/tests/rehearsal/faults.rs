//! What goes wrong, drawn at random, and counted: a fault that did nothing proves nothing.

use super::Rehearsal;
use crate::{Input, Place};

/// How often each fault happened, and to whom it mattered.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) killed: u32,
    /// Of those, how many led.
    pub(super) leaders_killed: u32,
    pub(super) restarted: u32,
    /// Of those, with an incarnation that is older than the one before.
    pub(super) clock_back: u32,
    pub(super) renumbered: u32,
    pub(super) severed: u32,
    pub(super) cut_off: u32,
    pub(super) cut_one_way: u32,
    pub(super) cut_partly: u32,
    pub(super) parted: u32,
    /// Frames that were held up by a cut when it was healed.
    pub(super) held_up: u32,
    pub(super) left: u32,
}

impl Faults {
    pub(super) fn add(&mut self, other: Faults) {
        self.killed += other.killed;
        self.leaders_killed += other.leaders_killed;
        self.restarted += other.restarted;
        self.clock_back += other.clock_back;
        self.renumbered += other.renumbered;
        self.severed += other.severed;
        self.cut_off += other.cut_off;
        self.cut_one_way += other.cut_one_way;
        self.cut_partly += other.cut_partly;
        self.parted += other.parted;
        self.held_up += other.held_up;
        self.left += other.left;
    }

    /// Whether there was at least one of each.
    pub(super) fn is_complete(&self) -> bool {
        let Faults {
            killed,
            leaders_killed,
            restarted,
            clock_back,
            renumbered,
            severed,
            cut_off,
            cut_one_way,
            cut_partly,
            parted,
            held_up,
            left,
        } = *self;
        let counts = [
            killed,
            leaders_killed,
            restarted,
            clock_back,
            renumbered,
            severed,
            cut_off,
            cut_one_way,
            cut_partly,
            parted,
            held_up,
            left,
        ];
        counts.iter().all(|&count| count > 0)
    }
}

impl Rehearsal {
    fn anybody(&mut self) -> Place {
        self.rng.below(self.machines.len() as u64) as Place
    }

    /// One that leads if there is one, mostly; otherwise anybody.
    fn somebody_who_matters(&mut self) -> Place {
        match self.leaders(0).first() {
            Some(&leader) if self.rng.below(3) > 0 => leader,
            Some(_) | None => self.anybody(),
        }
    }

    /// Nothing gets through from one to the other; sometimes that ends their connection at once.
    fn cut(&mut self, from: Place, to: Place) {
        self.cut[usize::from(from)][usize::from(to)] = true;
        if self.rng.below(4) == 0 {
            self.sever(from, to);
        }
    }

    pub(super) fn heal(&mut self) {
        for from in self.places() {
            for to in self.places().filter(|&to| to != from) {
                if core::mem::take(&mut self.cut[usize::from(from)][usize::from(to)]) {
                    let held = self.connection(from, to).ways[usize::from(from > to)].len();
                    self.faults.held_up += held as u32;
                    // What waited comes now, or the connection has been given up.
                    if self.rng.below(2) == 0 {
                        self.sever(from, to);
                    }
                }
            }
        }
    }

    pub(super) fn kill(&mut self, who: Place) {
        if self.runs(who) {
            self.faults.killed += 1;
            self.faults.leaders_killed += u32::from(self.leaders(0).contains(&who));
            self.machines[usize::from(who)].member = None;
            for other in self.places().filter(|&other| other != who) {
                self.sever(who, other);
            }
        }
    }

    pub(super) fn restart(&mut self, who: Place) {
        if self.runs(who) {
            return;
        }
        self.faults.restarted += 1;
        let before = self.machines[usize::from(who)].incarnation;
        // Sometimes the calendar went back; others have seen a newer one, which they say.
        let back = self.rng.below(4) == 0;
        self.faults.clock_back += u32::from(back);
        let incarnation = if back { before - 1 - self.rng.below(1000) } else { before + 1 + self.real };
        if self.rng.below(2) == 0 {
            // The machine was started anew, and its clock with it.
            self.machines[usize::from(who)].clock.offset = self.rng.below(1 << 40);
        }
        for other in self.places().filter(|&other| other != who) {
            self.sever(who, other);
        }
        self.boot(who, incarnation);
    }

    /// Something goes wrong, or right again.
    pub(super) fn something(&mut self) {
        match self.rng.below(12) {
            0 | 1 => {
                let who = self.somebody_who_matters();
                self.kill(who);
            }
            2..=4 => {
                let who = self.places().find(|&who| !self.runs(who));
                who.into_iter().for_each(|who| self.restart(who));
            }
            5 => {
                let (a, b) = (self.somebody_who_matters(), self.anybody());
                if a != b {
                    self.faults.severed += 1;
                    self.sever(a, b);
                }
            }
            6 => {
                self.faults.cut_off += 1;
                let who = self.somebody_who_matters();
                for other in self.places().filter(|&other| other != who) {
                    self.cut(who, other);
                    self.cut(other, who);
                }
            }
            7 => {
                self.faults.cut_one_way += 1;
                let (who, deaf) = (self.somebody_who_matters(), self.rng.below(2) == 0);
                for other in self.places().filter(|&other| other != who) {
                    if deaf { self.cut(other, who) } else { self.cut(who, other) }
                }
            }
            8 => {
                // Two do not hear each other; everybody else hears both.
                let (a, b) = (self.somebody_who_matters(), self.anybody());
                if a != b {
                    self.faults.cut_partly += 1;
                    self.cut(a, b);
                    self.cut(b, a);
                }
            }
            9 => {
                self.faults.parted += 1;
                let side: Vec<bool> = self.places().map(|_| self.rng.below(2) == 0).collect();
                for a in self.places() {
                    for b in self.places().filter(|&b| side[usize::from(a)] != side[usize::from(b)]) {
                        self.cut(a, b);
                    }
                }
            }
            10 => self.heal(),
            _ => {
                let who = self.somebody_who_matters();
                if self.runs(who) {
                    self.faults.left += 1;
                    self.input(who, Input::Leave);
                }
            }
        }
    }
}
