//! Clients: each runs the real session on a clock of its own, uses locks, repeats what is not answered, pauses, dies.

use crate::auditor::Holding;
use crate::clock::Clock;
use crate::setup::Setup;
use crate::world::{Due, World};
use ringleader::live::Micros;
use ringleader::lock::{
    Answer, Ask, Asker, Belief, Class, Denial, Fence, Rid, Rules, Session, SessionId, Standing,
};
use ringleader::rng::Rng;

/// What a client does wrong, on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// Nothing.
    None,
    /// It takes a grant although its session is over by its own clock, and goes on as if it lived (etcd #9921).
    TakesLate,
    /// It takes a grant for any request of the same lock.
    AnyRequest,
    /// It counts what it is promised from the moment at which the answer comes.
    FromReceipt,
    /// It counts all that is promised, as if its clock were the server's.
    NoMargin,
}

/// What was asked, and when on the client's clock.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Open(Micros),
    KeepAlive(SessionId, Micros),
    Acquire(SessionId, usize, Rid),
    Release(SessionId, usize, Fence),
    Other(SessionId),
}

/// What it does with a lock.
#[derive(Clone, Copy, Debug)]
enum Doing {
    Thinks,
    Waits { rid: Rid, since: u64 },
    Holds { fence: Fence, order: u64, until: u64 },
    GivesBack { fence: Fence, tries: u32 },
}

/// One thing that it does at a time, and when it goes on with it.
#[derive(Clone, Copy, Debug)]
struct Task {
    lock: usize,
    doing: Doing,
    next: u64,
}

/// A session that is open, as far as the client knows.
struct Open {
    session: Session,
    server: usize,
    keep_alive: u64,
    refused: u32,
    /// How long it lives, if it is not the right version that says so.
    flawed: Option<Micros>,
}

/// A client.
pub(crate) struct Client {
    clock: Clock,
    class: Class,
    ttl: u64,
    server: usize,
    open: Option<Open>,
    opens_at: u64,
    serial: u64,
    asked: Vec<(Asker, Asked)>,
    rid: Rid,
    tasks: Vec<Task>,
    pub(crate) paused_until: u64,
    backlog: Vec<(Asker, Answer)>,
    wake: u64,
    /// For each server whether nothing gets through to it, and whether nothing comes back.
    pub(crate) cut: [Vec<bool>; 2],
    /// The locks that it had after everything was healed.
    pub(crate) served: Vec<bool>,
}

impl Client {
    pub(crate) fn new(setup: &Setup, rng: &mut Rng) -> Client {
        let class = Class::ALL[rng.below(3) as usize];
        let lease = setup.times.lease(class).0;
        let shortest = setup.shortest();
        Client {
            clock: Clock::drawn(rng, setup.times.drift_ppm, setup.extreme),
            class,
            ttl: shortest + rng.below(lease - shortest + 1),
            server: rng.below(setup.servers as u64) as usize,
            open: None,
            opens_at: 0,
            serial: 0,
            asked: Vec::new(),
            rid: 0,
            tasks: Vec::new(),
            paused_until: 0,
            backlog: Vec::new(),
            wake: u64::MAX,
            cut: [vec![false; setup.servers], vec![false; setup.servers]],
            served: vec![false; setup.names.len()],
        }
    }

    pub(crate) fn reaches(&self, server: usize) -> bool {
        !self.cut[0][server]
    }

    pub(crate) fn hears(&self, server: usize) -> bool {
        !self.cut[1][server]
    }

    /// Whether it has had every lock that it may have.
    pub(crate) fn is_served(&self) -> bool {
        self.served.iter().all(|served| *served)
    }

    /// How it is, for whoever looks for the reason of a failure.
    pub(crate) fn told(&self) -> String {
        let session = self.open.as_ref().map(|open| (open.session.id(), open.server));
        format!("session {session:?}, served {:?}, {:?}", self.served, self.tasks)
    }
}

