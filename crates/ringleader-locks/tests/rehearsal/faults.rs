//! What goes wrong, drawn at random, and how everything is put right again.

use crate::setup::Setup;
use crate::world::{Due, World};
use ringleader_live::Micros;
use ringleader_locks::{Command, Input, SHARDS, Times};

impl World {
    fn any_server(&mut self) -> usize {
        self.rng.below(self.hosts.len() as u64) as usize
    }

    /// One where most is held, mostly.
    pub(crate) fn server_that_matters(&mut self) -> usize {
        let drawn = self.any_server();
        if self.rng.below(2) == 0 {
            return drawn;
        }
        let held = |host: usize| {
            let host = &self.hosts[host];
            host.server.as_ref().map_or(0, |server| server.status(host.clock.shows(self.real)).held)
        };
        let count = self.hosts.len();
        (0..count).map(|place| (place + drawn) % count).max_by_key(|host| held(*host)).unwrap_or(drawn)
    }

    /// How long something lasts: of every order of magnitude that matters.
    fn span(&mut self) -> u64 {
        let Setup { times, renew, .. } = &self.setup;
        let most = [*renew, times.leases[0].0 * 2, times.leases[1].0 * 2, times.leases[2].0 * 2];
        let most = most[self.rng.below(4) as usize];
        self.rng.below(most)
    }

    fn cut_pair(&mut self, from: usize, to: usize) {
        self.cut[from][to] = true;
    }

    fn others(&self, host: usize) -> impl Iterator<Item = usize> + use<> {
        (0..self.hosts.len()).filter(move |other| *other != host)
    }

    pub(crate) fn pause(&mut self, host: usize, span: u64) {
        self.counts.paused += 1;
        self.note(|| format!("server {host} is paused for {span}"));
        let machine = &mut self.hosts[host];
        machine.paused_until = machine.paused_until.max(self.real + span);
        let (run, after) = (machine.run, machine.paused_until - self.real);
        self.due(after, Due::Resume(host, run));
        if self.leader == host {
            self.elects();
        }
    }

    pub(crate) fn pause_client(&mut self, client: usize, span: u64) {
        self.counts.clients_paused += 1;
        self.note(|| format!("client {client} is paused for {span}"));
        let client_at = &mut self.clients[client];
        client_at.paused_until = client_at.paused_until.max(self.real + span);
        let after = client_at.paused_until - self.real;
        self.due(after, Due::ClientWake(client));
    }

    pub(crate) fn crash(&mut self, host: usize) {
        if self.runs(host) {
            self.counts.killed += 1;
            self.kill(host);
        }
    }

    pub(crate) fn restart(&mut self, host: usize) {
        if !self.runs(host) {
            self.counts.restarted += 1;
            if self.rng.below(2) == 0 {
                self.hosts[host].clock.restarts(&mut self.rng);
            }
            self.boot(host);
        }
    }

    fn cut_from_store(&mut self, host: usize, way: u64) {
        self.counts.store_cut += 1;
        self.note(|| format!("server {host} is cut from the store ({way})"));
        self.hosts[host].store_cut = [way != 1, way != 2];
        if self.leader == host {
            self.elects();
        }
    }

