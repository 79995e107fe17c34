//! From the words of clients to those of the server and back: the same over HTTP and on a stream.

use crate::access::Principal;
use crate::config::Right;
use crate::core::{Context, Core, Facts};
use crate::owner;
use ringleader_client::api::{
    Acquire, Granted, KeptAlive, LockInfo, Op, OpenSession, Outcome, Refusal, Release, RequestState,
    SessionOpened,
};
use ringleader_live::Micros;
use ringleader_locks::{
    Answer, Ask, Belief, Class, Denial, Fence, Kind, LockState, LockStatus, MAX_HOLDERS, MAX_VALUE, Mode,
    Name, SessionId,
};
use ringleader_net::clock;

/// The most bytes of what a session says about its holder.
pub(crate) const MAX_META: usize = 512;

/// A question that the server understands.
pub(crate) struct Asked {
    pub(crate) ask: Ask,
    pub(crate) context: Context,
}

impl Asked {
    fn other(ask: Ask) -> Asked {
        Asked { ask, context: Context::Other }
    }
}

/// What a client asks, if it may, and if it can be asked at all.
pub(crate) fn asked(core: &Core, who: &Principal, op: Op) -> Result<Asked, Refusal> {
    match op {
        Op::Open(open) => opened(core, who, open),
        Op::Keepalive { session, alive } => {
            let session = shown_session(core, who, &session, alive.follow_key.as_deref())?;
            let beliefs: Result<Vec<_>, Refusal> = alive.requests.iter().map(belief).collect();
            core.may_go_on(session)?;
            Ok(Asked::other(Ask::KeepAlive { session, beliefs: beliefs? }))
        }
        Op::Close { session } => {
            let session = own_session(core, who, &session)?;
            Ok(Asked::other(Ask::Close { session }))
        }
        Op::Acquire { name, acquire } => wanted(core, who, Kind::Lock, &name, acquire),
        Op::Campaign { name, acquire } => wanted(core, who, Kind::Election, &name, acquire),
        Op::Cancel { session, rid } => {
            Ok(Asked::other(Ask::Cancel { session: own_session(core, who, &session)?, rid }))
        }
        Op::Release { name, release } => released(core, who, Kind::Lock, &name, &release),
        Op::Resign { name, release } => released(core, who, Kind::Election, &name, &release),
    }
}

fn opened(core: &Core, who: &Principal, open: OpenSession) -> Result<Asked, Refusal> {
    let class = match open.class.as_deref() {
        None => Class::Normal,
        Some(word) => Class::ALL.into_iter().find(|class| class.name() == word).ok_or_else(|| {
            bad_request(format!("there is no class `{word}`; there are fast, normal and batch"))
        })?,
    };
    if open.meta.len() > MAX_META {
        return Err(bad_request(format!("`meta` has {} bytes; at most {MAX_META}", open.meta.len())));
    }
    if open.meta.chars().any(char::is_control) {
        return Err(bad_request("`meta` has control characters".to_owned()));
    }
    let ttl = open.ttl_ms.map_or_else(|| core.facts().times.lease(class), millis);
    if let Some(key) = &open.follow_key
        && (!(16..=128).contains(&key.len()) || key.chars().any(char::is_control))
    {
        return Err(bad_request("a `follow_key` has 16 to 128 characters, none of control".to_owned()));
    }
    let (meta, follows) = (open.meta.into(), open.follow_key.is_some());
    let owner = owner::written(&who.key(), open.follow_key.as_deref());
    Ok(Asked { ask: Ask::Open { ttl, class, meta, owner, follows }, context: Context::Open })
}

fn wanted(core: &Core, who: &Principal, kind: Kind, name: &str, body: Acquire) -> Result<Asked, Refusal> {
    let name = named(kind, name)?;
    who.may(right(kind), Some(&name))?;
    let session = own_session(core, who, &body.session)?;
    core.may_go_on(session)?;
    if body.value.len() > MAX_VALUE {
        return Err(bad_request(format!("`value` has {} bytes; at most {MAX_VALUE}", body.value.len())));
    }
    let mode = mode(kind, body.mode.as_deref(), body.permits)?;
    let ask = Ask::Acquire {
        session,
        rid: body.rid,
        name: name.clone(),
        wait: body.wait_ms.map(millis),
        priority: body.priority,
        value: body.value.into_bytes().into(),
        mode,
    };
    Ok(Asked { ask, context: Context::Acquire(name) })
}

