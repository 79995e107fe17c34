//! Data folders that are lost: of one server, in whatever state it is, or of all; backups that are put back; and a
//! leader of the store that restarts inside its term.

use crate::store::Store;
use crate::world::{Due, World};
use ringleader_locks::{Command, View};
use std::sync::Arc;

impl World {
    /// In which state a server is that loses its folder.
    fn counts_loss(&mut self, host: usize) {
        let machine = &self.hosts[host];
        let counts = &mut self.counts;
        counts.lost += 1;
        counts.lost_leader += u64::from(self.leader == host && !self.setup.anybody);
        let Some(server) = &machine.server else {
            counts.lost_down += 1;
            return;
        };
        let status = server.status(machine.clock.shows(self.real));
        let run = (host as u16, machine.incarnation);
        let known = self.view.has(run.0, run.1) || self.view.past.contains(&run);
        *match (machine.draining, status.joined, status.recovering > 0, known) {
            (true, _, _, _) => &mut counts.lost_draining,
            (false, true, true, _) => &mut counts.lost_recovering,
            (false, true, false, _) => &mut counts.lost_member,
            (false, false, _, true) => &mut counts.lost_excluded,
            (false, false, _, false) => &mut counts.lost_outside,
        } += 1;
    }

    /// A server is killed, and its folder is lost. It may be removed by hand meanwhile; it comes back soon, with
    /// nothing.
    pub(crate) fn loses_folder(&mut self, host: usize) {
        self.counts_loss(host);
        self.note(|| format!("server {host} loses its folder"));
        self.crash(host);
        if self.rng.below(2) == 0 {
            self.proposed(&Command::Exclude(self.view.epoch, host as u16));
        }
        let after = [1, self.setup.delay, self.setup.suspect][self.rng.below(3) as usize];
        let after = 1 + self.rng.below(after);
        self.due(after, Due::Boot(host));
        if self.rng.below(4) == 0 {
            // Once more, as soon as it is back.
            self.run(self.real + after + 1, &|_| false);
            self.counts_loss(host);
            self.crash(host);
            self.due(1, Due::Boot(host));
        }
    }

    /// An epoch that was not used before.
    fn later_epoch(&mut self) -> u32 {
        self.view.epoch + 1 + self.rng.below(3) as u32
    }

    fn store_has(&mut self, view: View) {
        self.view = Arc::new(view);
        self.store = Store::new(Arc::clone(&self.view));
        self.stirred = self.stirred.max(self.real);
    }

    /// Every folder is lost, and all servers start again: a cluster that knows nothing of what was before.
    pub(crate) fn begins_anew(&mut self) {
        self.counts.begun_anew += 1;
        self.note(|| "all folders are lost".into());
        for host in 0..self.hosts.len() {
            self.counts_loss(host);
            self.crash(host);
        }
        let (epoch, times, classes) = (self.later_epoch(), self.view.times, self.view.classes.clone());
        // Longer leases than those of now may run, if they were changed.
        let running = self.view.running;
        let begins = if self.setup.begins_unknown { View::first } else { View::new };
        self.store_has(View { running, ..begins(epoch, times, classes) });
        for host in 0..self.hosts.len() {
            let after = 1 + self.rng.below(self.setup.suspect);
            self.due(after, Due::Boot(host));
        }
    }

    /// A backup is put back, under an epoch that was not used before. Whoever runs goes on running.
    pub(crate) fn restores(&mut self) {
        self.counts.restored += 1;
        self.note(|| "a backup is put back".into());
        let backup =
            View { times: self.view.times, running: self.view.running, ..(**self.store.snapshot()).clone() };
        let epoch = self.later_epoch();
        self.store_has(backup.restored(epoch));
    }

    /// Whoever leads is killed, and is back before anybody else is elected.
    pub(crate) fn leader_resumes(&mut self) {
        if self.setup.anybody {
            return;
        }
        self.counts.leader_restarts += 1;
        let host = self.leader;
        if self.runs(host) {
            self.counts.killed += 1;
            self.stops(host);
        }
        self.restart(host);
        self.falls_behind(true);
    }
}
