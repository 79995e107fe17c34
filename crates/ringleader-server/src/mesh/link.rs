//! What waits to be sent to one peer, and what it has been asked.

use super::frame::{self, Kind};
use super::locked;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, oneshot};

/// One peer.
#[derive(Default)]
pub(super) struct Link {
    outgoing: Mutex<Outgoing>,
    more: Notify,
    waiting: Arc<Mutex<BTreeMap<u64, oneshot::Sender<Bytes>>>>,
    asked: AtomicU64,
    busy: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Outgoing {
    /// Which connection carries it; 0 is none.
    connection: u64,
    /// How many there have been.
    connections: u64,
    bytes: Vec<u8>,
}

impl Link {
    /// Queues a frame, if there is a connection and room; whether it did.
    pub(super) fn put(&self, kind: Kind, most: usize, content: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut outgoing = locked(&self.outgoing);
        if outgoing.connection == 0 || outgoing.bytes.len() > most {
            return false;
        }
        let idle = outgoing.bytes.is_empty();
        frame::write(&mut outgoing.bytes, kind, content);
        drop(outgoing);
        if idle {
            self.more.notify_one();
        }
        true
    }

    /// There is a new connection: it takes over from any other. Its number.
    pub(super) fn connects(&self) -> u64 {
        let mut outgoing = locked(&self.outgoing);
        outgoing.connections += 1;
        outgoing.connection = outgoing.connections;
        outgoing.bytes.clear();
        let connection = outgoing.connection;
        drop(outgoing);
        locked(&self.waiting).clear();
        self.more.notify_one();
        connection
    }

    /// A connection is over.
    pub(super) fn breaks(&self, connection: u64) {
        let mut outgoing = locked(&self.outgoing);
        if outgoing.connection == connection {
            outgoing.connection = 0;
            outgoing.bytes = Vec::new();
            drop(outgoing);
            // Whoever waits for an answer hears that there is none.
            locked(&self.waiting).clear();
        }
    }

    /// Everything that waits for this connection, in exchange for an empty buffer; none if another took over.
    pub(super) async fn next(&self, connection: u64, buffer: &mut Vec<u8>) -> Option<()> {
        buffer.clear();
        loop {
            {
                let mut outgoing = locked(&self.outgoing);
                if outgoing.connection != connection {
                    self.more.notify_one();
                    return None;
                }
                if !outgoing.bytes.is_empty() {
                    std::mem::swap(&mut outgoing.bytes, buffer);
                    return Some(());
                }
            }
            self.more.notified().await;
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        locked(&self.outgoing).connection != 0
    }

    /// A number for a request, and where its answer will be; forgotten when the last of them is dropped.
    pub(super) fn calls(&self) -> (u64, oneshot::Receiver<Bytes>, Call) {
        let id = self.asked.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        locked(&self.waiting).insert(id, sender);
        (id, receiver, Call { id, waiting: Arc::clone(&self.waiting) })
    }

    pub(super) fn answered(&self, id: u64, answer: Bytes) {
        let waiting = locked(&self.waiting).remove(&id);
        if let Some(waiting) = waiting {
            let _ = waiting.send(answer);
        }
    }

    /// A request of the peer is being answered; none if there are too many already.
    pub(super) fn begins(&self, most: usize) -> Option<Busy> {
        if self.busy.fetch_add(1, Ordering::Relaxed) >= most {
            self.busy.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Busy(Arc::clone(&self.busy)))
    }
}

/// A request that waits for its answer.
pub(super) struct Call {
    id: u64,
    waiting: Arc<Mutex<BTreeMap<u64, oneshot::Sender<Bytes>>>>,
}

impl Drop for Call {
    fn drop(&mut self) {
        locked(&self.waiting).remove(&self.id);
    }
}

/// A request that is being answered.
pub(super) struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
