//! The listening side: whoever comes in says who it is, within limits, or is turned away.

use super::connection::{codec, one_frame};
use super::{Call, Calls, Connection, Ended, Shared, Tls, Trust, Turned};
use crate::limits::{Purse, accept};
use crate::tls::{explain_io, name_of};
use bytes::BytesMut;
use ringleader_live::{Frame, Place};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Takes connections for ever.
pub(crate) async fn listen(listener: TcpListener, shared: Shared, calls: Calls) {
    let open = Purse::new(shared.bounds.handshakes);
    loop {
        let (stream, from, place) = accept(&listener, &open).await;
        let (shared, calls) = (Arc::clone(&shared), calls.clone());
        tokio::spawn(async move {
            let limit = shared.bounds.handshake;
            let settled = tokio::select! {
                settled = timeout(limit, settle(stream, &shared)) => settled.unwrap_or_else(|_| {
                    let why = format!("it did not say who it is within {} s", limit.as_secs_f32());
                    Err(Turned::new("handshake_timeout", why))
                }),
                () = place.displaced() => {
                    let most = shared.bounds.handshakes;
                    let why = format!("{most} others have not said who they are yet, and this one is the oldest");
                    Err(Turned::new("handshakes", why))
                }
            };
            drop(place);
            match settled {
                Err(turned) => {
                    let _ = calls.try_send(stranger(from, turned));
                }
                Ok(known) => known.serve(&shared, from, &calls).await,
            }
        });
    }
}

fn stranger(from: SocketAddr, Turned { reason, why }: Turned) -> Call {
    Call::Stranger { from, reason, why }
}

/// A connection of which it is settled who is there.
enum Known {
    Tls(Place, Box<tokio_rustls::server::TlsStream<TcpStream>>),
    Plain(Place, TcpStream, BytesMut, Frame, usize),
}

impl Known {
    async fn serve(self, shared: &Shared, from: SocketAddr, calls: &Calls) {
        let (connection, pump) = Connection::new(&shared.bounds);
        match self {
            Known::Tls(place, stream) => {
                if calls.send(Call::Connected(place, connection, from)).await.is_ok() {
                    pump.run(*stream, BytesMut::new(), &shared.served).await;
                }
            }
            Known::Plain(place, stream, buffer, frame, bytes) => {
                if calls.send(Call::Connected(place, connection, from)).await.is_ok() {
                    pump.begins_with(frame, bytes).run(stream, buffer, &shared.served).await;
                }
            }
        }
    }
}

async fn settle(stream: TcpStream, shared: &Shared) -> Result<Known, Turned> {
    match &shared.trust {
        Trust::Tls(tls) => by_certificate(stream, tls, shared).await,
        Trust::Plain => by_greeting(stream, shared).await,
    }
}

async fn by_certificate(stream: TcpStream, tls: &Tls, shared: &Shared) -> Result<Known, Turned> {
    let stream = tls.acceptor.accept(stream).await.map_err(|error| explain_io(&error))?;
    let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
    let name = name_of(chain, &tls.cluster)?;
    let place = caller(shared.place_of(&name), &name, shared)?;
    Ok(Known::Tls(place, Box::new(stream)))
}

async fn by_greeting(mut stream: TcpStream, shared: &Shared) -> Result<Known, Turned> {
    let mut buffer = BytesMut::new();
    let first = one_frame(&mut stream, &mut buffer, &mut codec()).await;
    let (frame, bytes) = match first {
        Ok(Some(first)) => first,
        Ok(None) => return Err(Turned::new("closed", "it closed before its greeting")),
        Err(Ended::Unfit(_, why)) => return Err(Turned::new("malformed", why)),
        Err(Ended::Failed(why)) => return Err(Turned::new("broken", why)),
        Err(Ended::Closed) => return Err(Turned::new("closed", "it closed before its greeting")),
    };
    let Frame::Hello(hello) = &frame else {
        return Err(Turned::new("order", "its first frame is not a greeting"));
    };
    let known = usize::from(hello.place) < shared.names.len();
    let place = caller(known.then_some(hello.place), &format!("place {}", hello.place), shared)?;
    Ok(Known::Plain(place, stream, buffer, frame, bytes))
}

/// Whether it is a member, and one that dials this one.
fn caller(place: Option<Place>, name: &str, shared: &Shared) -> Result<Place, Turned> {
    let Some(place) = place else {
        return Err(Turned::new("unknown_member", format!("`{name}` is no member of this cluster")));
    };
    if place == shared.place {
        return Err(Turned::new("own_name", format!("it says that it is `{name}`, which is this member")));
    }
    if place < shared.place {
        let own = shared.name(shared.place);
        let why = format!("`{name}` is before `{own}` in the list of members, and waits to be dialled by it");
        return Err(Turned::new("direction", why));
    }
    Ok(place)
}
