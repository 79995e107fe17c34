//! 4.2 as owner: tokens that are here, that are asked for, and that are passed on. Whoever has the token of a lock
//! grants it to its own clients without a word to anybody, until somebody else is numbered next.

use super::requests::Place;
use super::shares::{Share, Shares};
use super::{Output, Rule, Rules, Server, SessionKey, Timer};
use crate::{Class, Denial, Fence, Kind, Lent, MAX_COUNTER, Message, Mode, Name, Rid, ServerId};
use ringleader::mutex::homed_chain::{Owner, Token};
use ringleader_live::Micros;
use std::collections::BTreeMap;

/// A request that is not answered is repeated after this time, then after twice as long, and so on.
const RESEND: Micros = Micros::millis(50);

/// But not later than this.
const RESEND_MOST: Micros = Micros::millis(1000);

/// How long an answer is waited for, after so many repetitions.
pub(super) fn patience(resends: u32) -> Micros {
    Micros(RESEND.0 << resends.min(10)).min(RESEND_MOST)
}

/// The shortest time between two epochs that are asked for because there are too many records.
const CROWDED: Micros = Micros::millis(10_000);

/// What a server knows of a lock. The record of a lock that is at home elsewhere is kept for the whole epoch, even if
/// nobody uses the lock: it knows the largest number that the token had here, without which an old token that comes
/// twice would be taken twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Lock {
    pub(super) owner: Owner<ServerId>,
    pub(super) class: Class,
    pub(super) home: ServerId,
    /// Who holds it alone.
    pub(super) holder: Option<(SessionKey, Rid)>,
    /// Who holds it beside others; nothing is kept for a lock that is only held exclusively.
    pub(super) shares: Option<Box<Shares>>,
    /// Of the last grant here.
    pub(super) fence: Option<Fence>,
    pub(super) waiters: BTreeMap<Place, (SessionKey, Rid)>,
    /// From whom the token came.
    pub(super) came_from: Option<ServerId>,
    /// F1: whether anybody was served since it came.
    served: bool,
    /// F2: how many were served although somebody else is next.
    pub(super) streak: u32,
    /// F2: since when somebody else is next.
    next_since: Micros,
    used: Micros,
    idle_at: Option<Micros>,
    resend_at: Option<Micros>,
    resends: u32,
    /// With which priority it was asked for.
    asked_priority: u32,
    /// The number under which the token went to another server with its holder, and to which.
    pub(super) handed: Option<(u64, ServerId)>,
}

impl Lock {
    pub(super) fn new(class: Class, home: ServerId, now: Micros) -> Lock {
        Lock {
            owner: Owner::default(),
            class,
            home,
            holder: None,
            shares: None,
            fence: None,
            waiters: BTreeMap::new(),
            came_from: None,
            served: false,
            streak: 0,
            next_since: now,
            used: now,
            idle_at: None,
            resend_at: None,
            resends: 0,
            asked_priority: 0,
            handed: None,
        }
    }

    /// The token comes with its holder.
    pub(super) fn comes_held(
        &mut self,
        now: Micros,
        from: ServerId,
        holder: (SessionKey, Rid),
        fence: Fence,
    ) {
        self.came_from = Some(from);
        (self.served, self.streak, self.next_since, self.used) = (true, 0, now, now);
        self.resend_at = None;
        self.holder = Some(holder);
        self.fence = Some(fence);
    }

