//! Taking connections, and answering those that are not worth keeping.

use super::{Paced, Phases, Place, Purse};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// After a connection could not be accepted: usually the machine is short of something, which will be free again.
const BREATH: Duration = Duration::from_millis(50);

/// The next connection, with a place in this purse.
pub async fn accept(listener: &TcpListener, purse: &Purse) -> (TcpStream, SocketAddr, Place) {
    loop {
        purse.settled().await;
        match listener.accept().await {
            Ok((stream, from)) => {
                // Without it small answers wait for acknowledgements.
                let _ = stream.set_nodelay(true);
                return (stream, from, purse.enter(from.ip().into()));
            }
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
