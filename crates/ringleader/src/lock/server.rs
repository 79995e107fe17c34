//! A server: everything that it decides.
//!
//! One function takes what happened and says what is to be done. The rules are those of the design, by number: T1 to
//! T5 (time), 4.1 (clients), 4.2 (tokens), 4.3 (view changes), 4.4 (who starts them).

use super::view::ServerId;
use super::{Answer, Ask, Asker, Class, Command, Fence, Message, Name, SessionId, View};
use crate::live::Micros;
use core::marker::PhantomData;
use std::sync::Arc;

/// What a server is told at its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerSpec {
    /// Who it is.
    pub id: ServerId,
    /// Which run of it: drawn at random.
    pub incarnation: u64,
    /// Whether it never ran before: then no client of an earlier run can hold anything.
    pub fresh: bool,
    /// All servers of the cluster, itself among them: whom it tells that it is here.
    pub peers: Vec<ServerId>,
    /// How often it reads the view, and tells others that it is here.
    pub renew: Micros,
    /// After how long without a word a member is excluded.
    pub suspect: Micros,
    /// The shortest time between two changes of the view.
    pub pause: Micros,
    /// After how long an idle token goes home.
    pub idle: Micros,
    /// How many further local waiters are served when somebody else waits for the token (rule F2); 0 is strict order.
    pub bypass: u32,
    /// For how long at most.
    pub bypass_time: Micros,
    /// What clients may cost.
    pub limits: Limits,
}

/// What clients may cost a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Sessions.
    pub sessions: usize,
    /// Tokens that are kept although nobody uses them.
    pub cached: usize,
    /// Waiters for a lock.
    pub waiters: usize,
    /// Locks and waits of a session.
    pub locks: usize,
    /// The shortest time that a session may ask for.
    pub shortest: Micros,
    /// Locks in a page of a report.
    pub page: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            sessions: 50_000,
            cached: 100_000,
            waiters: 10_000,
            locks: 10_000,
            shortest: Micros::millis(300),
            page: 1000,
        }
    }
}

impl ServerSpec {
    /// As usual.
    #[must_use]
    pub fn new(id: ServerId, incarnation: u64, peers: Vec<ServerId>) -> ServerSpec {
        ServerSpec {
            id,
            incarnation,
            fresh: false,
            peers,
            renew: Micros::millis(200),
            suspect: Micros::millis(400),
            pause: Micros::millis(200),
            idle: Micros::millis(30_000),
            bypass: 16,
            bypass_time: Micros::millis(5),
            limits: Limits::default(),
        }
    }
}

/// The rules that a server follows. Each is there because a trace is known that fails without it; tests leave them out
/// one at a time, and must find that trace again. What runs is [`Flawless`].
pub trait Rules {
    /// T4: unreported tokens are not re-created before every old lease is over.
    const WAITS: bool = true;
    /// T2: every grant and every keep-alive looks at the lease; without it only the first grant of a session does.
    const LEASE_ALWAYS: bool = true;
    /// T1: a lease counts from the moment at which the read was sent, not from its answer.
    const LEASE_FROM_SENT: bool = true;
    /// T5: a server that has restarted vouches for its earlier run only after the longest wait.
    const QUARANTINE: bool = true;
    /// 4.3: a report counts only for the run of the server that the view lists.
    const INCARNATIONS: bool = true;
    /// 4.2: what is of another epoch is dropped.
    const EPOCHS: bool = true;
    /// 4.2: a token is taken once.
    const ONCE: bool = true;
    /// 4.3: unreported tokens need the report of every continuing member.
    const REPORTS: bool = true;
    /// 4.3: who was excluded or came in fresh installs only when none of its clients can hold.
    const STEPS_DOWN: bool = true;
    /// 4.2: requests and tokens are sent again.
    const RESENDS: bool = true;
    /// 4.2: a home asks itself only when the shard is open.
    const OPEN_FIRST: bool = true;
    /// 6: the epoch is part of the fence.
    const EPOCH_IN_FENCE: bool = true;
    /// 4.2, F1: whoever gets the token serves a waiter of its own before it passes it on.
    const SERVES_FIRST: bool = true;
}

/// All of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flawless {}

impl Rules for Flawless {}

/// What happens to a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Time has passed; see [`Server::wakes_at`].
    Tick,
    /// A message from another server.
    Peer(ServerId, Message),
    /// The linearizable read of this number was answered; none if it failed.
    Read(u64, Option<Arc<View>>),
    /// There is a newer view: a hint to read sooner, no more.
    Hint(u32),
    /// Whether this server may propose changes of the view: with Raft its leader may, with another store anybody.
    Proposes(bool),
    /// A client asks something; the answer has this number.
    Client(Asker, Ask),
    /// Nobody waits for this answer any more: the connection is gone. What was asked stays asked.
    Gone(Asker),
    /// It is to leave: no new sessions; when nobody holds anything here it asks to be excluded.
    Drain,
}

