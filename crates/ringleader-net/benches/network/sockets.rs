//! Round trips without any of our own code: a bare socket, and TLS with certificates on both sides.

use crate::cluster::{Folder, NAMES};
use crate::figures::Figures;
use ringleader_net::tls;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// As large as the frame of a token with everything around it.
const BYTES: usize = 64;

/// Round trips of a bare socket.
pub(crate) fn raw(trips: usize) -> Figures {
    between_threads(async |stream| echo(stream).await, async move |stream| time_trips(stream, trips).await)
}

/// Round trips of TLS 1.3, as members set it up.
pub(crate) fn tls(trips: usize) -> Figures {
    let folder = Folder::new(2, |_| String::new());
    let identities = [0, 1].map(|place| folder.identity(place));
    let acceptor = tokio_rustls::TlsAcceptor::from(tls::server(&identities[0]).expect("a certificate"));
    let connector = tokio_rustls::TlsConnector::from(tls::client(&identities[1]).expect("a certificate"));
    let name = tls::server_name(NAMES[0], &identities[0].cluster).expect("a name");
    between_threads(
        async move |stream| echo(acceptor.accept(stream).await.expect("a handshake")).await,
        async move |stream| {
            time_trips(connector.connect(name, stream).await.expect("a handshake"), trips).await
        },
    )
}

/// One end on a thread of its own, the other one here, each with a runtime like that of a member.
fn between_threads<A: Future<Output = ()>, B: Future<Output = Figures>>(
    listens: impl FnOnce(TcpStream) -> A + Send + 'static,
    dials: impl FnOnce(TcpStream) -> B,
) -> Figures {
    let (tell, told) = std::sync::mpsc::channel::<SocketAddr>();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let listening = std::thread::spawn(move || {
        runtime().block_on(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            tell.send(listener.local_addr().expect("an address")).expect("the other end waits");
            let stream = listener.accept().await.expect("a connection").0;
            stream.set_nodelay(true).expect("no delay");
            listens(stream).await;
        });
    });
    let figures = runtime().block_on(async move {
        let stream = TcpStream::connect(told.recv().expect("an address")).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        dials(stream).await
    });
    listening.join().expect("the other end ends with the connection");
    figures
}

async fn echo(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut bytes = [0; BYTES];
    while stream.read_exact(&mut bytes).await.is_ok() {
        stream.write_all(&bytes).await.expect("it is sent");
        stream.flush().await.expect("it is sent");
    }
}

async fn time_trips(mut stream: impl AsyncRead + AsyncWrite + Unpin, trips: usize) -> Figures {
    let mut bytes = [7; BYTES];
    let mut times = Vec::with_capacity(trips);
    for _ in 0..trips {
        let begin = Instant::now();
        stream.write_all(&bytes).await.expect("it is sent");
        stream.flush().await.expect("it is sent");
        stream.read_exact(&mut bytes).await.expect("it comes back");
        times.push(begin.elapsed());
    }
    times.into_iter().collect()
}
