//! A proxy in front of a storage that knows nothing of fences: a request that changes something must carry
//! `Ringleader-Fence`, and is refused if that is smaller than the largest that was seen for its path.
//! Requests for one path pass one after the other: otherwise an old one that was let through could arrive
//! after a newer one.

use crate::fence::{Gate, Verdict};
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1 as client;
use hyper::header::HOST;
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use ringleader::lock::Fence;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// The header.
pub const HEADER: &str = "ringleader-fence";

/// What is larger is not passed on.
const BODY_MAX: usize = 64 << 20;

/// So long the storage may take.
const STORAGE: Duration = Duration::from_secs(60);

type Body = BoxBody<Bytes, hyper::Error>;

struct Proxy {
    gate: Gate,
    upstream: String,
    /// Who is on the way to each path.
    paths: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

/// Serves until the program ends. `ready` is told the address once it listens.
///
/// # Errors
/// If the address cannot be had.
pub fn serve(listen: &str, upstream: &str, gate: Gate, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(listen).await?;
        ready(listener.local_addr()?);
        let proxy =
            Arc::new(Proxy { gate, upstream: upstream.to_owned(), paths: Mutex::new(BTreeMap::new()) });
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
    let body = Full::from(text).map_err(|never| match never {}).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

/// In a task of its own: a client that goes away does not let the next one pass while its request is on its
/// way.
async fn answer(proxy: Arc<Proxy>, request: Request<Incoming>) -> Response<Body> {
    let task = tokio::spawn(async move { proxy.pass(request).await });
    task.await.unwrap_or_else(|_| say(StatusCode::INTERNAL_SERVER_ERROR, "broken", "the proxy failed"))
}

impl Proxy {
    async fn pass(&self, request: Request<Incoming>) -> Response<Body> {
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
        let (parts, body) = request.into_parts();
        // Complete before anything is locked: a slow client holds up nobody.
        let body = match Limited::new(body, BODY_MAX).collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) => {
                return say(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "it is too large, or was cut off");
            }
        };
        let path = parts.uri.path().to_owned();
        if reads {
            return self.forward(Request::from_parts(parts, Full::new(body))).await;
        }
        let fence = parts.headers.get(HEADER).and_then(|value| value.to_str().ok());
        let Some(fence) = fence.and_then(|text| text.parse::<Fence>().ok()) else {
            let message = "a change needs the header Ringleader-Fence with the fencing number of the lock";
            return say(StatusCode::PRECONDITION_REQUIRED, "no_fence", message);
        };
        let turn = {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody is on the way to those that only we have.
            if paths.len() > 1000 {
                paths.retain(|_, turn| Arc::strong_count(turn) > 1);
            }
            Arc::clone(paths.entry(path.clone()).or_default())
        };
        let _turn = turn.lock().await;
        match self.gate.check(&path, fence) {
            Ok(Verdict::Fresh) => self.forward(Request::from_parts(parts, Full::new(body))).await,
            Ok(Verdict::Stale { last }) => {
                let message = format!("fence {fence} is stale: {last} was seen already");
                say(StatusCode::PRECONDITION_FAILED, "stale_fence", &message)
            }
            Err(error) => {
                let message = format!("the fence cannot be kept, so nothing was done: {error}");
                say(StatusCode::INSUFFICIENT_STORAGE, "fence_file", &message)
            }
        }
    }

    async fn forward(&self, mut request: Request<Full<Bytes>>) -> Response<Body> {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
        if let (Ok(uri), Ok(host)) = (path.parse(), self.upstream.parse()) {
            *request.uri_mut() = uri;
            request.headers_mut().insert(HOST, host);
        }
        let asked = async {
            let stream = TcpStream::connect(&self.upstream).await.map_err(|error| error.to_string())?;
            let (mut sender, connection) =
                client::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
            tokio::spawn(connection);
            let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
            // All of it, before the next one for this path may go.
            let (parts, body) = response.into_parts();
            let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
            let body = Full::new(body).map_err(|never| match never {}).boxed();
            Ok::<_, String>(Response::from_parts(parts, body))
        };
        match tokio::time::timeout(STORAGE, asked).await {
            Ok(Ok(response)) => response,
            Ok(Err(why)) => say(StatusCode::BAD_GATEWAY, "storage", &format!("the storage fails: {why}")),
            Err(_) => say(
                StatusCode::GATEWAY_TIMEOUT,
                "storage",
                "the storage does not answer; it may have done it",
            ),
        }
    }
}
