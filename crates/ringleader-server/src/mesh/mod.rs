//! What servers say to each other on the mesh of [`ringleader_net::mesh`]. Both sides of a connection greet each other
//! first: they must know the same servers.
//!
//! A frame is a kind and bytes. Lock messages may be lost, so a full queue drops them; requests of the view store are
//! answered or fail. Nothing waits without a bound.

mod link;
#[cfg(test)]
mod tests;

pub use ringleader_net::mesh::{Bounds, Means, Surroundings, Trust};

use crate::queue::Queue;
use crate::store::{Later, StoreError, Wire};
use bytes::{Buf, Bytes, BytesMut};
use link::Link;
use ringleader_locks::{Message, ServerId};
use ringleader_net::limits::Sieve;
use ringleader_net::mesh::{self, Ended, Outgoing, Protocol, take_frame};
use ringleader_net::tls::Stranger;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;

/// The most bytes of a frame: a snapshot of the view store is the largest.
const MAX_FRAME: usize = 4 << 20;

/// So many bytes may wait for a socket; lock messages beyond are dropped. Requests and answers of the view store may
/// wait up to the bound of the mesh.
const MESSAGES: usize = 2 << 20;

/// So many requests of one peer are answered at once.
const REQUESTS: usize = 256;

/// Greetings of another layout are another protocol.
const MAGIC: &[u8; 4] = b"RLS1";

/// What other servers may cost. There is no bound on how often they send: all that they send is heard at once.
#[must_use]
pub fn bounds() -> Bounds {
    Bounds {
        frame: MAX_FRAME,
        burst: u64::MAX,
        handshakes: 64,
        pause: Duration::from_millis(20),
        pause_max: Duration::from_secs(1),
        ..Bounds::default()
    }
}

/// What a frame carries: its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Who is there.
    Hello,
    /// A lock message.
    Lock,
    /// A request of the view store, with its number before it.
    Request,
    /// The answer, with the same number.
    Response,
}

impl Kind {
    fn of(byte: u8) -> Result<Kind, String> {
        let all = [Kind::Hello, Kind::Lock, Kind::Request, Kind::Response];
        let kind = all.into_iter().find(|kind| *kind as u8 == byte);
        kind.ok_or_else(|| format!("a frame of the unknown kind {byte}"))
    }

    /// The kind of a frame, which has at least one byte, and what it carries.
    fn taken(mut frame: Bytes) -> Result<(Kind, Bytes), String> {
        Ok((Kind::of(frame.get_u8())?, frame))
    }
}

/// The number before a request or an answer.
fn numbered(bytes: &Bytes) -> Result<(u64, Bytes), String> {
    let (number, _) = bytes.split_first_chunk::<8>().ok_or("a request without a number")?;
    Ok((u64::from_le_bytes(*number), bytes.slice(8..)))
}

/// What is done with what comes in.
pub trait Inbound: Send + Sync + 'static {
    /// A lock message.
    fn message(&self, from: ServerId, message: Message);
    /// A request of the view store of another server; none if it cannot be answered.
    fn request(&self, from: ServerId, request: Bytes) -> Later<'static, Option<Bytes>>;
    /// The view store sends something: what is nearly due may go with it.
    fn company(&self);
}

/// What was counted since the start.
#[derive(Default, Debug)]
pub struct Tally {
    /// Lock messages sent.
    pub sent: AtomicU64,
    /// Lock messages that found no connection or no room.
    pub dropped: AtomicU64,
    /// Connections that were refused.
    pub refused: AtomicU64,
}

impl Tally {
    fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// The connections of a server to all others. Its clones are the same.
#[derive(Clone)]
pub struct Mesh(Arc<Inner>);

struct Inner {
    around: Surroundings,
    links: Vec<Link>,
    inbound: OnceLock<Arc<dyn Inbound>>,
    strangers: OnceLock<Queue>,
    sieve: Sieve,
    tally: Tally,
}

impl Mesh {
    /// Nothing is connected yet.
    #[must_use]
    pub fn new(around: Surroundings) -> Mesh {
        let links = around.names.iter().map(|_| Link::default()).collect();
        Mesh(Arc::new(Inner {
            around,
            links,
            inbound: OnceLock::new(),
            strangers: OnceLock::new(),
            sieve: Sieve::default(),
            tally: Tally::default(),
        }))
    }

    /// Takes connections, for ever. They wait among these strangers; those of peers become tasks of the runtime.
    pub async fn listens(self, listener: TcpListener, strangers: Queue) {
        let _ = self.0.strangers.set(strangers);
        tokio::join!(mesh::listen(listener, Arc::new(self.clone())), self.0.sieve.tells("peer_rejected"));
    }