/// How something is to be held.
fn mode(kind: Kind, mode: Option<&str>, permits: Option<u64>) -> Result<Mode, Refusal> {
    let mode = match (mode, permits) {
        (None | Some("exclusive"), None) => return Ok(Mode::Exclusive),
        (Some("shared"), None) => Mode::Shared,
        (Some("shared"), Some(_)) => {
            let message = "`permits` are of a semaphore, which is not shared: leave out `mode` or `permits`";
            return Err(bad_request(message.to_owned()));
        }
        (None | Some("exclusive"), Some(permits)) => Mode::permits(permits).ok_or_else(|| {
            bad_request(format!("`permits` is a whole number from 1 to {MAX_HOLDERS}, not {permits}"))
        })?,
        (Some(other), _) => {
            return Err(bad_request(format!("there is no mode `{other}`; there are exclusive and shared")));
        }
    };
    match kind {
        Kind::Lock => Ok(mode),
        Kind::Election => {
            Err(bad_request("an election has one leader: leave out `mode` and `permits`".to_owned()))
        }
    }
}

fn released(core: &Core, who: &Principal, kind: Kind, name: &str, body: &Release) -> Result<Asked, Refusal> {
    let name = named(kind, name)?;
    let session = own_session(core, who, &body.session)?;
    let fence = fence(&body.fence)?;
    Ok(Asked::other(Ask::Release { session, name, fence }))
}

/// What one needs to want something of this kind.
pub(crate) fn right(kind: Kind) -> Right {
    match kind {
        Kind::Lock => Right::Lock,
        Kind::Election => Right::Elect,
    }
}

/// A name.
pub(crate) fn named(kind: Kind, text: &str) -> Result<Name, Refusal> {
    Name::new(kind, text).map_err(|why| refuse("bad_name", why.to_string(), NOTHING_DONE))
}

fn fence(text: &str) -> Result<Fence, Refusal> {
    text.parse().map_err(|why: ringleader_locks::BadFence| bad_request(why.to_string()))
}

fn millis(millis: u64) -> Micros {
    // A hundred years are as good as for ever, and can be added to any clock.
    Micros(millis.min(3_000_000_000_000) * 1000)
}

fn belief(state: &RequestState) -> Result<(u64, Belief), Refusal> {
    match (state.state.as_str(), &state.fence) {
        ("waits", None) => Ok((state.rid, Belief::Waits)),
        ("holds", Some(text)) => Ok((state.rid, Belief::Holds(fence(text)?))),
        _neither => Err(bad_request("a request either `waits` or `holds` with its fence".to_owned())),
    }
}

/// The session, if it is this principal's. Somebody else's is unknown: its number is no use without the credentials.
fn own_session(core: &Core, who: &Principal, text: &str) -> Result<SessionId, Refusal> {
    shown_session(core, who, text, None)
}

/// The same, for whoever shows the key that a session was opened with: it has moved here, and its client with it.
fn shown_session(core: &Core, who: &Principal, text: &str, key: Option<&str>) -> Result<SessionId, Refusal> {
    let plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = if plain { u128::from_str_radix(text, 16).ok() } else { None };
    let session = number
        .map(SessionId)
        .ok_or_else(|| bad_request(format!("`{text}` is no session: it has 32 hexadecimal digits")))?;
    // One that nobody has is over, or never was: the server knows which.
    if core.is_of_another(&who.key(), session, key) {
        return Err(denied(core.facts(), &Context::Other, Denial::SessionUnknown));
    }
    Ok(session)
}