    /// Everybody who holds it here, and with which fence.
    pub(super) fn held(&self) -> impl Iterator<Item = (SessionKey, Rid, Fence)> + '_ {
        let alone = self.holder.and_then(|(session, rid)| Some((session, rid, self.fence?)));
        let beside = self.shares_here().iter().map(|share| (share.who.0, share.who.1, share.fence));
        alone.into_iter().chain(beside)
    }

    pub(super) fn granted(&mut self, now: Micros, who: (SessionKey, Rid), fence: Fence, mode: Mode) {
        if self.served && self.owner.next().is_some() {
            self.streak += 1;
        }
        self.served = true;
        match mode {
            Mode::Exclusive => self.holder = Some(who),
            Mode::Shared | Mode::Permits(_) => self.shares_with(mode, Share { who, fence }),
        }
        self.fence = Some(fence);
        self.used = now;
    }

    /// One who holds it lets go: with which fence.
    pub(super) fn let_go(&mut self, now: Micros, who: (SessionKey, Rid)) -> Option<Fence> {
        self.used = now;
        match self.holder.take_if(|holder| *holder == who) {
            Some(_) => self.fence,
            None => self.leaves(who),
        }
    }

    /// Idle, and there is nothing to do about it: it is known when to look at it again.
    pub(super) fn is_resting(&self) -> bool {
        self.is_idle() && self.idle_at.is_some()
    }

    /// Whether there is a fence to grant it with: the token is here, and has one of this epoch left.
    fn has_fence(&self) -> bool {
        self.owner.token().is_some_and(|token| token.counter < MAX_COUNTER)
    }

    /// Whether it can be granted here like this: there is a fence, and it fits beside those who hold it.
    pub(super) fn is_grantable(&self, mode: Mode, rules: Rules) -> bool {
        self.has_fence() && self.has_room(mode, rules)
    }

    /// Nobody waits for it here, and nobody is next.
    pub(super) fn is_unwanted(&self) -> bool {
        self.waiters.is_empty() && self.owner.next().is_none()
    }

    /// Nobody needs it: neither holders here and elsewhere nor waiters nor anybody who is next.
    pub(super) fn is_idle(&self) -> bool {
        self.holder.is_none() && self.shared().is_none() && self.is_unwanted()
    }

    /// A new epoch: the token is number 0 with counter 0, everything else of the chain is forgotten.
    pub(super) fn begin_epoch(&mut self, class: Class, home: ServerId) {
        let token = self.owner.token().map(|_| Token { k: 0, counter: 0 });
        self.owner = token.map_or_else(Owner::default, Owner::with);
        if let Some(shares) = &mut self.shares {
            shares.begin_epoch();
        }
        self.class = class;
        self.home = home;
        self.streak = 0;
        self.came_from = None;
        self.resend_at = None;
        self.asked_priority = 0;
        self.handed = None;
    }
}

impl Server {
    /// The record of a lock.
    pub(super) fn lock_mut(&mut self, name: &Name) -> &mut Lock {
        let (view, own) = (self.view.as_ref(), self.spec.id);
        self.locks.get_or(name, || {
            let class = view.map_or(Class::Normal, |view| view.class(name));
            Lock::new(class, view.and_then(|view| view.home(name)).unwrap_or(own), self.now)
        })
    }

    /// One who holds it lets go.
    pub(super) fn let_go(&mut self, name: &Name, who: (SessionKey, Rid)) {
        let now = self.now;
        let left = self.locks.get_mut(name).and_then(|lock| {
            let asked_by = Server::wants_word(lock);
            Some((lock.let_go(now, who)?, asked_by))
        });
        let Some((fence, asked_by)) = left else {
            return self.impossible("a lock is let go of that nobody holds");
        };
        self.held -= 1;
        self.tells_who_asked(name, fence, asked_by);
    }

    /// Does what can be done for a lock: grants it, passes its token on, or asks for it.
    pub(super) fn serve(&mut self, name: &Name) {
        loop {
            self.forgets_the_gone(name);
            // Nobody needs it, and its record was dropped.
            let Some(lock) = self.locks.get(name) else { return };
            if lock.owner.token().is_none() {
                if lock.waiters.is_empty() {
                    if lock.owner.is_blank() && lock.shares.is_none() {
                        self.locks.remove(name);
                    }
                    return;
                }
                if self.wants(name) {
                    continue;
                }
                return;
            }
            if lock.holder.is_some() {
                return;
            }
            let next = lock.owner.next().is_some();
            let head = self.head(self.now, lock);
            let fits = head.is_some_and(|(_, _, mode)| lock.has_room(mode, self.rules));
            let mine = match (head, next) {
                (Some(_), false) => true,
                // Whoever waits for others to let go does not keep the token for that, once somebody was served.
                (Some(_), true) => {
                    (fits || !lock.served) && self.may_bypass(self.now, lock, name.kind() == Kind::Election)
                }
                (None, _) => false,
            };
            match head {
                Some((session, rid, mode)) if lock.held_as().is_some_and(|held| held.clashes(mode)) => {
                    self.withdraw_from(session, rid, Denial::Mixed);
                }
                // Others may fit beside it.
                Some((session, rid, _)) if mine && fits => self.grant(name, session, rid),
                Some(_) if mine => return self.asks_around_holders(name, true),
                Some(_) | None if next => self.send_token(name),
                Some(_) | None if lock.waiters.is_empty() => return self.rests(name),
                // Nobody is next and nobody may be granted: the lease is gone, and may come back, or there
                // is no fence left, and a new epoch was asked for long ago.
                Some(_) | None => {
                    self.stalled.insert(name.clone());
                    return;
                }
            }
        }
    }

