//! What a client makes of what it is told.

use super::{Asked, Doing, Flaw, Open, Task};
use crate::auditor::Holding;
use crate::world::World;
use ringleader_live::Micros;
use ringleader_locks::{Answer, Ask, Asker, Belief, Denial, Fence, Mode, Rid, Session, SessionId, Standing};

impl World {
    pub(super) fn client_takes(&mut self, client: usize, asker: Asker, answer: Answer) {
        let now = self.clients[client].clock.shows(self.real);
        let Some(asked) = self.clients[client].asked.iter().find(|(other, _)| *other == asker) else {
            return;
        };
        let asked = asked.1;
        self.note(|| format!("client {client} hears ({asker:x}) {answer:?}"));
        match (asked, answer) {
            (Asked::Open(sent), Answer::Opened { session, valid }) => {
                self.opened(client, asker, now, sent, session, valid);
            }
            (Asked::KeepAlive(session, sent), Answer::Alive { valid, requests, draining: _ }) => {
                if self.is_of(client, session) {
                    self.kept_alive(client, now, sent, valid);
                    for (rid, belief) in requests {
                        self.reminded(client, session, rid, belief);
                    }
                }
            }
            (Asked::Acquire(session, lock, _), Answer::Granted { rid, fence, .. }) => {
                self.granted(client, session, Some(lock), rid, fence);
            }
            (
                Asked::KeepAlive(session, _)
                | Asked::Acquire(session, _, _)
                | Asked::Release(session, _, _)
                | Asked::Other(session),
                Answer::Denied(Denial::SessionExpired | Denial::SessionUnknown),
            ) => {
                if self.is_of(client, session) {
                    self.session_ends(client);
                }
            }
            (
                Asked::KeepAlive(session, _)
                | Asked::Acquire(session, _, _)
                | Asked::Release(session, _, _)
                | Asked::Other(session),
                Answer::Denied(Denial::Moved(to)),
            ) => self.follows(client, session, usize::from(to)),
            (Asked::KeepAlive(session, _), Answer::Denied(_)) => self.refused(client, session),
            (Asked::Acquire(session, _, rid), Answer::Denied(denial)) => {
                // If it was asked again meanwhile, the answer to that is the one that counts.
                let again = |(other, asked): &(Asker, Asked)| {
                    *other > asker && matches!(asked, Asked::Acquire(_, _, other) if *other == rid)
                };
                if !self.clients[client].asked.iter().any(again) {
                    self.denied(client, session, rid, denial);
                }
            }
            (Asked::Release(session, lock, fence), Answer::Released | Answer::Denied(Denial::NotHolder)) => {
                if self.is_of(client, session) {
                    let mut tasks = self.clients[client].tasks.iter();
                    let given = |task: &Task| {
                        task.lock == lock
                            && matches!(task.doing, Doing::GivesBack { fence: back, .. } if back == fence)
                    };
                    if let Some(place) = tasks.position(given) {
                        if self.healed.is_some() {
                            self.clients[client].served[lock] = true;
                        }
                        self.thinks(client, place);
                    }
                }
            }
            (Asked::Open(_), Answer::Denied(denial)) => {
                self.clients[client].opens_at = self.real + 1 + self.setup.renew / 4;
                if matches!(denial, Denial::BadRequest(_)) {
                    // Leases have become shorter meanwhile.
                    let lease = self.view.times.lease(self.clients[client].class).0;
                    self.clients[client].ttl = self.clients[client].ttl.min(lease);
                }
            }
            (Asked::Release(_, _, _), Answer::Denied(_)) => {}
            // Nobody asked for this, or nothing depends on it.
            (
                Asked::Open(_)
                | Asked::KeepAlive(..)
                | Asked::Acquire(..)
                | Asked::Release(..)
                | Asked::Other(_),
                Answer::Opened { .. }
                | Answer::Alive { .. }
                | Answer::Closed
                | Answer::Granted { .. }
                | Answer::Cancelled
                | Answer::Released
                | Answer::State(_)
                | Answer::Denied(_),
            ) => {}
        }
    }

