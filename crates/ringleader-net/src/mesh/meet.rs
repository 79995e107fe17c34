//! Meeting a peer: dialling, listening, and settling who is there.

use super::connection::serve;
use super::{Means, Protocol, Renewals, Shown, take_frame, write_frame};
use crate::limits::Place as Entry;
use crate::tls::{Stranger, explain_io, name_of, server_name};
use bytes::{Bytes, BytesMut};
use ringleader_client::http::Stream;
use ringleader_live::Place;
use rustls::pki_types::ServerName;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsStream;

/// A connection that lasted for so long was one: the next pause is short again.
const LASTED: Duration = Duration::from_secs(1);

/// A connection of which it is settled who is there, and what was read of it already.
struct Met {
    place: Place,
    stream: Box<dyn Stream>,
    first: Option<Bytes>,
    rest: BytesMut,
    /// The certificates that it has shown, and the name by which it was dialled.
    shown: Shown,
    dialled: Option<ServerName<'static>>,
    /// What may end the belief in them.
    renewals: Renewals,
}

/// Somebody has connected: a peer is served, anybody else is turned away.
pub(super) async fn comes_in<P: Protocol>(
    protocol: Arc<P>,
    stream: TcpStream,
    from: SocketAddr,
    entry: Entry,
) {
    let bounds = protocol.around().bounds;
    let met = tokio::select! {
        met = timeout(bounds.handshake, settle(&*protocol, stream, None)) => met.unwrap_or_else(|_| {
            Err(too_slow(bounds.handshake))
        }),
        () = entry.displaced() => {
            let most = bounds.handshakes;
            let why = format!("{most} others have not said who they are yet, and this one is the oldest");
            Err(Stranger::new("handshakes", why))
        }
    };
    drop(entry);
    match met {
        // From here on it is a peer's, and goes before strangers.
        Ok(met) => drop(tokio::spawn(async move { met.serve(&*protocol, from).await })),
        Err(why) => protocol.stranger(from, why),
    }
}

