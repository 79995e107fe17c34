//! 4.1, sessions: a client is served while its server hears of it. The server keeps a session until the promise that
//! it gave is over, counted from the receipt of the keep-alive; the client counts from its sending, so it stops
//! earlier.

use super::moving::Way;
use super::requests::{Request, State};
use super::{Answer, Asker, Event, Output, Rule, Server, SessionKey, Timer, answer};
use crate::{Belief, Class, Denial, Ending, Finished, Name, Rid, SessionId};
use ringleader_live::Micros;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The most bytes of what a session shows about its holder.
const MAX_META: usize = 512;

/// How many requests that are over a session remembers, with their answers: one that is repeated, or comes late, must
/// not be taken for a new one. They take 16 bytes each.
const FINISHED: usize = 64;

/// What a session is opened with.
pub(super) struct Opening {
    pub(super) ttl: Micros,
    pub(super) class: Class,
    pub(super) meta: Arc<str>,
    pub(super) owner: Arc<str>,
    pub(super) follows: bool,
}

/// A session at its server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Client {
    /// What it is called: here by the number that it has, or as the server called it from which it came.
    pub(super) name: SessionId,
    /// Whose it is.
    pub(super) owner: Arc<str>,
    /// Whether its client follows it to another server.
    pub(super) follows: bool,
    /// On its way to another server.
    pub(super) way: Option<Box<Way>>,
    pub(super) ttl: Micros,
    pub(super) class: Class,
    pub(super) meta: Arc<str>,
    /// It is over from here on.
    pub(super) until: Micros,
    pub(super) requests: BTreeMap<Rid, Request>,
    finished: VecDeque<Finished>,
    /// The largest number that is over.
    newest: Rid,
    /// Whether it was ever granted anything.
    pub(super) granted: bool,
}

impl Client {
    /// One that begins, or that has come.
    pub(super) fn new(name: SessionId, opening: Opening, until: Micros) -> Client {
        let Opening { ttl, class, meta, owner, follows } = opening;
        Client {
            name,
            owner,
            follows,
            way: None,
            ttl,
            class,
            meta,
            until,
            requests: BTreeMap::new(),
            finished: VecDeque::new(),
            newest: 0,
            granted: false,
        }
    }

    /// The requests that are over, as far as they are remembered.
    pub(super) fn over(&self) -> Vec<Finished> {
        self.finished.iter().copied().collect()
    }

    /// Whether this number was not seen yet.
    pub(super) fn is_new(&self, rid: Rid) -> bool {
        !self.requests.contains_key(&rid) && (rid > self.newest || self.finished(rid).is_none())
    }

    /// A request is over, like this.
    pub(super) fn finishes(&mut self, rid: Rid, name: Option<&Name>, how: Ending) {
        self.remembers(Finished { rid, lock: name.map_or(0, lock_bits), how });
    }

    /// A request was over when the session came here, or is now.
    pub(super) fn remembers(&mut self, finished: Finished) {
        if self.finished.len() == FINISHED {
            self.finished.pop_front();
        }
        self.newest = self.newest.max(finished.rid);
        self.finished.push_back(finished);
    }

    /// How a request ended, if that was not long ago.
    pub(super) fn finished(&self, rid: Rid) -> Option<Finished> {
        self.finished.iter().find(|finished| finished.rid == rid).copied()
    }
}

/// What is remembered of the name of a lock.
pub(super) fn lock_bits(name: &Name) -> u32 {
    (name.hash() >> 32) as u32
}

impl Server {
    /// The session's number here, or why it is none: no other run of any server gave a name of ours.
    pub(super) fn client(&self, session: SessionId) -> Result<SessionKey, Denial> {
        let (run, key) = ((session.0 >> 64) as u64, session.0 as u64);
        if run != self.spec.incarnation {
            return self.guests.get(&session).copied().ok_or(Denial::SessionUnknown);
        }
        match self.sessions.get(&key) {
            Some(client) if client.name == session => Ok(key),
            None if key != 0 && key <= self.opened => Err(Denial::SessionExpired),
            Some(_) | None => Err(Denial::SessionUnknown),
        }
    }

    /// A session that is known is not open: that cannot be.
    pub(super) fn not_open(&mut self) -> Denial {
        self.impossible("a session that is known is not open");
        Denial::SessionUnknown
    }

    pub(super) fn no_lease(&self) -> Denial {
        Denial::NoLease { retry: self.spec.renew }
    }

    /// T2: for how long something may be promised to a session of this class.
    fn promise(&self, now: Micros, class: Class, ttl: Micros) -> Option<Micros> {
        if !self.rules.has(Rule::LeaseAlways) && self.joined {
            return Some(ttl);
        }
        Some(ttl.min(self.lease_left(now, class))).filter(|valid| *valid > Micros(0))
    }

