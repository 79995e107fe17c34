//! What a client decides: its sessions, its requests, what it says to its server and when. No socket and no
//! clock: whoever drives it says what happened and what time it is, and carries away the lines that are to
//! be sent.
//!
//! There is a session for each class that is used, all at one server. Until when something is held says the
//! library's [`Session`]; here is what goes around it: numbers of questions, repetition, what becomes of
//! those who wait.

mod replies;
mod seeking;
#[cfg(test)]
mod tests;
mod timing;

use crate::api::{self, Op, Question};
use crate::error::LockError;
use ringleader_live::Micros;
use ringleader_locks::{Class, Fence, Kind, Mode, Rid, Session, SessionId, Times};
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// A request of this client, whichever number it has in whichever session.
pub(crate) type Key = u64;

/// For how long something is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// Not at all; so long for the answer.
    Try(Micros),
    /// So long.
    Most(Micros),
    /// As long as it takes.
    Forever,
}

/// What is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wish {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) priority: u32,
    pub(crate) class: Class,
    pub(crate) wait: Wait,
    pub(crate) mode: Mode,
}

/// Who wants to know that a request was granted.
pub(crate) type Grants = oneshot::Sender<Result<Fence, LockError>>;
/// Who wants to know that a lock is free.
pub(crate) type Releases = oneshot::Sender<Result<(), LockError>>;

enum Stage {
    /// It is to be granted.
    Waits(Option<Grants>),
    /// It is held, unless the session says otherwise, or this does.
    Holds(Fence, Option<String>),
    /// It is given back, and that is repeated until it is answered.
    Leaves(Fence, Option<Releases>),
}

struct Request {
    wish: Wish,
    /// When it is withdrawn.
    until: Option<Micros>,
    /// The session in which it was asked, and with which number.
    asked: Option<(SessionId, Rid)>,
    /// Not to be asked again before.
    not_before: Micros,
    stage: Stage,
}

/// The session of a class.
struct Slot {
    session: Option<Session>,
    /// As the server wrote it.
    text: String,
    /// The last promise of the server.
    valid: Micros,
    /// When the next sign of life is due.
    beat_at: Micros,
    /// Whether it is to be open even if nobody waits.
    wanted: bool,
    /// When it was asked for, if it was and that is not answered.
    opening: Option<Micros>,
    /// Not to be asked for before.
    not_before: Micros,
    /// While it is looked for: whether it is at this server, if that has answered.
    found: Option<bool>,
}

/// What a question was, for its reply.
enum Asked {
    Open(Class, Micros),
    Beat { class: Class, session: SessionId, sent: Micros, holds: Vec<Rid> },
    Acquire { key: Key, class: Class, session: SessionId, rid: Rid },
    Release(Key),
    Cancel(SessionId, Rid),
    Close,
}

/// What a client decides.
pub(crate) struct Core {
    slots: [Slot; 3],
    requests: BTreeMap<Key, Request>,
    /// The questions on this connection that are not answered.
    asked: BTreeMap<u64, Asked>,
    /// What was withdrawn, until the server has heard it.
    cancels: Vec<(Class, SessionId, Rid)>,
    connected: bool,
    /// Since when it is closed.
    closing: Option<Micros>,
    next_question: u64,
    next_key: Key,
    next_rid: Rid,
    ttl: Option<Micros>,
    meta: String,
    out: Vec<u8>,
    /// When something is due at the latest.
    wake: Micros,
    /// Guards should look.
    changed: bool,
    /// Another server is to be tried, for this reason.
    move_on: Option<LockError>,
    /// Why there is no session, if the reason does not go away by itself.
    refused: Option<LockError>,
    /// How the server calls itself.
    server: String,
    draining: bool,
    /// What its sessions are opened with if they may go to another server, and it with them.
    follow_key: Option<String>,
    /// Whether its sessions are at some server, and it is not known at which.
    seeking: bool,
    /// They are to be looked for; first here, if that is said.
    seek: Option<Option<String>>,
}