impl<R: Rules> World<R> {
    /// Whether it lives by its own clock, the right way or the wrong way.
    fn lives(&mut self, client: usize) -> bool {
        let (flaw, real) = (self.flaw, self.real);
        let client = &mut self.clients[client];
        let now = client.clock.shows(real);
        let Some(open) = &mut client.open else { return false };
        match flaw {
            Flaw::FromReceipt | Flaw::NoMargin => open.flawed.is_none_or(|deadline| now < deadline),
            Flaw::None | Flaw::AnyRequest => open.session.is_alive(now),
            // It never looks at its clock.
            Flaw::TakesLate => true,
        }
    }

    /// Until when it holds what it holds, in real time. Whoever does not look at its clock holds for as long as it
    /// thinks it does, and that is counted.
    fn until(&self, client: usize) -> u64 {
        let client = &self.clients[client];
        let Some(open) = &client.open else { return 0 };
        match self.flaw {
            Flaw::None | Flaw::AnyRequest => client.clock.reaches(open.session.deadline()),
            Flaw::FromReceipt | Flaw::NoMargin => {
                client.clock.reaches(open.flawed.unwrap_or(open.session.deadline()))
            }
            Flaw::TakesLate => {
                client.clock.reaches(open.session.deadline()).max(self.real + self.setup.shortest() / 4)
            }
        }
    }

    fn number(&mut self, client: usize, asked: Asked) -> Asker {
        let who = &mut self.clients[client];
        who.serial += 1;
        let asker = (client as u64) << 32 | who.serial;
        if who.asked.len() == 48 {
            who.asked.remove(0);
        }
        who.asked.push((asker, asked));
        asker
    }

    fn ask(&mut self, client: usize, asked: Asked, ask: Ask) {
        let asker = self.number(client, asked);
        let server =
            self.clients[client].open.as_ref().map_or(self.clients[client].server, |open| open.server);
        self.asks(client, server, asker, ask);
        if self.rng.below(16) == 0 && self.healed.is_none() {
            let after = self.rng.below(self.setup.suspect);
            self.due(after, Due::Gone(server, asker));
        }
    }

    /// The process is gone. What it held it may hold until its deadline: the auditor does not forget it.
    pub(crate) fn client_dies(&mut self, client: usize) {
        self.counts.clients_killed += 1;
        self.note(|| format!("client {client} is killed"));
        let who = &mut self.clients[client];
        who.open = None;
        who.asked.clear();
        who.backlog.clear();
        who.tasks.clear();
        who.paused_until = 0;
        who.opens_at = self.real;
        self.client_armed(client);
    }

    /// The session is over, and the client knows it.
    fn session_ends(&mut self, client: usize) {
        let who = &mut self.clients[client];
        if let Some(mut open) = who.open.take() {
            let id = open.session.id();
            open.session.ended();
            who.tasks.clear();
            who.opens_at = self.real;
            who.server = self.rng.below(self.hosts.len() as u64) as usize;
            self.auditor.ended(id);
            self.counts.dead_sessions += 1;
            self.note(|| format!("client {client}: its session is over"));
        }
    }

    pub(crate) fn client_wakes(&mut self, client: usize) {
        let who = &mut self.clients[client];
        if who.paused_until > self.real {
            return;
        }
        if self.real < who.wake && who.wake != u64::MAX {
            return;
        }
        who.wake = u64::MAX;
        for (asker, answer) in core::mem::take(&mut who.backlog) {
            self.client_takes(client, asker, answer);
        }
        self.client_acts(client);
        self.client_armed(client);
    }

    /// It looks at its clock again when something is due.
    fn client_armed(&mut self, client: usize) {
        let who = &mut self.clients[client];
        let at = match &who.open {
            None => who.opens_at,
            Some(open) => {
                let tasks = who.tasks.iter().map(|task| task.next);
                let deadline = who.clock.reaches(open.session.deadline());
                tasks.chain([open.keep_alive, deadline.max(self.real + 1)]).min().unwrap_or(u64::MAX)
            }
        };
        let at = at.max(self.real + 1).max(who.paused_until);
        if at < who.wake {
            who.wake = at;
            self.due(at - self.real, Due::ClientWake(client));
        }
    }

