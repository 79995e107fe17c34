//! 4.1, the rule for grants, and how requests end: granted, given back, withdrawn.

use super::owners::Lock;
use super::requests::{Request, State, Wanted};
use super::sessions::Client;
use super::{Answer, Asker, Event, Output, Path, Rule, Rules, SHARING, Server, SessionKey, Timer, answer};
use crate::{Class, Denial, Ending, Fence, MAX_VALUE, Mode, Name, Rid, SessionId};
use ringleader_live::Micros;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a server may grant from, apart from it: the rule is asked while a client and a lock are changed.
#[derive(Clone, Copy)]
pub(super) struct Power {
    rules: Rules,
    /// It is a member, and no newer view waits to be installed.
    serves: bool,
    /// Everybody speaks a version in which several may hold a lock.
    shares: bool,
    epoch: u32,
    /// T1: until when each class is leased.
    leased_until: [Option<Micros>; 3],
}

impl Power {
    /// T2: whether this session may be granted something of this class now.
    pub(super) fn covers(self, now: Micros, client: &Client, class: Class) -> bool {
        let checked = self.rules.has(Rule::LeaseAlways) || !client.granted;
        let leased = self.leased_until[class.index()].is_some_and(|until| now < until);
        self.serves && now < client.until && (leased || !checked)
    }

    /// GRANT (4.1), if the rule allows it: the counter goes up, and the fence is the epoch and the counter. Every grant
    /// there is comes from here.
    fn grants(
        self,
        now: Micros,
        who: (SessionKey, Rid),
        client: &mut Client,
        lock: &mut Lock,
        mode: Mode,
    ) -> Option<Fence> {
        let spoken = mode == Mode::Exclusive || self.shares;
        if !spoken || !lock.is_grantable(mode, self.rules) || !self.covers(now, client, lock.class) {
            return None;
        }
        let epoch = if self.rules.has(Rule::EpochInFence) { self.epoch } else { 0 };
        let fence = Fence::new(epoch, lock.owner.grants()?);
        client.granted = true;
        lock.granted(now, who, fence, mode);
        Some(fence)
    }
}

impl Server {
    pub(super) fn power(&self) -> Power {
        Power {
            rules: self.rules,
            serves: self.joined && self.pending.is_none(),
            shares: self.view.as_ref().is_some_and(|view| view.proto >= SHARING),
            epoch: self.epoch(),
            leased_until: Class::ALL.map(|class| self.leased_until(class)),
        }
    }

    /// The usual case, for speed: the token is here, nobody else wants it, and everything is in order. Anything else
    /// is given back, and looked at with care.
    pub(super) fn grants_at_once(&mut self, asker: Asker, key: SessionKey, wanted: Wanted) -> Option<Wanted> {
        let power = self.power();
        let Some(client) = self.sessions.get_mut(&key) else { return Some(wanted) };
        let Some(lock) = self.locks.get_mut(&wanted.name) else { return Some(wanted) };
        let orderly = self.draining.is_none()
            && lock.is_unwanted()
            && client.is_new(wanted.rid)
            && self.spec.limits.accept(client, lock.class, 0, &wanted).is_ok();
        let (who, mode) = ((key, wanted.rid), wanted.mode);
        let granted = if orderly { power.grants(self.now, who, client, lock, mode) } else { None };
        let Some(fence) = granted else { return Some(wanted) };
        let Wanted { rid, name, value, .. } = wanted;
        let (session, class, path, waited) = (client.name, lock.class, Path::Local, Micros(0));
        answer(&mut self.out, asker, Answer::Granted { rid, fence, valid: client.until - self.now });
        self.out.push(Output::Event(Event::Granted {
            name: name.clone(),
            session,
            fence,
            class,
            path,
            waited,
        }));
        client.requests.insert(rid, Request::held(name, mode, fence, value, self.now));
        self.counts(class, fence);
        None
    }

