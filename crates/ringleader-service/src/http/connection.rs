//! Connections of clients: how many there may be, what each may cost, and who is there.

use super::Surface;
use crate::access::Caller;
use crate::words;
use axum::Router;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ringleader_client::api::Refusal;
use ringleader_net::tls::{caller_of, explain_io};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// What clients may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections at once; more are closed at once.
    pub connections: usize,
    /// Calls that wait for their answer; more are refused.
    pub calls: usize,
    /// Questions of one stream that wait for their answer; more are refused.
    pub questions: usize,
    /// Bytes of a body, or of a line of a stream.
    pub message: usize,
    /// How long it may take to say who one is, and to send the head of a call.
    pub patience: Duration,
    /// After so long without a word a stream is closed.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 20_000,
            calls: 20_000,
            questions: 10_000,
            message: 64 * 1024,
            patience: Duration::from_secs(10),
            silence: Duration::from_secs(600),
        }
    }
}

/// Lets in as much as there is room for.
pub(super) struct Gate {
    pub(super) limits: Limits,
    connections: Arc<Semaphore>,
    calls: Arc<AtomicUsize>,
}

/// A call that waits for its answer.
pub(super) struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate {
    pub(super) fn new(limits: Limits) -> Gate {
        Gate { limits, connections: Arc::new(Semaphore::new(limits.connections)), calls: Arc::default() }
    }

    /// A call begins.
    pub(super) fn begins(&self) -> Result<Busy, Refusal> {
        let busy = Busy(Arc::clone(&self.calls));
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.limits.calls {
            return Err(words::limit("too many calls wait for their answer here"));
        }
        Ok(busy)
    }
}

/// No file descriptors are left, usually: some will be free again.
const BREATH: Duration = Duration::from_millis(50);

pub(super) async fn by_tls(surface: Surface, listener: TcpListener, acceptor: TlsAcceptor) {
    let router = full(&surface);
    let cluster: Arc<str> = surface.core().facts().cluster.as_str().into();
    loop {
        let Ok((stream, from)) = listener.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&surface.0.limits.connections).try_acquire_owned() else { continue };
        let (surface, router, acceptor) = (surface.clone(), router.clone(), acceptor.clone());
        let cluster = Arc::clone(&cluster);
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let patience = surface.0.limits.limits.patience;
            let stream = match timeout(patience, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => {
                    let why = explain_io(&error);
                    surface.core().metrics().refused(why.code);
                    tracing::warn!(event = "client_refused", from = %from, reason = why.code, why = why.words);
                    return;
                }
                Err(_) => return,
            };
            let caller = match stream.get_ref().1.peer_certificates() {
                None => Caller::Stranger,
                Some(chain) => match caller_of(chain, &cluster) {
                    Ok(name) => Caller::Certificate(name),
                    Err(why) => {
                        surface.core().metrics().refused(why.code);
                        tracing::warn!(event = "client_refused", from = %from, reason = why.code, why = why.words);
                        return;
                    }
                },
            };
            serve(&surface, router, stream, caller).await;
            drop(permit);
        });
    }
}

pub(super) async fn plainly(surface: Surface, listener: TcpListener) {
    let router = full(&surface);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&surface.0.limits.connections).try_acquire_owned() else { continue };
        let (surface, router) = (surface.clone(), router.clone());
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            serve(&surface, router, stream, Caller::Stranger).await;
            drop(permit);
        });
    }
}

pub(super) async fn by_socket(surface: Surface, listener: UnixListener) {
    let router = full(&surface);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&surface.0.limits.connections).try_acquire_owned() else { continue };
        let (surface, router) = (surface.clone(), router.clone());
        tokio::spawn(async move {
            serve(&surface, router, stream, Caller::Local).await;
            drop(permit);
        });
    }
}

pub(super) async fn status(surface: Surface, listener: TcpListener) {
    let router = surface.status_router();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        let (surface, router) = (surface.clone(), router.clone());
        tokio::spawn(async move { serve(&surface, router, stream, Caller::Local).await });
    }
}

fn full(surface: &Surface) -> Router {
    surface.router().layer(DefaultBodyLimit::max(surface.0.limits.limits.message))
}

/// Serves one connection until it is over.
async fn serve<S>(surface: &Surface, router: Router, stream: S, caller: Caller)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let metrics = surface.core().metrics();
    metrics.connected();
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(caller.clone());
        router.call(request.map(Body::new))
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(surface.0.limits.limits.patience * 6);
    // A client that goes away in the middle is no error of ours.
    let _ = builder.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
    metrics.disconnected();
}
