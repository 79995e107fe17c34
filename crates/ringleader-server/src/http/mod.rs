//! The surface for clients: HTTP with JSON, over TLS and on a Unix socket, and the stream of our own client.

mod admin;
mod admission;
mod calls;
mod connection;
#[cfg(test)]
mod document;
mod observe;
mod stream;

pub(crate) use connection::Guest;
pub use connection::{Busy, Limits};

use crate::access::{Access, Caller, Principal};
use crate::core::Core;
use crate::front::Front;
use crate::queue::Queue;
use crate::words::{self, http_code, refuse};
use axum::Router;
use axum::extract::{Extension, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, post};
use connection::Spoken;
use ringleader_client::api::Refusal;
use ringleader_locks::{LockState, Name};
use ringleader_net::limits::{Budget, accept, visit};
use ringleader_net::mesh::Trust;
use serde::Serialize;
use std::sync::Arc;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;

/// What every call needs.
#[derive(Clone)]
pub struct Surface(Arc<Inner>);

struct Inner {
    core: Core,
    watchers: observe::Watchers,
    gate: connection::Gate,
    /// Of those that have shown who they are, and of those that have not.
    clients: Queue,
    strangers: Queue,
}

impl Surface {
    /// The surface of this server, and the queues that clients and strangers wait in.
    #[must_use]
    pub fn new(
        core: Core,
        access: Access,
        (limits, budget): (Limits, &Budget),
        [clients, strangers]: [Queue; 2],
    ) -> Surface {
        let gate = connection::Gate::new(limits, budget);
        let watchers = observe::Watchers::default();
        core.metrics().asks_for_displaced(gate.displaced());
        core.permits(access);
        Surface(Arc::new(Inner { core, watchers, gate, clients, strangers }))
    }

    /// Logs how many refused handshakes were not logged one by one, for ever.
    pub async fn tells_refusals(self) {
        self.0.gate.sieve.tells("client_rejected").await;
    }

    /// Serves clients by TLS, for ever.
    pub async fn serve_tls(self, listener: TcpListener, trust: Trust) {
        connection::by_tls(self.clone(), Spoken::Http(self.router()), listener, trust).await;
    }

    /// Serves clients of this machine in plain text, for ever: everybody is a stranger until it shows a token.
    pub async fn serve_plain(self, listener: TcpListener) {
        self.clone().plainly(Spoken::Http(self.router()), listener).await;
    }

    /// Serves the clients of a front, by TLS or, on this machine, in plain text.
    pub async fn serve_front(self, front: Arc<dyn Front>, listener: TcpListener, trust: Option<Trust>) {
        match trust {
            Some(trust) => connection::by_tls(self, Spoken::Front(front), listener, trust).await,
            None => self.plainly(Spoken::Front(front), listener).await,
        }
    }

    async fn plainly(self, spoken: Spoken, listener: TcpListener) {
        let gate = &self.0.gate;
        let purses = [&gate.strangers, &gate.clients];
        connection::plainly(self.clone(), spoken, listener, Caller::Stranger, purses).await;
    }

    /// Serves clients of this machine, for ever.
    pub async fn serve_socket(self, listener: UnixListener) {
        let gate = &self.0.gate;
        let (spoken, purses) = (Spoken::Http(self.router()), [&gate.door, &gate.local]);
        connection::plainly(self.clone(), spoken, listener, Caller::Local, purses).await;
    }

    /// Tells the status to this machine, for ever.
    pub async fn serve_status(self, listener: TcpListener) {
        let (router, gate) = (self.visitors_router(), &self.0.gate);
        accept(&listener, &gate.status, |stream, _, place| {
            self.0.strangers.spawn(visit(stream, router.clone(), place, gate.limits.phases));
        })
        .await;
    }

    /// Sees to it that the server knows how long its clients wait for their turn.
    pub(crate) fn watches_queue(&self) {
        if self.core().wants_to_know() {
            let core = self.core().clone();
            self.0.clients.spawn(async move { core.knows() });
        }
    }

    pub(crate) fn core(&self) -> &Core {
        &self.0.core
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.gate.limits
    }

    pub(crate) fn clients(&self) -> &Queue {
        &self.0.clients
    }

    pub(crate) fn begins(&self) -> Result<Busy, Refusal> {
        self.0.gate.begins()
    }

    pub(crate) fn watches(&self, name: &Name) -> watch::Receiver<Option<LockState>> {
        self.0.watchers.join(self, name)
    }

