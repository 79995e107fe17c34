//! What clients ask of a server, and what they are told. Every refusal says what is certain.

use super::view::ServerId;
use super::{Class, Fence, Mode, Name};
use ringleader_live::Micros;
use std::sync::Arc;

/// A session: one client at one server. The server draws it from its incarnation and a counter, so that no other run
/// of any server gives it again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SessionId(pub u128);

/// The client's own number of a request, unique in its session; a request that is repeated has the same.
pub type Rid = u64;

/// Who waits for an answer: a number of whoever drives the server, which is given back with it.
pub type Asker = u64;

/// What a client asks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ask {
    /// A session.
    Open {
        /// How long it may be silent at most; not longer than the lease of the class.
        ttl: Micros,
        /// The class: it can hold locks of this class and of those with longer leases.
        class: Class,
        /// What others are shown about its holder: a host, a process.
        meta: Arc<str>,
        /// Whose it is, for whoever drives the server: it goes with the session, and nobody is shown it.
        owner: Arc<str>,
        /// Whether its client follows it to another server, should this one leave.
        follows: bool,
    },
    /// It lives: everything that it holds goes on. With what the client believes of its requests.
    KeepAlive {
        /// The session.
        session: SessionId,
        /// The requests that are not over for the client.
        beliefs: Vec<(Rid, Belief)>,
    },
    /// It ends: its locks are free.
    Close {
        /// The session.
        session: SessionId,
    },
    /// A lock, or to lead. Repeated with the same number it gives the same answer.
    Acquire {
        /// The session.
        session: SessionId,
        /// The number of the request.
        rid: Rid,
        /// What is wanted.
        name: Name,
        /// For how long it waits at most; nothing is a try, none is until the session ends.
        wait: Option<Micros>,
        /// How much it is wanted; only elections look at it.
        priority: u32,
        /// What others are shown while it holds.
        value: Arc<[u8]>,
        /// How it is to be held.
        mode: Mode,
    },
    /// The request is not wanted any more. If it was granted meanwhile, it is given back.
    Cancel {
        /// The session.
        session: SessionId,
        /// The number of the request.
        rid: Rid,
    },
    /// The lock is given back.
    Release {
        /// The session.
        session: SessionId,
        /// The lock.
        name: Name,
        /// The fence with which it was granted.
        fence: Fence,
    },
    /// Its holder shows this value from now on.
    Proclaim {
        /// The session.
        session: SessionId,
        /// The lock.
        name: Name,
        /// The fence with which it was granted.
        fence: Fence,
        /// What others are shown.
        value: Arc<[u8]>,
    },
    /// How is this lock? Asked at its owner, wherever that is.
    Look {
        /// The lock.
        name: Name,
    },
}

impl Ask {
    /// The session that it is about, if there is one.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Ask::KeepAlive { session, .. }
            | Ask::Close { session }
            | Ask::Acquire { session, .. }
            | Ask::Cancel { session, .. }
            | Ask::Release { session, .. }
            | Ask::Proclaim { session, .. } => Some(*session),
            Ask::Open { .. } | Ask::Look { .. } => None,
        }
    }
}

/// What a client believes of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Belief {
    /// It waits.
    Waits,
    /// It holds.
    Holds(Fence),
}

/// What a client is told.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// The session is open, and valid for so long from the moment at which the question was sent.
    Opened {
        /// The session.
        session: SessionId,
        /// For how long.
        valid: Micros,
    },
    /// It goes on.
    Alive {
        /// For how long, from the moment at which the question was sent.
        valid: Micros,
        /// What the server knows of the requests: those that it does not have are missing.
        requests: Vec<(Rid, Belief)>,
        /// Whether this server is about to leave: new sessions are opened elsewhere.
        draining: bool,
    },
    /// It is closed.
    Closed,
    /// The lock is held.
    Granted {
        /// The number of the request.
        rid: Rid,
        /// The fence.
        fence: Fence,
        /// What the session has left on the server's clock, to be shown. It extends nothing: only the answer to a
        /// keep-alive does, from the moment at which that was sent.
        valid: Micros,
    },
    /// The request is withdrawn, whatever had become of it.
    Cancelled,
    /// The lock is free.
    Released,
    /// How it is.
    State(LockState),
    /// It is refused.
    Denied(Denial),
}

/// Why something is refused, and what is certain then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Denial {
    /// Somebody else has it. Not granted to this request.
    Locked,
    /// Not granted, and the wait was withdrawn.
    Timeout,
    /// The session is over: every lock of it is or will be free; nothing was granted.
    SessionExpired,
    /// There is no such session here; the same is certain, unless it has moved to another server.
    SessionUnknown,
    /// Somebody holds the lock or waits for it in another way: a semaphore is no lock, nor one with another number of
    /// permits. Not granted to this request.
    Mixed,
    /// This fence does not hold now.
    NotHolder,
    /// This server may grant nothing now: it is cut off, or the view changes. What is held lasts as long as was said.
    NoLease {
        /// When to try again.
        retry: Micros,
    },
    /// The lock's shard is being rebuilt. Nothing was granted to this request.
    Recovering {
        /// When to try again.
        retry: Micros,
    },
    /// No new sessions here. Nothing was done.
    Draining,
    /// The session is at this server now, with everything that it holds. Nothing was done here.
    Moved(ServerId),
    /// Too many of something. Nothing was done.
    Limit(&'static str),
    /// It cannot be asked like this. Nothing was done.
    BadRequest(&'static str),
}

/// How a lock is, as its owner knows it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LockState {
    /// Whether anybody holds it.
    pub held: bool,
    /// The fence of the last grant in this epoch; none if there was none.
    pub fence: Option<Fence>,
    /// What its holder shows; of several, one at this server.
    pub value: Arc<[u8]>,
    /// Who holds it, as its session said.
    pub holder: Arc<str>,
    /// For how long the holder's session lasts if nothing more is heard of it.
    pub remaining: Micros,
    /// How many wait at this server.
    pub waiters: u32,
    /// The server that has the token; none if it is on its way.
    pub owner: Option<ServerId>,
    /// How it is held.
    pub mode: Mode,
    /// How many hold it, as far as the owner knows: some may have let go a moment ago.
    pub holders: u32,
}
