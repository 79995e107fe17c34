//! What may fail: processes stop and come back, messages are lost or doubled.

use super::{Expander, From, detail};
use crate::check::batch::{Batch, Detail};
use crate::check::space::Common;
use crate::check::stimulus::{Action, Stimulus};

impl Expander<'_> {
    /// What may fail.
    pub(super) fn faults(&mut self, from: From<'_>, batch: &mut Batch) {
        let common = self.common(from.state);
        if common.faults() == 0 {
            return;
        }
        for process in 0..self.space.n {
            let local = from.state[process as usize];
            let shared = self.memo.shared();
            let (down, to_start) = (shared.facts(local).down, shared.facts(local).to_start);
            drop(shared);
            // Whoever is yet to start could as well not be an initiator.
            if common.crashes > 0 && !down && !to_start && self.may_crash(from.state, process) {
                let left = Common { crashes: common.crashes - 1, faulty: true, ..common };
                self.fault(from, process, Stimulus::Crash(process), left, batch);
            }
            if common.recoveries > 0 && down {
                let left = Common { recoveries: common.recoveries - 1, faulty: true, ..common };
                self.fault(from, process, Stimulus::Recover, left, batch);
            }
        }
        for link in self.space.n..self.space.common() as u32 {
            let content = from.state[link as usize];
            let places =
                if content == 0 { Vec::new() } else { self.memo.shared().contents.distinct(content) };
            for place in places {
                if common.losses > 0 && self.may_lose(from.state, link, place) {
                    let left = Common { losses: common.losses - 1, faulty: true, ..common };
                    let after = self.memo.shared().contents.without(content, place);
                    let action = Action::Lose { link, place: place as u32 };
                    self.damage(from, link, after, action, left, batch);
                }
                if common.duplications > 0 {
                    let left = Common { duplications: common.duplications - 1, faulty: true, ..common };
                    let after = self.memo.shared().contents.doubled(content, place);
                    let action = Action::Double { link, place: place as u32 };
                    self.damage(from, link, after, action, left, batch);
                }
            }
        }
    }

    /// Whether a token is left if this message is lost; where there are no tokens anything may be lost.
    fn may_lose(&self, state: &[u32], link: u32, place: usize) -> bool {
        if self.ground.scope.unsound {
            return true;
        }
        let shared = self.memo.shared();
        let lost = shared.kind(shared.contents.get(state[link as usize])[place].stimulus);
        let is_token = self.ground.nature.tokens.iter().any(|&kind| Some(kind) == lost);
        let to_nobody = shared.facts(state[self.space.link(link).to() as usize]).down;
        drop(shared);
        !is_token || to_nobody || self.tokens_left(state, None) > 1
    }

    /// Whether a token is left if this process crashes; where there are no tokens anybody may.
    fn may_crash(&self, state: &[u32], process: u32) -> bool {
        self.ground.scope.unsound
            || self.ground.nature.tokens.is_empty()
            || self.tokens_left(state, Some(process)) > 0
    }

    /// How many tokens are held, or on their way to somebody who is up, if this process crashes.
    fn tokens_left(&self, state: &[u32], crashes: Option<u32>) -> usize {
        self.memo.shared().tokens(self.space, state, self.ground.nature.tokens, u32::MAX, crashes)
    }

    /// A message is lost or doubled.
    fn damage(
        &mut self,
        from: From<'_>,
        link: u32,
        content: u32,
        action: Action,
        left: Common,
        batch: &mut Batch,
    ) {
        let start = batch.changes.len();
        batch.changes.push((link, content));
        self.set_common(left, start, batch);
        self.add(from, &Detail::silent(action), start, batch);
    }

    /// A process stops or comes back, and others hear of it.
    fn fault(&mut self, from: From<'_>, process: u32, what: Stimulus, left: Common, batch: &mut Batch) {
        let (first, last) = self.memo.step_on(from.state[process as usize], what);
        for k in first..last {
            let out = self.memo.out(k);
            let start = batch.changes.len();
            batch.changes.push((process, out.local));
            self.carry(from.state, process, &out, start, &mut batch.changes);
            self.set_common(left, start, batch);
            if self.ground.detector() {
                for other in (0..self.space.n).filter(|&other| other != process) {
                    let local = from.state[other as usize];
                    let down = self.memo.shared().facts(local).down;
                    if down && what == Stimulus::Recover {
                        let mine = batch.changes[start].1;
                        batch.changes[start].1 = self.memo.noted(mine, Stimulus::Alarm(other));
                    } else if !down {
                        let recovers = what == Stimulus::Recover;
                        let news = if recovers { Stimulus::Calm(process) } else { Stimulus::Alarm(process) };
                        batch.changes.push((other, self.memo.noted(local, news)));
                    }
                }
            }
            let action = Action::Own { process, stimulus: what };
            self.add(from, &detail(action, &out, k == first), start, batch);
        }
    }
}