    /// Its session is at another server now: it goes on there, with everything that waits.
    fn follows(&mut self, client: usize, session: SessionId, to: usize) {
        if !self.is_of(client, session) {
            return;
        }
        self.counts.followed += 1;
        let real = self.real;
        let who = &mut self.clients[client];
        if let Some(open) = &mut who.open {
            (open.server, open.keep_alive) = (to, real);
        }
        for task in &mut who.tasks {
            if matches!(task.doing, Doing::Waits { .. } | Doing::GivesBack { .. }) {
                task.next = task.next.min(real + 1);
            }
        }
    }

    /// What the server knows of a request: a grant whose answer was lost is taken, and what is over here is
    /// withdrawn.
    fn reminded(&mut self, client: usize, session: SessionId, rid: Rid, belief: Belief) {
        let Some(open) = &self.clients[client].open else { return };
        let known = open.session.beliefs().iter().any(|(mine, _)| *mine == rid);
        let gives_back = |task: &Task| match (task.doing, belief) {
            (Doing::GivesBack { fence, .. }, Belief::Holds(held)) => fence == held,
            (Doing::GivesBack { .. } | Doing::Thinks | Doing::Waits { .. } | Doing::Holds { .. }, _) => false,
        };
        match belief {
            Belief::Holds(fence) if known => self.granted(client, session, None, rid, fence),
            Belief::Holds(_) | Belief::Waits
                if known || self.clients[client].tasks.iter().any(gives_back) => {}
            Belief::Holds(_) | Belief::Waits => {
                self.ask(client, Asked::Other(session), Ask::Cancel { session, rid });
            }
        }
    }

    pub(super) fn is_of(&self, client: usize, session: SessionId) -> bool {
        self.clients[client].open.as_ref().is_some_and(|open| open.session.id() == session)
    }

    pub(super) fn opened(
        &mut self,
        client: usize,
        asker: Asker,
        now: Micros,
        sent: Micros,
        session: SessionId,
        valid: Micros,
    ) {
        let newest = self.clients[client].serial == asker & 0xffff_ffff;
        if self.clients[client].open.is_some() || !newest {
            if !self.is_of(client, session) {
                // Two servers answered: one session is enough.
                let close = self.number(client, Asked::Other(session));
                let server = self.clients[client].server;
                self.asks(client, server, close, Ask::Close { session });
            }
            return;
        }
        let times = self.setup.times;
        let flawed = match self.flaw {
            Flaw::FromReceipt => Some(now + times.of_client(valid)),
            Flaw::NoMargin => Some(sent + valid),
            Flaw::None | Flaw::TakesLate | Flaw::AnyRequest => None,
        };
        let keep_alive = self.real + self.clients[client].ttl / 6 + 1;
        let server = self.clients[client].server;
        let session = Session::opened(session, times, sent, valid);
        self.clients[client].open = Some(Open { session, server, keep_alive, refused: 0, flawed });
        self.client_acts(client);
    }

    pub(super) fn kept_alive(&mut self, client: usize, now: Micros, sent: Micros, valid: Micros) {
        let times = self.setup.times;
        let lives = self.lives(client);
        let flaw = self.flaw;
        let Some(open) = &mut self.clients[client].open else { return };
        open.refused = 0;
        let id = open.session.id();
        if !lives {
            return self.session_ends(client);
        }
        open.session.kept_alive(now, sent, valid);
        let promised = match flaw {
            Flaw::FromReceipt => now + times.of_client(valid),
            Flaw::NoMargin => sent + valid,
            Flaw::None | Flaw::TakesLate | Flaw::AnyRequest => open.session.deadline(),
        };
        open.flawed = open.flawed.map(|before| before.max(promised));
        let until = self.until(client);
        self.auditor.extends(id, until);
    }

    /// A server that may grant nothing is left, sooner or later.
    pub(super) fn refused(&mut self, client: usize, session: SessionId) {
        if !self.is_of(client, session) {
            return;
        }
        if let Some(open) = &mut self.clients[client].open {
            open.refused += 1;
            let holds = open.session.beliefs().iter().any(|(_, belief)| matches!(belief, Belief::Holds(_)));
            if open.refused > 6 && !holds {
                self.session_ends(client);
            }
        }
    }

