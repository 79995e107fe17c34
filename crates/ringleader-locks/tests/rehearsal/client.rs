//! Clients: each runs the real session on a clock of its own, uses locks, repeats what is not answered,
//! pauses, dies.

mod answers;
mod tasks;

use crate::clock::Clock;
use crate::setup::Setup;
use crate::world::{Due, World};
use ringleader::rng::Rng;
use ringleader_live::Micros;
use ringleader_locks::{Answer, Ask, Asker, Class, Fence, Mode, Rid, Session, SessionId};

/// What a client does wrong, on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// Nothing.
    None,
    /// It takes a grant although its session is over by its own clock, and goes on as if it lived (etcd
    /// #9921).
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
    Waits { rid: Rid, since: u64, mode: Mode },
    Holds { rid: Rid, fence: Fence, order: u64, until: u64, mode: Mode },
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
    /// Whether it goes to another server with its session.
    follows: bool,
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
            follows: rng.below(4) > 0,
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

impl World {
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

    /// Until when it holds what it holds, in real time. Whoever does not look at its clock holds for as
    /// long as it thinks it does, and that is counted.
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
                // Somebody else may answer; a new question each time, and answers to old ones come too
                // late.
                who.server = (who.server + 1) % self.hosts.len();
                who.opens_at = self.real + self.setup.suspect.max(4 * self.setup.delay);
                let (ttl, class, follows) = (Micros(who.ttl), who.class, who.follows);
                let meta = client.to_string().into();
                let ask = Ask::Open { ttl, class, meta, owner: "".into(), follows };
                self.ask(client, Asked::Open(now), ask);
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
}
