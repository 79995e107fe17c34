//! One connection: who asks is settled by the head of each call; then its body is read, within limits; then it is
//! answered, here or by the server that its lease names.

use crate::Etcd;
use crate::forward;
use crate::refusals::status;
use crate::wire::etcdserverpb::auth_server::AuthServer;
use crate::wire::etcdserverpb::cluster_server::ClusterServer;
use crate::wire::etcdserverpb::lease_server::LeaseServer;
use crate::wire::etcdserverpb::maintenance_server::MaintenanceServer;
use crate::wire::v3electionpb::election_server::ElectionServer;
use crate::wire::v3lockpb::lock_server::LockServer;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ringleader_client::api::Refusal;
use ringleader_server::access::Principal;
use ringleader_server::front::{Connection, Visitor, refuse};
use ringleader_server::http::Busy;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::{Extensions, Status};
use tower_service::Service;

/// The most calls of one connection at a time.
const CALLS: u32 = 1000;

/// The most bytes of the head of a call.
const HEAD: u32 = 16 * 1024;

/// What a call may have sent before it is read, and all calls of a connection together.
const WINDOW: u32 = 64 * 1024;
const WINDOWS: u32 = 256 * 1024;

/// A connection of which nothing is heard for so long is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(20);

/// The bytes of a message, before the message itself.
const PREFIX: usize = 5;

/// The one call before anybody has shown who it is: it shows it.
pub(crate) const AUTHENTICATE: &str = "/etcdserverpb.Auth/Authenticate";

/// The one call with more than one question.
const KEEP_ALIVE: &str = "/etcdserverpb.Lease/LeaseKeepAlive";

/// What is served beside these two.
const SERVED: [&str; 12] = [
    "/etcdserverpb.Lease/LeaseGrant",
    "/etcdserverpb.Lease/LeaseRevoke",
    "/etcdserverpb.Lease/LeaseTimeToLive",
    "/etcdserverpb.Cluster/MemberList",
    "/etcdserverpb.Maintenance/Status",
    "/v3lockpb.Lock/Lock",
    "/v3lockpb.Lock/Unlock",
    "/v3electionpb.Election/Campaign",
    "/v3electionpb.Election/Proclaim",
    "/v3electionpb.Election/Leader",
    "/v3electionpb.Election/Observe",
    "/v3electionpb.Election/Resign",
];

/// Who makes a call. It counts as one that waits for its answer for as long as this is kept.
#[derive(Clone)]
pub(crate) struct Asks {
    pub(crate) visitor: Visitor,
    /// Nobody yet, if it is about to show who it is.
    pub(crate) who: Option<Principal>,
    /// Another server asks: it is not passed on again.
    pub(crate) passed_on: bool,
    /// The token that was shown.
    pub(crate) token: Option<HeaderValue>,
    _busy: Arc<Busy>,
}

impl Asks {
    /// Who makes this call.
    pub(crate) fn of(extensions: &Extensions) -> Result<Asks, Status> {
        extensions.get::<Asks>().cloned().ok_or_else(|| Status::internal("a call without a caller"))
    }

    /// A refusal, counted.
    pub(crate) fn refused(&self, refusal: &Refusal) -> Status {
        self.visitor.refuses(&refusal.code);
        status(refusal)
    }

    pub(crate) fn who(&self) -> Result<&Principal, Refusal> {
        self.who.as_ref().ok_or_else(|| refuse("unauthenticated", "nothing says who you are"))
    }
}

/// Tasks of a connection have their turns among those of other clients.
#[derive(Clone)]
struct Turns(Visitor);

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Turns {
    fn execute(&self, task: F) {
        self.0.spawn(task);
    }
}