/// What a server wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Send this.
    Send(ServerId, Message),
    /// Read the view, linearizably, from now on; the answer has this number.
    Read(u64),
    /// Propose this change.
    Propose(Command),
    /// Answer this question.
    Answer(Asker, Answer),
    /// For logs, recordings and whoever watches.
    Event(Event),
}

/// How a grant came about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Path {
    /// The token was here.
    Local,
    /// It came from its home.
    Home,
    /// It came from a third server.
    Third,
    /// Somebody else held the lock first.
    Queued,
}

/// What is worth telling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A lock was granted.
    Granted {
        /// The lock.
        name: Name,
        /// To whom.
        session: SessionId,
        /// The fence.
        fence: Fence,
        /// The class.
        class: Class,
        /// How it came about.
        path: Path,
        /// After how long.
        waited: Micros,
    },
    /// It was given back.
    Released {
        /// The lock.
        name: Name,
        /// The fence.
        fence: Fence,
    },
    /// Its holder's session ended.
    Lost {
        /// The lock.
        name: Name,
        /// The fence.
        fence: Fence,
    },
    /// A session ended because nothing was heard of it.
    Expired(SessionId),
    /// A view was installed.
    Installed {
        /// Its epoch.
        epoch: u32,
        /// Whether this server is a member.
        joined: bool,
        /// How many tokens were kept.
        kept: usize,
    },
    /// All shards at home here are open, so long after the view was installed.
    Recovered {
        /// The epoch.
        epoch: u32,
        /// How long it took.
        after: Micros,
    },
    /// Everybody here has let go, and the view is without this server: it may stop.
    Drained,
}

/// What was counted since the start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Grants, by class.
    pub grants: [u64; 3],
    /// Tokens sent.
    pub hops: u64,
    /// Most local waiters served in a row while somebody else waited for the token.
    pub streak: u64,
    /// Sessions that ended because nothing was heard of them.
    pub expired: u64,
    /// Views installed.
    pub installed: u64,
    /// Tokens re-created at home, for shards that were asked for.
    pub recreated: u64,
    /// Messages of other epochs, dropped.
    pub old_epoch: u64,
    /// Tokens that came twice.
    pub duplicates: u64,
    /// Messages sent again.
    pub resent: u64,
}

/// How a lock of which this server has the token, or for which somebody waits here, is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockStatus {
    /// The lock.
    pub name: Name,
    /// Its class.
    pub class: Class,
    /// How it is.
    pub state: super::LockState,
}

/// How a server is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ServerStatus {
    /// The epoch that is installed; 0 if none.
    pub epoch: u32,
    /// Whether it is a member.
    pub joined: bool,
    /// Whether it is about to leave.
    pub draining: bool,
    /// How much of each lease is left.
    pub lease: [Micros; 3],
    /// Open sessions.
    pub sessions: usize,
    /// Tokens that are here.
    pub tokens: usize,
    /// Locks that are held here.
    pub held: usize,
    /// Waiters here.
    pub waiters: usize,
    /// Shards at home here.
    pub homes: usize,
    /// Those that are not open yet.
    pub recovering: usize,
    /// Whether it proposes changes of the view.
    pub proposes: bool,
}

/// A server.
#[derive(Clone, Debug)]
pub struct Server<R: Rules = Flawless> {
    spec: ServerSpec,
    rules: PhantomData<R>,
    tally: Tally,
}

impl<R: Rules> Server<R> {
    /// A server that starts now, on its own clock.
    #[must_use]
    pub fn new(spec: ServerSpec, now: Micros) -> Server<R> {
        let _ = now;
        Server { spec, rules: PhantomData, tally: Tally::default() }
    }

    /// Something happened now. What is to be done is appended.
    pub fn handle(&mut self, now: Micros, input: Input, out: &mut Vec<Output>) {
        let _ = (now, input, out);
    }

    /// When it wants to be woken at the latest.
    #[must_use]
    pub fn wakes_at(&self) -> Micros {
        Micros(0)
    }

    /// How it was set up.
    #[must_use]
    pub fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    /// The view that is installed.
    #[must_use]
    pub fn view(&self) -> Option<&Arc<View>> {
        None
    }

    /// How it is.
    #[must_use]
    pub fn status(&self, now: Micros) -> ServerStatus {
        let _ = now;
        ServerStatus::default()
    }

    /// The locks that it knows, by name, from after this one on, as many as asked.
    #[must_use]
    pub fn locks(&self, now: Micros, after: Option<&Name>, most: usize) -> Vec<LockStatus> {
        let _ = (now, after, most);
        Vec::new()
    }

    /// What was counted.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}
