//! 4.5, sessions that move: a server that leaves hands its sessions to others, each with the locks that it holds, and
//! their clients follow. The token of a held lock goes with its holder, under the number that it has; what the old
//! server is told about that number it tells the new one.
//!
//! A session goes only when the homes of its locks know who has them: a home takes the word of whoever has reported
//! that it has nothing, and a token that came to it afterwards must not be news to the home.
//!
//! In a new epoch a token that nobody reports is made anew, at once if everybody vouches: so none may be on its way
//! with its holder. Whoever has sent one stays in its epoch until it knows that it arrived, or until its client can
//! hold nothing; it extends nothing meanwhile. Who got it keeps it for at least as long as the client was promised.

use super::owners::patience;
use super::requests::{Request, State};
use super::sessions::{Client, Opening};
use super::{Ask, Asker, Event, Output, Rule, Server, SessionKey, Timer};
use crate::{Carried, Denial, MAX_MESSAGE, Message, Mode, Name, Parcel, Rid, ServerId, SessionId};
use ringleader::mutex::homed_chain::Token;
use ringleader_live::Micros;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a session that moves, at most; one with more locks is waited for.
const PARCEL: usize = MAX_MESSAGE / 2;

/// A session on its way to another server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Way {
    to: ServerId,
    /// Who does not take it.
    refused: BTreeSet<ServerId>,
    /// What its client asks meanwhile: that is answered where it arrives.
    asked: Vec<(Asker, Ask)>,
    resends: u32,
    at: Micros,
}

/// What was said to whoever sent a session.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Came {
    epoch: u32,
    taken: bool,
    /// Until when it may matter in a later epoch.
    pub(super) until: Micros,
}

/// Where a session went.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Gone {
    to: ServerId,
    /// Until when its client counts on what it was promised here.
    until: Micros,
    /// Whether its client was told.
    told: bool,
}

impl Gone {
    /// Whether there is nobody left to be told.
    pub(super) fn is_known(&self, now: Micros) -> bool {
        self.told || now >= self.until
    }
}

impl Server {
    /// What is asked about a session that has moved is asked there; about one on its way, when it has arrived. What is
    /// to be answered here is given back.
    pub(super) fn answered_elsewhere(&mut self, asker: Asker, ask: Ask) -> Option<Ask> {
        if self.draining.is_none() {
            return Some(ask);
        }
        // It is about no session.
        let Some(session) = ask.session() else { return Some(ask) };
        if let Some(gone) = self.gone.get_mut(&session) {
            gone.told = true;
            let to = gone.to;
            self.denies(asker, Denial::Moved(to));
            return None;
        }
        let most = self.spec.limits.locks;
        let key = self.client(session).ok();
        let client = key.and_then(|key| self.sessions.get_mut(&key));
        // It stays, or is none of ours.
        let Some(way) = client.and_then(|client| client.way.as_mut()) else { return Some(ask) };
        if matches!(ask, Ask::KeepAlive { .. }) {
            return Some(ask);
        }
        if way.asked.len() < most {
            way.asked.push((asker, ask));
        } else {
            self.denies(asker, Denial::Limit("questions of a session that moves"));
        }
        None
    }