/// Serves a connection until it is over.
pub(crate) async fn serve(etcd: Arc<Etcd>, connection: Connection, visitor: Visitor) {
    let write = visitor.limits().phases.write;
    let must_go = Arc::new(Notify::new());
    let mut builder = http2::Builder::new(Turns(visitor.clone()));
    builder.timer(TokioTimer::new()).max_concurrent_streams(CALLS).max_header_list_size(HEAD);
    builder.initial_stream_window_size(WINDOW).initial_connection_window_size(WINDOWS);
    builder.keep_alive_interval(SILENCE).keep_alive_timeout(write);
    let leaves = Arc::clone(&must_go);
    let service = service_fn(move |request| {
        let (etcd, visitor, leaves) = (Arc::clone(&etcd), visitor.clone(), Arc::clone(&leaves));
        async move {
            let answer = answer(etcd, &visitor, request).await;
            if !visitor.is_known() {
                // Whoever does not say who it is does not stay.
                leaves.notify_one();
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let mut served = std::pin::pin!(builder.serve_connection(TokioIo::new(connection), service));
    // What breaks a connection is no error of ours.
    tokio::select! {
        _ = &mut served => return,
        () = must_go.notified() => served.as_mut().graceful_shutdown(),
    }
    let _ = served.await;
}

/// The answer to a call.
async fn answer(etcd: Arc<Etcd>, visitor: &Visitor, request: Request<Incoming>) -> Response<Body> {
    match admitted(visitor, request).await {
        Ok(request) => dispatched(etcd, request).await,
        Err(refusal) => {
            visitor.refuses(&refusal.code);
            status(&refusal).into_http()
        }
    }
}

/// The call, if its caller is known, it is one that is served, and its body comes in time and is not too large.
async fn admitted(visitor: &Visitor, request: Request<Incoming>) -> Result<Request<Body>, Refusal> {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path();
    let token = shown(&parts.headers);
    let for_another = parts.headers.get(forward::ON_BEHALF_OF);
    let who = match for_another.map(HeaderValue::to_str) {
        _ if path == AUTHENTICATE => None,
        Some(key) => Some(visitor.on_behalf_of(key.unwrap_or_default())?),
        None => Some(visitor.principal(token.as_ref().map(HeaderValue::as_bytes))?),
    };
    if !SERVED.contains(&path) && ![AUTHENTICATE, KEEP_ALIVE].contains(&path) {
        return Err(not_served(path));
    }
    let busy = Arc::new(visitor.begins()?);
    let body = if path == KEEP_ALIVE { Body::new(body) } else { Body::new(read(visitor, body).await?) };
    let passed_on = parts.headers.contains_key(forward::PASSED_ON);
    parts.extensions.insert(Asks { visitor: visitor.clone(), who, passed_on, token, _busy: busy });
    Ok(Request::from_parts(parts, body))
}

/// The token that was shown, as HTTP has it: clients of etcd put it into a field of their own, without a word before
/// it.
fn shown(headers: &HeaderMap) -> Option<HeaderValue> {
    if let Some(header) = headers.get(header::AUTHORIZATION) {
        return Some(header.clone());
    }
    let token = headers.get("token")?.as_bytes();
    HeaderValue::from_bytes(&[b"Bearer ", token].concat()).ok()
}

fn not_served(path: &str) -> Refusal {
    let call = path.trim_start_matches('/');
    let message = format!(
        "`{call}` is not served here: this is a lock service, not a store. Of etcd it has v3lockpb.Lock, \
         v3electionpb.Election, the leases that these need, Cluster.MemberList, Maintenance.Status and \
         Auth.Authenticate"
    );
    refuse("not_served", message)
}

/// The whole body, if it is not too large and comes in time.
async fn read(visitor: &Visitor, body: Incoming) -> Result<Full<Bytes>, Refusal> {
    let (most, patience) = (visitor.limits().message, visitor.limits().phases.body);
    match timeout(patience, Limited::new(body, most + PREFIX).collect()).await {
        Ok(Ok(body)) => Ok(Full::new(body.to_bytes())),
        Ok(Err(why)) if why.is::<LengthLimitError>() => {
            Err(refuse("too_large", format!("the message has more than {most} bytes")))
        }
        Ok(Err(why)) => Err(refuse("bad_request", format!("a broken body: {why}"))),
        Err(_) => {
            let message = format!("the body did not come within {} s", patience.as_secs_f32());
            Err(refuse("bad_request", message))
        }
    }
}

/// Calls the service that the path names.
async fn dispatched(etcd: Arc<Etcd>, request: Request<Body>) -> Response<Body> {
    let service = request.uri().path().split('/').nth(1).unwrap_or_default();
    let answered = match service {
        "v3lockpb.Lock" => LockServer::from_arc(etcd).call(request).await,
        "v3electionpb.Election" => ElectionServer::from_arc(etcd).call(request).await,
        "etcdserverpb.Lease" => LeaseServer::from_arc(etcd).call(request).await,
        "etcdserverpb.Cluster" => ClusterServer::from_arc(etcd).call(request).await,
        "etcdserverpb.Maintenance" => MaintenanceServer::from_arc(etcd).call(request).await,
        _auth => AuthServer::from_arc(etcd).call(request).await,
    };
    answered.unwrap_or_else(|never| match never {})
}