    /// The request that waits is granted, and its client is told.
    pub(super) fn grant(&mut self, name: &Name, key: SessionKey, rid: Rid) {
        let power = self.power();
        let client = self.sessions.get_mut(&key).filter(|client| client.requests.contains_key(&rid));
        let Some(client) = client else {
            return self.impossible("a request is granted that is over");
        };
        let Some(lock) = self.locks.get_mut(name) else {
            return self.impossible("a lock is granted that is not known");
        };
        let mode = client.requests.get(&rid).map(|request| request.mode).unwrap_or_default();
        let Some(fence) = power.grants(self.now, (key, rid), client, lock, mode) else {
            return self.impossible("a request is granted that must not be");
        };
        let Some(request) = client.requests.get_mut(&rid) else {
            return self.impossible("a request is over that was granted just now");
        };
        if let State::Waits { place, until, .. } = request.state {
            lock.waiters.remove(&place);
            self.waiting -= 1;
            if let Some(until) = until {
                self.timers.remove(&(until, Timer::Wait(key, rid)));
            }
        }
        let path = request.path.unwrap_or(match lock.came_from {
            Some(from) if from != lock.home => Path::Third,
            Some(_) | None => Path::Home,
        });
        request.state = State::Holds(fence);
        self.tally.streak = self.tally.streak.max(u64::from(lock.streak));
        if let Some(asker) = request.asker.take() {
            answer(&mut self.out, asker, Answer::Granted { rid, fence, valid: client.until - self.now });
        }
        let session = client.name;
        let (class, waited) = (lock.class, self.now - request.since);
        self.out.push(Output::Event(Event::Granted {
            name: name.clone(),
            session,
            fence,
            class,
            path,
            waited,
        }));
        self.counts(class, fence);
    }

    /// A lock of this class was granted, with this fence.
    fn counts(&mut self, class: Class, fence: Fence) {
        self.held += 1;
        self.tally.grants[class.index()] += 1;
        self.counter_is_large(fence.counter());
    }

    pub(super) fn release(
        &mut self,
        asker: Asker,
        session: SessionId,
        name: &Name,
        fence: Fence,
    ) -> Result<(), Denial> {
        let key = self.client(session)?;
        let lock = self.locks.get_mut(name).ok_or(Denial::NotHolder)?;
        // The fence is compared, not the name alone: it may be an earlier grant that is given back again.
        let held = lock.held().find(|(holder, _, held)| *holder == key && *held == fence);
        let (_, rid, _) = held.ok_or(Denial::NotHolder)?;
        let asked_by = Server::wants_word(lock);
        lock.let_go(self.now, (key, rid));
        self.held -= 1;
        let at_rest = lock.is_resting();
        self.tells_who_asked(name, fence, asked_by);
        answer(&mut self.out, asker, Answer::Released);
        match self.takes_out(key, rid) {
            Some((client, request)) => {
                client.finishes(rid, Some(name), Ending::Over);
                self.out.push(Output::Event(Event::Released { name: request.name, fence }));
            }
            None => self.impossible("the request of a holder is over"),
        }
        // The usual case, for speed: nobody else wants it.
        if !at_rest || self.draining.is_some() || self.tokens > self.spec.limits.cached {
            self.serve(name);
        }
        Ok(())
    }

    /// Its holder shows another value from now on. The answer is the one that the request had.
    pub(super) fn proclaim(
        &mut self,
        asker: Asker,
        session: SessionId,
        name: &Name,
        (fence, value): (Fence, Arc<[u8]>),
    ) -> Result<(), Denial> {
        let key = self.client(session)?;
        if value.len() > MAX_VALUE {
            return Err(Denial::BadRequest("a value has at most 4096 bytes"));
        }
        let lock = self.locks.get(name).ok_or(Denial::NotHolder)?;
        let held = lock.held().find(|(holder, _, held)| *holder == key && *held == fence);
        let (_, rid, _) = held.ok_or(Denial::NotHolder)?;
        let Some(client) = self.sessions.get_mut(&key) else { return Err(self.not_open()) };
        let valid = client.until - self.now;
        match client.requests.get_mut(&rid) {
            Some(request) => {
                request.value = value;
                answer(&mut self.out, asker, Answer::Granted { rid, fence, valid });
            }
            None => self.impossible("the request of a holder is over"),
        }
        Ok(())
    }

    /// The request is not wanted any more. Its number is over even if it never came: it may come late.
    pub(super) fn cancel(&mut self, asker: Asker, session: SessionId, rid: Rid) -> Result<(), Denial> {
        let key = self.client(session)?;
        let Some(client) = self.sessions.get_mut(&key) else { return Err(self.not_open()) };
        let state = client.requests.get(&rid).map(|request| (request.state.clone(), request.name.clone()));
        match state {
            Some((State::Holds(_), name)) => {
                self.gives_back(key, rid);
                self.serve(&name);
            }
            Some((State::Waits { .. } | State::Tries { .. }, _)) => {
                self.withdraw(key, rid, Denial::Timeout);
            }
            // It is over already: it was cancelled twice, or ended meanwhile.
            None if client.finished(rid).is_some() => {}
            None => client.finishes(rid, None, Ending::Timeout),
        }
        answer(&mut self.out, asker, Answer::Cancelled);
        Ok(())
    }