    /// Every session whose client follows goes to another server, if there is one.
    pub(super) fn sends_sessions_away(&mut self) {
        let stays = |client: &Client| !client.follows || client.way.is_some();
        let going = self.sessions.iter().filter(|(_, client)| !stays(client));
        for key in going.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.sets_off(key, BTreeSet::new(), Vec::new());
        }
    }

    /// A session sets off; or what was asked is given back, because there is nowhere to go, or too much to carry.
    fn sets_off(
        &mut self,
        key: SessionKey,
        refused: BTreeSet<ServerId>,
        asked: Vec<(Asker, Ask)>,
    ) -> Option<Vec<(Asker, Ask)>> {
        let view = self.view.as_ref().filter(|_| self.joined && self.pending.is_none());
        // Out of the view there is nowhere to go.
        let Some(view) = view else { return Some(asked) };
        let Some(client) = self.sessions.get(&key) else {
            self.impossible("a session sets off that is not open");
            return Some(asked);
        };
        let other = |server: &ServerId| *server != self.spec.id && !refused.contains(server);
        let others: Vec<ServerId> = view.members.keys().copied().filter(other).collect();
        if others.is_empty()
            || bytes(client) > PARCEL
            || holds_beside_others(client)
            || self.is_news(client) && self.rules.has(Rule::TellsFirst)
        {
            return Some(asked);
        }
        // The sessions of one client, which all show the same, go to the same server.
        let drawn = client
            .meta
            .bytes()
            .fold(7_usize, |drawn, byte| drawn.wrapping_mul(31).wrapping_add(usize::from(byte)));
        let to = others[drawn % others.len()];
        let mut way = Way { to, refused, asked, resends: 0, at: self.now };
        let free = self.waits_elsewhere(key, &mut way);
        if let Some(client) = self.sessions.get_mut(&key) {
            client.way = Some(Box::new(way));
        }
        self.sends_away(key);
        for name in free {
            self.serve(&name);
        }
        None
    }

    /// Whether a home of what this session holds does not know yet that it is held here.
    fn is_news(&self, client: &Client) -> bool {
        let held = client.requests.values().filter(|request| request.holds());
        let mut locks = held.filter_map(|request| self.locks.get(&request.name));
        locks.any(|lock| !self.has_reported_to(lock.home))
    }

    /// What waits is asked again where the session arrives. The locks for which nobody of it waits any more.
    fn waits_elsewhere(&mut self, key: SessionKey, way: &mut Way) -> Vec<Name> {
        let Some(client) = self.sessions.get_mut(&key) else {
            self.impossible("a session sets off that is not open");
            return Vec::new();
        };
        let session = client.name;
        let (held, waiting) =
            core::mem::take(&mut client.requests).into_iter().partition(|(_, request)| request.holds());
        client.requests = held;
        let waiting: BTreeMap<Rid, Request> = waiting;
        let mut free = Vec::new();
        for (rid, request) in waiting {
            self.forget_wait(key, rid, &request);
            let (wait, priority) = match request.state {
                State::Waits { place: (rank, _), until, tries } => {
                    let wait = until.map(|until| if tries { Micros(0) } else { until - self.now });
                    (wait, u32::MAX - rank)
                }
                State::Tries { priority, .. } => (Some(Micros(0)), priority),
                State::Holds(_) => continue,
            };
            let Request { name, asker, value, mode, .. } = request;
            free.push(name.clone());
            if let Some(asker) = asker {
                way.asked.push((asker, Ask::Acquire { session, rid, name, wait, priority, value, mode }));
            }
        }
        free
    }

    /// MOVE, for the first time or again.
    fn sends_away(&mut self, key: SessionKey) {
        let epoch = self.epoch();
        let Some(client) = self.sessions.get_mut(&key) else {
            return self.impossible("a session that is known is not open");
        };
        let Some(way) = client.way.as_mut() else {
            return self.impossible("a session is sent away that stays");
        };
        way.at = self.now + patience(way.resends);
        let (to, at) = (way.to, way.at);
        let carried = |(rid, request): (&Rid, &Request)| {
            // What waited is asked again where it arrives.
            let State::Holds(fence) = request.state else { return None };
            let token = self.locks.get(&request.name)?.owner.token()?;
            let (name, value) = (request.name.clone(), request.value.clone());
            Some(Carried { rid: *rid, name, fence, value, k: token.k, counter: token.counter })
        };
        let parcel = Box::new(Parcel {
            ttl: client.ttl,
            class: client.class,
            meta: client.meta.clone(),
            owner: client.owner.clone(),
            left: client.until - self.now,
            over: client.over(),
            held: client.requests.iter().filter_map(carried).collect(),
        });
        self.out.push(Output::Send(to, Message::Move { epoch, session: client.name, parcel }));
        self.at(at, Timer::Move(key));
    }

    pub(super) fn move_is_due(&mut self, at: Micros, key: SessionKey) {
        let client = self.sessions.get_mut(&key);
        let Some(way) = client.and_then(|client| client.way.as_mut()).filter(|way| way.at == at) else {
            // It has arrived, or was sent again meanwhile.
            return;
        };
        way.resends += 1;
        self.tally.resent += 1;
        self.sends_away(key);
    }

    /// At the new server: a session comes. What was said of it once is said again: a copy that comes late must not be
    /// taken when the first was not.
    pub(super) fn session_comes(&mut self, from: ServerId, session: SessionId, parcel: Parcel) {
        let epoch = self.epoch();
        let said = self.came.get(&(from, session)).filter(|came| came.epoch == epoch).map(|came| came.taken);
        let taken = said.unwrap_or_else(|| {
            // As long as the client and the sender count on it, whose clocks may be the slower ones.
            let kept = self.view.as_ref().map_or(Micros(0), |view| view.times.wait(parcel.left));
            let until = self.now + kept;
            let taken = self.can_take(&parcel);
            if taken {
                self.takes_in(from, (session, until), parcel);
            }
            self.came.insert((from, session), Came { epoch, taken, until });
            taken
        });
        self.out.push(Output::Send(from, Message::Moved { epoch, session, taken }));
    }

    /// A session comes that was sent in an epoch that is over here: if it was not taken then, it never will be. Who was
    /// not in that epoch does not know what became of it there: an earlier run of this server may have taken it, and
    /// have sent it on.
    pub(super) fn session_comes_late(&mut self, from: ServerId, epoch: u32, session: SessionId) {
        let came =
            self.came.get(&(from, session)).filter(|came| came.epoch == epoch && came.until > self.now);
        let seat = self.view.as_ref().and_then(|view| view.members.get(&self.spec.id));
        let was_in =
            seat.is_some_and(|seat| seat.incarnation == self.spec.incarnation && seat.since <= epoch);
        if let Some(taken) =
            came.map(|came| came.taken).or((was_in || !self.rules.has(Rule::OwnWord)).then_some(false))
        {
            self.out.push(Output::Send(from, Message::Moved { epoch, session, taken }));
        }
    }

    fn can_take(&self, parcel: &Parcel) -> bool {
        let full = self.sessions.len() >= self.spec.limits.sessions;
        let had = |carried: &Carried| {
            self.locks
                .get(&carried.name)
                .and_then(|lock| lock.owner.largest())
                .is_some_and(|k| k >= carried.k)
        };
        let leaves = self.draining.is_some() || self.pending.is_some();
        !leaves && !full && !parcel.held.iter().any(had)
    }

    /// Takes a session in, until its client shows a sign of life here or that moment.
    fn takes_in(&mut self, from: ServerId, (session, until): (SessionId, Micros), parcel: Parcel) {
        let Parcel { ttl, class, meta, owner, left: _, over, held } = parcel;
        self.opened += 1;
        let key = self.opened;
        let mut client = Client::new(session, Opening { ttl, class, meta, owner, follows: true }, until);
        client.granted = !held.is_empty();
        over.into_iter().for_each(|finished| client.remembers(finished));
        let count = held.len();
        for Carried { rid, name, fence, value, k, counter } in held {
            let now = self.now;
            let lock = self.lock_mut(&name);
            lock.owner.takes(Token { k, counter });
            lock.comes_held(now, from, (key, rid), fence);
            (self.tokens, self.held) = (self.tokens + 1, self.held + 1);
            client.requests.insert(rid, Request::held(name, Mode::Exclusive, fence, value, self.now));
        }
        self.sessions.insert(key, client);
        self.guests.insert(session, key);
        self.at(until, Timer::Session(key));
        self.tally.arrived += 1;
        self.out.push(Output::Event(Event::Arrived { session, from, held: count }));
    }

    /// At the old server: the answer.
    pub(super) fn session_came(&mut self, from: ServerId, session: SessionId, taken: bool) {
        // It has ended here.
        let Ok(key) = self.client(session) else { return };
        let Some(client) = self.sessions.get_mut(&key) else {
            return self.impossible("a session that is known is not open");
        };
        // Who took it may have forgotten that by self.now, and have let others in.
        if !taken && client.until <= self.now {
            return;
        }
        // The answer came twice, or it is on its way to somebody else by self.now.
        let Some(mut way) = client.way.take_if(|way| way.to == from) else { return };
        if taken {
            return self.has_left(key, *way);
        }
        way.refused.insert(from);
        // Somebody else may take it.
        let Some(asked) = self.sets_off(key, way.refused, way.asked) else { return };
        // Nobody takes it: it is waited for, and tries again in the next view.
        if let Some(until) = self.sessions.get(&key).map(|client| client.until) {
            self.at(until, Timer::Session(key));
        }
        for (asker, ask) in asked {
            self.asked_by_client(asker, ask);
        }
    }

    /// It is there.
    fn has_left(&mut self, key: SessionKey, way: Way) {
        let to = way.to;
        let Some(client) = self.lets_tokens_go(key, Some(to)) else {
            return self.impossible("a session that is known is not open");
        };
        // Who holds nothing loses nothing if it is not told.
        let told = !way.asked.is_empty() || client.requests.is_empty();
        for (asker, _) in way.asked {
            self.denies(asker, Denial::Moved(to));
        }
        self.tally.left += 1;
        self.gone.insert(client.name, Gone { to, until: client.until, told });
        self.out.push(Output::Event(Event::Left { session: client.name, to }));
    }

    /// A session is not here any more, and neither are the tokens of the locks that it holds. If it is known where they
    /// are, what was said here of who gets them next is said there.
    fn lets_tokens_go(&mut self, key: SessionKey, to: Option<ServerId>) -> Option<Client> {
        let epoch = self.epoch();
        let client = self.sessions.remove(&key)?;
        self.guests.remove(&client.name);
        for request in client.requests.values().filter(|request| request.holds()) {
            let lock = self.locks.get_mut(&request.name);
            let gone = lock.and_then(|lock| Some((lock.owner.gives()?, lock)));
            let Some(((token, next), lock)) = gone else {
                self.impossible("a lock is held whose token is not here");
                continue;
            };
            lock.holder = None;
            lock.handed = to.map(|to| (token.k, to));
            (self.tokens, self.held) = (self.tokens - 1, self.held - 1);
            if let (Some(there), Some(to)) = (to, next) {
                let (name, k) = (request.name.clone(), token.k);
                self.out.push(Output::Send(there, Message::Pass { epoch, name, k, to }));
            }
        }
        Some(client)
    }

    /// A session that is on its way is over here: if a newer view waits for that, its client holds nothing of ours.
    pub(super) fn overdue(&mut self, key: SessionKey) {
        if self.pending.is_none() {
            return;
        }
        // Whether it has arrived is not known, and does not matter: who has it reports its tokens.
        let Some(Client { name: session, way: Some(way), .. }) = self.lets_tokens_go(key, None) else {
            return self.impossible("a session is overdue that is not on its way");
        };
        for (asker, _) in way.asked {
            self.denies(asker, Denial::SessionExpired);
        }
        self.out.push(Output::Event(Event::Left { session, to: way.to }));
    }

    /// Whether a session is on its way with a client that may hold something.
    pub(super) fn sessions_are_on_their_way(&mut self) -> bool {
        if self.draining.is_none() {
            return false;
        }
        let moving = self.sessions.iter().filter(|(_, client)| client.way.is_some());
        let moving: Vec<(SessionKey, Micros)> = moving.map(|(key, client)| (*key, client.until)).collect();
        let mut some = false;
        for (key, until) in moving {
            if until <= self.now || !self.rules.has(Rule::MovesFirst) {
                self.overdue(key);
            } else {
                some = true;
            }
        }
        some
    }
}

/// Whether others may hold a lock of it too, which then has no token of its own that could go with it (4.7).
fn holds_beside_others(client: &Client) -> bool {
    client.requests.values().any(|request| request.holds() && request.mode != Mode::Exclusive)
}

/// How many bytes a session has on its way, about.
fn bytes(client: &Client) -> usize {
    let lock = |request: &Request| request.name.text().len() + request.value.len() + 48;
    let locks: usize = client.requests.values().filter(|request| request.holds()).map(lock).sum();
    locks + client.meta.len() + client.owner.len() + client.over().len() * 16 + 64
}