    /// The first who may be granted now, by its session, and how it wants to hold. Who comes later waits for it, even
    /// if it would fit beside those who hold: or readers who come and go would keep a writer out for ever.
    fn head(&self, now: Micros, lock: &Lock) -> Option<(SessionKey, Rid, Mode)> {
        let mut waiters = lock.waiters.values().filter(|_| lock.has_fence());
        let all = |mode| self.rules.has(Rule::InTurn) || lock.has_room(mode, self.rules);
        waiters.find_map(|(session, rid)| {
            let mode = self.sessions.get(session)?.requests.get(rid)?.mode;
            (self.may_grant(now, *session, lock.class) && all(mode)).then_some((*session, *rid, mode))
        })
    }

    /// F1 and F2: whoever got the token serves one waiter of its own first, and then a few more for a short time.
    /// Elections go by priority, which only the home knows: there it is one.
    fn may_bypass(&self, now: Micros, lock: &Lock, strict: bool) -> bool {
        if !lock.served {
            return self.rules.has(Rule::ServesFirst);
        }
        let most = if strict { 0 } else { self.spec.bypass };
        lock.streak < most && now < lock.next_since + self.spec.bypass_time
    }

    /// p with `succ` and no holder sends the token on.
    fn send_token(&mut self, name: &Name) {
        let (run, rules) = (self.run(), self.rules);
        let sent = self.locks.get_mut(name).and_then(|lock| Some((lock.owner.sends()?, lock)));
        let Some(((to, token), lock)) = sent else {
            return self.impossible("a token is sent that is not here, or to nobody");
        };
        lock.came_from = None;
        self.tokens -= 1;
        let lent = lock.lends(rules, run);
        // It was numbered next before the token came here, with its holder, under the number before.
        if to == run.0 {
            return self.token_comes(to, name, token, lent);
        }
        self.tally.hops += 1;
        self.sends_token(to, name, token, lent);
        // Records of locks that went away cannot be dropped in this epoch; a new one drops them all.
        let gone = self.locks.len() - self.tokens.min(self.locks.len());
        if gone > self.spec.limits.cached && self.now >= self.installed_at + CROWDED {
            self.asks_for_an_epoch();
        }
    }

    /// TOKEN, with who holds nevertheless, if anybody does.
    fn sends_token(&mut self, to: ServerId, name: &Name, token: Token, lent: Option<Lent>) {
        let (epoch, name, Token { k, counter }) = (self.epoch(), name.clone(), token);
        self.out.push(Output::Send(
            to,
            match lent {
                None => Message::Token { epoch, name, k, counter },
                Some(lent) => Message::Lends { epoch, name, k, counter, lent },
            },
        ));
    }

