//! The connection to one peer, what it has been asked, and what it is being answered.

use super::locked;
use bytes::Bytes;
use ringleader_net::mesh::{Outgoing, Room};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// One peer.
#[derive(Default)]
pub(super) struct Link {
    outgoing: Mutex<Option<Arc<Outgoing>>>,
    waiting: Arc<Mutex<BTreeMap<u64, oneshot::Sender<Bytes>>>>,
    asked: AtomicU64,
    busy: Arc<AtomicUsize>,
    /// Why it was not reached the last time.
    unreached: Mutex<&'static str>,
}

impl Link {
    /// Queues a frame, if there is a connection and room; whether it did.
    pub(super) fn put(&self, most: usize, content: impl FnOnce(&mut Vec<u8>)) -> bool {
        let room = Room { frames: usize::MAX, bytes: most };
        locked(&self.outgoing).as_ref().is_some_and(|outgoing| outgoing.put(room, content).is_some())
    }

    /// There is a new connection: it takes over from any other.
    pub(super) fn connects(&self) -> Arc<Outgoing> {
        let new = Arc::<Outgoing>::default();
        if let Some(old) = locked(&self.outgoing).replace(Arc::clone(&new)) {
            old.cut();
        }
        locked(&self.waiting).clear();
        *locked(&self.unreached) = "";
        new
    }

    /// A connection is over.
    pub(super) fn breaks(&self, connection: &Arc<Outgoing>) {
        connection.cut();
        let mut outgoing = locked(&self.outgoing);
        if outgoing.as_ref().is_some_and(|current| Arc::ptr_eq(current, connection)) {
            *outgoing = None;
            drop(outgoing);
            // Whoever waits for an answer hears that there is none.
            locked(&self.waiting).clear();
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        locked(&self.outgoing).is_some()
    }

    /// Whether it is news that it is not reached for this reason.
    pub(super) fn is_unreached(&self, reason: &'static str) -> bool {
        std::mem::replace(&mut *locked(&self.unreached), reason) != reason
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
