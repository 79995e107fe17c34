//! What travels between servers. Every message names its epoch, and one of another epoch is dropped; any may be lost,
//! delayed, repeated and overtaken.

use super::view::{Run, ServerId};
use super::{Class, Fence, LockState, Mode, Name, Rid, SessionId};
use ringleader_live::Micros;
use std::sync::Arc;

/// A token that a server reports to the home of its shard; or holds whose token is elsewhere.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Owned {
    /// The lock.
    pub name: Name,
    /// Whether a client of that server holds it, or may.
    pub held: bool,
    /// If the token is elsewhere: what its clients hold nevertheless.
    pub lent: Option<(Mode, Vec<Fence>)>,
}

/// Somebody's hold of a lock that others may hold too: at which run of a server, and with which fence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Hold {
    /// The run of the server that granted it.
    pub run: Run,
    /// Its fence.
    pub fence: Fence,
}

/// Holds that go on while the token is elsewhere, all of one mode.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lent {
    /// How they hold.
    pub mode: Mode,
    /// Who holds.
    pub holds: Vec<Hold>,
}

/// How a request ended: what it is answered if it is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// It was granted, and that is over: released, or cancelled.
    Over,
    /// Not granted, and the wait was withdrawn: after its time, or because it was cancelled.
    Timeout,
    /// Somebody else had the lock.
    Locked,
}

/// A request that is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Finished {
    /// Its number.
    pub rid: Rid,
    /// Some bits of the hash of what was wanted; 0 if that is not known, because it was cancelled before it came.
    pub lock: u32,
    /// How it ended.
    pub how: Ending,
}

/// A session that moves, with everything that it has.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Parcel {
    /// How long it may be silent at most.
    pub ttl: Micros,
    /// Its class.
    pub class: Class,
    /// What others are shown about its holder.
    pub meta: Arc<str>,
    /// Whose it is.
    pub owner: Arc<str>,
    /// For how long its client may count on what it was promised, on the clock of the server that it leaves.
    pub left: Micros,
    /// Requests that are over, so that one that is repeated or comes late is not taken for a new one.
    pub over: Vec<Finished>,
    /// The locks that it holds.
    pub held: Vec<Carried>,
}

/// A lock that is held by a session that moves: its token goes with it, under the number that it has.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Carried {
    /// The number of the request.
    pub rid: Rid,
    /// The lock.
    pub name: Name,
    /// The fence with which it was granted.
    pub fence: Fence,
    /// What others are shown while it is held.
    pub value: Arc<[u8]>,
    /// The number of the token's owner.
    pub k: u64,
    /// The counter of its last grant.
    pub counter: u64,
}

/// A message from one server to another.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// To everybody, every so often: I am here. Whoever proposes changes of the view goes by it.
    Ping {
        /// The epoch that is installed; 0 if none.
        epoch: u32,
        /// Which run of the server it is.
        incarnation: u64,
        /// Whether the shortest lease runs: a server that hears others and gets no answer from the store is no use.
        leased: bool,
        /// Whether it wants to be a member; one that leaves does not, nor one that has yet to let go.
        wants_in: bool,
        /// Whether it may propose changes of the view: of several who may, one does.
        proposes: bool,
        /// The newest version of the protocol that it speaks.
        proto: u16,
    },
    /// To the home: I want the token. `number` counts the requests of this server for this lock.
    Req {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The number of the request.
        number: u64,
        /// How much it is wanted; only elections look at it.
        priority: u32,
    },
    /// From the home to owner number `k`: send the token on to `to`.
    Pass {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The number of the owner who is to send it.
        k: u64,
        /// To whom.
        to: ServerId,
    },
    /// The token, for owner number `k`.
    Token {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The number of the owner who gets it.
        k: u64,
        /// The counter of the last grant.
        counter: u64,
    },
    /// To the home: the token has arrived at owner number `k`. Only elections send it: the home then names the next.
    Took {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The number.
        k: u64,
    },
    /// To the home: owner number `k` does not need the token; it may have it back.
    Offer {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The number.
        k: u64,
    },
    /// After a view was installed, to each home: these tokens of its shards are mine. Complete with the last page.
    Report {
        /// The epoch.
        epoch: u32,
        /// Which run of the server it is. No client of this run holds anything that is not reported; of other runs of
        /// the server it says nothing.
        incarnation: u64,
        /// The number of this page.
        page: u32,
        /// How many there are.
        pages: u32,
        /// The tokens.
        owns: Vec<Owned>,
        /// For how long these runs have got no lease with a seat that they have lost; on the first page.
        gone: Vec<(Run, Micros)>,
    },
    /// The page has arrived.
    Reported {
        /// The epoch.
        epoch: u32,
        /// Of which run of the server it was.
        incarnation: u64,
        /// The page.
        page: u32,
    },
    /// How is this lock? To its home, which sends it on to the owner.
    Look {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// Who wants to know.
        asker: ServerId,
        /// The number of the question.
        number: u64,
    },
    /// The answer of the owner, or of the home of a lock that nobody has.
    Looked {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The number of the question.
        number: u64,
        /// How it is.
        state: LockState,
    },
    /// From a server that leaves: this session is yours, with its locks.
    Move {
        /// The epoch.
        epoch: u32,
        /// The session.
        session: SessionId,
        /// What it has.
        parcel: Box<Parcel>,
    },
    /// The answer: whether it was taken. What was not taken will not be taken.
    Moved {
        /// The epoch.
        epoch: u32,
        /// The session.
        session: SessionId,
        /// Whether it is here now.
        taken: bool,
    },
    /// The token, for owner number `k`, of a lock that some hold nevertheless.
    Lends {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The number of the owner who gets it.
        k: u64,
        /// The counter of the last grant.
        counter: u64,
        /// Who holds it, at other servers than the one that gets the token.
        lent: Lent,
    },
    /// From the owner: which of these, that were granted by you, are over?
    Ask {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The fences.
        fences: Vec<Fence>,
    },
    /// The answer, at once, and again when one ends: these are over.
    Over {
        /// The epoch.
        epoch: u32,
        /// The lock.
        name: Name,
        /// The fences.
        fences: Vec<Fence>,
    },
}

impl Message {
    /// Its kind, for counting.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Message::Ping { .. } => "ping",
            Message::Req { .. } => "req",
            Message::Pass { .. } => "pass",
            Message::Token { .. } => "token",
            Message::Took { .. } => "took",
            Message::Offer { .. } => "offer",
            Message::Report { .. } => "report",
            Message::Reported { .. } => "reported",
            Message::Look { .. } => "look",
            Message::Looked { .. } => "looked",
            Message::Move { .. } => "move",
            Message::Moved { .. } => "moved",
            Message::Lends { .. } => "lends",
            Message::Ask { .. } => "ask",
            Message::Over { .. } => "over",
        }
    }

    /// Its epoch.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        match self {
            Message::Ping { epoch, .. }
            | Message::Req { epoch, .. }
            | Message::Pass { epoch, .. }
            | Message::Token { epoch, .. }
            | Message::Took { epoch, .. }
            | Message::Offer { epoch, .. }
            | Message::Report { epoch, .. }
            | Message::Reported { epoch, .. }
            | Message::Look { epoch, .. }
            | Message::Looked { epoch, .. }
            | Message::Move { epoch, .. }
            | Message::Moved { epoch, .. }
            | Message::Lends { epoch, .. }
            | Message::Ask { epoch, .. }
            | Message::Over { epoch, .. } => *epoch,
        }
    }
}
