//! Steps of processes that share registers, and who was through the doorway first.

use super::{Expander, From};
use crate::check::batch::Batch;
use crate::check::memo::{Out, flag};
use crate::check::stimulus::{Action, Stimulus};
use crate::model::Doorway;

impl Expander<'_> {
    /// Adds the steps of one process: a local step does what the registers make of it. While a write of the process
    /// goes on, it does nothing but to end it.
    pub(super) fn accesses_of(&mut self, from: From<'_>, process: u32, batch: &mut Batch) {
        let local = from.state[process as usize];
        let memory = self.common(from.state).memory.number;
        if self.memo.shared().locals.is_writing(memory, process) {
            let step = self.ground.nature.locals.count as u32 - 1;
            return self.access(from, process, Stimulus::Access { process, step, memory }, batch);
        }
        let (first, last) = self.memo.menu(local);
        for item in first..last {
            let mut stimulus = self.memo.menu_item(item).0;
            if let Stimulus::Local(step) = stimulus {
                stimulus = Stimulus::Access { process, step, memory };
            }
            self.access(from, process, stimulus, batch);
        }
    }

    fn access(&mut self, from: From<'_>, process: u32, stimulus: Stimulus, batch: &mut Batch) {
        let outs = self.memo.step_on(from.state[process as usize], stimulus);
        self.outs(from, process, outs, &[], Action::Own { process, stimulus }, batch);
    }

    /// Whoever comes into the doorway remembers who has passed it; whoever enters is remembered no longer.
    pub(super) fn doorway(
        &mut self,
        from: From<'_>,
        process: u32,
        out: &Out,
        start: usize,
        batch: &mut Batch,
    ) {
        let others = (0..self.space.n).filter(|&other| other != process);
        if out.flags & flag::ENTERS != 0 {
            for other in others {
                let local = from.state[other as usize];
                if self.memo.shared().facts(local).ahead.has(process) {
                    batch.changes.push((other, self.memo.noted(local, Stimulus::Served(process))));
                }
            }
            return;
        }
        let stands = |local: u32| self.memo.shared().facts(local).doorway;
        if stands(out.local) != Doorway::Inside || stands(from.state[process as usize]) != Doorway::Outside {
            return;
        }
        let mut local = out.local;
        for other in others {
            if self.memo.shared().facts(from.state[other as usize]).doorway == Doorway::Passed {
                local = self.memo.noted(local, Stimulus::Ahead(other));
            }
        }
        if let Some(change) = batch.changes[start..].iter_mut().find(|change| change.0 == process) {
            change.1 = local;
        }
    }
}