    /// Something goes wrong, or right again.
    pub(crate) fn something(&mut self) {
        match self.rng.below(30) {
            0..=2 => {
                let host = self.server_that_matters();
                self.crash(host);
                if self.rng.below(2) == 0 {
                    let after = self.span();
                    self.due(after, Due::Boot(host));
                }
            }
            3 | 4 => {
                if let Some(host) = (0..self.hosts.len()).find(|host| !self.runs(*host)) {
                    self.restart(host);
                }
            }
            5 | 6 => {
                let (host, span) = (self.server_that_matters(), self.span());
                self.pause(host, span);
            }
            7 | 8 => {
                let (client, span) = (self.rng.below(self.clients.len() as u64) as usize, self.span());
                self.pause_client(client, span);
            }
            9 => {
                let client = self.rng.below(self.clients.len() as u64) as usize;
                self.client_dies(client);
            }
            10 => {
                self.counts.cut_off += 1;
                let host = self.server_that_matters();
                self.note(|| format!("server {host} is cut off"));
                for other in self.others(host) {
                    self.cut_pair(host, other);
                    self.cut_pair(other, host);
                }
                if self.rng.below(3) > 0 {
                    self.cut_from_store(host, 0);
                }
            }
            11 => {
                self.counts.one_way += 1;
                let (host, deaf) = (self.server_that_matters(), self.rng.below(2));
                self.note(|| format!("server {host} is cut off one way ({deaf})"));
                for other in self.others(host) {
                    if deaf == 1 { self.cut_pair(other, host) } else { self.cut_pair(host, other) }
                }
                if self.rng.below(3) > 0 {
                    self.cut_from_store(host, 1 + deaf);
                }
            }
            12 => {
                let (one, other) = (self.server_that_matters(), self.any_server());
                if one != other {
                    self.counts.partly += 1;
                    self.note(|| format!("servers {one} and {other} are cut from each other"));
                    self.cut_pair(one, other);
                    self.cut_pair(other, one);
                }
            }
            13 => {
                self.counts.parted += 1;
                self.note(|| "parted in two".into());
                let side: Vec<u64> = self.hosts.iter().map(|_| self.rng.below(2)).collect();
                for one in 0..side.len() {
                    for other in (0..side.len()).filter(|other| side[one] != side[*other]) {
                        self.cut_pair(one, other);
                    }
                    if side[one] == 0 {
                        self.hosts[one].store_cut = [true; 2];
                    }
                }
                self.elects();
            }
            14 => {
                let (host, way) = (self.server_that_matters(), self.rng.below(3));
                self.cut_from_store(host, way);
            }
            15 => {
                self.counts.clients_cut += 1;
                let client = self.rng.below(self.clients.len() as u64) as usize;
                let (way, host) = (self.rng.below(2) as usize, self.any_server());
                self.note(|| format!("client {client} and server {host} are cut from each other ({way})"));
                self.clients[client].cut[way][host] = true;
                if self.rng.below(2) == 0 {
                    self.clients[client].cut[1 - way].fill(true);
                }
            }
            16 => {
                let host = self.server_that_matters();
                self.drain(host);
            }
            17 => self.changes_homes(),
            18 => self.changes_times(),
            19 | 20 => self.excludes(),
            21 => self.leaves_while_homes_move(),
            22 => self.leaves_and_hears_nothing(),
            23 | 24 => {
                let host = self.server_that_matters();
                self.loses_folder(host);
            }
            25 => self.leader_resumes(),
            26 => match self.rng.below(4) {
                0 => self.begins_anew(),
                1 => self.restores(),
                _ => self.leader_resumes(),
            },
            _ => self.heal_network(),
        }
    }

    pub(crate) fn heal_network(&mut self) {
        self.note(|| "the network is healed".into());
        self.cut.iter_mut().for_each(|row| row.fill(false));
        self.hosts.iter_mut().for_each(|host| host.store_cut = [false; 2]);
        self.clients.iter_mut().for_each(|client| client.cut.iter_mut().for_each(|cut| cut.fill(false)));
    }

    fn drain(&mut self, host: usize) {
        if self.runs(host) && !self.hosts[host].draining {
            self.counts.drains += 1;
            self.note(|| format!("server {host} is drained"));
            self.hosts[host].draining = true;
            self.input(host, Input::Drain);
        }
    }

    /// A server leaves, and while its sessions are on their way the view changes.
    pub(crate) fn leaves_while_homes_move(&mut self) {
        let host = self.server_that_matters();
        self.drain(host);
        let soon = self.rng.below(2 * self.setup.delay);
        self.run(self.real + soon, &|_| false);
        self.changes_homes();
    }

