//! 4.1, requests: a lock is asked for, granted, given back. A request is known by its session and its number:
//! repeated it gets the answer that it had, so that a lost answer heals; one that was granted and is over never looks
//! held again.

use super::owners::Lock;
use super::sessions::{Client, lock_bits};
use super::{Answer, Asker, Limits, Path, SHARING, Server, SessionKey, Timer, answer};
use crate::{
    Class, Denial, Ending, Fence, Finished, Kind, MAX_HOLDERS, MAX_VALUE, Mode, Name, Rid, SessionId,
};
use ringleader_live::Micros;
use std::sync::Arc;

/// How long a try may take to find out whether the lock is free, and to fetch the token if it is.
const TRY: Micros = Micros::millis(1000);

const OTHER_LOCK: &str = "this number is of a request for another lock; a new one needs a new number";

const OTHER_MODE: &str =
    "this number is of a request to hold the lock in another way; a new one needs a new number";

/// What a client asks for.
pub(super) struct Wanted {
    pub(super) rid: Rid,
    pub(super) name: Name,
    pub(super) wait: Option<Micros>,
    pub(super) priority: u32,
    pub(super) value: Arc<[u8]>,
    pub(super) mode: Mode,
}

/// A request of a session that is not over.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Request {
    pub(super) name: Name,
    pub(super) mode: Mode,
    pub(super) state: State,
    /// Who waits for the answer.
    pub(super) asker: Option<Asker>,
    pub(super) value: Arc<[u8]>,
    pub(super) since: Micros,
    pub(super) path: Option<Path>,
}

/// How a request is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum State {
    /// It waits, at this place, until then at most. What is said when that is over depends on whether it was a try.
    Waits {
        place: Place,
        until: Option<Micros>,
        tries: bool,
    },
    /// It wants to know first whether the lock is free.
    Tries {
        until: Micros,
        priority: u32,
    },
    Holds(Fence),
}

impl Request {
    /// One that was granted at once.
    pub(super) fn held(name: Name, mode: Mode, fence: Fence, value: Arc<[u8]>, since: Micros) -> Request {
        Request { name, mode, state: State::Holds(fence), asker: None, value, since, path: Some(Path::Local) }
    }

    pub(super) fn holds(&self) -> bool {
        matches!(self.state, State::Holds(_))
    }
}

/// A place among those who wait for a lock: elections look at the priority first, then whoever came first.
pub(super) type Place = (u32, u64);

impl Server {
    pub(super) fn acquire(&mut self, asker: Asker, session: SessionId, wanted: Wanted) -> Result<(), Denial> {
        let key = self.client(session)?;
        // It is granted.
        let Some(wanted) = self.grants_at_once(asker, key, wanted) else { return Ok(()) };
        if self.repeated(asker, key, &wanted)? {
            return Ok(());
        }
        self.acceptable(key, &wanted)?;
        let Wanted { rid, name, wait, priority, value, mode } = wanted;
        let tries = wait == Some(Micros(0));
        let lock = self.locks.get(&name);
        let here = lock.is_some_and(|lock| lock.owner.token().is_some());
        // Who holds elsewhere may have let go.
        let free = lock.is_none_or(|lock| lock.waiters.is_empty() && (!here || lock.has_room_here(mode)));
        let mut path = if !free {
            Some(Path::Queued)
        } else if here {
            Some(Path::Local)
        } else {
            None
        };
        if tries && !free {
            if let Some(client) = self.sessions.get_mut(&key) {
                client.finishes(rid, Some(&name), Ending::Locked);
            }
            return Err(Denial::Locked);
        }
        if free && !here && self.created_at_home(&name) {
            path = Some(Path::Local);
        }
        let class = self.class(&name);
        let here = self.locks.get(&name).is_some_and(|lock| lock.owner.token().is_some());
        let request = Request {
            name: name.clone(),
            mode,
            state: State::Tries { until: self.now + TRY, priority },
            asker: Some(asker),
            value,
            since: self.now,
            path,
        };
        if tries && !self.may_grant(self.now, key, class) {
            return Err(self.no_lease());
        }
        if tries && !here {
            return self.try_elsewhere(key, rid, request, class);
        }
        let Some(client) = self.sessions.get_mut(&key) else { return Err(self.not_open()) };
        client.requests.insert(rid, request);
        let rules = self.rules;
        let ready =
            self.locks.get(&name).is_some_and(|lock| lock.is_unwanted() && lock.is_grantable(mode, rules));
        if ready && self.may_grant(self.now, key, class) {
            self.grant(&name, key, rid);
            return Ok(());
        }
        let until = if tries { Some(self.now + TRY) } else { wait.map(|wait| self.now + wait) };
        self.queue(key, rid, priority, until, tries);
        self.serve(&name);
        if !here && matches!(mode, Mode::Permits(_)) {
            self.looks_whether_mixed(&name, key, rid);
        }
        Ok(())
    }

