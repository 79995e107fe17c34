//! Listens, and answers until it is told to stop.

use crate::http::access::Access;
use crate::http::api::Api;
use crate::http::cluster::{Cluster, Look};
use crate::http::compress::{compress, takes};
use crate::http::frame::Origin;
use crate::http::page::{self, complain, guard, policy};
use crate::{Diagnostic, Stage};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    access: Access,
    stage: Arc<Stage>,
    cluster: Option<Cluster>,
    frames: Vec<Origin>,
    runtime: tokio::runtime::Runtime,
    stopped: Pin<Box<dyn Future<Output = ()>>>,
}

/// Claims an address; port 0 is any free one.
///
/// # Errors
/// If it cannot be claimed.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

impl Server {
    /// A server on an address that was claimed.
    ///
    /// # Errors
    /// If the address is gone, no token can be drawn, or the machine has no threads for it.
    pub fn new(listener: TcpListener, token: Option<String>, stage: Stage) -> Result<Server, String> {
        let words = |error: io::Error| error.to_string();
        let address = listener.local_addr().map_err(words)?;
        let access = Access::new(address, token)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(words)?;
        // From here on it can be told to stop: whoever hears that it is ready may do so at once.
        let stopped = {
            let _inside = runtime.enter();
            Box::pin(told_to_stop().map_err(words)?)
        };
        Ok(Server {
            listener,
            address,
            access,
            stage: Arc::new(stage),
            cluster: None,
            frames: Vec::new(),
            runtime,
            stopped,
        })
    }

    /// The same with a real cluster to look at.
    #[must_use]
    pub fn with_cluster(self, look: Look) -> Server {
        Server { cluster: Some(Cluster::new(look)), ..self }
    }

    /// The same, and pages of these origins may hold it in a frame.
    #[must_use]
    pub fn framed_by(self, frames: Vec<Origin>) -> Server {
        Server { frames, ..self }
    }

    /// Where the page is, with the token if one is needed. An address that stands for all is given as this machine's
    /// own.
    #[must_use]
    pub fn url(&self) -> String {
        let shown = match self.address {
            SocketAddr::V4(address) if address.ip().is_unspecified() => {
                format!("127.0.0.1:{}", address.port())
            }
            SocketAddr::V6(address) if address.ip().is_unspecified() => format!("[::1]:{}", address.port()),
            SocketAddr::V4(_) | SocketAddr::V6(_) => self.address.to_string(),
        };
        match self.token() {
            Some(token) => format!("http://{shown}/?token={token}"),
            None => format!("http://{shown}/"),
        }
    }

    /// The address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The token, if one is needed.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.access.token()
    }

    /// Answers until Ctrl-C or a request to end comes.
    ///
    /// # Errors
    /// If the machine has no threads or sockets for it.
    pub fn run(self) -> io::Result<Served> {
        let Server { listener, access, stage, cluster, frames, runtime, stopped, address: _ } = self;
        let api = Arc::new((Api::new(stage, access, cluster), policy(&frames)));
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let router = Router::new().fallback(answer).with_state(api);
            tokio::select! {
                // Nobody is waited for: a page can ask again.
                () = stopped => Ok(()),
                ended = async { axum::serve(listener, router).await } => ended,
            }
        })?;
        // Work that is under way is not waited for either.
        runtime.shutdown_background();
        Ok(Served)
    }
}

/// A server that has stopped as it was told to.
#[derive(Clone, Copy, Debug)]
pub struct Served;

async fn answer(State(state): State<Arc<(Api, HeaderValue)>>, request: Request<Body>) -> Response<Body> {
    let (api, policy) = &*state;
    let pressed = takes(request.headers());
    let mut response = match api.access.admits_host(request.headers()) {
        Err((status, complaint)) => complain(status, &complaint),
        Ok(()) => route(api, request).await,
    };
    guard(&mut response, policy);
    if pressed { compress(response).await } else { response }
}

async fn route(api: &Api, request: Request<Body>) -> Response<Body> {
    let path = request.uri().path().to_owned();
    if let Some(verb) = path.strip_prefix("/api/") {
        return api.answer(verb, request).await;
    }
    match *request.method() {
        Method::GET | Method::HEAD => page::serve(&path, request.headers()),
        _ => {
            let message = format!("`{}` is not for pages: they are asked for with GET", request.method());
            let complaint = Diagnostic::input("bad_method", message).help("verbs are at /api/VERB");
            complain(StatusCode::METHOD_NOT_ALLOWED, &complaint)
        }
    }
}

/// Waits for Ctrl-C, or for TERM where there is such a thing. Whoever calls it hears of it from then on.
#[cfg(unix)]
fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
