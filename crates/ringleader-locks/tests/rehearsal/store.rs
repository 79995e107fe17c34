//! The store as a replicated log. Its leader answers reads from what it has applied. A new leader, and one that has
//! restarted, has applied less than the log has: it catches up step by step, as its links are slow. Until it has
//! applied what the log had when its leadership began, no read may be answered.
//!
//! The wrong version lets a leader that restarts inside its term answer as soon as it has applied the first entry of
//! the term, or its snapshot: changes that were answered already are missing from what it reads.

use crate::world::{Due, World};
use ringleader_locks::{Command, Input, View};
use std::sync::Arc;

/// The log at its leader.
pub(crate) struct Store {
    /// The view after each entry; the first is the snapshot.
    log: Vec<Arc<View>>,
    /// How far the leader has applied it.
    applied: usize,
    /// How far it must have, before a read is answered.
    barrier: usize,
    first_of_term: usize,
    /// While it catches up: which of the times it is.
    behind: Option<u64>,
    times: u64,
    /// Reads that wait: of which server, of which run of it, with which number.
    reads: Vec<(usize, u32, u64)>,
    proposals: Vec<Command>,
}

impl Store {
    pub(crate) fn new(view: Arc<View>) -> Store {
        Store {
            log: vec![view],
            applied: 0,
            barrier: 0,
            first_of_term: 0,
            behind: None,
            times: 0,
            reads: Vec::new(),
            proposals: Vec::new(),
        }
    }

    fn last(&self) -> usize {
        self.log.len() - 1
    }

    /// The oldest view that a backup can have.
    pub(crate) fn snapshot(&self) -> &Arc<View> {
        &self.log[0]
    }
}

impl World {
    /// Soon somebody else may propose.
    pub(crate) fn elects(&mut self) {
        if !self.setup.anybody {
            let next = self.rng.below(self.hosts.len() as u64) as usize;
            let after = self.rng.below(self.setup.suspect * 2);
            self.due(after, Due::Leader(next));
        }
    }

    /// Somebody is elected, if it can be; otherwise there is another election.
    pub(crate) fn leads(&mut self, host: usize) {
        let machine = &self.hosts[host];
        if machine.server.is_none() || machine.store_cut[0] || machine.paused_until > self.real {
            // I5 counts from the election: while nobody leads, there was none.
            if !self.runs(self.leader) {
                self.stirred = self.stirred.max(self.real);
            }
            return self.elects();
        }
        let before = core::mem::replace(&mut self.leader, host);
        self.stirred = self.stirred.max(self.real);
        self.note(|| format!("server {host} may propose"));
        if before != host {
            self.counts.leaders += 1;
            self.falls_behind(false);
            // The one before learns of it later, or never: then its proposals are for an old epoch, or
            // harmless.
            self.input(before, Input::Proposes(false));
        }
        self.input(host, Input::Proposes(true));
    }

    /// An entry is in the log of a majority.
    pub(crate) fn appends(&mut self, view: Arc<View>) {
        let store = &mut self.store;
        store.log.push(view);
        if store.behind.is_some() {
            if !self.setup.resumes_early {
                store.barrier = store.last();
            }
            return;
        }
        store.applied = store.last();
        if store.log.len() > self.setup.snapshot_after {
            store.log.drain(..store.applied);
            (store.applied, store.first_of_term) = (0, 0);
        }
    }

    /// A read reaches the leader.
    pub(crate) fn read_arrives(&mut self, host: usize, run: u32, number: u64) {
        let store = &self.store;
        if store.behind.is_some() {
            self.counts.reads_behind += 1;
            if store.applied < store.barrier {
                self.counts.reads_held += 1;
                return self.store.reads.push((host, run, number));
            }
        }
        self.read_is_answered(host, run, number);
    }

    fn read_is_answered(&mut self, host: usize, run: u32, number: u64) {
        let lost = self.hosts[host].store_cut[1] || self.is_lost();
        let answer = if lost { None } else { Some(Arc::clone(&self.store.log[self.store.applied])) };
        let after = if lost { self.setup.renew * 2 } else { self.travels() };
        self.due(after, Due::ReadAnswer(host, run, number, answer));
    }

    /// A proposal reaches the leader.
    pub(crate) fn proposal_arrives(&mut self, command: Command) {
        if self.store.behind.is_some() {
            self.store.proposals.push(command);
        } else {
            self.proposed(&command);
        }
    }

    /// Somebody leads who has not applied everything: a new leader, or the same one after a restart inside its term.
    pub(crate) fn falls_behind(&mut self, in_term: bool) {
        if self.setup.anybody {
            return;
        }
        let last = self.store.last();
        let applied = if in_term { 0 } else { self.rng.below(last as u64 + 1) as usize };
        let store = &mut self.store;
        store.applied = applied;
        store.barrier = if in_term && self.setup.resumes_early { store.first_of_term } else { last };
        if !in_term {
            store.first_of_term = last;
        }
        store.times += 1;
        store.behind = Some(store.times);
        let times = store.times;
        self.note(|| format!("the leader has applied {applied} of {last} entries"));
        self.steps_of_the_log(times);
    }

    /// It is done, or goes on after a round trip.
    fn steps_of_the_log(&mut self, times: u64) {
        let store = &self.store;
        if store.applied < store.last() {
            let slow = self.healed.is_none() && self.rng.below(2) == 0;
            let most = if slow { self.setup.times.leases[0].0 / 4 } else { 2 * self.setup.delay };
            let after = 1 + self.rng.below(most);
            return self.due(after, Due::Applies(times));
        }
        self.store.behind = None;
        self.stirred = self.stirred.max(self.real);
        for command in core::mem::take(&mut self.store.proposals) {
            self.proposed(&command);
        }
    }

    /// The leader applies some more.
    pub(crate) fn applies(&mut self, times: u64) {
        if self.store.behind != Some(times) {
            return;
        }
        let more = 1 + self.rng.below(3) as usize;
        let store = &mut self.store;
        store.applied = (store.applied + more).min(store.last());
        if store.applied >= store.barrier {
            for (host, run, number) in core::mem::take(&mut store.reads) {
                self.read_is_answered(host, run, number);
            }
        }
        self.steps_of_the_log(times);
    }
}