    /// The homes move, and one of the new ones does not hear what a server reports that leaves then; nor, in the next
    /// epoch, what the others report.
    pub(crate) fn leaves_untold(&mut self) {
        let host = self.server_that_matters();
        let others: Vec<usize> = self.others(host).collect();
        let deaf = others[self.rng.below(others.len() as u64) as usize];
        self.cut_pair(deaf, host);
        self.changes_homes();
        self.run(self.real + 4 * self.setup.delay + self.setup.renew, &|_| false);
        self.drain(host);
        self.run(self.real + 2 * self.setup.delay, &|_| false);
        self.heal_network();
        for other in others.into_iter().filter(|other| *other != deaf) {
            self.cut_pair(deaf, other);
        }
        self.run(self.real + 4 * self.setup.delay + 2 * self.setup.renew, &|_| false);
        self.heal_network();
    }

    /// A server leaves, and never hears that its sessions have arrived.
    pub(crate) fn leaves_and_hears_nothing(&mut self) {
        let host = self.server_that_matters();
        for other in self.others(host) {
            self.cut_pair(other, host);
        }
        self.drain(host);
    }

    /// A server leaves, and does not hear that its sessions have arrived. The server where they are leaves too, sends
    /// them on, is killed and comes back: in a view that the first one has not installed yet.
    pub(crate) fn leaves_by_way_of_another(&mut self) {
        let host = self.server_that_matters();
        for other in self.others(host) {
            self.cut_pair(other, host);
        }
        self.drain(host);
        self.run(self.real + 2 * self.setup.delay, &|_| false);
        let others: Vec<usize> = self.others(host).collect();
        let way = others[self.rng.below(others.len() as u64) as usize];
        self.drain(way);
        self.run(self.real + 3 * self.setup.delay, &|_| false);
        self.crash(way);
        self.restart(way);
        let incarnation = self.hosts[way].incarnation;
        self.proposed(&Command::Admit(self.view.epoch, way as u16, incarnation));
        self.run(self.real + 4 * self.setup.delay + self.setup.renew, &|_| false);
        self.heal_network();
    }

    /// Somebody is excluded, and soon after the leader of the store restarts inside its term.
    pub(crate) fn is_excluded_while_the_leader_restarts(&mut self) {
        let host = self.server_that_matters();
        self.proposed(&Command::Exclude(self.view.epoch, host as u16));
        let soon = self.rng.below(self.setup.times.leases[0].0);
        self.run(self.real + soon, &|_| false);
        self.leader_resumes();
    }

    /// A home sleeps for some epochs, and another one is the home meanwhile. A new run of a third one comes in, gets
    /// what it can, and is not heard by the first one when that is the home again.
    pub(crate) fn sleeps_while_others_are_homes(&mut self) {
        let (home, renew) = (self.server_that_matters(), self.setup.renew);
        let others: Vec<usize> = self.others(home).collect();
        let first = self.rng.below(others.len() as u64) as usize;
        let (second, third) = (others[first], others[(first + 1) % others.len()]);
        let all_at = |world: &mut World, home: usize| {
            world.proposed(&Command::Rehome(world.view.epoch, vec![home as u16; SHARDS]));
        };
        all_at(self, home);
        self.run(self.real + 3 * self.setup.times.leases[2].0, &|_| false);
        self.pause(home, 8 * renew);
        all_at(self, second);
        self.crash(third);
        self.restart(third);
        let incarnation = self.hosts[third].incarnation;
        self.proposed(&Command::Admit(self.view.epoch, third as u16, incarnation));
        self.run(self.real + 7 * renew, &|_| false);
        self.cut_pair(third, home);
        all_at(self, home);
    }

    /// The homes move, and one server is not heard by the others from now on: which.
    pub(crate) fn moves_home(&mut self) -> usize {
        let host = self.server_that_matters();
        self.changes_homes();
        for other in self.others(host) {
            self.cut_pair(host, other);
        }
        host
    }

    /// A server sleeps while it is excluded and everything that it had is made anew, and is let in again before it
    /// wakes up: it never reads the view in which it was not. (A guardian admits nobody who has not read that; whoever
    /// changes the view by hand may.)
    pub(crate) fn sleeps_through(&mut self) {
        let host = self.server_that_matters();
        let (longest, renew) = (self.setup.times.leases[2].0, self.setup.renew);
        self.pause(host, 4 * longest + renew);
        self.proposed(&Command::Exclude(self.view.epoch, host as u16));
        self.run(self.real + 4 * longest, &|_| false);
        let incarnation = self.hosts[host].incarnation;
        self.proposed(&Command::Admit(self.view.epoch, host as u16, incarnation));
        self.run(self.real + longest, &|_| false);
    }

