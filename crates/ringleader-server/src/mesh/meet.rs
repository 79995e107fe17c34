//! Meeting a peer: dialling, listening, settling who is there, and moving bytes until it is over.

use super::frame::{self, Kind};
use super::{Mesh, Tally};
use crate::queue::Queue;
use bytes::BytesMut;
use ringleader_locks::ServerId;
use ringleader_net::limits::{Purse, Sieve, accept};
use ringleader_net::tls::{explain_io, name_of, server_name};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// How the other end of a connection is known.
#[derive(Clone)]
pub enum Trust {
    /// By its certificate.
    Tls {
        /// For connections that come in.
        acceptor: TlsAcceptor,
        /// For those that are dialled.
        connector: TlsConnector,
    },
    /// It says so itself: on one machine, and only because the user asked for it.
    Plain,
}

/// Greetings of another layout are another protocol.
const MAGIC: &[u8; 4] = b"RLS1";

/// A connection that lasted for so long was one: the next pause is short again.
const LASTED: Duration = Duration::from_secs(1);

/// How much is read at once.
const READ: usize = 64 * 1024;

/// Why somebody is turned away, or not reached: a word for searching and a sentence.
struct Turned(&'static str, String);

impl From<io::Error> for Turned {
    fn from(error: io::Error) -> Turned {
        let stranger = explain_io(&error);
        Turned(stranger.code, stranger.words)
    }
}

impl From<ringleader_net::tls::Stranger> for Turned {
    fn from(stranger: ringleader_net::tls::Stranger) -> Turned {
        Turned(stranger.code, stranger.words)
    }
}

/// Takes connections for ever.
pub(super) async fn listen(listener: TcpListener, mesh: Mesh, strangers: Queue) {
    let open = Purse::new(mesh.0.around.bounds.handshakes);
    let sieve = Arc::new(Sieve::default());
    let tells = Arc::clone(&sieve);
    tokio::spawn(async move { tells.tells("stranger").await });
    loop {
        let (stream, from, entry) = accept(&listener, &open).await;
        let (mesh, sieve) = (mesh.clone(), Arc::clone(&sieve));
        strangers.spawn(async move {
            let met = tokio::select! {
                met = timeout(mesh.0.around.bounds.handshake, meets(stream, &mesh)) => met.unwrap_or_else(|_| {
                    Err(Turned("handshake_timeout", "it did not say who it is in time".to_owned()))
                }),
                () = entry.displaced() => {
                    let why = "too many have not said who they are yet, and this one is the oldest";
                    Err(Turned("handshakes", why.to_owned()))
                }
            };
            drop(entry);
            let met = met.and_then(|(place, stream, rest)| match place {
                place if place == mesh.0.around.own => {
                    Err(Turned("own_name", "it says that it is this server".to_owned()))
                }
                place if place < mesh.0.around.own => Err(Turned(
                    "direction",
                    "it is before this server in the list, and is dialled".to_owned(),
                )),
                _later => Ok((place, stream, rest)),
            });
            match met {
                // From here on it is a server's, and goes before clients and strangers.
                Ok((place, Either::Tls(stream), rest)) => {
                    tokio::spawn(async move { serve(*stream, rest, place, &mesh).await });
                }
                Ok((place, Either::Plain(stream), rest)) => {
                    tokio::spawn(async move { serve(stream, rest, place, &mesh).await });
                }
                Err(Turned(reason, why)) => {
                    Tally::count(&mesh.0.tally.refused);
                    if sieve.passes(reason) {
                        tracing::warn!(event = "stranger", from = %from, reason, why);
                    }
                }
            }
        });
    }
}

/// Settles who is at the other end of a connection that came in.
async fn meets(stream: TcpStream, mesh: &Mesh) -> Result<(ServerId, Either, BytesMut), Turned> {
    match &mesh.0.around.trust {
        Trust::Tls { acceptor, .. } => {
            let stream = acceptor.accept(stream).await?;
            let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
            let name = name_of(chain, &mesh.0.around.cluster)?;
            let (place, stream, rest) = greet(stream, mesh, Some(name)).await?;
            Ok((place, Either::Tls(Box::new(stream)), rest))
        }
        Trust::Plain => {
            let (place, stream, rest) = greet(stream, mesh, None).await?;
            Ok((place, Either::Plain(stream), rest))
        }
    }
}

enum Either {
    Tls(Box<tokio_rustls::server::TlsStream<TcpStream>>),
    Plain(TcpStream),
}

/// Keeps a connection to this server, for ever.
pub(super) async fn dial(to: ServerId, mesh: Mesh) {
    let bounds = mesh.0.around.bounds;
    let (mut pause, mut said) = (bounds.pause, "");
    loop {
        let begun = Instant::now();
        match reach(to, &mesh).await {
            Ok(()) => said = "",
            Err(Turned(reason, why)) => {
                // The same reason is not said again and again.
                if reason != said {
                    tracing::warn!(event = "unreachable", peer = mesh.name(to), reason, why);
                    said = reason;
                }
            }
        }
        if begun.elapsed() >= LASTED {
            pause = bounds.pause;
        }
        // Not all at once: between half and the whole of the pause.
        let part = u32::try_from(getrandom::u64().unwrap_or(0) % 50).unwrap_or(0) + 50;
        sleep(pause * part / 100).await;
        pause = (pause * 2).min(bounds.pause_max);
    }
}

async fn reach(to: ServerId, mesh: &Mesh) -> Result<(), Turned> {
    let around = &mesh.0.around;
    let slow = |_| Turned("unreachable", "no answer in time".to_owned());
    let address = around.addresses.get(usize::from(to)).map(String::as_str).unwrap_or_default();
    let stream = timeout(around.bounds.silence, TcpStream::connect(address)).await.map_err(slow)?;
    let stream = stream.map_err(|error| Turned("unreachable", error.to_string()))?;
    let _ = stream.set_nodelay(true);
    let wanted = mesh.name(to);
    match &around.trust {
        Trust::Tls { connector, .. } => {
            let name = server_name(wanted, &around.cluster)
                .ok_or_else(|| Turned("certificate_name", format!("`{wanted}` is no name")))?;
            let settled = timeout(around.bounds.handshake, async {
                let stream = connector.connect(name, stream).await?;
                let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
                let found = name_of(chain, &around.cluster)?;
                greet(stream, mesh, Some(found)).await
            });
            let (place, stream, rest) = settled.await.map_err(slow)??;
            expected(place, to, mesh)?;
            serve(stream, rest, to, mesh).await;
        }
        Trust::Plain => {
            let settled = timeout(around.bounds.handshake, greet(stream, mesh, None));
            let (place, stream, rest) = settled.await.map_err(slow)??;
            expected(place, to, mesh)?;
            serve(stream, rest, to, mesh).await;
        }
    }
    Ok(())
}

fn expected(found: ServerId, wanted: ServerId, mesh: &Mesh) -> Result<(), Turned> {
    if found == wanted {
        return Ok(());
    }
    let why = format!("`{}` is there, not `{}`", mesh.name(found), mesh.name(wanted));
    Err(Turned("certificate_name", why))
}

/// Says who is here, and hears who is there. Both must have the same list of servers as far as both have one: a
/// server's place is its number, and another order would be other servers.
async fn greet<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    mesh: &Mesh,
    certified: Option<String>,
) -> Result<(ServerId, S, BytesMut), Turned> {
    let around = &mesh.0.around;
    let mut hello = Vec::new();
    frame::write(&mut hello, Kind::Hello, |out| {
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&around.own.to_le_bytes());
        out.extend_from_slice(around.cluster.as_bytes());
        for name in &around.names {
            out.push(b',');
            out.extend_from_slice(name.as_bytes());
        }
    });
    stream.write_all(&hello).await?;
    stream.flush().await?;
    let mut buffer = BytesMut::new();
    let unfit = |why: String| Turned("malformed", why);
    let (kind, bytes) = loop {
        if let Some(frame) = frame::take(&mut buffer).map_err(unfit)? {
            break frame;
        }
        if stream.read_buf(&mut buffer).await? == 0 {
            return Err(Turned("closed", "it closed before its greeting".to_owned()));
        }
    };
    let greeting = bytes.strip_prefix(MAGIC).filter(|_| kind == Kind::Hello);
    let (place, text) = greeting
        .and_then(|rest| rest.split_first_chunk::<2>())
        .and_then(|(place, text)| Some((ServerId::from_le_bytes(*place), core::str::from_utf8(text).ok()?)))
        .ok_or_else(|| unfit("its first frame is no greeting of this protocol".to_owned()))?;
    let mut words = text.split(',');
    if words.next() != Some(&around.cluster) {
        return Err(Turned("cluster", "it is of another cluster".to_owned()));
    }
    let names: Vec<&str> = words.collect();
    if names.iter().zip(&around.names).any(|(theirs, ours)| theirs != ours) {
        let why = format!("its list of servers is {}, not {}", names.join(","), around.names.join(","));
        return Err(Turned("other_servers", why));
    }
    let known = around.names.get(usize::from(place));
    let Some(name) = known else {
        let why = format!("it is server number {place}, which this server's file does not have");
        return Err(Turned("unknown_member", why));
    };
    if certified.is_some_and(|certified| certified != *name) {
        return Err(Turned(
            "certificate_name",
            format!("it says that it is `{name}`; its certificate does not"),
        ));
    }
    Ok((place, stream, buffer))
}