    pub(super) fn denied(&mut self, client: usize, session: SessionId, rid: Rid, denial: Denial) {
        if !self.is_of(client, session) {
            return;
        }
        let waits = |task: &Task| matches!(task.doing, Doing::Waits { rid: waits, .. } if waits == rid);
        let Some(place) = self.clients[client].tasks.iter().position(waits) else { return };
        self.counts.mixed += u64::from(denial == Denial::Mixed);
        match denial {
            Denial::NoLease { retry } | Denial::Recovering { retry } => {
                // The same request again, when it said.
                let task = &mut self.clients[client].tasks[place];
                task.next = task.next.min(self.real + retry.0.max(1000));
                if matches!(denial, Denial::NoLease { .. }) {
                    self.refused(client, session);
                }
            }
            Denial::Draining => self.session_ends(client),
            Denial::Locked
            | Denial::Mixed
            | Denial::Timeout
            | Denial::Limit(_)
            | Denial::BadRequest(_)
            | Denial::NotHolder
            | Denial::SessionExpired
            | Denial::SessionUnknown
            | Denial::Moved(_) => {
                if let Some(open) = &mut self.clients[client].open {
                    open.session.withdraws(rid);
                }
                self.thinks(client, place);
            }
        }
    }

    /// A grant has come: it is taken if it counts, and given back if not.
    pub(super) fn granted(
        &mut self,
        client: usize,
        of: SessionId,
        lock: Option<usize>,
        rid: Rid,
        fence: Fence,
    ) {
        let now = self.clients[client].clock.shows(self.real);
        let flaw = self.flaw;
        let waits = |task: &Task| match task.doing {
            Doing::Waits { rid: waits, .. } => {
                waits == rid || (flaw == Flaw::AnyRequest && Some(task.lock) == lock)
            }
            Doing::Thinks | Doing::Holds { .. } | Doing::GivesBack { .. } => false,
        };
        let place = self.clients[client].tasks.iter().position(waits);
        let lives = self.lives(client);
        let Some(open) = &mut self.clients[client].open else {
            return self.gives_back(client, of, lock, fence);
        };
        let standing = match flaw {
            Flaw::None => open.session.granted(now, of, rid, fence),
            Flaw::TakesLate | Flaw::AnyRequest | Flaw::FromReceipt | Flaw::NoMargin => {
                let before = open.session.granted(now, of, rid, fence);
                if of == open.session.id() && lives && place.is_some() { Standing::Held } else { before }
            }
        };
        let id = open.session.id();
        match (standing, place) {
            (Standing::Held, Some(place)) => {
                let Task { lock, doing, .. } = self.clients[client].tasks[place];
                let mode = if let Doing::Waits { mode, .. } = doing { mode } else { Mode::Exclusive };
                let until = self.until(client);
                let holding = Holding { client, session: id, fence, until, order: 0, mode };
                self.note(|| format!("client {client} holds lock {lock} with {fence:?} until {until}"));
                let order = self.auditor.takes(self.real, lock, holding, self.healed.is_some());
                let brief = self.healed.is_some() && !self.setup.restless;
                let hold = if brief { self.setup.renew / 4 } else { self.setup.hold };
                let until = self.real + self.rng.below(hold + 1);
                self.set(client, place, Doing::Holds { rid, fence, order, until, mode }, 0);
            }
            // It was taken before.
            (Standing::Held, None) => {}
            (Standing::GiveBack, _) => self.gives_back(client, of, lock, fence),
        }
    }

    pub(super) fn gives_back(
        &mut self,
        client: usize,
        session: SessionId,
        lock: Option<usize>,
        fence: Fence,
    ) {
        let Some(lock) = lock else { return };
        // What it holds, or gives back already, it does not give back for an answer that came twice.
        let is_mine = |task: &Task| match task.doing {
            Doing::Holds { fence: mine, .. } | Doing::GivesBack { fence: mine, .. } => mine == fence,
            Doing::Thinks | Doing::Waits { .. } => false,
        };
        if self.clients[client].tasks.iter().any(is_mine) {
            return;
        }
        self.counts.given_back += 1;
        let name = self.setup.names[lock].clone();
        self.ask(client, Asked::Release(session, lock, fence), Ask::Release { session, name, fence });
    }
}
