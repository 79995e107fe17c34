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
