//! What a server answers for its store, and how the servers that vote are changed.

use crate::store::{Later, RaftStore};
use bytes::Bytes;
use ringleader_locks::ServerId;
use std::collections::BTreeSet;

/// The part of a store that answers other replicas, and knows which there are.
pub trait Replica: Send + Sync + 'static {
    /// Answers a request; none if it cannot.
    fn answer(&self, from: ServerId, request: Bytes) -> Later<'static, Option<Bytes>>;
    /// The servers that vote; none if no server does.
    fn voters(&self) -> Option<BTreeSet<ServerId>>;
    /// With or without this server's vote.
    fn change(&self, server: ServerId, votes: bool) -> Later<'static, Result<(), String>>;
}

/// A store without replicas of its own.
pub struct Alone;

impl Replica for Alone {
    fn answer(&self, _from: ServerId, _request: Bytes) -> Later<'static, Option<Bytes>> {
        Box::pin(async { None })
    }

    fn voters(&self) -> Option<BTreeSet<ServerId>> {
        None
    }

    fn change(&self, _server: ServerId, _votes: bool) -> Later<'static, Result<(), String>> {
        let why = "the view is kept elsewhere: no server has a vote; start it, or stop it".to_owned();
        Box::pin(async { Err(why) })
    }
}

impl Replica for RaftStore {
    fn answer(&self, from: ServerId, request: Bytes) -> Later<'static, Option<Bytes>> {
        let store = self.clone();
        Box::pin(async move { Some(store.serve(from, request).await) })
    }

    fn voters(&self) -> Option<BTreeSet<ServerId>> {
        Some(RaftStore::voters(self))
    }

    fn change(&self, server: ServerId, votes: bool) -> Later<'static, Result<(), String>> {
        let store = self.clone();
        Box::pin(async move {
            let mut voters = RaftStore::voters(&store);
            if votes && voters.insert(server) {
                store.add_learner(server).await.map_err(|error| error.to_string())?;
            } else if votes || !voters.remove(&server) {
                return Ok(());
            }
            store.change_voters(voters).await.map_err(|error| error.to_string())
        })
    }
}