    pub(super) fn open(&mut self, asker: Asker, opening: Opening) -> Result<(), Denial> {
        let Opening { ttl, class, .. } = opening;
        if self.draining.is_some() {
            return Err(Denial::Draining);
        }
        let Some(view) = self.view.as_ref().filter(|_| self.pending.is_none()) else {
            return Err(self.no_lease());
        };
        let lease = view.times.lease(class);
        if ttl < self.spec.limits.shortest.min(lease) {
            return Err(Denial::BadRequest("the session's time is too short"));
        }
        if ttl > lease {
            return Err(Denial::BadRequest("the session's time is longer than the lease of its class"));
        }
        if opening.meta.len() > MAX_META || opening.owner.len() > MAX_META {
            return Err(Denial::BadRequest("what a session shows about its holder has at most 512 bytes"));
        }
        if self.sessions.len() >= self.spec.limits.sessions {
            return Err(Denial::Limit("sessions"));
        }
        let valid = self.promise(self.now, class, ttl).filter(|_| self.leased(self.now, class));
        let valid = valid.ok_or_else(|| self.no_lease())?;
        self.opened += 1;
        let (key, until) = (self.opened, self.now + valid);
        let session = self.spec.session(key);
        self.sessions.insert(key, Client::new(session, opening, until));
        self.at(until, Timer::Session(key));
        answer(&mut self.out, asker, Answer::Opened { session, valid });
        Ok(())
    }

    /// It lives. The answer says what the server knows of every request, so that a grant whose answer was lost is
    /// known after it, and one that the client does not know of is given back by the client. The server frees nothing
    /// on the ground that a keep-alive does not list it: it may have been sent before the request, and have come
    /// after it.
    pub(super) fn keep_alive(&mut self, asker: Asker, session: SessionId) -> Result<(), Denial> {
        let key = self.client(session)?;
        let patience_over = self.patience_is_over(self.now);
        let Some(client) = self.sessions.get(&key) else { return Err(self.not_open()) };
        let left = client.until - self.now;
        // What is promised to a session on its way is promised where it arrives.
        let frozen = client.way.is_some() && self.rules.has(Rule::Frozen);
        let valid = if patience_over || frozen {
            Some(left)
        } else {
            self.promise(self.now, client.class, client.ttl)
        };
        let valid = valid.ok_or_else(|| self.no_lease())?;
        let Some(client) = self.sessions.get_mut(&key) else { return Err(self.not_open()) };
        // An earlier promise may reach further than this one; the client counts on the later of the two.
        client.until = client.until.max(self.now + valid);
        let requests = client.requests.iter().map(|(rid, request)| (*rid, request.belief())).collect();
        let draining = self.draining.is_some();
        answer(&mut self.out, asker, Answer::Alive { valid, requests, draining });
        Ok(())
    }

    pub(super) fn close(&mut self, asker: Asker, session: SessionId) -> Result<(), Denial> {
        let key = self.client(session)?;
        self.end(key, Denial::SessionExpired);
        answer(&mut self.out, asker, Answer::Closed);
        Ok(())
    }

    /// Its timer fires: it is over, or was kept alive meanwhile.
    pub(super) fn session_is_due(&mut self, key: SessionKey) {
        // It was closed, or is elsewhere.
        let Some(client) = self.sessions.get(&key) else { return };
        if client.until > self.now {
            let until = client.until;
            return self.at(until, Timer::Session(key));
        }
        if client.way.is_some() {
            return self.overdue(key);
        }
        self.tally.expired += 1;
        self.out.push(Output::Event(Event::Expired(client.name)));
        self.end(key, Denial::SessionExpired);
    }

    /// The session is over: its waits are removed, each is answered, and its locks are free.
    pub(super) fn end(&mut self, key: SessionKey, why: Denial) {
        let Some(client) = self.sessions.remove(&key) else {
            return self.impossible("a session that is known is not open");
        };
        self.guests.remove(&client.name);
        let mut free: Vec<Name> = Vec::new();
        for (rid, request) in client.requests {
            self.forget_wait(key, rid, &request);
            if let State::Holds(fence) = request.state {
                self.out.push(Output::Event(Event::Lost { name: request.name.clone(), fence }));
                self.let_go(&request.name, (key, rid));
            } else if let Some(asker) = request.asker {
                self.denies(asker, why);
            }
            free.push(request.name);
        }
        for name in free {
            self.serve(&name);
        }
    }
}

impl Request {
    /// What the server says of it.
    fn belief(&self) -> Belief {
        match self.state {
            State::Holds(fence) => Belief::Holds(fence),
            State::Waits { .. } | State::Tries { .. } => Belief::Waits,
        }
    }
}