    pub(crate) fn client_hears(&mut self, client: usize, asker: Asker, answer: Answer) {
        if self.clients[client].paused_until > self.real {
            self.clients[client].backlog.push((asker, answer));
            return;
        }
        self.client_takes(client, asker, answer);
        self.client_armed(client);
    }

    fn client_acts(&mut self, client: usize) {
        let now = self.clients[client].clock.shows(self.real);
        if self.clients[client].open.is_some() && !self.lives(client) {
            self.session_ends(client);
        }
        let who = &mut self.clients[client];
        let Some(open) = &mut who.open else {
            if who.opens_at <= self.real {
                // Somebody else may answer; a new question each time, and answers to old ones come too late.
                who.server = (who.server + 1) % self.hosts.len();
                who.opens_at = self.real + self.setup.suspect.max(4 * self.setup.delay);
                let (ttl, class) = (Micros(who.ttl), who.class);
                self.ask(client, Asked::Open(now), Ask::Open { ttl, class, meta: "".into() });
            }
            return;
        };
        if open.keep_alive <= self.real {
            let session = open.session.id();
            let beliefs = open.session.beliefs();
            open.keep_alive = self.real + who.ttl / 6 + 1;
            self.ask(client, Asked::KeepAlive(session, now), Ask::KeepAlive { session, beliefs });
            if self.rng.below(16) == 0 {
                let name = self.setup.names[self.rng.below(self.setup.names.len() as u64) as usize].clone();
                self.ask(client, Asked::Other(session), Ask::Look { name });
            }
        }
        while self.clients[client].tasks.len() < self.setup.width {
            let (lock, next) = self.thought(client);
            self.clients[client].tasks.push(Task { lock, doing: Doing::Thinks, next });
        }
        for place in 0..self.clients[client].tasks.len() {
            if self.clients[client].tasks.get(place).is_some_and(|task| task.next <= self.real) {
                self.task_goes_on(client, place);
            }
        }
    }

    /// What it wants next, and when. After everything was healed each lock once, soon.
    fn thought(&mut self, client: usize) -> (usize, u64) {
        let locks = self.setup.names.len();
        let drawn = self.rng.below(locks as u64) as usize;
        if self.healed.is_none() {
            return (drawn, self.real + self.rng.below(self.setup.think));
        }
        let who = &self.clients[client];
        let is_free = |lock: &usize| !who.served[*lock] && who.tasks.iter().all(|task| task.lock != *lock);
        let next = (0..locks).map(|lock| (lock + drawn) % locks).find(is_free);
        let soon = self.real + self.rng.below(self.setup.renew);
        next.map_or((drawn, self.real + self.setup.longest()), |lock| (lock, soon))
    }

    fn set(&mut self, client: usize, place: usize, doing: Doing, after: u64) {
        let next = self.real + after.max(1);
        let task = &mut self.clients[client].tasks[place];
        (task.doing, task.next) = (doing, next);
    }

    fn thinks(&mut self, client: usize, place: usize) {
        let (lock, next) = self.thought(client);
        self.clients[client].tasks[place] = Task { lock, doing: Doing::Thinks, next };
    }

