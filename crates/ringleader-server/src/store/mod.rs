//! Where the [`View`] of a lock service is kept. A server needs three things of it: a linearizable read, a change that
//! applies once, and a hint that there is something new. Everything else is the store's own affair.

mod etcd;
mod log;
mod memory;
mod raft;
#[cfg(test)]
mod tests;

pub use etcd::{EtcdOptions, EtcdStore, EtcdTls};
pub use memory::Memory;
pub use raft::{RaftOptions, RaftStore};

/// Decoders of what comes from a network, for fuzzing.
#[doc(hidden)]
pub mod fuzz {
    pub use crate::store::etcd::fuzz as etcd_answer;
    pub use crate::store::raft::fuzz::{carried, reply as raft_reply, request as raft_request};
}

use bytes::Bytes;
use ringleader_locks::{Command, ServerId, View};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// What a store does takes its time.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A linearizable, durable store of one view.
pub trait ViewStore: Send + Sync + 'static {
    /// The view, as it is at some moment between the call and the answer. Never from a lease, a cache or a replica that
    /// was not confirmed by a majority after the call: every lock rests on this.
    fn read(&self) -> Later<'_, Result<Arc<View>, StoreError>>;

    /// Changes the view, once, and says what it is then. A command for another epoch changes nothing, and gives the
    /// view as it is. After an error nothing is certain: it may have been applied, or be applied later.
    fn propose(&self, command: Command) -> Later<'_, Result<Arc<View>, StoreError>>;

    /// The newest epoch that this replica has heard of: a hint to read sooner.
    fn hints(&self) -> watch::Receiver<u32>;

    /// Whether this server is the one to propose changes: with Raft, whether it leads; elsewhere anybody may.
    fn proposes(&self) -> watch::Receiver<bool>;

    /// What is worth showing of the store, as pairs of words and numbers.
    fn figures(&self) -> Vec<(&'static str, u64)>;

    /// Makes everything durable and stops.
    fn close(&self) -> Later<'_, ()>;
}

/// Why a store did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoreError {
    /// No majority, no leader, or no answer in time.
    Unavailable(String),
    /// The store is broken and must not go on: a disk is full, a log cannot be read.
    Broken(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Unavailable(why) | StoreError::Broken(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {}

/// How replicas reach each other: one request, one answer, or none.
pub trait Wire: Send + Sync + 'static {
    /// Sends a request to the replica on this server, and waits for its answer. If there is none, whether the request
    /// arrived is not known.
    fn call(&self, to: ServerId, request: Bytes) -> Later<'_, Result<Bytes, StoreError>>;
}

/// After a backup was put back: the view with an epoch that was not used before; none if it is high enough.
pub(crate) fn raised(view: &View, floor: u32) -> Option<View> {
    (view.epoch < floor).then(|| view.restored(floor))
}
