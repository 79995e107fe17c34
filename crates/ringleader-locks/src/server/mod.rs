//! A server: everything that it decides.
//!
//! One function takes what happened and says what is to be done. The rules are those of docs/locks/design.md, by their
//! labels: T1 to T4 (time), 4.1 (clients), 4.2 (tokens), 4.3 (view changes), 4.4 (who starts them), 4.5 (sessions that
//! move). A file for each concern:
//! `lease` reads the view, `sessions` and `requests` serve clients, `owners` keeps tokens, `homes` numbers owners and
//! re-creates what was lost, `install` changes the view, `guardian` has it changed, `look` asks how a lock is.
//! A server that leaves does so by `drain`, and its sessions by `moving`.

#[cfg(feature = "rehearsal")]
mod audit;
mod drain;
mod grants;
mod guardian;
mod homes;
mod install;
mod known;
mod lease;
mod look;
mod moving;
mod owned;
mod owners;
mod requests;
mod rules;
mod said;
mod sessions;
mod shares;
mod spec;
mod table;
#[cfg(test)]
mod tests;
mod waits;

#[cfg(test)]
pub(super) use waits::Waits;

pub use owned::OpenSession;
#[cfg_attr(not(feature = "rehearsal"), expect(unreachable_pub, reason = "only tests name a rule"))]
pub use rules::{Rule, Rules};
pub use said::{Event, Input, LockStatus, Output, Path, ServerStatus, Tally};
pub use spec::{Limits, ServerSpec};

use super::{
    Answer, Ask, Asker, Class, Denial, LockState, Message, Mode, Name, Rid, ServerId, SessionId, View,
};
use drain::Draining;
use guardian::{Guardian, Heard};
use homes::Homes;
use install::Reporting;
use look::Question;
use moving::{Came, Gone};
use owners::Lock;
use ringleader::mutex::homed_chain::Token;
use ringleader_live::Micros;
use sessions::Client;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::Table;

/// The version of the protocol that this server speaks.
/// 2: locks that several hold (4.7).
const PROTO: u16 = 2;

/// From which version on several may hold a lock.
const SHARING: u16 = 2;

/// The number of a session in this run of the server: the lower half of its name.
type SessionKey = u64;

/// What is to be done later. A timer that was overtaken by events finds nothing to do when it fires: what it is about
/// knows when it really is due.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Timer {
    /// Read the view.
    Read,
    /// Tell others that this server is here, and see who else is.
    Beat,
    /// A session may be over.
    Session(SessionKey),
    /// A request has waited long enough.
    Wait(SessionKey, Rid),
    /// Ask for the token again.
    Resend(Name),
    /// A token may be idle.
    Idle(Name),
    /// Ask again who holds a lock elsewhere.
    Ask(Name),
    /// Report again to this home.
    Report(ServerId),
    /// Send a session that moves again.
    Move(SessionKey),
    /// The wait for old leases of some class is over (T4).
    Open,
    /// Ask again how a lock is.
    Look(u64),
    /// Read the view, because somebody knows a newer one.
    Hint,
}

/// A server. What it does depends on everything in it but what was counted.
#[derive(Clone, Hash, Debug)]
pub struct Server {
    spec: ServerSpec,
    rules: Rules,
    /// In a step: when it is, and what is to be done. Between two steps there is neither.
    now: Micros,
    out: Vec<Output>,
    boot: Micros,
    tally: Tally,
    timers: BTreeSet<(Micros, Timer)>,
    /// The view that is installed.
    view: Option<Arc<View>>,
    /// A newer one, which is installed as soon as no client here can hold anything.
    pending: Option<Arc<View>>,
    joined: bool,
    installed_at: Micros,
    /// T1: when the last read that confirmed this view was sent.
    confirmed: Option<Micros>,
    reads: BTreeMap<u64, Micros>,
    read_number: u64,
    /// A newer epoch that somebody knows.
    hinted: u32,
    sessions: BTreeMap<SessionKey, Client>,
    opened: SessionKey,
    locks: Table<Lock>,
    /// Locks that could be granted if their class were leased.
    stalled: BTreeSet<Name>,
    ticket: u64,
    tokens: usize,
    held: usize,
    waiting: usize,
    homes: Homes,
    reports: BTreeMap<ServerId, Reporting>,
    looks: BTreeMap<u64, Question>,
    look_number: u64,
    guardian: Guardian,
    draining: Option<Draining>,
    /// When a new epoch was asked for, because numbers or records run out.
    renewal: Option<Micros>,
    /// Sessions that came from other servers.
    guests: BTreeMap<SessionId, SessionKey>,
    /// Sessions that went to other servers.
    gone: BTreeMap<SessionId, Gone>,
    /// What was said to those who sent a session.
    came: BTreeMap<(ServerId, SessionId), Came>,
}