/// Moves bytes between a connection and its link until it is over.
async fn serve<S: AsyncRead + AsyncWrite>(stream: S, rest: BytesMut, peer: ServerId, mesh: &Mesh) {
    let Some(link) = mesh.0.links.get(usize::from(peer)) else { return };
    let (mut reader, mut writer) = tokio::io::split(stream);
    let connection = link.connects();
    Tally::count(&mesh.0.tally.connected);
    tracing::info!(event = "connected", peer = mesh.name(peer));
    let heard = AtomicU64::new(0);
    let reads = async {
        let mut buffer = rest;
        loop {
            while let Some((kind, bytes)) = frame::take(&mut buffer)? {
                mesh.arrived(peer, kind, bytes)?;
            }
            buffer.reserve(READ);
            match reader.read_buf(&mut buffer).await {
                Ok(0) => return Err("it closed".to_owned()),
                Ok(_) => Tally::count(&heard),
                Err(error) => return Err(explain_io(&error).words),
            }
        }
    };
    let writes = async {
        let mut buffer = Vec::with_capacity(READ);
        while link.next(connection, &mut buffer).await.is_some() {
            writer.write_all(&buffer).await.map_err(|error| error.to_string())?;
            writer.flush().await.map_err(|error| error.to_string())?;
            if buffer.capacity() > 4 * READ {
                buffer = Vec::with_capacity(READ);
            }
        }
        Err("a newer connection took over".to_owned())
    };
    let silence = async {
        loop {
            let before = heard.load(Ordering::Relaxed);
            sleep(mesh.0.around.bounds.silence).await;
            if heard.load(Ordering::Relaxed) == before {
                return Err::<(), String>("it was silent for too long".to_owned());
            }
        }
    };
    let ended: Result<(), String> = tokio::select! {
        biased;
        ended = reads => ended,
        ended = writes => ended,
        ended = silence => ended,
    };
    link.breaks(connection);
    if let Err(why) = ended {
        tracing::warn!(event = "disconnected", peer = mesh.name(peer), why);
    }
}
