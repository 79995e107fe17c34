//! A proxy in front of a storage that knows nothing of fences: a request that changes something must carry
//! `Ringleader-Fence`, and is refused if that is smaller than the largest that was seen for its path. What is
//! one path, however it is spelled, is in `resource`.
//!
//! **One write at a time, until its fate is known.** Once a write was handed to the storage, only the storage
//! knows when it is carried out: now, or in a minute, after the client, the proxy and the connection are
//! gone. If a newer write passed meanwhile, the older one could land after it, and the fence would have
//! protected nothing. So a path is shut, for older, equal and newer fences, from the moment at which a write
//! is sent until one of these:
//!
//! - the storage has answered, completely: the write was done or refused, and will not be done later. The
//!   proxy goes on waiting when the client was told 504 long ago;
//! - nothing of the request was sent: no connection, or it broke before the first byte;
//! - an operator says that the write cannot land any more, because the storage was restarted, say:
//!   a request with `Ringleader-Settled: FENCE` for that path, which is not passed on.
//!
//! A connection that broke says nothing: a storage may carry out what it has read. The answers 502 and 504
//! come from a gateway that does not know either, and 202 says that it is still to be done: after these the
//! path stays shut. Until then writes to it are answered 503 with `path_shut`. What is open is in the file of
//! fences before the first byte is sent: the path is still shut when the proxy is started again.
//!
//! A path is shut for everybody by one write that is never answered. That is the price: who cannot pay it
//! needs a storage that compares fences itself.

use crate::fence::{Gate, Verdict};
use crate::resource::Resource;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1 as client;
use hyper::header::{CONNECTION, HOST, HeaderMap, TE, TRAILER, TRANSFER_ENCODING, UPGRADE};
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use ringleader_locks::Fence;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedMutexGuard, oneshot, watch};
use tokio::task::AbortHandle;

#[doc(hidden)]
pub use crate::resource::fuzz as fuzz_path;

/// The header with the fence.
pub const HEADER: &str = "ringleader-fence";

/// The header by which an operator says that a write with this fence cannot land any more.
pub const SETTLED: &str = "ringleader-settled";

/// How long a client waits for the storage, as usual.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What is larger is not passed on.
const BODY_MAX: usize = 64 << 20;

/// By these some storages take another method or path than the one in the first line, which is the one that
/// is judged here.
const OTHERWISE: [&str; 5] =
    ["x-http-method-override", "x-http-method", "x-method-override", "x-original-url", "x-rewrite-url"];

type Body = BoxBody<Bytes, hyper::Error>;

struct Proxy {
    gate: Arc<Gate>,
    upstream: String,
    patience: Duration,
    /// Who is on the way to each resource.
    lanes: Mutex<BTreeMap<String, Arc<Lane>>>,
    /// Tells one write from another with the same fence.
    writes: AtomicU64,
}

/// The way to one resource.
#[derive(Default)]
struct Lane {
    /// Held from before a write is sent until its fate is known or the connection is gone.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Set by whoever has the turn, and by its client when that waits no longer.
    state: watch::Sender<State>,
}

#[derive(Clone, Default)]
enum State {
    /// Nobody has the turn. Whether a write is in question, the gate knows.
    #[default]
    Free,
    /// This write is at the storage, and its client waits.
    Busy { write: u64 },
    /// Its client waits no longer; we do.
    Late { write: u64, fence: Fence, waiting: AbortHandle },
}

impl State {
    fn late(&self) -> Option<Fence> {
        match self {
            State::Late { fence, .. } => Some(*fence),
            State::Free | State::Busy { .. } => None,
        }
    }
}

/// What became of a request at the storage.
struct Sent {
    response: Response<Body>,
    /// Whether the storage can still do something with it later.
    settled: bool,
}