impl Core {
    pub(crate) fn new(class: Class, ttl: Option<Micros>, meta: String, follow_key: Option<String>) -> Core {
        let slot = |wanted| Slot {
            session: None,
            text: String::new(),
            valid: Micros(0),
            beat_at: Micros(0),
            wanted,
            opening: None,
            not_before: Micros(0),
            found: None,
        };
        Core {
            slots: Class::ALL.map(|each| slot(each == class)),
            requests: BTreeMap::new(),
            asked: BTreeMap::new(),
            cancels: Vec::new(),
            connected: false,
            closing: None,
            next_question: 0,
            next_key: 0,
            next_rid: 0,
            ttl,
            meta,
            out: Vec::new(),
            wake: Micros(0),
            changed: false,
            move_on: None,
            refused: None,
            server: String::new(),
            draining: false,
            follow_key,
            seeking: false,
            seek: None,
        }
    }

    // What is to be carried out.

    /// The lines that are to be sent.
    pub(crate) fn take_out(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out)
    }

    pub(crate) fn has_out(&self) -> bool {
        !self.out.is_empty()
    }

    /// Whether something about what is held may be different.
    pub(crate) fn take_changed(&mut self) -> bool {
        core::mem::take(&mut self.changed)
    }

    /// Whether another server is to be tried, and why.
    pub(crate) fn take_move_on(&mut self) -> Option<LockError> {
        self.move_on.take()
    }

    pub(crate) fn wants_to_move(&self) -> bool {
        self.move_on.is_some() || self.seek.is_some()
    }

    /// Why there is no session, if that does not go away by itself.
    pub(crate) fn refused(&self) -> Option<&LockError> {
        self.refused.as_ref()
    }

    pub(crate) fn wake(&self) -> Micros {
        self.wake
    }

    // What its user asks.

    /// A lock is wanted.
    pub(crate) fn acquire(&mut self, now: Micros, wish: Wish, grants: Grants) -> Key {
        let key = self.next_key;
        self.next_key += 1;
        let until = match wish.wait {
            Wait::Try(patience) => Some(now + patience),
            Wait::Most(wait) => Some(now + wait),
            Wait::Forever => None,
        };
        let stage = Stage::Waits(Some(grants));
        let class = wish.class;
        self.requests.insert(key, Request { wish, until, asked: None, not_before: now, stage });
        self.wake = self.wake.min(until.unwrap_or(self.wake));
        self.open(now, class);
        self.issue(now, key);
        key
    }

    /// Nobody wants it any more, whatever has become of it.
    pub(crate) fn abandon(&mut self, now: Micros, key: Key) {
        let Some(request) = self.requests.get_mut(&key) else { return };
        match request.stage {
            Stage::Waits(_) => {
                self.withdraw(now, key);
                self.requests.remove(&key);
            }
            Stage::Holds(fence, _) => {
                request.stage = Stage::Leaves(fence, None);
                self.leave(now, key);
            }
            Stage::Leaves(_, _) => {}
        }
    }

    /// A lock is given back. Who does not hold it any more is told so at once.
    pub(crate) fn release(&mut self, now: Micros, key: Key, releases: Releases) {
        let held = self.holds(now, key);
        let Some(request) = self.requests.get_mut(&key) else { return };
        let Stage::Holds(fence, why) = &request.stage else { return };
        if !held {
            let why = why.clone().unwrap_or_else(|| "its deadline has passed".to_owned());
            let _ = releases.send(Err(LockError::expired(&why)));
            self.requests.remove(&key);
            return;
        }
        request.stage = Stage::Leaves(*fence, Some(releases));
        self.leave(now, key);
    }

    /// Whether it is held now: the session says so, by this clock, and the server has not said otherwise.
    pub(crate) fn holds(&mut self, now: Micros, key: Key) -> bool {
        let Some(request) = self.requests.get(&key) else { return false };
        let (Stage::Holds(_, None), Some((id, _))) = (&request.stage, request.asked) else { return false };
        let class = request.wish.class;
        let Some(session) = self.slots[class.index()].session.as_mut() else { return false };
        if session.id() != id {
            return false;
        }
        if !session.is_alive(now) {
            self.end(class, "nothing was heard of its server in time");
            return false;
        }
        true
    }

    /// From when on it is not held, as far as is known now; nothing if it is not held.
    pub(crate) fn deadline(&mut self, now: Micros, key: Key) -> Option<Micros> {
        if !self.holds(now, key) {
            return None;
        }
        let class = self.requests.get(&key)?.wish.class;
        self.slots[class.index()].session.as_ref().map(Session::deadline)
    }

    /// Why it is not held any more.
    pub(crate) fn why_lost(&self, key: Key) -> Option<String> {
        match &self.requests.get(&key)?.stage {
            Stage::Holds(_, why) => why.clone(),
            Stage::Waits(_) | Stage::Leaves(_, _) => None,
        }
    }

    /// The last promise of the server for sessions of this class.
    pub(crate) fn valid(&self, class: Class) -> Micros {
        self.slots[class.index()].valid
    }

    /// The session in which a request was asked, as the server wrote it.
    pub(crate) fn session_text(&self, key: Key) -> Option<String> {
        let class = self.requests.get(&key)?.wish.class;
        Some(self.slots[class.index()].text.clone())
    }

    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Whether a session of this class is open.
    pub(crate) fn is_open(&mut self, now: Micros, class: Class) -> bool {
        self.slots[class.index()].session.as_mut().is_some_and(|session| session.is_alive(now))
    }

    /// Until when the server must be reached again for anything to be saved; none if nothing can be.
    pub(crate) fn lives_until(&mut self, now: Micros) -> Option<Micros> {
        let sessions = self.slots.iter_mut().filter_map(|slot| slot.session.as_mut());
        sessions.filter_map(|session| session.is_alive(now).then(|| session.deadline())).max()
    }

    /// Everything is closed.
    pub(crate) fn close(&mut self, now: Micros) {
        if self.closing.is_some() {
            return;
        }
        self.closing = Some(now);
        // Nobody waits for these answers any more, only for those to what is said now.
        self.asked.clear();
        self.part();
        for class in Class::ALL {
            self.end(class, "the client was closed");
        }
        for (_, request) in core::mem::take(&mut self.requests) {
            if let Stage::Waits(Some(grants)) = request.stage {
                let _ = grants.send(Err(LockError::expired("the client was closed")));
            }
        }
    }

    /// Whether everything that it said at its end was heard.
    pub(crate) fn is_closed(&self) -> bool {
        self.closing.is_some() && (!self.connected || (self.asked.is_empty() && self.out.is_empty()))
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    // What it says.

    fn ask(&mut self, op: Op, asked: Asked) {
        if !self.connected || self.seeking && !matches!(asked, Asked::Beat { .. }) {
            // Everything that matters is said when there is a connection again.
            return;
        }
        let id = self.next_question;
        self.next_question += 1;
        if serde_json::to_writer(&mut self.out, &Question { id, op }).is_ok() {
            self.out.push(b'\n');
            self.asked.insert(id, asked);
        }
    }

    /// Asks for a session of this class, if there is none.
    fn open(&mut self, now: Micros, class: Class) {
        let slot = &mut self.slots[class.index()];
        let busy = slot.session.is_some() || slot.opening.is_some();
        if self.closing.is_some() || !self.connected || self.seeking || busy {
            return;
        }
        if now < slot.not_before {
            self.wake = self.wake.min(slot.not_before);
            return;
        }
        slot.opening = Some(now);
        let open = api::OpenSession {
            ttl_ms: self.ttl.map(|ttl| ttl.0 / 1000),
            class: Some(class.name().to_owned()),
            meta: self.meta.clone(),
            follow_key: self.follow_key.clone(),
        };
        self.ask(Op::Open(open), Asked::Open(class, now));
    }

    /// Asks for a request that has not been asked for in the session that there is, with a new number.
    fn issue(&mut self, now: Micros, key: Key) {
        let Some(request) = self.requests.get_mut(&key) else { return };
        let slot = &mut self.slots[request.wish.class.index()];
        let Some(session) = slot.session.as_mut().filter(|_| self.connected && !self.seeking) else { return };
        if !matches!(request.stage, Stage::Waits(_)) || request.asked.is_some() {
            return;
        }
        if now < request.not_before {
            self.wake = self.wake.min(request.not_before);
            return;
        }
        self.next_rid += 1;
        request.asked = Some((session.id(), self.next_rid));
        session.waits(self.next_rid);
        self.say_request(now, key);
    }

    /// Says what it wants of this request, again if need be.
    fn say_request(&mut self, now: Micros, key: Key) {
        let Some(request) = self.requests.get(&key) else { return };
        let Some((session, rid)) = request.asked else { return };
        let wish = &request.wish;
        let text = self.slots[wish.class.index()].text.clone();
        let name = wish.name.clone();
        let (op, asked) = match &request.stage {
            Stage::Waits(_) => {
                let wait_ms = match wish.wait {
                    Wait::Try(_) => Some(0),
                    // Rounded up: the server's answer that it is over should not come before we know it.
                    Wait::Most(_) | Wait::Forever => {
                        request.until.map(|until| (until - now).0.div_ceil(1000))
                    }
                };
                let acquire = api::Acquire {
                    session: text,
                    rid,
                    wait_ms,
                    priority: wish.priority,
                    value: wish.value.clone(),
                    mode: (wish.mode == Mode::Shared).then(|| "shared".to_owned()),
                    permits: if let Mode::Permits(permits) = wish.mode { Some(permits.into()) } else { None },
                };
                let asked = Asked::Acquire { key, class: wish.class, session, rid };
                match wish.kind {
                    Kind::Lock => (Op::Acquire { name, acquire }, asked),
                    Kind::Election => (Op::Campaign { name, acquire }, asked),
                }
            }
            Stage::Leaves(fence, _) => {
                let release = api::Release { session: text, fence: fence.to_string() };
                match wish.kind {
                    Kind::Lock => (Op::Release { name, release }, Asked::Release(key)),
                    Kind::Election => (Op::Resign { name, release }, Asked::Release(key)),
                }
            }
            Stage::Holds(_, _) => return,
        };
        self.ask(op, asked);
    }

    /// The number is not waited for any more: whatever becomes of it is given back.
    fn withdraw(&mut self, _now: Micros, key: Key) {
        let Some(request) = self.requests.get_mut(&key) else { return };
        let class = request.wish.class;
        let Some((id, rid)) = request.asked.take() else { return };
        if let Some(session) = self.slots[class.index()].session.as_mut().filter(|session| session.id() == id)
        {
            session.withdraws(rid);
            self.give_back(class, id, rid);
        }
    }

    /// Tells the server that what has this number is not wanted, until it has heard it.
    fn give_back(&mut self, class: Class, session: SessionId, rid: Rid) {
        if self.cancels.contains(&(class, session, rid)) {
            return;
        }
        self.cancels.push((class, session, rid));
        let text = self.slots[class.index()].text.clone();
        self.ask(Op::Cancel { session: text, rid }, Asked::Cancel(session, rid));
    }

    /// From now on it is not held here; the server is told until it has heard it.
    fn leave(&mut self, now: Micros, key: Key) {
        let Some(request) = self.requests.get(&key) else { return };
        let (Stage::Leaves(_, _), Some((id, rid))) = (&request.stage, request.asked) else { return };
        let class = request.wish.class;
        let alive = self.slots[class.index()].session.as_ref().is_some_and(|session| session.id() == id);
        if !alive {
            // Whoever wanted to know was told when the session ended.
            self.requests.remove(&key);
            return;
        }
        if let Some(session) = self.slots[class.index()].session.as_mut() {
            session.lets_go(rid);
        }
        self.say_request(now, key);
    }

    /// The session of this class is over: what it held is lost, what waited is asked for in the next one.
    fn end(&mut self, class: Class, why: &str) {
        let slot = &mut self.slots[class.index()];
        let Some(mut session) = slot.session.take() else { return };
        let id = session.id();
        session.ended();
        self.changed = true;
        self.wake = Micros(0);
        self.cancels.retain(|(_, of, _)| *of != id);
        let of_session = |request: &Request| request.asked.is_some_and(|(of, _)| of == id);
        self.requests.retain(|_, request| {
            if !of_session(request) {
                return true;
            }
            match &mut request.stage {
                Stage::Waits(_) => request.asked = None,
                Stage::Holds(_, lost) => *lost = Some(why.to_owned()),
                Stage::Leaves(_, releases) => {
                    if let Some(releases) = releases.take() {
                        let _ = releases.send(Err(LockError::expired(why)));
                    }
                    return false;
                }
            }
            true
        });
    }
}

/// What a server writes as a session.
fn session_id(text: &str) -> Option<SessionId> {
    u128::from_str_radix(text, 16).ok().map(SessionId)
}

/// The times of the service, of which a client needs only the bound on clock rates.
fn times(drift_ppm: u32) -> Times {
    Times { drift_ppm, ..Times::default() }
}
