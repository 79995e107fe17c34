//! Connections between members: one for each pair, the higher place dials the lower. Who is at the other end is settled
//! before a frame of it is read: by its certificate, or, in plain text on one machine, by its greeting.

mod connection;
mod dial;
#[doc(hidden)]
pub mod fuzz;
mod listen;

pub(crate) use connection::{Connection, Crowded, Ended, Inbound, Pump};
pub(crate) use dial::dial;
pub(crate) use listen::listen;

use crate::tls;
use ringleader_live::{MAX_MEMBERS, Place};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// What a peer, or a stranger, can cost at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Frames that wait for the node, for each connection.
    pub inbound: usize,
    /// Frames that wait for a socket, for each connection. All that a link may have to send again fits in.
    pub outbound: usize,
    /// Their bytes.
    pub outbound_bytes: usize,
    /// Frames that a peer may send in a second, for long.
    pub frames_per_second: u64,
    /// Frames that it may send at once.
    pub burst: u64,
    /// Connections of which it is not settled yet who is there.
    pub handshakes: usize,
    /// How long that may take.
    pub handshake: Duration,
    /// After so long without a frame a connection is given up; a new one may find another way.
    pub silence: Duration,
    /// The first pause before a peer is dialled again; doubled each time.
    pub pause: Duration,
    /// The longest.
    pub pause_max: Duration,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            inbound: 256,
            outbound: 16 * 1024,
            outbound_bytes: 8 << 20,
            frames_per_second: 200_000,
            burst: 400_000,
            handshakes: MAX_MEMBERS,
            handshake: Duration::from_secs(5),
            silence: Duration::from_secs(2),
            pause: Duration::from_millis(50),
            pause_max: Duration::from_secs(2),
        }
    }
}

/// How the other end of a connection is known.
#[derive(Clone)]
pub(crate) enum Trust {
    /// By its certificate.
    Tls(Tls),
    /// It says so itself: on one machine, and only because the user asked for it.
    Plain,
}

/// Both sides of TLS.
#[derive(Clone)]
pub(crate) struct Tls {
    /// For connections that come in.
    pub(crate) acceptor: tokio_rustls::TlsAcceptor,
    /// For those that are dialled.
    pub(crate) connector: tokio_rustls::TlsConnector,
    /// The cluster: it is in the names of certificates.
    pub(crate) cluster: String,
}

/// What the transport has to know of the cluster.
pub(crate) struct Surroundings {
    /// The place of this member.
    pub(crate) place: Place,
    /// The names of all members.
    pub(crate) names: Vec<String>,
    /// Where they are reached, `host:port`.
    pub(crate) addresses: Vec<String>,
    /// How they are known.
    pub(crate) trust: Trust,
    /// What they may cost.
    pub(crate) bounds: Bounds,
    /// How many connections are being served.
    pub(crate) served: AtomicUsize,
}

impl Surroundings {
    /// Who has this name.
    fn place_of(&self, name: &str) -> Option<Place> {
        let place = self.names.iter().position(|known| known == name)?;
        Place::try_from(place).ok()
    }

    fn name(&self, place: Place) -> &str {
        self.names.get(usize::from(place)).map_or("?", String::as_str)
    }
}

/// What the transport tells the node.
pub(crate) enum Call {
    /// There is a connection, and who is there.
    Connected(Place, Connection, SocketAddr),
    /// Somebody was turned away before it was heard.
    Stranger {
        /// Where it came from.
        from: SocketAddr,
        /// The reason in one word, for counting.
        reason: &'static str,
        /// And in a sentence.
        why: String,
    },
    /// A member cannot be reached.
    Unreachable {
        /// The member.
        place: Place,
        /// The reason in one word, for counting.
        reason: &'static str,
        /// And in a sentence.
        why: String,
    },
}

/// Why somebody is turned away, or not reached: a word for counting and a sentence.
pub(crate) struct Turned {
    pub(crate) reason: &'static str,
    pub(crate) why: String,
}

impl From<tls::Stranger> for Turned {
    fn from(stranger: tls::Stranger) -> Turned {
        Turned { reason: stranger.code, why: stranger.words }
    }
}

impl Turned {
    fn new(reason: &'static str, why: impl Into<String>) -> Turned {
        Turned { reason, why: why.into() }
    }
}

/// The calls of a transport.
pub(crate) type Calls = tokio::sync::mpsc::Sender<Call>;

/// Shared by everything that dials and listens.
pub(crate) type Shared = Arc<Surroundings>;
