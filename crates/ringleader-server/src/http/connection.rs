//! Connections of clients: how many there may be, what each may cost, and who is there.

use super::Surface;
use crate::access::Caller;
use crate::front::{Front, Visitor};
use crate::metrics::Metrics;
use crate::words;
use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ringleader_client::api::Refusal;
use ringleader_net::limits::{Budget, Host, Listener, Paced, Phases, Place, Purse, Sieve, accept};
use ringleader_net::mesh::{Means, Renewals, Shown, Trust};
use ringleader_net::tls::{Stranger, caller_of, explain_io, name_of};
use rustls::pki_types::CertificateDer;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_rustls::TlsAcceptor;

/// What clients may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections of clients at once, however many files there are; more are refused.
    pub connections: usize,
    /// Calls that wait for their answer; more are refused.
    pub calls: usize,
    /// Questions of one stream that wait for their answer; more are refused.
    pub questions: usize,
    /// Bytes of a body, or of a line of a stream.
    pub message: usize,
    /// How long each phase of a connection may take.
    pub phases: Phases,
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
            phases: Phases::default(),
            silence: Duration::from_secs(600),
        }
    }
}

/// Lets in as much as there is room for.
pub(super) struct Gate {
    pub(super) limits: Limits,
    pub(super) strangers: Purse,
    pub(super) clients: Purse,
    pub(super) door: Purse,
    pub(super) local: Purse,
    pub(super) status: Purse,
    calls: Arc<AtomicUsize>,
    pub(super) sieve: Sieve,
}

/// A call that waits for its answer.
pub struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate {
    pub(super) fn new(limits: Limits, budget: &Budget) -> Gate {
        Gate {
            limits,
            // A quarter is free for hosts that are not among the strangers yet: nobody has to be displaced for them.
            strangers: Purse::with_share(budget.strangers, budget.strangers - budget.strangers / 4),
            clients: Purse::new(budget.clients.min(limits.connections)),
            door: Purse::new(budget.door),
            local: Purse::new(budget.local.min(limits.connections)),
            status: Purse::new(budget.status),
            calls: Arc::default(),
            sieve: Sieve::default(),
        }
    }

    /// A call begins.
    pub(super) fn begins(&self) -> Result<Busy, Refusal> {
        let busy = Busy(Arc::clone(&self.calls));
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.limits.calls {
            return Err(words::limit("too many calls wait for their answer here"));
        }
        Ok(busy)
    }

    /// How many connections of strangers were closed to make room for others.
    pub(super) fn displaced(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let purses = [self.strangers.clone(), self.door.clone(), self.status.clone()];
        move || purses.iter().map(Purse::displaced).sum()
    }
}

/// One connection, as long as it lasts; with a stream, that is longer than HTTP is spoken on it.
pub(crate) struct Guest {
    host: Host,
    /// Where it has a place once it has shown who it is.
    purse: Purse,
    place: Mutex<Option<Place>>,
    known: Notify,
    /// The certificates that it has shown, what may end the belief in them, and where it comes from.
    shown: Option<(Shown, Renewals, SocketAddr)>,
    metrics: Arc<Metrics>,
}

impl Guest {
    fn new(
        surface: &Surface,
        host: Host,
        purse: &Purse,
        shown: Option<(Shown, Renewals, SocketAddr)>,
    ) -> Arc<Guest> {
        let metrics = Arc::clone(surface.core().metrics());
        metrics.connected();
        let (place, known) = (Mutex::new(None), Notify::new());
        Arc::new(Guest { host, purse: purse.clone(), place, known, shown, metrics })
    }

    /// Waits until the certificate that it has shown is believed no more.
    pub(super) async fn is_disowned(&self) -> Stranger {
        match &self.shown {
            Some((shown, renewals, _)) => renewals.clone().ends(shown, None).await,
            None => std::future::pending().await,
        }
    }

    /// Its connection ends, for this reason.
    pub(super) fn is_turned_away(&self, surface: &Surface, why: &Stranger) {
        if let Some((_, _, from)) = self.shown {
            surface.turns_away(from, why);
        }
    }

    /// It has shown who it is: from now on it is no stranger.
    pub(crate) fn admit(&self) -> Result<(), Refusal> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            let new = self.purse.try_enter(self.host);
            *place = Some(new.ok_or_else(|| words::limit("there are too many connections of clients here"))?);
            self.known.notify_one();
        }
        Ok(())
    }

    /// Whether it has shown who it is.
    pub(crate) fn is_admitted(&self) -> bool {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.metrics.disconnected();
    }
}

/// What is spoken on the connections of a port.
#[derive(Clone)]
pub(super) enum Spoken {
    Http(Router),
    Front(Arc<dyn Front>),
}