    /// The same request again: it has the answer that it had, or this asker waits for it now. Whether it is.
    fn repeated(&mut self, asker: Asker, key: SessionKey, wanted: &Wanted) -> Result<bool, Denial> {
        let Some(client) = self.sessions.get_mut(&key) else { return Err(self.not_open()) };
        let until = client.until;
        let Some(request) = client.requests.get_mut(&wanted.rid) else {
            let finished = client.finished(wanted.rid);
            return finished.map_or(Ok(false), |finished| Err(Server::ended(finished, &wanted.name)));
        };
        if request.name != wanted.name {
            return Err(Denial::BadRequest(OTHER_LOCK));
        }
        if request.mode != wanted.mode {
            return Err(Denial::BadRequest(OTHER_MODE));
        }
        if let State::Holds(fence) = request.state {
            let valid = until - self.now;
            answer(&mut self.out, asker, Answer::Granted { rid: wanted.rid, fence, valid });
            return Ok(true);
        }
        if let Some(before) = request.asker.replace(asker).filter(|before| *before != asker) {
            let why = "the same request was made again, and is answered there";
            self.denies(before, Denial::BadRequest(why));
        }
        Ok(true)
    }

    /// What a request that is over is answered if it is repeated. (One that was refused for the time being is not over:
    /// repeated, it is asked again.)
    fn ended(Finished { lock, how, .. }: Finished, name: &Name) -> Denial {
        if lock != 0 && lock != lock_bits(name) {
            return Denial::BadRequest(OTHER_LOCK);
        }
        match how {
            Ending::Over => Denial::NotHolder,
            Ending::Timeout => Denial::Timeout,
            Ending::Locked => Denial::Locked,
        }
    }

    /// Whether the request can be made at all (4.6, and the class).
    fn acceptable(&self, key: SessionKey, wanted: &Wanted) -> Result<(), Denial> {
        let (Some(client), Some(view)) = (self.sessions.get(&key), self.view.as_ref()) else {
            return Err(Denial::SessionExpired);
        };
        if self.draining.is_some() {
            return Err(Denial::Draining);
        }
        let lock = self.locks.get(&wanted.name);
        let class = lock.map_or_else(|| view.class(&wanted.name), |lock| lock.class);
        let waiters = lock.map_or(0, |lock| lock.waiters.len());
        self.spec.limits.accept(client, class, waiters, wanted)?;
        if lock.and_then(|lock| self.used_as(lock)).is_some_and(|mode| mode.clashes(wanted.mode)) {
            return Err(Denial::Mixed);
        }
        if wanted.mode != Mode::Exclusive && view.proto < SHARING {
            // An older server is a member, or was a moment ago.
            return Err(self.recovering());
        }
        Ok(())
    }

    /// How a lock is held, or wanted by whoever waits here.
    fn used_as(&self, lock: &Lock) -> Option<Mode> {
        // Who holds elsewhere may have let go.
        lock.held_as().or_else(|| self.mode_of(*lock.waiters.values().next()?))
    }