    /// Makes connections, for ever, in this runtime.
    pub fn start(&self, inbound: Arc<dyn Inbound>) {
        let _ = self.0.inbound.set(inbound);
        for to in 0..self.0.around.own {
            tokio::spawn(mesh::dial(to, Arc::new(self.clone())));
        }
    }

    /// Sends a lock message, or drops it.
    pub fn send(&self, to: ServerId, message: &Message) {
        let Some(link) = self.0.links.get(usize::from(to)) else { return };
        let put = link.put(MESSAGES, |bytes| {
            bytes.push(Kind::Lock as u8);
            message.encode(bytes);
        });
        Tally::count(if put { &self.0.tally.sent } else { &self.0.tally.dropped });
    }

    /// Which servers are connected.
    #[must_use]
    pub fn connected(&self) -> Vec<ServerId> {
        let places = self.0.links.iter().enumerate().filter(|(_, link)| link.is_connected());
        places.filter_map(|(place, _)| ServerId::try_from(place).ok()).collect()
    }

    /// What was counted.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.0.tally
    }

    fn company(&self) {
        if let Some(inbound) = self.0.inbound.get() {
            inbound.company();
        }
    }

    fn name(&self, place: ServerId) -> &str {
        self.0.around.name(place)
    }

    /// Queues a request of the view store, or an answer to one; whether there was room.
    fn put(&self, link: &Link, kind: Kind, id: u64, content: &[u8]) -> bool {
        link.put(self.0.around.bounds.outbound_bytes, |bytes| {
            bytes.push(kind as u8);
            bytes.extend_from_slice(&id.to_le_bytes());
            bytes.extend_from_slice(content);
        })
    }

    /// What comes from a peer.
    fn arrived(&self, from: ServerId, kind: Kind, bytes: Bytes) -> Result<(), String> {
        let Some(inbound) = self.0.inbound.get() else { return Ok(()) };
        let Some(link) = self.0.links.get(usize::from(from)) else { return Ok(()) };
        match kind {
            Kind::Lock => {
                let message =
                    Message::decode(&bytes).map_err(|why| format!("a lock message that is none: {why:?}"))?;
                inbound.message(from, message);
            }
            Kind::Request => {
                let (id, request) = numbered(&bytes)?;
                let Some(busy) = link.begins(REQUESTS) else { return Ok(()) };
                let answer = inbound.request(from, request);
                let mesh = self.clone();
                tokio::spawn(async move {
                    if let (Some(answer), Some(link)) = (answer.await, mesh.0.links.get(usize::from(from))) {
                        mesh.put(link, Kind::Response, id, &answer);
                        mesh.company();
                    }
                    drop(busy);
                });
            }
            Kind::Response => {
                let (id, answer) = numbered(&bytes)?;
                link.answered(id, answer);
            }
            Kind::Hello => return Err("a second greeting".to_owned()),
        }
        Ok(())
    }
}

/// Hears one connection to a peer.
pub struct Ear {
    mesh: Mesh,
    peer: ServerId,
    outgoing: Arc<Outgoing>,
}

impl mesh::Ear for Ear {
    async fn hears(&self, frame: Bytes) -> Result<(), String> {
        let (kind, bytes) = Kind::taken(frame)?;
        self.mesh.arrived(self.peer, kind, bytes)
    }

    async fn ended(&self, ended: Ended) {
        if let Some(link) = self.mesh.0.links.get(usize::from(self.peer)) {
            link.breaks(&self.outgoing);
        }
        tracing::warn!(event = "peer_disconnected", peer = self.mesh.name(self.peer), why = %ended);
    }
}

/// Both must have the same list of servers as far as both have one: a server's place is its number, and another order
/// would be other servers.
impl Protocol for Mesh {
    type Ear = Ear;

    fn around(&self) -> &Surroundings {
        &self.0.around
    }

    fn greeting(&self) -> Option<Vec<u8>> {
        let around = &self.0.around;
        let text = format!("{},{}", around.cluster, around.names.join(","));
        Some([&[Kind::Hello as u8], &MAGIC[..], &around.own.to_le_bytes(), text.as_bytes()].concat())
    }

