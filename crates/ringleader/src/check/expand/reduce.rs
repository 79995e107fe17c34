//! What can be left out: orders of independent steps, and rotations of an anonymous ring.

use super::{Expander, From};
use crate::check::batch::{Batch, Next};
use crate::check::stimulus::{Action, Stimulus};
use crate::hash::scatter;
use crate::model::Links;

impl Expander<'_> {
    /// The steps of one process that stand for all, if there is one: nothing that others do can change what it does
    /// next, and what it does next changes nothing that is watched.
    pub(super) fn ample(&mut self, from: From<'_>, batch: &mut Batch) -> bool {
        if self.everything {
            return false;
        }
        for process in 0..self.space.n {
            let local = from.state[process as usize];
            let (first, last) = self.memo.menu(local);
            // Starting first is as good as starting later: a start reads nothing that others write.
            if first < last && self.memo.menu_item(first).0 == Stimulus::Start {
                let (stimulus, number) = self.memo.menu_item(first);
                let outs = self.memo.step(local, number);
                self.outs(from, process, outs, &[], Action::Own { process, stimulus }, batch);
                return true;
            }
        }
        if self.space.kind != Links::Fifo {
            return false;
        }
        for process in 0..self.space.n {
            let links = &self.space.incoming[process as usize];
            if links.is_empty() || links.iter().any(|&link| from.state[link as usize] == 0) {
                continue;
            }
            let before = batch.nexts.len();
            self.steps_of(from, process, batch);
            if !self.stages || !self.changes_stages(from, &batch.nexts[before..], batch) {
                return true;
            }
            batch.truncate(before);
        }
        false
    }

    /// Whether one of these steps changes where a user stands.
    fn changes_stages(&self, from: From<'_>, nexts: &[Next], batch: &Batch) -> bool {
        let shared = self.memo.shared();
        let mut state = Vec::new();
        nexts.iter().any(|next| {
            state.clear();
            batch.write(next, from.root, &mut state);
            (0..self.space.n as usize)
                .any(|i| shared.facts(state[i]).stage != shared.facts(from.state[i]).stage)
        })
    }

    /// Turns the state in `after` so that of all its rotations it is the first; its fingerprint.
    pub(super) fn canonical(&mut self) -> u64 {
        let mut shared = self.memo.shared();
        if self.rebases {
            shared.rebase(self.space, &mut self.after);
        }
        if !self.rotations.is_empty() {
            let n = self.space.n as usize;
            let ports = self.space.incoming[0].len();
            let keys: Vec<u64> = (0..n)
                .map(|process| {
                    let mut key = shared.locals.hashes()[self.after[process] as usize];
                    for port in 0..ports {
                        let content =
                            shared.contents.hashes()[self.after[n + process * ports + port] as usize];
                        key = scatter(key.rotate_left(13) ^ content);
                    }
                    key
                })
                .collect();
            let turned = |by: u32| (0..n).map(move |process| (process + by as usize) % n);
            let best = core::iter::once(&0).chain(&self.rotations).copied().min_by(|&a, &b| {
                turned(a).map(|process| keys[process]).cmp(turned(b).map(|process| keys[process]))
            });
            if let Some(by @ 1..) = best {
                self.after[..n].rotate_left(by as usize);
                self.after[n..n + n * ports].rotate_left(by as usize * ports);
            }
        }
        shared.fingerprint(self.space, &self.after)
    }
}