    /// The token is wanted here. Whether it is here now: at home that is a local step.
    pub(super) fn wants(&mut self, name: &Name) -> bool {
        if !self.joined {
            return false;
        }
        if self.created_at_home(name) {
            return true;
        }
        let (own, epoch) = (self.spec.id, self.epoch());
        let Some(lock) = self.locks.get_mut(name) else {
            self.impossible("a lock is wanted that is not known");
            return false;
        };
        let home = lock.home;
        let priority = lock.waiters.first_key_value().map_or(0, |((rank, _), _)| u32::MAX - rank);
        let open = home != own || self.homes.is_open(name, lock.class);
        if !open && self.rules.has(Rule::OpenFirst) {
            // A home asks itself only when the lock is open: it asks again then.
            self.homes.park(name, own, 0, priority);
            return false;
        }
        let more = priority > lock.asked_priority && lock.owner.asking().is_some();
        let number = match lock.owner.wants_above() {
            Some(number) => {
                lock.resends = 0;
                number
            }
            None if more => lock.owner.asking().unwrap_or_default(),
            None => return false,
        };
        lock.asked_priority = priority;
        if !open {
            return false;
        }
        self.asks_again_later(name);
        if home == own {
            self.requested(own, name, number, priority);
        } else {
            self.out.push(Output::Send(home, Message::Req { epoch, name: name.clone(), number, priority }));
        }
        false
    }

    pub(super) fn asks_again_later(&mut self, name: &Name) {
        let at = self.now + patience(0);
        if let Some(lock) = self.locks.get_mut(name).filter(|_| self.rules.has(Rule::Resends)) {
            lock.resend_at = Some(at);
            self.at(at, Timer::Resend(name.clone()));
        }
    }

    /// REQ again, 50 ms later, then 100 ms, and so on: it, the PASS or the TOKEN may have been lost.
    pub(super) fn resend_is_due(&mut self, at: Micros, name: &Name) {
        let (own, epoch) = (self.spec.id, self.epoch());
        // It came, or was asked for again meanwhile.
        let Some(lock) = self.locks.get_mut(name).filter(|lock| lock.resend_at == Some(at)) else { return };
        lock.resend_at = None;
        // It came with a session, or this server is out.
        let Some(number) = lock.owner.asking().filter(|_| self.joined) else { return };
        lock.resends += 1;
        let span = patience(lock.resends);
        let (home, priority) = (lock.home, lock.asked_priority);
        lock.resend_at = Some(self.now + span);
        self.at(self.now + span, Timer::Resend(name.clone()));
        self.tally.resent += 1;
        if home == own {
            self.requested(own, name, number, priority);
        } else {
            self.out.push(Output::Send(home, Message::Req { epoch, name: name.clone(), number, priority }));
        }
    }

    /// p on PASS(k, to).
    pub(super) fn told_to_pass(&mut self, name: &Name, k: u64, to: ServerId) {
        let (now, epoch) = (self.now, self.epoch());
        let lock = self.lock_mut(name);
        if let Some((_, there)) = lock.handed.filter(|(number, _)| *number == k) {
            return self.out.push(Output::Send(there, Message::Pass { epoch, name: name.clone(), k, to }));
        }
        if lock.owner.next().is_none() {
            lock.next_since = now;
            lock.streak = 0;
        }
        match lock.owner.passed(k, to) {
            Some((to, token)) => {
                let lent = lock.lends_again();
                self.tally.resent += 1;
                self.sends_token(to, name, token, lent);
            }
            None => {
                self.serve(name);
                // It was numbered by a copy of an old request, and the token was lost: nobody else asks for it.
                if self.locks.get(name).is_some_and(|lock| lock.owner.is_owed()) {
                    self.wants(name);
                }
            }
        }
    }

    /// r takes TOKEN(k) only if k is larger than any number that it has had in this epoch.
    pub(super) fn token_comes(&mut self, from: ServerId, name: &Name, token: Token, lent: Option<Lent>) {
        let (k, run) = (token.k, self.run());
        // A home that has no record of the chain has let it go with the token at home: this one is from before.
        if self.rules.has(Rule::Once) && self.is_home(name) && !self.homes.has(name) {
            self.tally.duplicates += 1;
            return;
        }
        let (now, once) = (self.now, self.rules.has(Rule::Once));
        let lock = self.lock_mut(name);
        let had = lock.owner.token().is_some();
        if once {
            if !lock.owner.takes(token) {
                let (home, here) = (lock.home, lock.owner.largest());
                self.tally.duplicates += 1;
                return self.took(home, name, here.unwrap_or(k));
            }
        } else {
            lock.owner.takes_again(token);
        }
        lock.is_lent(lent, run);
        lock.came_from = Some(from);
        lock.served = false;
        lock.streak = 0;
        lock.next_since = now;
        lock.used = now;
        lock.resend_at = None;
        let home = lock.home;
        self.tokens += usize::from(!had);
        self.took(home, name, k);
        self.serve(name);
    }