    pub(crate) async fn look(&self, name: &Name) -> Result<LockState, Refusal> {
        observe::look(self.core(), name).await
    }

    /// Everything that clients can call.
    fn router(&self) -> Router {
        let open = self.status_router();
        Router::new()
            .route("/v1/sessions", post(calls::open))
            .route("/v1/sessions/{id}", delete(calls::close))
            .route("/v1/sessions/{id}/keepalive", post(calls::keepalive))
            .route("/v1/sessions/{id}/cancel", post(calls::cancel))
            .route("/v1/locks", get(observe::list))
            .route("/v1/locks/{name}", get(observe::lock))
            .route("/v1/locks/{name}/acquire", post(calls::acquire))
            .route("/v1/locks/{name}/try", post(calls::attempt))
            .route("/v1/locks/{name}/release", post(calls::release))
            .route("/v1/locks/{name}/watch", get(observe::watch))
            .route("/v1/elections/{name}", get(observe::election))
            .route("/v1/elections/{name}/campaign", post(calls::campaign))
            .route("/v1/elections/{name}/resign", post(calls::resign))
            .route("/v1/elections/{name}/observe", get(observe::observe))
            .route("/v1/members", get(admin::members))
            .route("/v1/members/{id}/{what}", post(admin::change))
            .route("/v1/stream", any(stream::upgrade))
            .method_not_allowed_fallback(wrong_method)
            .with_state(self.clone())
            .merge(open)
            .layer(from_fn_with_state(self.clone(), admission::admitted))
            .layer(from_fn(located))
    }

    /// What is told at the status port: everybody who gets there is of this machine.
    fn visitors_router(&self) -> Router {
        self.status_router()
            .layer(from_fn_with_state(self.clone(), admission::admitted))
            .layer(Extension(Caller::Local))
    }

    /// How the server is.
    fn status_router(&self) -> Router {
        Router::new()
            .route("/healthz", get(admin::healthz))
            .route("/readyz", get(admin::readyz))
            .route("/metrics", get(admin::metrics))
            .route("/v1/status", get(admin::status))
            .fallback(unknown)
            .method_not_allowed_fallback(wrong_method)
            .with_state(self.clone())
    }

    /// Who asks.
    fn principal(&self, caller: &Caller, headers: &HeaderMap) -> Result<Principal, Refused> {
        self.core().metrics().asked();
        let shown = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        let access = Arc::clone(&self.core().access().borrow());
        access.principal(caller, shown).map_err(|refusal| self.refused(refusal))
    }

    fn refused(&self, refusal: Refusal) -> Refused {
        self.core().metrics().refused(&refusal.code);
        Refused(refusal)
    }
}

/// A refusal on its way to a client.
struct Refused(Refusal);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let code = StatusCode::from_u16(http_code(&self.0.code)).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = json(code, &self.0);
        let headers = response.headers_mut();
        if let Some(millis) = self.0.retry_after_ms {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(millis.div_ceil(1000)));
        }
        if let Some(to) = self.0.move_to.as_deref().and_then(|to| HeaderValue::from_str(to).ok()) {
            headers.insert(header::LOCATION, to);
        }
        if self.0.code == "unauthenticated" {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// What is asked of a session that has moved is asked of the same path there.
async fn located(request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    let at = response.headers().get(header::LOCATION).and_then(|at| at.to_str().ok());
    // A server without a path: it was named by a refusal.
    if let Some(at) = at.filter(|at| at.strip_prefix("https://").is_some_and(|rest| !rest.contains('/')))
        && let Ok(whole) = HeaderValue::from_str(&format!("{at}{path}"))
    {
        response.headers_mut().insert(header::LOCATION, whole);
    }
    response
}

fn json(code: StatusCode, object: &impl Serialize) -> Response {
    let mut text = serde_json::to_vec(object).unwrap_or_default();
    text.push(b'\n');
    (code, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn unknown(request: Request) -> Refused {
    let message = format!("there is nothing at {}", request.uri().path());
    let help =
        "a `/` in a name is written `%2F`; what there is, is listed in the documentation of the HTTP surface";
    Refused(Refusal { help: Some(help.to_owned()), ..refuse("not_found", message, words::NOTHING_DONE) })
}

async fn wrong_method(request: Request) -> Response {
    let message = format!("{} cannot be asked of {}", request.method(), request.uri().path());
    json(StatusCode::METHOD_NOT_ALLOWED, &refuse("bad_request", message, words::NOTHING_DONE))
}