    /// How a request wants to hold that is not over.
    pub(super) fn mode_of(&self, (key, rid): (SessionKey, Rid)) -> Option<Mode> {
        Some(self.sessions.get(&key)?.requests.get(&rid)?.mode)
    }

    /// Whether somebody only tries, and is waited with for a while.
    pub(super) fn tries(&self, (key, rid): (SessionKey, Rid)) -> bool {
        let request = self.sessions.get(&key).and_then(|client| client.requests.get(&rid));
        request.is_some_and(|request| matches!(request.state, State::Waits { tries: true, .. }))
    }

    /// T2: whether this session may be granted something of this class now.
    pub(super) fn may_grant(&self, now: Micros, key: SessionKey, class: Class) -> bool {
        self.sessions.get(&key).is_some_and(|client| self.power().covers(now, client, class))
    }

    /// The request waits for its turn.
    fn queue(&mut self, key: SessionKey, rid: Rid, priority: u32, until: Option<Micros>, tries: bool) {
        self.ticket += 1;
        let Some(request) = self.sessions.get_mut(&key).and_then(|client| client.requests.get_mut(&rid))
        else {
            return self.impossible("a request waits that is over");
        };
        let rank = match request.name.kind() {
            Kind::Lock => u32::MAX,
            Kind::Election => u32::MAX - priority,
        };
        let place = (rank, self.ticket);
        request.state = State::Waits { place, until, tries };
        let name = request.name.clone();
        self.waiting += 1;
        self.lock_mut(&name).waiters.insert(place, (key, rid));
        if let Some(until) = until {
            self.at(until, Timer::Wait(key, rid));
        }
    }

    /// What a try found out: the lock is free, so the token is fetched, or it is not.
    pub(super) fn try_goes_on(&mut self, key: SessionKey, rid: Rid, found: Result<(), Denial>) {
        let request = self.sessions.get(&key).and_then(|client| client.requests.get(&rid));
        // It is over: it was cancelled, or its session ended or moved.
        let Some(request) = request else { return };
        // Its session came back from where it was not taken, so it was asked twice, and this is the second answer.
        let State::Tries { until, priority } = request.state else { return };
        let name = request.name.clone();
        let queued =
            self.locks.get(&name).is_some_and(|lock| lock.holder.is_some() || !lock.waiters.is_empty());
        let found = if queued { Err(Denial::Locked) } else { found };
        match found {
            Ok(()) => {
                self.queue(key, rid, priority, Some(until), true);
                self.serve(&name);
            }
            Err(denial) => self.withdraw(key, rid, denial),
        }
    }
}

impl Limits {
    /// Whether a client may ask for this lock, for which so many wait.
    pub(super) fn accept(
        &self,
        client: &Client,
        class: Class,
        waiters: usize,
        wanted: &Wanted,
    ) -> Result<(), Denial> {
        match wanted.mode {
            Mode::Exclusive => {}
            Mode::Shared | Mode::Permits(_) if wanted.name.kind() == Kind::Election => {
                return Err(Denial::BadRequest(
                    "an election has one leader: it is not shared, and has no permits",
                ));
            }
            Mode::Permits(0) => return Err(Denial::BadRequest("permits: a whole number from 1 to 1000")),
            Mode::Permits(permits) if permits > MAX_HOLDERS => {
                return Err(Denial::BadRequest("permits: a whole number from 1 to 1000"));
            }
            Mode::Shared | Mode::Permits(_) => {}
        }
        if wanted.value.len() > MAX_VALUE {
            return Err(Denial::BadRequest("a value has at most 4096 bytes"));
        }
        if class < client.class {
            return Err(Denial::BadRequest(match class {
                Class::Fast => "this lock is of the class fast: it needs a session of that class",
                Class::Normal | Class::Batch => {
                    "this lock is of the class normal: it needs a session of that class, or fast"
                }
            }));
        }
        if client.requests.len() >= self.locks {
            return Err(Denial::Limit("locks and waits of a session"));
        }
        if waiters >= self.waiters {
            return Err(Denial::Limit("waiters for this lock"));
        }
        Ok(())
    }
}