/// The answer in the words of clients.
pub(crate) fn outcome(facts: &Facts, context: &Context, answer: Answer) -> Outcome {
    match answer {
        Answer::Opened { session, valid } => Outcome::Opened(SessionOpened {
            session: format!("{:032x}", session.0),
            valid_ms: valid.0 / 1000,
            drift_ppm: facts.times.drift_ppm,
            server: facts.name(facts.own).to_owned(),
        }),
        Answer::Alive { valid, requests, draining } => Outcome::Alive(KeptAlive {
            valid_ms: valid.0 / 1000,
            requests: requests.into_iter().map(request).collect(),
            draining,
        }),
        Answer::Granted { fence, valid, .. } => Outcome::Granted(Granted {
            name: match context {
                Context::Acquire(name) => name.text().to_owned(),
                Context::Open | Context::Other => String::new(),
            },
            fence: fence.to_string(),
            held_at: clock::wall() / 1000,
            valid_ms: valid.0 / 1000,
        }),
        Answer::Closed | Answer::Cancelled | Answer::Released | Answer::State(_) => Outcome::Done {},
        Answer::Denied(denial) => Outcome::Error(denied(facts, context, denial)),
    }
}

fn request((rid, belief): (u64, Belief)) -> RequestState {
    match belief {
        Belief::Waits => RequestState { rid, state: "waits".to_owned(), fence: None },
        Belief::Holds(fence) => {
            RequestState { rid, state: "holds".to_owned(), fence: Some(fence.to_string()) }
        }
    }
}

/// How a lock is, in the words of clients.
pub(crate) fn lock_info(facts: &Facts, name: &Name, class: Class, state: &LockState) -> LockInfo {
    LockInfo {
        name: name.text().to_owned(),
        kind: match name.kind() {
            Kind::Lock => "lock".to_owned(),
            Kind::Election => "election".to_owned(),
        },
        class: class.name().to_owned(),
        state: if state.held { "held".to_owned() } else { "free".to_owned() },
        fence: state.fence.map(|fence| fence.to_string()),
        value: String::from_utf8_lossy(&state.value).into_owned(),
        holder: state.holder.to_string(),
        remaining_ms: state.remaining.0 / 1000,
        waiters: state.waiters,
        owner_server: state.owner.map(|owner| facts.name(owner).to_owned()),
        mode: match state.mode {
            Mode::Exclusive => "exclusive".to_owned(),
            Mode::Shared => "shared".to_owned(),
            Mode::Permits(_) => "permits".to_owned(),
        },
        permits: if let Mode::Permits(permits) = state.mode { Some(permits) } else { None },
        holders: state.holders,
    }
}

/// The same for an entry of the list.
pub(crate) fn lock_status(facts: &Facts, status: &LockStatus) -> LockInfo {
    lock_info(facts, &status.name, status.class, &status.state)
}

/// What is certain when nothing was done.
pub(crate) const NOTHING_DONE: &str = "nothing was done";

/// A refusal.
pub(crate) fn refuse(code: &str, message: impl Into<String>, certain: &str) -> Refusal {
    Refusal {
        code: code.to_owned(),
        message: message.into(),
        certain: certain.to_owned(),
        retry_after_ms: None,
        help: None,
        move_to: None,
    }
}

/// It cannot be asked like this.
pub(crate) fn bad_request(message: String) -> Refusal {
    refuse("bad_request", message, NOTHING_DONE)
}

/// Too many of something.
pub(crate) fn limit(message: &str) -> Refusal {
    Refusal {
        retry_after_ms: Some(1000),
        help: Some("wait, and ask less at once".to_owned()),
        ..refuse("limit", message, NOTHING_DONE)
    }
}

/// The store or the owner of a lock does not answer in time.
pub(crate) fn no_answer(message: &str) -> Refusal {
    Refusal {
        retry_after_ms: Some(200),
        ..refuse("recovering", message, "nothing was granted; how the lock is, is not known")
    }
}

/// The server stops, and has not answered.
pub(crate) fn unanswered() -> Refusal {
    Refusal {
        retry_after_ms: Some(200),
        help: Some("ask the same again, with the same rid".to_owned()),
        ..refuse("recovering", "the server stops, and has not answered", "nothing: it may have been done")
    }
}

