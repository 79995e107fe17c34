//! The dialling side: again and again, with growing pauses, until the member is there and is who it should be.

use super::{Call, Calls, Connection, Pump, Shared, Tls, Trust, Turned};
use crate::tls::{explain_io, name_of, server_name};
use bytes::BytesMut;
use ringleader_live::Place;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// A connection that lasted for so long was one: the next pause is short again.
const LASTED: Duration = Duration::from_secs(1);

/// Keeps a connection to this member, for ever.
pub(crate) async fn dial(to: Place, shared: Shared, calls: Calls) {
    let bounds = shared.bounds;
    let mut pause = bounds.pause;
    let mut jitter = Jitter::new(to);
    loop {
        let begun = Instant::now();
        // A packet that is lost on the way is sent again after a second: less patience would never get through.
        let reached = timeout(bounds.silence, TcpStream::connect(&shared.addresses[usize::from(to)])).await;
        let failed = match reached {
            Ok(Ok(stream)) => meet(stream, to, &shared, &calls).await.err(),
            Ok(Err(error)) => Some(Turned::new("unreachable", error.to_string())),
            Err(_) => {
                let why = format!("no answer within {} s", bounds.silence.as_secs_f32());
                Some(Turned::new("unreachable", why))
            }
        };
        if let Some(Turned { reason, why }) = failed {
            if calls.send(Call::Unreachable { place: to, reason, why }).await.is_err() {
                return;
            }
        } else if begun.elapsed() >= LASTED {
            pause = bounds.pause;
        }
        sleep(jitter.around(pause)).await;
        pause = (pause * 2).min(bounds.pause_max);
    }
}

/// Settles who is there, and serves the connection until it is over.
async fn meet(stream: TcpStream, to: Place, shared: &Shared, calls: &Calls) -> Result<(), Turned> {
    let _ = stream.set_nodelay(true);
    let broken = |error: std::io::Error| Turned::new("unreachable", error.to_string());
    let at = stream.peer_addr().map_err(broken)?;
    let (connection, pump) = Connection::new(&shared.bounds);
    match &shared.trust {
        Trust::Plain => {
            if calls.send(Call::Connected(to, connection, at)).await.is_ok() {
                pump.run(stream, BytesMut::new(), &shared.served).await;
            }
        }
        Trust::Tls(tls) => by_certificate(stream, tls, (to, at), shared, calls, (connection, pump)).await?,
    }
    Ok(())
}

async fn by_certificate(
    stream: TcpStream,
    tls: &Tls,
    (to, at): (Place, SocketAddr),
    shared: &Shared,
    calls: &Calls,
    (connection, pump): (Connection, Pump),
) -> Result<(), Turned> {
    let wanted = shared.name(to);
    let name = server_name(wanted, &tls.cluster).ok_or_else(|| {
        Turned::new("certificate_name", format!("no certificate can have the name `{wanted}`"))
    })?;
    let handshake = timeout(shared.bounds.handshake, tls.connector.connect(name, stream)).await;
    let stream = match handshake {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(explain_io(&error).into()),
        Err(_) => return Err(Turned::new("handshake_timeout", "it did not say who it is in time")),
    };
    let found = name_of(stream.get_ref().1.peer_certificates().unwrap_or_default(), &tls.cluster)?;
    if found != wanted {
        let why = format!("{at} shows the certificate of `{found}`, not of `{wanted}`");
        return Err(Turned::new("certificate_name", why));
    }
    if calls.send(Call::Connected(to, connection, at)).await.is_ok() {
        pump.run(stream, BytesMut::new(), &shared.served).await;
    }
    Ok(())
}

/// Pauses that differ between members, so that they do not all dial at once. Nothing depends on its quality.
struct Jitter(u64);

impl Jitter {
    fn new(to: Place) -> Jitter {
        Jitter(crate::clock::wall() ^ u64::from(std::process::id()) << 16 ^ u64::from(to))
    }

    /// Between three quarters and five quarters of it.
    fn around(&mut self, pause: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let quarters = 75 + (self.0 >> 33) % 51;
        pause * u32::try_from(quarters).unwrap_or(100) / 100
    }
}