/// Serves until the program ends. A client waits for the storage as long as `patience` says; `ready` is told
/// the address once it listens.
///
/// # Errors
/// If the address cannot be had, or the file of fences not be written.
pub fn serve(
    listen: &str,
    upstream: &str,
    gate: Gate,
    patience: Duration,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    // Earlier versions kept fences by the path as it was spelled.
    for (key, fence) in gate.seen() {
        if let Ok(resource) = Resource::read(&key)
            && resource.key != key
        {
            let _ = gate.check(&resource.key, fence)?;
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(listen).await?;
        ready(listener.local_addr()?);
        let (gate, upstream) = (Arc::new(gate), upstream.to_owned());
        let (lanes, writes) = (Mutex::default(), AtomicU64::new(0));
        let proxy = Arc::new(Proxy { gate, upstream, patience, lanes, writes });
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Too many files, say: the next attempt may do.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let proxy = Arc::clone(&proxy);
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let proxy = Arc::clone(&proxy);
                    async move { Ok::<_, Infallible>(answer(proxy, request).await) }
                });
                let _ = server::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

fn say(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let text = serde_json::json!({ "code": code, "message": message }).to_string();
    whole(status, text)
}

fn whole(status: StatusCode, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body.into()).map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    response
}

/// Nothing passes: the write with this fence may still be carried out.
fn shut(path: &str, fence: Fence) -> Response<Body> {
    let message = format!(
        "a write to {path} with fence {fence} was handed to the storage and not answered. It may still be \
         done at any time, so nothing else is passed on until the storage answers. Once you made sure that it \
         cannot land any more (the storage was restarted, say), open the path: curl -X POST -H \
         'Ringleader-Settled: {fence}' http://THIS-PROXY{path}"
    );
    say(StatusCode::SERVICE_UNAVAILABLE, "path_shut", &message)
}

fn no_fence() -> Response<Body> {
    let message = "a change needs the header Ringleader-Fence with the fencing number of the lock";
    say(StatusCode::PRECONDITION_REQUIRED, "no_fence", message)
}

fn not_kept(error: &io::Error) -> Response<Body> {
    let message = format!("the fence cannot be kept, so nothing was done: {error}");
    say(StatusCode::INSUFFICIENT_STORAGE, "fence_file", &message)
}

fn late() -> Response<Body> {
    say(StatusCode::GATEWAY_TIMEOUT, "storage", "the storage does not answer; it may have done it")
}

/// In a task of its own: a client that goes away does not end what was begun for it.
async fn answer(proxy: Arc<Proxy>, request: Request<Incoming>) -> Response<Body> {
    let task = tokio::spawn(proxy.pass(request));
    task.await.unwrap_or_else(|_| say(StatusCode::INTERNAL_SERVER_ERROR, "broken", "the proxy failed"))
}

fn fence_in(headers: &HeaderMap, name: &str) -> Option<Fence> {
    headers.get(name).and_then(|value| value.to_str().ok()).and_then(|text| text.parse().ok())
}

