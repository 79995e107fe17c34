//! How a server is set up, and the rules that it follows.

use crate::{ServerId, SessionId};
use ringleader_live::Micros;

/// What a server is told at its start.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ServerSpec {
    /// Who it is.
    pub id: ServerId,
    /// Which run of it: drawn at random.
    pub incarnation: u64,
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
    /// For how long those who hold something are waited for when it is to leave; then their sessions run out.
    pub drain: Micros,
    /// What clients may cost.
    pub limits: Limits,
}

/// What clients may cost a server.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    /// The name of a session: no other run of any server gives it again.
    pub(super) fn session(&self, key: u64) -> SessionId {
        SessionId(u128::from(self.incarnation) << 64 | u128::from(key))
    }

    /// As usual.
    #[must_use]
    pub fn new(id: ServerId, incarnation: u64, peers: Vec<ServerId>) -> ServerSpec {
        ServerSpec {
            id,
            incarnation,
            peers,
            renew: Micros::millis(200),
            suspect: Micros::millis(400),
            pause: Micros::millis(200),
            idle: Micros::millis(30_000),
            bypass: 16,
            bypass_time: Micros::millis(5),
            drain: Micros::millis(30_000),
            limits: Limits::default(),
        }
    }
}

/// The rules that a server follows. Each is there because a trace is known that fails without it; tests leave them
/// out one at a time, and must find that trace again. What runs is [`Flawless`].
pub trait Rules {
    /// T4: unreported tokens are not re-created before every old lease is over.
    const WAITS: bool = true;
    /// T2: every grant and every keep-alive looks at the lease; without it only the first grant of a session does.
    const LEASE_ALWAYS: bool = true;
    /// T1: a lease counts from the moment at which the read was sent, not from its answer.
    const LEASE_FROM_SENT: bool = true;
    /// 4.3: a run vouches for itself only, never for an earlier run of its server, whatever its disk says or does not
    /// say any more.
    const OWN_RUN: bool = true;
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
    /// T3, T4: clocks differ in rate, so a client stops earlier and a home waits longer than the lease.
    const DRIFT: bool = true;
    /// 4.3: who was out in between comes in fresh, and carries nothing over.
    const SINCE: bool = true;
    /// 4.3: who has lost a seat is waited for from then on, and not from when it had lost another one.
    const SEATS: bool = true;
    /// I5: a view that changes again makes nobody wait anew.
    const COUNTS_ON: bool = true;
    /// I5: whoever proposes does not wait for an earlier run of itself.
    const ONE_RUN: bool = true;
    /// I5: who flaps is let in at once where it disturbs nobody.
    const UNDISTURBED: bool = true;
    /// 4.3: what is said of how long a server is gone counts for that server.
    const EACH: bool = true;
    /// 4.3: a home that goes on knows its shards from the epoch before only as far as it knew them there.
    const KNEW: bool = true;
    /// 4.3: and only if that was the epoch right before: in one between them the shard may have had another home.
    const IN_A_ROW: bool = true;
    /// 4.3: what had a chain in the epoch before and is not reported may be held.
    const SUSPECTS: bool = true;
    /// 4.3: a report says nothing of what began to be in doubt after it.
    const AFTERWARDS: bool = true;
    /// 4.2: the numbers of a chain that begins anew go on above those of the one that was dropped.
    const GOES_ON: bool = true;
    /// 8.8: a lock goes with its holder only when its home knows who has it.
    const TELLS_FIRST: bool = true;
    /// 8.8: whoever has sent a session away stays in its epoch until that has arrived, or its client holds nothing.
    const MOVES_FIRST: bool = true;
    /// 8.8: what was said of a session that came is said again in the next epoch.
    const REMEMBERS: bool = true;
    /// 8.8: who was not in an epoch says nothing about the sessions that moved in it.
    const OWN_WORD: bool = true;
    /// 8.8: a session that is on its way is not extended.
    const FROZEN: bool = true;
    /// 4.1: a client takes a grant only while its session lives on its own clock, and holds until its deadline there.
    const OWN_CLOCK: bool = true;
    /// 4.1: a client takes a grant only for a request that still waits.
    const REQUEST_IDS: bool = true;
}

/// All of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flawless {}

impl Rules for Flawless {}
