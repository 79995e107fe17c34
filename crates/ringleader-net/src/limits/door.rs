//! Taking connections, and answering those that are not worth keeping.

use super::{Host, Paced, Phases, Place, Purse};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// After a connection could not be accepted: usually the machine is short of something, which will be free again.
const BREATH: Duration = Duration::from_millis(50);

/// What connections come from: a port, or a Unix socket.
pub trait Listener: Sync {
    /// A connection.
    type Stream: Send;
    /// Where it comes from.
    type From: Copy + Into<Host> + Send;

    /// The next one.
    fn next(&self) -> impl Future<Output = io::Result<(Self::Stream, Self::From)>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;
    type From = SocketAddr;

    async fn next(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, from) = self.accept().await?;
        // Without it small answers wait for acknowledgements.
        let _ = stream.set_nodelay(true);
        Ok((stream, from))
    }
}

#[cfg(unix)]
impl Listener for tokio::net::UnixListener {
    type Stream = tokio::net::UnixStream;
    type From = Host;

    async fn next(&self) -> io::Result<(Self::Stream, Host)> {
        Ok((self.accept().await?.0, Host::Local))
    }
}

/// Takes connections for ever. Each has a place in this purse, and is served as this says, which does not wait for it.
pub async fn accept<L: Listener>(
    listener: &L,
    purse: &Purse,
    serve: impl Fn(L::Stream, L::From, Place) + Send,
) {
    loop {
        purse.settled().await;
        match listener.next().await {
            Ok((stream, from)) => serve(stream, from, purse.enter(from.into())),
            Err(_) => sleep(BREATH).await,
        }
    }
}

/// Answers one call of a visitor and closes the connection: within the time of strangers, and only as long as it is not
/// displaced.
pub async fn visit<S>(stream: S, router: Router, place: Place, phases: Phases)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(phases.stranger).keep_alive(false);
    let stream = TokioIo::new(Paced::new(stream, phases.write));
    let served = builder.serve_connection(stream, TowerToHyperService::new(router));
    tokio::select! {
        // A visitor that goes away in the middle is no error of ours.
        _ = timeout(phases.stranger, served) => {}
        () = place.displaced() => {}
    }
}