    /// Elections tell the home where the token is.
    fn took(&mut self, home: ServerId, name: &Name, k: u64) {
        match name.kind() {
            Kind::Lock => {}
            Kind::Election if home == self.spec.id => self.taken(name, k),
            Kind::Election => {
                let message = Message::Took { epoch: self.epoch(), name: name.clone(), k };
                self.out.push(Output::Send(home, message));
            }
        }
    }

    /// Nobody needs the token: it stays, and goes home when it has been idle for long or when there are too many.
    fn rests(&mut self, name: &Name) {
        let crowded = self.tokens > self.spec.limits.cached || self.draining.is_some();
        let (own, idle) = (self.spec.id, self.spec.idle);
        let Some(lock) = self.locks.get_mut(name) else {
            return self.impossible("a token rests that is not here");
        };
        if lock.shared().is_some() {
            let leaves = self.draining.is_some();
            return self.asks_around_holders(name, leaves);
        }
        if crowded || lock.home == own && lock.came_from.is_some() {
            return self.offer(name);
        }
        if lock.idle_at.is_none() {
            let at = self.now + idle;
            lock.idle_at = Some(at);
            self.at(at, Timer::Idle(name.clone()));
        }
    }

    /// A token that was idle for long goes home; one that was used since is looked at again later.
    pub(super) fn idle_is_due(&mut self, at: Micros, name: &Name) {
        let idle = self.spec.idle;
        // It went away, or was looked at meanwhile.
        let Some(lock) = self.locks.get_mut(name).filter(|lock| lock.idle_at == Some(at)) else { return };
        lock.idle_at = None;
        if lock.owner.token().is_none() || !lock.is_idle() {
            return;
        }
        let due = lock.used + idle;
        if due > self.now {
            lock.idle_at = Some(due);
            return self.at(due, Timer::Idle(name.clone()));
        }
        // Should the offer be lost, it is made again after as long.
        lock.idle_at = Some(self.now + idle);
        self.at(self.now + idle, Timer::Idle(name.clone()));
        self.offer(name);
    }

    /// OFFER(x, k); at home the record is dropped.
    pub(super) fn offer(&mut self, name: &Name) {
        // Whoever leaves offers all that it knows of: what is in use stays, and what is elsewhere is not its to offer.
        let Some(lock) = self.locks.get(name).filter(|lock| lock.is_idle()) else { return };
        let Some(token) = lock.owner.token() else { return };
        if lock.home == self.spec.id {
            return self.retires(name);
        }
        let message = Message::Offer { epoch: self.epoch(), name: name.clone(), k: token.k };
        self.out.push(Output::Send(lock.home, message));
    }

    /// The token of a lock that is at home here, and that has no record yet, is here if the lock is open.
    pub(super) fn created_at_home(&mut self, name: &Name) -> bool {
        if !self.is_home(name) || !self.homes.is_idle(name, self.class(name)) {
            return false;
        }
        let run = self.run();
        let (token, lent) = self.homes.create(name, self.spec.id, self.rules.has(Rule::GoesOn));
        let lock = self.lock_mut(name);
        lock.owner = Owner::with(token);
        lock.is_lent(lent, run);
        lock.served = false;
        self.tokens += 1;
        self.tally.recreated += 1;
        true
    }

    /// The class of a lock: that with which it is known, or as the view has it.
    pub(super) fn class(&self, name: &Name) -> Class {
        let known = self.locks.get(name).map(|lock| lock.class);
        known.or_else(|| self.view.as_ref().map(|view| view.class(name))).unwrap_or_default()
    }

    /// Whether this server is the home of a lock.
    pub(super) fn is_home(&self, name: &Name) -> bool {
        let home = self.view.as_ref().and_then(|view| view.home(name));
        self.joined && home == Some(self.spec.id)
    }
}