impl Spoken {
    /// What accepts connections by TLS: a front names its protocol there.
    fn acceptor(&self, acceptor: TlsAcceptor) -> TlsAcceptor {
        match self {
            Spoken::Http(_) => acceptor,
            Spoken::Front(front) => {
                let mut config = acceptor.config().as_ref().clone();
                config.alpn_protocols = vec![front.protocol().to_owned()];
                Arc::new(config).into()
            }
        }
    }
}

pub(super) async fn by_tls(surface: Surface, spoken: Spoken, listener: TcpListener, trust: Trust) {
    let cluster: Arc<str> = surface.core().facts().cluster.as_str().into();
    accept(&listener, &surface.0.gate.strangers, |stream, from, place| {
        let (Means::Tls { acceptor, .. }, renewals) = trust.means() else { return };
        let (spoken, acceptor, cluster) = (spoken.clone(), spoken.acceptor(acceptor), Arc::clone(&cluster));
        let until = Instant::now() + surface.0.gate.limits.phases.stranger;
        let surface = surface.clone();
        surface.clone().0.strangers.spawn(async move {
            let shaken = tokio::select! {
                shaken = timeout_at(until, acceptor.accept(stream)) => shaken,
                () = place.displaced() => return,
            };
            let stream = match shaken {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => return surface.turns_away(from, &explain_io(&error)),
                Err(_) => return,
            };
            let chain = stream.get_ref().1.peer_certificates();
            let owned =
                |chain: &[CertificateDer<'_>]| chain.iter().map(|one| one.clone().into_owned()).collect();
            let shown = chain.map(|chain| (owned(chain), renewals, from));
            let guest = Guest::new(&surface, from.into(), &surface.0.gate.clients, shown);
            let (caller, is_server) = match chain {
                None => (Caller::Stranger, false),
                Some(chain) => match caller_of(chain, &cluster) {
                    Ok(name) => {
                        // If there is no room, its first call is told so.
                        let _ = guest.admit();
                        (Caller::Certificate(name), name_of(chain, &cluster).is_ok())
                    }
                    Err(why) => return surface.turns_away(from, &why),
                },
            };
            let visitor = Visitor { surface: surface.clone(), caller, guest, is_server };
            surface.0.clients.spawn(serve(spoken, stream, visitor, (place, until)));
        });
    })
    .await;
}

/// In plain text: who has connected is this caller, which has a place here until it has shown who it is, and there
/// afterwards.
pub(super) async fn plainly<L>(
    surface: Surface,
    spoken: Spoken,
    listener: L,
    caller: Caller,
    [here, there]: [&Purse; 2],
) where
    L: Listener<Stream: AsyncRead + AsyncWrite + Unpin + 'static>,
{
    accept(&listener, here, |stream, from, place| {
        let until = Instant::now() + surface.0.gate.limits.phases.stranger;
        let guest = Guest::new(&surface, from.into(), there, None);
        let visitor = Visitor { surface: surface.clone(), caller: caller.clone(), guest, is_server: false };
        surface.0.clients.spawn(serve(spoken.clone(), stream, visitor, (place, until)));
    })
    .await;
}

impl Surface {
    fn turns_away(&self, from: SocketAddr, why: &Stranger) {
        self.core().metrics().refused(why.code);
        if self.0.gate.sieve.passes(why.code) {
            tracing::warn!(event = "client_rejected", from = %from, reason = why.code, why = why.message);
        }
    }
}

/// Serves one connection until it is over. Until it has shown who it is, it has a place among the strangers, until this
/// moment.
async fn serve<S>(spoken: Spoken, stream: S, visitor: Visitor, (place, until): (Place, Instant))
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (surface, guest) = (visitor.surface.clone(), Arc::clone(&visitor.guest));
    let phases = surface.0.gate.limits.phases;
    let stream = Paced::new(stream, phases.write);
    let router = match spoken {
        Spoken::Http(router) => TowerToHyperService::new(router),
        Spoken::Front(front) => {
            let served = front.serve(Box::new(stream), visitor);
            return as_known(served, &surface, &guest, (place, until)).await;
        }
    };
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(visitor.caller.clone());
        request.extensions_mut().insert(Arc::clone(&visitor.guest));
        router.call(request.map(Body::new))
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(phases.idle);
    let served = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    as_known(served, &surface, &guest, (place, until)).await;
}

/// Serves for as long as it takes, but nobody who has not shown who it is for longer than until this moment.
async fn as_known(served: impl Future, surface: &Surface, guest: &Guest, (place, until): (Place, Instant)) {
    let mut served = std::pin::pin!(served);
    // A client that goes away in the middle is no error of ours.
    tokio::select! {
        biased;
        () = guest.known.notified() => {}
        _ = &mut served => return,
        () = place.displaced() => return,
        () = sleep_until(until) => return,
    }
    drop(place);
    tokio::select! {
        biased;
        _ = served => {}
        why = guest.is_disowned() => guest.is_turned_away(surface, &why),
    }
}
