//! What travels between clients and servers, as JSON: the same words in every way of asking. Over HTTP each
//! has a path; after `GET /v1/stream` with `Upgrade: ringleader/1` a connection carries [`Question`]s and
//! [`Reply`]s, one JSON object per line each, in any order.

use serde::{Deserialize, Serialize};

/// The word after `Upgrade:`.
pub const STREAM: &str = "ringleader/1";

/// `POST /v1/sessions`
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenSession {
    /// How long it may be silent at most; as long as the lease of the class if it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// `fast`, `normal` or `batch`: it can hold locks of this class and of those with longer leases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What others are shown about the holder.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub meta: String,
    /// Something that only the client knows, 16 to 128 characters: it follows the session to another server,
    /// should this one leave. The session goes there with all that it holds, and who shows this there is
    /// its client. Without it the server waits for the session, for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_key: Option<String>,
}

/// Its answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SessionOpened {
    /// The session: 32 hexadecimal digits.
    pub session: String,
    /// For how long it is valid, from the moment at which the question was sent.
    pub valid_ms: u64,
    /// How much faster or slower than real time a clock may run, in millionths: the client's deadline is
    /// what it sent plus `valid_ms` times (1-ρ)/(1+ρ).
    pub drift_ppm: u32,
    /// The server.
    pub server: String,
}

/// `POST /v1/sessions/{id}/keepalive`
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeepAlive {
    /// What the client believes of its requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestState>,
    /// Where the session has moved to: what was said when it was opened. Only who is somebody else there,
    /// over a socket here and with a certificate there, has to show it, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_key: Option<String>,
}

/// How a request stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestState {
    /// The client's number of it.
    pub rid: u64,
    /// `waits` or `holds`.
    pub state: String,
    /// With which fence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<String>,
}

/// The answer to a keep-alive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeptAlive {
    /// For how long the session is valid, from the moment at which the question was sent.
    pub valid_ms: u64,
    /// What the server knows of the requests; those that it does not have are missing.
    #[serde(default)]
    pub requests: Vec<RequestState>,
    /// Whether the server is about to leave: new sessions are opened elsewhere.
    #[serde(default)]
    pub draining: bool,
}

/// `POST /v1/locks/{name}/acquire`, `.../try`, and `POST /v1/elections/{name}/campaign`
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acquire {
    /// The session.
    pub session: String,
    /// The client's own number: the same again repeats the answer.
    pub rid: u64,
    /// For how long it waits at most; until the session ends if it says nothing. A try does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// How much it is wanted; only elections look at it.
    #[serde(default)]
    pub priority: u32,
    /// What others are shown while it holds.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// `exclusive`, which it is if it says nothing, or `shared`: with others who share it, and with nobody who holds it
    /// exclusively.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The lock is a semaphore of so many permits, from 1 to 1000, of which the grant takes one; not with `shared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permits: Option<u64>,
}

/// The lock is held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Granted {
    /// The lock.
    pub name: String,
    /// The fence: a whole number of up to 63 bits, as a string.
    pub fence: String,
    /// When it was granted, in milliseconds since 1970 on the server's wall clock: for people.
    pub held_at: u64,
    /// What the session has left; it extends nothing.
    pub valid_ms: u64,
}

/// `POST /v1/locks/{name}/release`, `POST /v1/elections/{name}/resign`
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The session.
    pub session: String,
    /// The fence with which it was granted.
    pub fence: String,
}

/// `POST /v1/sessions/{id}/cancel`: a request is not wanted any more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The client's number of it.
    pub rid: u64,
}

/// `GET /v1/locks/{name}`, `GET /v1/elections/{name}`, and an entry of `GET /v1/locks`
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LockInfo {
    /// The lock.
    pub name: String,
    /// `lock` or `election`.
    pub kind: String,
    /// Its class.
    pub class: String,
    /// `held` or `free`.
    pub state: String,
    /// The fence of the last grant in this epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<String>,
    /// What its holder shows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Who holds it, as its session said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub holder: String,
    /// For how long the holder's session lasts if nothing more is heard of it.
    #[serde(default)]
    pub remaining_ms: u64,
    /// How many wait at that server.
    #[serde(default)]
    pub waiters: u32,
    /// The server that has the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_server: Option<String>,
    /// How it is held: `exclusive`, also while it is free, `shared`, or `permits`.
    #[serde(default)]
    pub mode: String,
    /// Of how many permits, if it is held as a semaphore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permits: Option<u32>,
    /// How many hold it; some may have let go a moment ago.
    #[serde(default)]
    pub holders: u32,
}

/// One line of `GET /v1/locks/{name}/watch` or `GET /v1/elections/{name}/observe` (server-sent events,
/// `data:` lines). Fences increase; what happens in between may be left out; the last one always arrives.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watched {
    /// `granted` or `released`: whether it is held now.
    pub event: String,
    /// How it is.
    #[serde(flatten)]
    pub lock: LockInfo,
}

/// What is refused, and what is certain then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// A word: `locked`, `timeout`, `session_expired`, ...
    pub code: String,
    /// A sentence.
    pub message: String,
    /// What is certain.
    pub certain: String,
    /// When to try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u32>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// `moved`: the server to which the session went, such as `https://10.0.0.2:7431`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_to: Option<Box<str>>,
}

/// A question on a stream.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The number of the question on this connection: the reply repeats it.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub op: Op,
}

/// What is asked on a stream: the calls of HTTP, by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// A session.
    Open(OpenSession),
    /// It lives.
    Keepalive {
        /// The session.
        session: String,
        /// As over HTTP.
        #[serde(flatten)]
        alive: KeepAlive,
    },
    /// It ends.
    Close {
        /// The session.
        session: String,
    },
    /// A lock.
    Acquire {
        /// The lock.
        name: String,
        /// As over HTTP.
        #[serde(flatten)]
        acquire: Acquire,
    },
    /// To lead.
    Campaign {
        /// The election.
        name: String,
        /// As over HTTP.
        #[serde(flatten)]
        acquire: Acquire,
    },
    /// A request is not wanted any more.
    Cancel {
        /// The session.
        session: String,
        /// The client's number of it.
        rid: u64,
    },
    /// A lock is given back.
    Release {
        /// The lock.
        name: String,
        /// As over HTTP.
        #[serde(flatten)]
        release: Release,
    },
    /// Leadership is given back.
    Resign {
        /// The election.
        name: String,
        /// As over HTTP.
        #[serde(flatten)]
        release: Release,
    },
}

/// The reply to a question on a stream.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The number of the question.
    pub id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a question on a stream: one field, named after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The session is open.
    Opened(SessionOpened),
    /// It goes on.
    Alive(KeptAlive),
    /// The lock is held.
    Granted(Granted),
    /// Done: closed, cancelled, released.
    Done {},
    /// It is refused.
    Error(Refusal),
}
