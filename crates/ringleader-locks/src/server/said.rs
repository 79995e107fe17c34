//! What goes into a server and what comes out of it: everything that can happen to it, everything that it wants done,
//! and how it is.

use crate::{Answer, Ask, Asker, Class, Command, Fence, LockState, Message, Name, ServerId, SessionId, View};
use core::hash::{Hash, Hasher};
use ringleader_live::Micros;
use std::sync::Arc;

/// What happens to a server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// Time has passed; see [`Server::wakes_at`](super::Server::wakes_at).
    Tick,
    /// Something is sent to others anyway: what is nearly due may go with it.
    Company,
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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
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
    /// A session has gone to another server, with what it held; or is believed to have.
    Left {
        /// The session.
        session: SessionId,
        /// Where it is.
        to: ServerId,
    },
    /// A session has come from another server, and its client may follow.
    Arrived {
        /// The session.
        session: SessionId,
        /// Where it was.
        from: ServerId,
        /// How many locks it holds.
        held: usize,
    },
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
    /// Sessions that went to other servers.
    pub left: u64,
    /// Sessions that came from other servers.
    pub arrived: u64,
    /// The first thing that happened and cannot be: a mistake in the server.
    pub impossible: Option<&'static str>,
    /// How often something happened that cannot be.
    pub defects: u64,
}

/// Two servers that differ in nothing else are the same for a search through all states.
impl Hash for Tally {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// How a lock of which this server has the token, or for which somebody waits here, is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LockStatus {
    /// The lock.
    pub name: Name,
    /// Its class.
    pub class: Class,
    /// How it is.
    pub state: LockState,
}

/// How a server is.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
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