impl Server {
    /// A server that starts now, on its own clock.
    #[must_use]
    pub fn new(spec: ServerSpec, now: Micros) -> Server {
        let mut server = Server {
            spec,
            rules: Rules::default(),
            now: Micros(0),
            out: Vec::new(),
            boot: now,
            tally: Tally::default(),
            timers: BTreeSet::new(),
            view: None,
            pending: None,
            joined: false,
            installed_at: now,
            confirmed: None,
            reads: BTreeMap::new(),
            read_number: 0,
            hinted: 0,
            sessions: BTreeMap::new(),
            opened: 0,
            locks: Table::default(),
            stalled: BTreeSet::new(),
            ticket: 0,
            tokens: 0,
            held: 0,
            waiting: 0,
            homes: Homes::default(),
            reports: BTreeMap::new(),
            looks: BTreeMap::new(),
            look_number: 0,
            guardian: Guardian::default(),
            draining: None,
            renewal: None,
            guests: BTreeMap::new(),
            gone: BTreeMap::new(),
            came: BTreeMap::new(),
        };
        server.at(now, Timer::Read);
        server.at(now, Timer::Beat);
        server
    }

    /// With these rules from its start: a wrong version.
    #[cfg(feature = "rehearsal")]
    #[must_use]
    pub fn follows(self, rules: Rules) -> Server {
        Server { rules, ..self }
    }

    /// Something happened now. What is to be done is appended.
    pub fn handle(&mut self, now: Micros, input: Input, out: &mut Vec<Output>) {
        self.now = now;
        core::mem::swap(&mut self.out, out);
        self.happens(input);
        core::mem::swap(&mut self.out, out);
        self.now = Micros(0);
    }

    fn happens(&mut self, input: Input) {
        // What is due comes first, so that nobody is served by a session that is over.
        self.fire();
        match input {
            Input::Tick => {}
            Input::Company => {
                self.hastens();
                self.fire();
            }
            Input::Peer(from, message) => self.heard(from, message),
            Input::Read(number, view) => self.read_answered(number, view),
            Input::Hint(epoch) => self.newer(epoch),
            Input::Proposes(proposes) => self.guardian.proposes(self.now, proposes),
            Input::Client(asker, ask) => self.asked_by_client(asker, ask),
            // An answer to somebody who is gone is thrown away by whoever drives the server; the request stays.
            Input::Gone(_) => {}
            Input::Drain => self.drain(),
        }
        self.steps_on();
        self.drains();
    }

    /// When it wants to be woken at the latest.
    #[must_use]
    pub fn wakes_at(&self) -> Micros {
        self.timers.first().map_or(Micros(u64::MAX), |(at, _)| *at)
    }

    /// How it was set up.
    #[must_use]
    pub fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    /// The view that is installed.
    #[must_use]
    pub fn view(&self) -> Option<&Arc<View>> {
        self.view.as_ref()
    }

    /// How it is.
    #[must_use]
    pub fn status(&self, now: Micros) -> ServerStatus {
        let homes = self.at_home();
        ServerStatus {
            epoch: self.epoch(),
            joined: self.joined,
            draining: self.draining.is_some(),
            lease: Class::ALL.map(|class| self.lease_left(now, class)),
            sessions: self.sessions.len(),
            tokens: self.tokens,
            held: self.held,
            waiters: self.waiting,
            homes,
            recovering: self.recovering_shards(),
            proposes: self.guardian.may_propose(),
        }
    }

    /// The locks that it knows, by name, from after this one on, as many as asked.
    #[must_use]
    pub fn locks(&self, now: Micros, after: Option<&Name>, most: usize) -> Vec<LockStatus> {
        let shown = self
            .locks
            .after(after)
            .filter(|(_, lock)| lock.owner.token().is_some() || !lock.waiters.is_empty());
        let status = |(name, lock): (&Name, &Lock)| LockStatus {
            name: name.clone(),
            class: lock.class,
            state: self.state_of(now, lock),
        };
        shown.take(most).map(status).collect()
    }

