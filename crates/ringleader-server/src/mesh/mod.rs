//! The connections between servers: one for each pair, the higher place dials the lower. Who is at the other end is
//! settled before a frame of it is heard: by its certificate, or, in plain text on one machine, by its greeting.
//!
//! A frame is a length, a kind and bytes. Lock messages may be lost, so a full queue drops them; requests of the view
//! store are answered or fail. Nothing waits without a bound.

mod frame;
#[doc(hidden)]
pub mod fuzz;
mod link;
mod meet;

pub use frame::MAX_FRAME;
pub use meet::Trust;

use crate::queue::Queue;
use crate::store::{Later, Unreachable, Wire};
use bytes::Bytes;
use frame::Kind;
use link::Link;
use ringleader_locks::{Message, ServerId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;

/// What peers, and strangers, can cost at most, and how long they are waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Bytes that wait for a socket; lock messages beyond are dropped.
    pub messages: usize,
    /// The same with requests and answers of the view store.
    pub everything: usize,
    /// Connections of which it is not settled yet who is there.
    pub handshakes: usize,
    /// How long that may take.
    pub handshake: Duration,
    /// After so long without a byte a connection is given up.
    pub silence: Duration,
    /// The first pause before a peer is dialled again; doubled each time.
    pub pause: Duration,
    /// The longest.
    pub pause_max: Duration,
    /// Requests of one peer that are being answered.
    pub requests: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            messages: 2 << 20,
            everything: 8 << 20,
            handshakes: 64,
            handshake: Duration::from_secs(5),
            silence: Duration::from_secs(2),
            pause: Duration::from_millis(20),
            pause_max: Duration::from_secs(1),
            requests: 256,
        }
    }
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
    /// Lock messages received.
    pub received: AtomicU64,
    /// Connections that were made.
    pub connected: AtomicU64,
    /// Connections that were refused, or ended by something that may not be.
    pub refused: AtomicU64,
}

impl Tally {
    fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Who the servers are.
pub struct Surroundings {
    /// The name of the cluster.
    pub cluster: String,
    /// The place of this server.
    pub own: ServerId,
    /// The names of all servers, by place.
    pub names: Vec<String>,
    /// Where they are reached, `host:port`.
    pub addresses: Vec<String>,
    /// How they are known.
    pub trust: Trust,
    /// What they may cost.
    pub bounds: Bounds,
}

/// The connections of a server to all others. Its clones are the same.
#[derive(Clone)]
pub struct Mesh(Arc<Inner>);

struct Inner {
    around: Surroundings,
    links: Vec<Link>,
    inbound: OnceLock<Arc<dyn Inbound>>,
    tally: Tally,
}

impl Mesh {
    /// Nothing is connected yet.
    #[must_use]
    pub fn new(around: Surroundings) -> Mesh {
        let links = around.names.iter().map(|_| Link::default()).collect();
        Mesh(Arc::new(Inner { around, links, inbound: OnceLock::new(), tally: Tally::default() }))
    }

    /// Takes connections, for ever. They wait among these strangers; those of peers become tasks of the runtime.
    pub async fn listens(self, listener: TcpListener, strangers: Queue) {
        meet::listen(listener, self, strangers).await;
    }

    /// Makes connections, for ever, in this runtime.
    pub fn start(&self, inbound: Arc<dyn Inbound>) {
        let _ = self.0.inbound.set(inbound);
        for to in 0..self.0.around.own {
            tokio::spawn(meet::dial(to, self.clone()));
        }
    }

    /// Sends a lock message, or drops it.
    pub fn send(&self, to: ServerId, message: &Message) {
        let Some(link) = self.0.links.get(usize::from(to)) else { return };
        let most = self.0.around.bounds.messages;
        let put = link.put(Kind::Lock, most, |bytes| message.encode(bytes));
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
        self.0.around.names.get(usize::from(place)).map_or("?", String::as_str)
    }

    /// What comes from a peer.
    fn arrived(&self, from: ServerId, kind: Kind, bytes: Bytes) -> Result<(), String> {
        let Some(inbound) = self.0.inbound.get() else { return Ok(()) };
        let Some(link) = self.0.links.get(usize::from(from)) else { return Ok(()) };
        match kind {
            Kind::Lock => {
                let message =
                    Message::decode(&bytes).map_err(|why| format!("a lock message that is none: {why:?}"))?;
                Tally::count(&self.0.tally.received);
                inbound.message(from, message);
            }
            Kind::Request => {
                let (id, request) = frame::numbered(&bytes)?;
                let Some(busy) = link.begins(self.0.around.bounds.requests) else { return Ok(()) };
                let answer = inbound.request(from, request);
                let mesh = self.clone();
                tokio::spawn(async move {
                    if let (Some(answer), Some(link)) = (answer.await, mesh.0.links.get(usize::from(from))) {
                        let most = mesh.0.around.bounds.everything;
                        link.put(Kind::Response, most, |bytes| {
                            bytes.extend_from_slice(&id.to_le_bytes());
                            bytes.extend_from_slice(&answer);
                        });
                        mesh.company();
                    }
                    drop(busy);
                });
            }
            Kind::Response => {
                let (id, answer) = frame::numbered(&bytes)?;
                link.answered(id, answer);
            }
            Kind::Hello => return Err("a second greeting".to_owned()),
        }
        Ok(())
    }
}

impl Wire for Mesh {
    fn call(&self, to: ServerId, request: Bytes) -> Later<'_, Result<Bytes, Unreachable>> {
        Box::pin(async move {
            let name = self.name(to);
            let Some(link) = self.0.links.get(usize::from(to)) else {
                return Err(Unreachable(format!("there is no server at place {to}")));
            };
            let (id, answer, _call) = link.calls();
            let sent = link.put(Kind::Request, self.0.around.bounds.everything, |bytes| {
                bytes.extend_from_slice(&id.to_le_bytes());
                bytes.extend_from_slice(&request);
            });
            if !sent {
                return Err(Unreachable(format!("{name} is not connected, or does not read")));
            }
            self.company();
            answer.await.map_err(|_| Unreachable(format!("the connection to {name} broke")))
        })
    }
}

/// Nobody who holds one of these locks can leave things half done.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