/// A refusal of the server, and what is certain then.
pub(crate) fn denied(facts: &Facts, context: &Context, denial: Denial) -> Refusal {
    const FREE: &str = "every lock of the session is or will be free; nothing was granted";
    let after = |retry: Micros| Some(u32::try_from(retry.0.div_ceil(1000)).unwrap_or(u32::MAX));
    match denial {
        Denial::Locked => {
            refuse("locked", "somebody else has it, or may have", "it was not granted to this request")
        }
        Denial::Timeout => Refusal {
            help: Some("ask again with a new rid".to_owned()),
            ..refuse("timeout", "it was not free in time", "it was not granted, and the wait was withdrawn")
        },
        Denial::SessionExpired => Refusal {
            help: Some("stop what the locks protect, and open a new session".to_owned()),
            ..refuse("session_expired", "the session has ended", FREE)
        },
        Denial::SessionUnknown => Refusal {
            help: Some("stop what the locks protect, and open a new session".to_owned()),
            ..refuse("session_unknown", "there is no such session here", FREE)
        },
        Denial::Mixed => Refusal {
            help: Some(
                "a semaphore is no lock: whoever asks for it says the same `permits`; or use another name"
                    .to_owned(),
            ),
            ..refuse(
                "mode_mixed",
                "somebody holds it or waits for it in another way",
                "it was not granted to this request",
            )
        },
        Denial::NotHolder => Refusal {
            help: Some("a new request needs a rid that its session has not used before".to_owned()),
            ..refuse(
                "not_holder",
                "this session does not hold it, or not any more, with this fence or this rid",
                "this fence does not hold now",
            )
        },
        Denial::NoLease { retry } => Refusal {
            retry_after_ms: after(retry),
            help: Some("open a session at another server".to_owned()),
            ..refuse(
                "no_lease",
                "this server may grant nothing now: it is cut off, or the view changes",
                "nothing was granted; what is held lasts as long as was said, and no longer",
            )
        },
        Denial::Recovering { retry } => Refusal {
            retry_after_ms: after(retry),
            ..refuse(
                "recovering",
                "the lock's shard is being rebuilt after a change of servers",
                "nothing was granted to this request; how the lock is, is not known",
            )
        },
        Denial::Draining => Refusal {
            help: Some("open a session at another server".to_owned()),
            ..refuse(
                "draining",
                "this server is about to leave",
                "nothing was done; nothing was granted, and nobody waits here any more",
            )
        },
        Denial::Moved(to) => {
            let api = facts.apis.get(usize::from(to)).map(String::as_str).unwrap_or_default();
            Refusal {
                help: Some(format!("ask the same of https://{api}: its name is `{}`", facts.name(to))),
                move_to: Some(format!("https://{api}").into()),
                ..refuse(
                    "moved",
                    format!("the session is at `{}` now", facts.name(to)),
                    "nothing was done here; what the session holds it holds there, with the same fences",
                )
            }
        }
        Denial::Limit(what) => limit(what),
        Denial::BadRequest(what) => {
            let help = match context {
                Context::Acquire(name) => {
                    let class = facts.class(name).name();
                    Some(format!(
                        "`{name}` is of class {class}: a session of this class, or of a shorter one, can hold it"
                    ))
                }
                Context::Open => Some(format!(
                    "a session lasts from 300 ms to the lease of its class: fast {}, normal {}, batch {} ms",
                    facts.times.lease(Class::Fast).0 / 1000,
                    facts.times.lease(Class::Normal).0 / 1000,
                    facts.times.lease(Class::Batch).0 / 1000
                )),
                Context::Other => None,
            };
            Refusal { help, ..bad_request(what.to_owned()) }
        }
    }
}

/// The numbers of HTTP for refusals, by code; that of every other code is 400.
pub(crate) const HTTP_CODES: [(&str, u16); 18] = [
    ("locked", 409),
    ("mode_mixed", 409),
    ("not_holder", 409),
    ("not_drained", 409),
    ("timeout", 408),
    ("session_expired", 410),
    ("session_unknown", 410),
    ("no_lease", 503),
    ("recovering", 503),
    ("draining", 503),
    ("moved", 307),
    ("limit", 429),
    ("unauthenticated", 401),
    ("forbidden", 403),
    ("not_found", 404),
    ("too_large", 413),
    ("bad_name", 400),
    ("bad_request", 400),
];

/// The number of HTTP for a refusal.
pub(crate) fn http_code(code: &str) -> u16 {
    HTTP_CODES.iter().find(|(word, _)| *word == code).map_or(400, |(_, number)| *number)
}