    fn task_goes_on(&mut self, client: usize, place: usize) {
        let Some(open) = &self.clients[client].open else { return };
        let session = open.session.id();
        let Task { lock, doing, .. } = self.clients[client].tasks[place];
        match doing {
            Doing::Thinks => {
                let mine = &self.clients[client].tasks;
                let busy = mine.iter().enumerate().any(|(other, task)| {
                    other != place && task.lock == lock && !matches!(task.doing, Doing::Thinks)
                });
                let idle = self.healed.is_some() && self.clients[client].served[lock];
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
                self.acquires(client, place, session, rid, self.real);
            }
            Doing::Waits { rid, since } => {
                let patience = self.setup.hold * 4 + self.setup.longest();
                if self.healed.is_none() && self.rng.below(8) == 0 && self.real - since > patience / 8 {
                    if let Some(open) = &mut self.clients[client].open {
                        open.session.withdraws(rid);
                    }
                    self.ask(client, Asked::Other(session), Ask::Cancel { session, rid });
                    self.thinks(client, place);
                } else {
                    self.acquires(client, place, session, rid, since);
                }
            }
            Doing::Holds { fence, order, until } => self.holds(client, place, (lock, fence, order, until)),
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

    fn acquires(&mut self, client: usize, place: usize, session: SessionId, rid: Rid, since: u64) {
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
        };
        self.ask(client, Asked::Acquire(session, lock, rid), ask);
        let after = self.setup.renew + self.setup.delay * 3 + self.rng.below(self.setup.times.leases[1].0);
        self.set(client, place, Doing::Waits { rid, since }, after);
    }

    /// It looks at its clock, and writes; or it has done enough.
    fn holds(&mut self, client: usize, place: usize, held: (usize, Fence, u64, u64)) {
        let (lock, fence, order, until) = held;
        if self.real < until {
            // From looking to the storage it takes a while, sometimes a long one: what protects then is the fence.
            let after = self.travels();
            self.due(after, Due::Write(lock, fence, order));
            let after = 1 + (until - self.real) / 2 + self.setup.renew / 8;
            return self.set(client, place, Doing::Holds { fence, order, until }, after);
        }
        let who = &mut self.clients[client];
        if let Some(open) = &mut who.open {
            open.session.releases(fence);
            self.auditor.lets_go(lock, open.session.id(), fence);
        }
        self.set(client, place, Doing::GivesBack { fence, tries: 0 }, 0);
        self.task_goes_on(client, place);
    }

    fn client_takes(&mut self, client: usize, asker: Asker, answer: Answer) {
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
                        if let Belief::Holds(fence) = belief {
                            self.granted(client, session, None, rid, fence);
                        }
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
            (Asked::KeepAlive(session, _), Answer::Denied(_)) => self.refused(client, session),
            (Asked::Acquire(session, _, rid), Answer::Denied(denial)) => {
                self.denied(client, session, rid, denial)
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
            (Asked::Open(_), Answer::Denied(_)) => {
                self.clients[client].opens_at = self.real + 1 + self.setup.renew / 4
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

    fn is_of(&self, client: usize, session: SessionId) -> bool {
        self.clients[client].open.as_ref().is_some_and(|open| open.session.id() == session)
    }

    fn opened(
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

    fn kept_alive(&mut self, client: usize, now: Micros, sent: Micros, valid: Micros) {
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
    fn refused(&mut self, client: usize, session: SessionId) {
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

    fn denied(&mut self, client: usize, session: SessionId, rid: Rid, denial: Denial) {
        if !self.is_of(client, session) {
            return;
        }
        let waits = |task: &Task| matches!(task.doing, Doing::Waits { rid: waits, .. } if waits == rid);
        let Some(place) = self.clients[client].tasks.iter().position(waits) else { return };
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
            | Denial::Timeout
            | Denial::Limit(_)
            | Denial::BadRequest(_)
            | Denial::NotHolder
            | Denial::SessionExpired
            | Denial::SessionUnknown => {
                if let Some(open) = &mut self.clients[client].open {
                    open.session.withdraws(rid);
                }
                self.thinks(client, place);
            }
        }
    }

    /// A grant has come: it is taken if it counts, and given back if not.
    fn granted(&mut self, client: usize, of: SessionId, lock: Option<usize>, rid: Rid, fence: Fence) {
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
                let lock = self.clients[client].tasks[place].lock;
                let until = self.until(client);
                let holding = Holding { client, session: id, fence, until, order: 0 };
                self.note(|| format!("client {client} holds lock {lock} with {fence:?} until {until}"));
                let order = self.auditor.takes(self.real, lock, holding, self.healed.is_some());
                let hold = if self.healed.is_some() { self.setup.renew / 4 } else { self.setup.hold };
                let until = self.real + self.rng.below(hold + 1);
                self.set(client, place, Doing::Holds { fence, order, until }, 0);
            }
            // It was taken before.
            (Standing::Held, None) => {}
            (Standing::GiveBack, _) => self.gives_back(client, of, lock, fence),
        }
    }

    fn gives_back(&mut self, client: usize, session: SessionId, lock: Option<usize>, fence: Fence) {
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