    /// Whose a session is, as was said when it was opened.
    #[must_use]
    pub fn owner(&self, session: SessionId) -> Option<&str> {
        let key = self.client(session).ok()?;
        self.sessions.get(&key).map(|client| &*client.owner)
    }

    /// A session is somebody else's from now on.
    pub fn belongs(&mut self, session: SessionId, owner: Arc<str>) {
        let key = self.client(session).ok();
        if let Some(client) = key.and_then(|key| self.sessions.get_mut(&key)) {
            client.owner = owner;
        }
    }

    /// What was counted.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The epoch that is installed; 0 if none.
    fn epoch(&self) -> u32 {
        self.view.as_ref().map_or(0, |view| view.epoch)
    }

    /// What cannot be has happened. Tests fail here; a server goes on without what this was about, for a panic would
    /// take along the locks of everybody else, and its tally says what it was.
    #[cold]
    fn impossible(&mut self, what: &'static str) {
        // A wrong version is bound to come here, and is to be found by what its clients see.
        debug_assert!(self.rules != Rules::default(), "{what}");
        self.tally.impossible.get_or_insert(what);
        self.tally.defects += 1;
    }

    fn denies(&mut self, asker: Asker, why: Denial) {
        answer(&mut self.out, asker, Answer::Denied(why));
    }

    fn at(&mut self, when: Micros, timer: Timer) {
        self.timers.insert((when, timer));
    }

    /// Signs of life and reads that are nearly due are due. A wake-up costs more than what is done in it.
    fn hastens(&mut self) {
        let soon = self.now + Micros(self.spec.renew.0 / 4);
        let early =
            |(at, timer): &&(Micros, Timer)| *at <= soon && matches!(timer, Timer::Beat | Timer::Read);
        let early: Vec<_> =
            self.timers.iter().take_while(|(at, _)| *at <= soon).filter(early).cloned().collect();
        for (at, timer) in early {
            self.timers.remove(&(at, timer.clone()));
            self.at(self.now, timer);
        }
    }

    /// Does what is due.
    fn fire(&mut self) {
        while self.timers.first().is_some_and(|(at, _)| *at <= self.now)
            && let Some((at, timer)) = self.timers.pop_first()
        {
            match timer {
                Timer::Read => self.read_is_due(),
                Timer::Beat => self.beat(),
                Timer::Session(session) => self.session_is_due(session),
                Timer::Wait(session, rid) => self.wait_is_over(session, rid),
                Timer::Resend(name) => self.resend_is_due(at, &name),
                Timer::Idle(name) => self.idle_is_due(at, &name),
                Timer::Ask(name) => self.ask_is_due(at, &name),
                Timer::Report(home) => self.report_is_due(at, home),
                Timer::Move(session) => self.move_is_due(at, session),
                Timer::Open => self.opens(),
                Timer::Look(number) => self.look_is_due(at, number),
                Timer::Hint => self.hint_is_due(),
            }
        }
    }