    fn who(&self, certified: Option<&str>, first: Option<&[u8]>) -> Result<ServerId, Stranger> {
        let around = &self.0.around;
        let greeting = first.and_then(|first| first.strip_prefix(&[Kind::Hello as u8]));
        let (place, text) = greeting
            .and_then(|greeting| greeting.strip_prefix(MAGIC)?.split_first_chunk::<2>())
            .and_then(|(place, text)| {
                Some((ServerId::from_le_bytes(*place), core::str::from_utf8(text).ok()?))
            })
            .ok_or_else(|| Stranger::new("malformed", "its first frame is no greeting of this protocol"))?;
        let mut words = text.split(',');
        if words.next() != Some(&around.cluster) {
            return Err(Stranger::new("cluster", "it is of another cluster"));
        }
        let names: Vec<&str> = words.collect();
        if names.iter().zip(&around.names).any(|(theirs, ours)| theirs != ours) {
            let why = format!("its list of servers is {}, not {}", names.join(","), around.names.join(","));
            return Err(Stranger::new("other_servers", why));
        }
        let Some(name) = around.names.get(usize::from(place)) else {
            let why = format!("it is server number {place}, which this server's file does not have");
            return Err(Stranger::new("unknown_member", why));
        };
        if certified.is_some_and(|certified| certified != *name) {
            let why = format!("it says that it is `{name}`; its certificate does not");
            return Err(Stranger::new("certificate_name", why));
        }
        Ok(place)
    }

    fn begins(&self, first: u8) -> Result<(), String> {
        Kind::of(first).map(|_| ())
    }

    async fn connected(&self, peer: ServerId, _: SocketAddr) -> Option<(Arc<Outgoing>, Ear)> {
        let outgoing = self.0.links.get(usize::from(peer))?.connects();
        tracing::info!(event = "peer_connected", peer = self.name(peer));
        Some((Arc::clone(&outgoing), Ear { mesh: self.clone(), peer, outgoing }))
    }

    fn stranger(&self, from: SocketAddr, Stranger { code: reason, message: why }: Stranger) {
        Tally::count(&self.0.tally.refused);
        if self.0.sieve.passes(reason) {
            tracing::warn!(event = "peer_rejected", from = %from, reason, why);
        }
    }

    fn unreachable(&self, peer: ServerId, Stranger { code: reason, message: why }: Stranger) {
        // The same reason is not said again and again.
        if self.0.links.get(usize::from(peer)).is_some_and(|link| link.is_unreached(reason)) {
            tracing::warn!(event = "peer_unreachable", peer = self.name(peer), reason, why);
        }
    }

    fn settles(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(strangers) = self.0.strangers.get() {
            strangers.spawn(task);
        }
    }
}

impl Wire for Mesh {
    fn call(&self, to: ServerId, request: Bytes) -> Later<'_, Result<Bytes, StoreError>> {
        Box::pin(async move {
            let name = self.name(to);
            let Some(link) = self.0.links.get(usize::from(to)) else {
                return Err(StoreError::Unavailable(format!("there is no server at place {to}")));
            };
            let (id, answer, _call) = link.calls();
            if !self.put(link, Kind::Request, id, &request) {
                return Err(StoreError::Unavailable(format!("{name} is not connected, or does not read")));
            }
            self.company();
            answer.await.map_err(|_| StoreError::Unavailable(format!("the connection to {name} broke")))
        })
    }
}

/// Nobody who holds one of these locks can leave things half done.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What another server sends, read as far as it is read before anything is believed: for fuzzing.
#[doc(hidden)]
pub mod fuzz {
    use super::{BytesMut, Kind, MAX_FRAME, Message, numbered, take_frame};

    /// The bytes of a connection, which come in pieces of this length. Gives what was in them: lock messages, and
    /// requests (true) and answers of the view store.
    #[must_use]
    pub fn stream(bytes: &[u8], piece: usize) -> (Vec<Message>, Vec<(bool, Vec<u8>)>) {
        let (mut buffer, mut messages, mut calls) = (BytesMut::new(), Vec::new(), Vec::new());
        let begins = |first: u8| Kind::of(first).map(|_| ());
        for piece in bytes.chunks(piece.max(1)) {
            buffer.extend_from_slice(piece);
            loop {
                let (kind, bytes) = match take_frame(&mut buffer, MAX_FRAME, begins) {
                    Ok(Some(frame)) => match Kind::taken(frame) {
                        Ok(taken) => taken,
                        Err(_) => return (messages, calls),
                    },
                    Ok(None) => break,
                    Err(_) => return (messages, calls),
                };
                if kind == Kind::Lock {
                    messages.extend(Message::decode(&bytes));
                } else if kind == Kind::Request || kind == Kind::Response {
                    let numbered = numbered(&bytes).ok();
                    calls.extend(numbered.map(|(_, rest)| (kind == Kind::Request, rest.to_vec())));
                }
            }
        }
        (messages, calls)
    }
}