impl Proxy {
    async fn pass(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
        let writes = [Method::PUT, Method::POST, Method::PATCH, Method::DELETE].contains(request.method());
        if !reads && !writes {
            let message = "only GET, HEAD, OPTIONS, PUT, POST, PATCH and DELETE are understood: others may \
                           change another path than their own";
            return say(StatusCode::METHOD_NOT_ALLOWED, "bad_method", message);
        }
        if let Some(name) = OTHERWISE.iter().find(|name| request.headers().contains_key(**name)) {
            let message = format!("with {name} it is not what its first line says: send what you mean");
            return say(StatusCode::BAD_REQUEST, "bad_header", &message);
        }
        let resource = match Resource::read(request.uri().path()) {
            Ok(resource) => resource,
            Err(why) => return say(StatusCode::BAD_REQUEST, "bad_path", &why),
        };
        let (mut parts, body) = request.into_parts();
        // Complete before anything is locked: a slow client holds up nobody.
        let body = match Limited::new(body, BODY_MAX).collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) => {
                return say(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "it is too large, or was cut off");
            }
        };
        let query = parts.uri.query().map_or_else(String::new, |query| format!("?{query}"));
        match format!("{}{query}", resource.path).parse() {
            Ok(uri) => parts.uri = uri,
            Err(_) => return say(StatusCode::BAD_REQUEST, "bad_path", "it is no path"),
        }
        if writes && parts.headers.contains_key(SETTLED) {
            return self.settle(&resource, fence_in(&parts.headers, SETTLED)).await;
        }
        let fence = fence_in(&parts.headers, HEADER);
        let request = Request::from_parts(parts, Full::new(body));
        if reads {
            let sent = tokio::time::timeout(self.patience, self.forward(request)).await;
            return sent.map_or_else(|_| late(), |sent| sent.response);
        }
        let Some(fence) = fence else { return no_fence() };
        self.write(resource, fence, request).await
    }

    fn lane(&self, key: &str) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody is on the way to those that only we have.
        if lanes.len() > 1000 {
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
        }
        Arc::clone(lanes.entry(key.to_owned()).or_default())
    }

    async fn write(
        self: Arc<Self>,
        resource: Resource,
        fence: Fence,
        request: Request<Full<Bytes>>,
    ) -> Response<Body> {
        let lane = self.lane(&resource.key);
        let mut state = lane.state.subscribe();
        let turn = tokio::select! {
            biased;
            late = state.wait_for(|state| state.late().is_some()) => {
                return shut(&resource.path, late.ok().and_then(|state| state.late()).unwrap_or(fence));
            }
            turn = Arc::clone(&lane.turn).lock_owned() => turn,
        };
        if let Some(open) = self.gate.pending(&resource.key) {
            return shut(&resource.path, open);
        }
        let (gate, key) = (Arc::clone(&self.gate), resource.key.clone());
        // It waits for the disk.
        let begun = tokio::task::spawn_blocking(move || gate.begin(&key, fence)).await;
        match begun.unwrap_or_else(|_| Err(io::Error::other("the file of fences could not be written"))) {
            Ok(Verdict::Fresh) => {}
            Ok(Verdict::Stale { last }) => {
                let message = format!("fence {fence} is stale: {last} was seen already");
                return say(StatusCode::PRECONDITION_FAILED, "stale_fence", &message);
            }
            Err(error) => return not_kept(&error),
        }
        let write = self.writes.fetch_add(1, Ordering::Relaxed);
        lane.state.send_replace(State::Busy { write });
        let (tell, told) = oneshot::channel();
        let (proxy, patience, way) = (Arc::clone(&self), self.patience, Arc::clone(&lane));
        let task =
            tokio::spawn(async move { proxy.see_through(&way, turn, &resource.key, request, tell).await });
        match tokio::time::timeout(patience, told).await {
            Ok(Ok(response)) => response,
            Ok(Err(_)) => say(StatusCode::INTERNAL_SERVER_ERROR, "broken", "the proxy failed"),
            Err(_) => {
                lane.state.send_if_modified(|state| match state {
                    State::Busy { write: busy } if *busy == write => {
                        *state = State::Late { write, fence, waiting: task.abort_handle() };
                        true
                    }
                    State::Free | State::Busy { .. } | State::Late { .. } => false,
                });
                late()
            }
        }
    }

    /// Waits for the storage however long it takes, with the turn.
    async fn see_through(
        &self,
        lane: &Lane,
        turn: OwnedMutexGuard<()>,
        key: &str,
        request: Request<Full<Bytes>>,
        tell: oneshot::Sender<Response<Body>>,
    ) {
        let sent = self.forward(request).await;
        let mut response = sent.response;
        if sent.settled
            && let Err(error) = self.gate.settle(key)
        {
            response = not_kept(&error);
        }
        // Before the turn is given on: whoever has it asks the gate.
        lane.state.send_replace(State::Free);
        drop(turn);
        let _ = tell.send(response);
    }

    /// An operator says what became of a write.
    async fn settle(&self, resource: &Resource, fence: Option<Fence>) -> Response<Body> {
        let lane = self.lane(&resource.key);
        let conflict = |message: &str| say(StatusCode::CONFLICT, "not_in_question", message);
        let none = "no write to this path is in question";
        let late = lane.state.borrow().clone();
        let turn = match late {
            State::Late { write, fence: open, waiting } => {
                if Some(open) != fence {
                    return conflict(&format!("the write in question has fence {open}"));
                }
                waiting.abort();
                // The connection is closed then.
                let turn = lane.turn.lock().await;
                if !matches!(*lane.state.borrow(), State::Late { write: now, .. } if now == write) {
                    return conflict("it has ended meanwhile; ask again if the path is still shut");
                }
                turn
            }
            // One whose client still waits is not in question yet.
            State::Free | State::Busy { .. } => match lane.turn.try_lock() {
                Ok(turn) => turn,
                Err(_) => return conflict(none),
            },
        };
        match self.gate.pending(&resource.key) {
            Some(open) if Some(open) == fence => {}
            Some(open) => return conflict(&format!("the write in question has fence {open}")),
            None => return conflict(none),
        }
        let settled = self.gate.settle(&resource.key);
        lane.state.send_replace(State::Free);
        drop(turn);
        settled.map_or_else(|error| not_kept(&error), |()| whole(StatusCode::NO_CONTENT, ""))
    }

    /// Asks the storage and waits for its whole answer.
    async fn forward(&self, mut request: Request<Full<Bytes>>) -> Sent {
        for_one_hop(request.headers_mut());
        if let Ok(host) = self.upstream.parse() {
            request.headers_mut().insert(HOST, host);
        }
        let failed = |why: String, settled: bool| {
            let what = if settled { "nothing was sent" } else { "it may have done it, or do it later" };
            let message = format!("the storage fails: {why}; {what}");
            Sent { response: say(StatusCode::BAD_GATEWAY, "storage", &message), settled }
        };
        let connected = async {
            let stream = TcpStream::connect(&self.upstream).await.map_err(|error| error.to_string())?;
            client::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())
        };
        let (mut sender, connection) = match tokio::time::timeout(self.patience, connected).await {
            Ok(Ok(connected)) => connected,
            Ok(Err(why)) => return failed(why, true),
            Err(_) => return failed("it takes no connection".to_owned(), true),
        };
        // With the sender in it: the connection is closed when the answer is here.
        let asked = async move {
            let response = match sender.try_send_request(request).await {
                Ok(response) => response,
                Err(mut error) => {
                    // It comes back if nothing of it was written.
                    let unsent = error.take_message().is_some();
                    return failed(error.into_error().to_string(), unsent);
                }
            };
            let (mut parts, body) = response.into_parts();
            let body = match body.collect().await {
                Ok(body) => body.to_bytes(),
                Err(error) => return failed(error.to_string(), false),
            };
            for_one_hop(&mut parts.headers);
            let open = [StatusCode::ACCEPTED, StatusCode::BAD_GATEWAY, StatusCode::GATEWAY_TIMEOUT];
            let settled = !open.contains(&parts.status);
            let body = Full::new(body).map_err(|never| match never {}).boxed();
            Sent { response: Response::from_parts(parts, body), settled }
        };
        // In this task, not in one of its own: who ends the waiting closes the connection too.
        let (sent, _closed) = tokio::join!(asked, connection);
        sent
    }
}

/// Takes away what is between two ends of one connection, and says nothing about the next one.
fn for_one_hop(headers: &mut HeaderMap) {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for name in named {
        headers.remove(name.as_str());
    }
    for name in [CONNECTION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE] {
        headers.remove(name);
    }
    for name in ["keep-alive", "proxy-connection"] {
        headers.remove(name);
    }
}