    /// A message from another server. One of another epoch is dropped (4.2).
    fn heard(&mut self, from: ServerId, message: Message) {
        let epoch = message.epoch();
        if let Message::Ping { epoch, incarnation, leased: is_leased, wants_in, proposes, proto } = message {
            let leased = None;
            let ping =
                Heard { at: self.now, leased, incarnation, epoch, is_leased, wants_in, proposes, proto };
            self.pinged(from, ping);
            return self.newer(epoch);
        }
        if let Message::Move { session, .. } = &message
            && epoch < self.epoch()
        {
            // Whoever sent it waits for an answer before it comes into this epoch.
            return self.session_comes_late(from, epoch, *session);
        }
        let old_token =
            !self.rules.has(Rule::Epochs) && matches!(message, Message::Token { .. } | Message::Lends { .. });
        if epoch != self.epoch() && !old_token {
            self.tally.old_epoch += 1;
            return self.newer(epoch);
        }
        if let Message::Reported { incarnation, page, .. } = message {
            return self.report_arrived(from, incarnation, page);
        }
        if !self.joined {
            return;
        }
        match message {
            Message::Req { name, number, priority, .. } => {
                self.requested(from, &name, number, priority);
            }
            Message::Pass { name, k, to, .. } => self.told_to_pass(&name, k, to),
            Message::Token { name, k, counter, .. } => {
                self.token_comes(from, &name, Token { k, counter }, None)
            }
            Message::Lends { name, k, counter, lent, .. } => {
                self.token_comes(from, &name, Token { k, counter }, Some(lent));
            }
            Message::Ask { name, fences, .. } => self.asked_who_holds(from, &name, fences),
            Message::Over { name, fences, .. } => self.holds_are_over(from, &name, &fences),
            Message::Took { name, k, .. } => self.taken(&name, k),
            Message::Offer { name, k, .. } => self.offered(from, &name, k),
            Message::Report { incarnation, page, pages, owns, gone, .. } => {
                let page = install::Page { incarnation, page, pages, owns, gone };
                self.reported(from, page);
            }
            Message::Look { name, asker, number, .. } => self.looked_for(&name, asker, number),
            Message::Looked { name, number, state, .. } => self.look_answered(&name, number, state),
            Message::Move { session, parcel, .. } => self.session_comes(from, session, *parcel),
            Message::Moved { session, taken, .. } => self.session_came(from, session, taken),
            Message::Ping { .. } | Message::Reported { .. } => {}
        }
    }

    fn asked_by_client(&mut self, asker: Asker, ask: Ask) {
        // The session has moved, or is about to.
        let Some(ask) = self.answered_elsewhere(asker, ask) else { return };
        if let Err(why) = self.does_as_asked(asker, ask) {
            self.denies(asker, why);
        }
    }

    /// What is asked is done and answered, now or later; or refused.
    fn does_as_asked(&mut self, asker: Asker, ask: Ask) -> Result<(), Denial> {
        match ask {
            Ask::Open { ttl, class, meta, owner, follows } => {
                self.open(asker, sessions::Opening { ttl, class, meta, owner, follows })
            }
            Ask::KeepAlive { session, beliefs: _ } => self.keep_alive(asker, session),
            Ask::Close { session } => self.close(asker, session),
            Ask::Acquire { session, rid, name, wait, priority, value, mode } => {
                self.acquire(asker, session, requests::Wanted { rid, name, wait, priority, value, mode })
            }
            Ask::Cancel { session, rid } => self.cancel(asker, session, rid),
            Ask::Release { session, name, fence } => self.release(asker, session, &name, fence),
            Ask::Proclaim { session, name, fence, value } => {
                self.proclaim(asker, session, &name, (fence, value))
            }
            Ask::Look { name } => self.look(asker, &name),
        }
    }

    /// Whether the token is here, and not on its way with its holder.
    fn has_token(&self, lock: &Lock) -> bool {
        let holder = lock.holder.and_then(|(session, _)| self.sessions.get(&session));
        lock.owner.token().is_some() && holder.is_none_or(|client| client.way.is_none())
    }

    /// How a lock is whose token is here, or for which somebody waits.
    fn state_of(&self, now: Micros, lock: &Lock) -> LockState {
        let (mode, holders) = lock.shared().unwrap_or((Mode::Exclusive, usize::from(lock.holder.is_some())));
        let holder = lock.held().next().and_then(|(session, rid, _)| {
            let client = self.sessions.get(&session)?;
            Some((client, client.requests.get(&rid)?))
        });
        let here = self.has_token(lock);
        LockState {
            held: holders > 0,
            fence: lock.fence.filter(|fence| here && (holders > 0 || fence.epoch() == self.epoch())),
            value: holder.map(|(_, request)| request.value.clone()).unwrap_or_default(),
            holder: holder.map_or_else(|| Arc::from(""), |(client, _)| client.meta.clone()),
            remaining: holder.map_or(Micros(0), |(client, _)| client.until - now),
            waiters: u32::try_from(lock.waiters.len()).unwrap_or(u32::MAX),
            owner: here.then_some(self.spec.id),
            mode,
            holders: u32::try_from(holders).unwrap_or(u32::MAX),
        }
    }
}

/// While something else of a server is in hand.
fn answer(out: &mut Vec<Output>, asker: Asker, answer: Answer) {
    out.push(Output::Answer(asker, answer));
}