    /// A request that holds is over.
    fn gives_back(&mut self, key: SessionKey, rid: Rid) {
        let Some((client, request)) = self.takes_out(key, rid) else {
            return self.impossible("a request is given back that is over");
        };
        client.finishes(rid, Some(&request.name), Ending::Over);
        let State::Holds(fence) = request.state else {
            return self.impossible("a request is given back that does not hold");
        };
        self.let_go(&request.name, (key, rid));
        self.out.push(Output::Event(Event::Released { name: request.name, fence }));
    }

    /// A request is over: its session remembers it from here on as far as it is told to.
    fn takes_out(&mut self, key: SessionKey, rid: Rid) -> Option<(&mut Client, Request)> {
        let client = self.sessions.get_mut(&key)?;
        let request = client.requests.remove(&rid)?;
        Some((client, request))
    }

    /// A request that waits is over: nothing was granted, and nothing will be.
    pub(super) fn withdraw(&mut self, key: SessionKey, rid: Rid, why: Denial) {
        if let Some(name) = self.withdraw_from(key, rid, why) {
            self.serve(&name);
        }
    }

    /// The same for several, none of whom is served because another one of them goes.
    pub(super) fn withdraw_all(&mut self, waits: Vec<(SessionKey, Rid)>, why: Denial) {
        let names = waits.into_iter().filter_map(|(key, rid)| self.withdraw_from(key, rid, why));
        for name in names.collect::<BTreeSet<Name>>() {
            self.serve(&name);
        }
    }

    /// The same, for somebody who serves the lock afterwards: which it was.
    pub(super) fn withdraw_from(&mut self, key: SessionKey, rid: Rid, why: Denial) -> Option<Name> {
        let Some((client, request)) = self.takes_out(key, rid) else {
            self.impossible("a request is withdrawn that is over");
            return None;
        };
        if let Some(how) = ending(why) {
            client.finishes(rid, Some(&request.name), how);
        }
        if request.holds() {
            self.impossible("a request is withdrawn that holds");
        }
        self.forget_wait(key, rid, &request);
        if let Some(asker) = request.asker {
            self.denies(asker, why);
        }
        Some(request.name)
    }

    /// Nobody waits at this place any more. The server stays in the chain: it passes the token on when it comes.
    pub(super) fn forget_wait(&mut self, key: SessionKey, rid: Rid, request: &Request) {
        // A try that still asks whether the lock is free has no place; who holds has none any more.
        let State::Waits { place, until, .. } = request.state else { return };
        self.waiting -= 1;
        if let Some(until) = until {
            self.timers.remove(&(until, Timer::Wait(key, rid)));
        }
        let Some(lock) = self.locks.get_mut(&request.name) else {
            return self.impossible("somebody waits for a lock that is not known");
        };
        lock.waiters.remove(&place);
    }

    pub(super) fn wait_is_over(&mut self, key: SessionKey, rid: Rid) {
        let request = self.sessions.get(&key).and_then(|client| client.requests.get(&rid));
        let Some(State::Waits { tries, .. }) = request.map(|request| &request.state) else {
            return self.impossible("the time is up of a request that does not wait");
        };
        let why = if *tries { Denial::Locked } else { Denial::Timeout };
        self.withdraw(key, rid, why);
    }
}

/// How a request ends that is refused like this; not at all if it is refused for the time being, and may be made again.
fn ending(why: Denial) -> Option<Ending> {
    match why {
        Denial::NoLease { .. }
        | Denial::Recovering { .. }
        | Denial::Draining
        | Denial::Mixed
        | Denial::Moved(_) => None,
        Denial::Locked => Some(Ending::Locked),
        Denial::Timeout
        | Denial::SessionExpired
        | Denial::SessionUnknown
        | Denial::NotHolder
        | Denial::Limit(_)
        | Denial::BadRequest(_) => Some(Ending::Timeout),
    }
}