    /// A server is excluded by mistake, and comes in again; again and again.
    fn flaps(&mut self, host: usize) {
        for _ in 0..3 {
            self.proposed(&Command::Exclude(self.view.epoch, host as u16));
            let long = self.real + 30_000_000;
            self.run(long, &|world| world.view.members.contains_key(&(host as u16)));
            self.run(self.real + self.setup.renew * 2, &|_| false);
        }
        self.proposed(&Command::Exclude(self.view.epoch, host as u16));
    }

    /// Everybody flaps, until nobody is in.
    pub(crate) fn all_flap(&mut self) {
        (0..self.hosts.len()).for_each(|host| self.flaps(host));
        for host in 0..self.hosts.len() as u16 {
            self.proposed(&Command::Exclude(self.view.epoch, host));
        }
    }

    /// Whoever may propose starts anew, and may again.
    pub(crate) fn leader_restarts(&mut self) {
        let host = self.leader;
        self.crash(host);
        self.restart(host);
        self.due(1, Due::Leader(host));
    }

    fn changes_homes(&mut self) {
        let members: Vec<u16> = self.view.members.keys().copied().collect();
        if members.is_empty() {
            return;
        }
        self.counts.rehomed += 1;
        let homes = (0..SHARDS).map(|_| members[self.rng.below(members.len() as u64) as usize]).collect();
        self.proposed(&Command::Rehome(self.view.epoch, homes));
    }

    /// Shorter leases, or longer ones, or a lock is of another class.
    fn changes_times(&mut self) {
        self.counts.retimed += 1;
        let mut leases = self.setup.times.leases.map(|lease| lease.0 * (5 + self.rng.below(10)) / 10);
        leases.sort_unstable();
        let fast = leases[0].max(self.setup.shortest() * 2);
        let times =
            Times { leases: [fast, fast.max(leases[1]), fast.max(leases[2])].map(Micros), ..self.view.times };
        let mut classes = self.view.classes.clone();
        if self.rng.below(2) == 0
            && let [(_, one), (_, other)] = classes.as_mut_slice()
        {
            core::mem::swap(one, other);
        }
        self.proposed(&Command::SetTimes(self.view.epoch, times, classes));
    }

    /// The guardian was wrong about somebody, or two change the view one after the other.
    fn excludes(&mut self) {
        let host = self.server_that_matters();
        let before = self.view.epoch;
        self.proposed(&Command::Exclude(before, host as u16));
        if self.view.epoch != before {
            self.counts.forced += 1;
            match self.rng.below(4) {
                // It comes back before it knows that it was out.
                0 => {
                    let incarnation = self.hosts[host].incarnation;
                    self.proposed(&Command::Admit(self.view.epoch, host as u16, incarnation));
                }
                1 => self.changes_homes(),
                _ => {}
            }
        }
    }

    /// Everything is put right: cuts, pauses, what is down; but one server may stay away for good.
    pub(crate) fn heal(&mut self) {
        self.heal_network();
        let away = (self.rng.below(3) == 0).then(|| self.any_server());
        for host in 0..self.hosts.len() {
            if Some(host) == away {
                self.crash(host);
                continue;
            }
            let machine = &mut self.hosts[host];
            if machine.paused_until > self.real {
                machine.paused_until = self.real;
                let run = machine.run;
                self.due(0, Due::Resume(host, run));
            }
            if !self.runs(host) {
                self.restart(host);
            }
        }
        for client in 0..self.clients.len() {
            self.clients[client].paused_until = self.real;
            self.clients[client].served.fill(false);
            self.due(1, Due::ClientWake(client));
        }
        self.healed = Some(self.real);
        let soon = self.rng.below(2) == 0;
        self.stirred = self.strays(soon);
        self.note(|| "everything is healed".into());
        self.elects();
    }
}
