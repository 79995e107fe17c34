//! What a client does with locks: it thinks, asks, waits, holds and writes, gives back.

use super::{Asked, Doing, Task};
use crate::world::{Due, World};
use ringleader_live::Micros;
use ringleader_locks::{Ask, Mode, Rid, SessionId};

impl World {
    /// What it wants next, and when. After everything was healed each lock once, soon.
    pub(super) fn thought(&mut self, client: usize) -> (usize, u64) {
        let locks = self.setup.names.len();
        let drawn = self.rng.below(locks as u64) as usize;
        if self.healed.is_none() {
            return (drawn, self.real + self.rng.below(self.setup.think));
        }
        let who = &self.clients[client];
        let is_free = |lock: &usize| !who.served[*lock] && who.tasks.iter().all(|task| task.lock != *lock);
        let next = (0..locks).map(|lock| (lock + drawn) % locks).find(is_free);
        let soon = self.real + self.rng.below(self.setup.renew);
        let never = if self.setup.restless { soon } else { self.real + self.setup.longest() };
        next.map_or((drawn, never), |lock| (lock, soon))
    }

    pub(super) fn set(&mut self, client: usize, place: usize, doing: Doing, after: u64) {
        let next = self.real + after.max(1);
        let task = &mut self.clients[client].tasks[place];
        (task.doing, task.next) = (doing, next);
    }

    pub(super) fn thinks(&mut self, client: usize, place: usize) {
        let (lock, next) = self.thought(client);
        self.clients[client].tasks[place] = Task { lock, doing: Doing::Thinks, next };
    }

    pub(super) fn task_goes_on(&mut self, client: usize, place: usize) {
        let Some(open) = &self.clients[client].open else { return };
        let session = open.session.id();
        let Task { lock, doing, .. } = self.clients[client].tasks[place];
        match doing {
            Doing::Thinks => {
                let mine = &self.clients[client].tasks;
                let busy = mine.iter().enumerate().any(|(other, task)| {
                    other != place && task.lock == lock && !matches!(task.doing, Doing::Thinks)
                });
                let done = self.healed.is_some() && !self.setup.restless;
                let idle = done && self.clients[client].served[lock];
                if busy || idle {
                    return self.thinks(client, place);
                }
                if self.view.class(&self.setup.names[lock]) < self.clients[client].class {
                    // It may not: its session lives longer than a lease of this lock.
                    self.clients[client].served[lock] = true;
                    return self.thinks(client, place);
                }
                let who = &mut self.clients[client];
                who.rid += 1;
                let rid = who.rid;
                if let Some(open) = &mut who.open {
                    open.session.waits(rid);
                }
                let astray = self.healed.is_none();
                let mode = self.setup.mode(lock, client, astray, &mut self.rng);
                self.acquires(client, place, session, (rid, mode), self.real);
            }
            Doing::Waits { rid, since, mode } => {
                let patience = self.setup.hold * 4 + self.setup.longest();
                if self.healed.is_none() && self.rng.below(8) == 0 && self.real - since > patience / 8 {
                    if let Some(open) = &mut self.clients[client].open {
                        open.session.withdraws(rid);
                    }
                    self.ask(client, Asked::Other(session), Ask::Cancel { session, rid });
                    self.thinks(client, place);
                } else {
                    self.acquires(client, place, session, (rid, mode), since);
                }
            }
            Doing::Holds { .. } => self.holds(client, place),
            Doing::GivesBack { fence, tries: 12.. } => {
                self.note(|| format!("client {client} gives its session up: {fence:?} is not taken back"));
                self.ask(client, Asked::Other(session), Ask::Close { session });
                self.session_ends(client);
            }
            Doing::GivesBack { fence, tries } => {
                let name = self.setup.names[lock].clone();
                self.ask(client, Asked::Release(session, lock, fence), Ask::Release { session, name, fence });
                let after = self.setup.renew / 4 + self.setup.delay * 3;
                self.set(client, place, Doing::GivesBack { fence, tries: tries + 1 }, after);
            }
        }
    }

    pub(super) fn acquires(
        &mut self,
        client: usize,
        place: usize,
        session: SessionId,
        (rid, mode): (Rid, Mode),
        since: u64,
    ) {
        let lock = self.clients[client].tasks[place].lock;
        let longest = self.setup.longest();
        let wait = match self.rng.below(8) {
            0 if self.healed.is_none() => Some(Micros(0)),
            1 | 2 if self.healed.is_none() => Some(Micros(self.rng.below(longest))),
            _ => None,
        };
        let ask = Ask::Acquire {
            session,
            rid,
            name: self.setup.names[lock].clone(),
            wait,
            priority: self.rng.below(3) as u32,
            value: (&[] as &[u8]).into(),
            mode,
        };
        self.ask(client, Asked::Acquire(session, lock, rid), ask);
        let after = self.setup.renew + self.setup.delay * 3 + self.rng.below(self.setup.times.leases[1].0);
        self.set(client, place, Doing::Waits { rid, since, mode }, after);
    }

    /// It looks at its clock, and writes; or it has done enough.
    pub(super) fn holds(&mut self, client: usize, place: usize) {
        let Task { lock, doing, .. } = self.clients[client].tasks[place];
        let Doing::Holds { rid, fence, order, until, mode } = doing else { return };
        if self.real < until {
            // From looking to the storage it takes a while, sometimes a long one: what protects then is the
            // fence.
            if mode == Mode::Exclusive {
                let after = self.travels();
                self.due(after, Due::Write(lock, fence, order));
            }
            let after = 1 + (until - self.real) / 2 + self.setup.renew / 8;
            return self.set(client, place, doing, after);
        }
        let who = &mut self.clients[client];
        if let Some(open) = &mut who.open {
            open.session.lets_go(rid);
            self.auditor.lets_go(lock, open.session.id(), fence);
        }
        self.set(client, place, Doing::GivesBack { fence, tries: 0 }, 0);
        self.task_goes_on(client, place);
    }
}