/// Keeps a connection to this peer, for ever.
pub async fn dial<P: Protocol>(to: Place, protocol: Arc<P>) {
    let bounds = protocol.around().bounds;
    let mut pause = bounds.pause;
    loop {
        let begun = Instant::now();
        if let Err(why) = reach(&*protocol, to).await {
            protocol.unreachable(to, why);
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

/// Reaches a peer, and serves the connection until it is over.
async fn reach<P: Protocol>(protocol: &P, to: Place) -> Result<(), Stranger> {
    let (around, bounds) = (protocol.around(), protocol.around().bounds);
    let lost = |why: String| Stranger::new("unreachable", why);
    let address = around.addresses.get(usize::from(to)).map(String::as_str).unwrap_or_default();
    // A packet that is lost on the way is sent again after a second: less patience would never get through.
    let stream = timeout(bounds.silence, TcpStream::connect(address)).await;
    let stream = stream.map_err(|_| lost(format!("no answer within {} s", bounds.silence.as_secs_f32())))?;
    let stream = stream.map_err(|error| lost(error.to_string()))?;
    let at = stream.peer_addr().map_err(|error| lost(error.to_string()))?;
    let _ = stream.set_nodelay(true);
    let settled = timeout(bounds.handshake, settle(protocol, stream, Some(to))).await;
    settled.map_err(|_| too_slow(bounds.handshake))??.serve(protocol, at).await;
    Ok(())
}

fn broken(error: io::Error) -> Stranger {
    explain_io(&error)
}

fn too_slow(limit: Duration) -> Stranger {
    let why = format!("it did not say who it is within {} s", limit.as_secs_f32());
    Stranger::new("handshake_timeout", why)
}

/// Settles who is at the other end of a connection that came in, or was dialled to reach this place.
async fn settle<P: Protocol>(protocol: &P, stream: TcpStream, to: Option<Place>) -> Result<Met, Stranger> {
    let around = protocol.around();
    let (mut shown, mut dialled) = (Shown::new(), None);
    let (means, renewals) = around.trust.means();
    let (mut stream, certified): (Box<dyn Stream>, _) = match means {
        Means::Plain => (Box::new(stream), None),
        Means::Tls { acceptor, connector, .. } => {
            let stream: TlsStream<TcpStream> = match to.map(|to| around.name(to)) {
                None => acceptor.accept(stream).await.map_err(broken)?.into(),
                Some(wanted) => {
                    let none = || format!("no certificate can have the name `{wanted}`");
                    let name = server_name(wanted, &around.cluster);
                    let name = name.ok_or_else(|| Stranger::new("certificate_name", none()))?;
                    dialled = Some(name.clone());
                    connector.connect(name, stream).await.map_err(broken)?.into()
                }
            };
            let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
            shown = chain.iter().map(|certificate| certificate.clone().into_owned()).collect();
            let name = name_of(chain, &around.cluster)?;
            (Box::new(stream), Some(name))
        }
    };
    let (mut first, mut rest) = (None, BytesMut::new());
    let greeting = protocol.greeting();
    if let Some(greeting) = &greeting {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, |out| out.extend_from_slice(greeting));
        stream.write_all(&bytes).await.map_err(broken)?;
        stream.flush().await.map_err(broken)?;
    }
    if greeting.is_some() || to.is_none() && certified.is_none() {
        first = Some(first_frame(protocol, &mut stream, &mut rest).await?);
    }
    let place = match to {
        // Nobody says who is there: in plain text it is whoever listens at that address.
        Some(to) if certified.is_none() && first.is_none() => to,
        Some(_) | None => protocol.who(certified.as_deref(), first.as_deref())?,
    };
    expected(protocol, place, to)?;
    if greeting.is_some() {
        first = None;
    }
    Ok(Met { place, stream, first, rest, shown, dialled, renewals })
}

async fn first_frame<P: Protocol>(
    protocol: &P,
    stream: &mut Box<dyn Stream>,
    rest: &mut BytesMut,
) -> Result<Bytes, Stranger> {
    loop {
        let found = take_frame(rest, protocol.around().bounds.frame, |first| protocol.begins(first));
        if let Some(frame) = found.map_err(|why| Stranger::new("malformed", why))? {
            return Ok(frame);
        }
        if stream.read_buf(rest).await.map_err(broken)? == 0 {
            return Err(Stranger::new("closed", "it closed before its greeting"));
        }
    }
}

/// Whether it is who was dialled, or somebody who is to dial us.
fn expected<P: Protocol>(protocol: &P, found: Place, to: Option<Place>) -> Result<(), Stranger> {
    let around = protocol.around();
    let (name, own) = (around.name(found), around.name(around.own));
    match to {
        Some(to) if found == to => Ok(()),
        Some(to) => {
            let why = format!("`{name}` is there, not `{}`", around.name(to));
            Err(Stranger::new("certificate_name", why))
        }
        None if found == around.own => {
            let why = format!("it says that it is `{name}`, which is this one");
            Err(Stranger::new("own_name", why))
        }
        None if found < around.own => {
            let why = format!("`{name}` is before `{own}` in the list, and waits to be dialled by it");
            Err(Stranger::new("direction", why))
        }
        None => Ok(()),
    }
}

impl Met {
    async fn serve<P: Protocol>(self, protocol: &P, at: SocketAddr) {
        let Met { place, stream, first, rest, shown, dialled, mut renewals } = self;
        if let Some((outgoing, ear)) = protocol.connected(place, at).await {
            let around = protocol.around();
            let begins = |first: u8| protocol.begins(first);
            let served = serve(stream, (first, rest), &outgoing, ear, &around.bounds, begins);
            let mut served = pin!(served);
            tokio::select! {
                biased;
                () = &mut served => {}
                why = renewals.ends(&shown, dialled.as_ref()) => {
                    protocol.stranger(at, why);
                    outgoing.cut();
                    served.await;
                }
            }
        }
    }
}
