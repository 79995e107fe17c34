//! What the parts of a replica know in common.

use super::calm::Answers;
use super::rounds::Readers;
use super::runtime::beats;
use super::types::{State, json};
use crate::StoreError;
use crate::log::Syncs;
use ringleader::lock::ServerId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// Whose directory it is.
#[derive(Serialize, Deserialize)]
struct Identity {
    schema: String,
    server: ServerId,
    disk: u64,
    cluster: Option<u64>,
    disks: BTreeMap<ServerId, u64>,
}

const SCHEMA: &str = "ringleader.replica/1";

/// What the parts of a replica know in common.
pub(super) struct Shared {
    pub(super) id: ServerId,
    /// The number of our directory, drawn when it was made.
    pub(super) disk: u64,
    pub(super) hints: watch::Sender<u32>,
    pub(super) proposes: watch::Sender<bool>,
    pub(super) syncs: Arc<Syncs>,
    /// Who waits for the leader to know that it still leads.
    pub(super) readers: Readers,
    /// While this replica leads and hears no majority, it is not to be heard either.
    pub(super) silent: AtomicBool,
    /// When its leader was last heard in a calm round.
    leader_heard: Mutex<Option<Instant>>,
    /// What was answered in calm rounds of ours, and that something was.
    answers: Mutex<Answers>,
    pub(super) answered: Notify,
    /// In an election, somebody had a longer log: we cannot win it.
    pub(super) behind: AtomicBool,
    /// In an election, somebody had voted for a later one already: the next one may be ours.
    pub(super) outbid: AtomicBool,
    state: Mutex<State>,
    /// What the directory said about itself at the start: what counts until the log has been followed again.
    remembered: State,
    /// Why this replica has stopped.
    failure: Mutex<Option<String>>,
    /// Why another one does not want to hear of us.
    refusal: Mutex<Option<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Of what the directory says about itself, if it says something.
    pub(super) fn new(id: ServerId, found: Option<&[u8]>, syncs: Arc<Syncs>) -> Result<Shared, StoreError> {
        let mut remembered = State::default();
        let disk = match found {
            Some(bytes) => {
                let identity: Identity = serde_json::from_slice(bytes).map_err(|_| {
                    StoreError::Broken(
                        "the identity on the disk is one that this version cannot read".to_owned(),
                    )
                })?;
                if identity.server != id {
                    return Err(StoreError::Broken(format!(
                        "the directory is the one of server {}, and this is server {id}: give each server its own \
                         (`data` in the configuration), and do not change the order of the servers there",
                        identity.server
                    )));
                }
                remembered.cluster = identity.cluster;
                remembered.disks = identity.disks;
                identity.disk
            }
            None => random(),
        };
        Ok(Shared {
            id,
            disk,
            hints: watch::Sender::new(0),
            proposes: watch::Sender::new(false),
            syncs,
            readers: Readers::default(),
            silent: AtomicBool::new(false),
            leader_heard: Mutex::default(),
            answers: Mutex::default(),
            answered: Notify::new(),
            behind: AtomicBool::new(false),
            outbid: AtomicBool::new(false),
            state: Mutex::default(),
            remembered,
            failure: Mutex::default(),
            refusal: Mutex::default(),
        })
    }

    /// What the directory is to say about itself.
    pub(super) fn identity(&self, state: &State) -> Vec<u8> {
        json(&Identity {
            schema: SCHEMA.to_owned(),
            server: self.id,
            disk: self.disk,
            cluster: state.cluster,
            disks: state.disks.clone(),
        })
    }

    pub(super) fn state(&self) -> State {
        locked(&self.state).clone()
    }

    /// The number of the cluster, as far as the log has been followed.
    pub(super) fn cluster_number(&self) -> Option<u64> {
        locked(&self.state).cluster
    }

    /// The number of the cluster, and the directories of its servers, as far as they are known.
    pub(super) fn cluster(&self) -> (Option<u64>, BTreeMap<ServerId, u64>) {
        let state = locked(&self.state);
        let known = if state.cluster.is_some() { &*state } else { &self.remembered };
        (known.cluster, known.disks.clone())
    }

    pub(super) fn set_state(&self, state: State) {
        let epoch = state.view.as_ref().map_or(0, |view| view.epoch);
        *locked(&self.state) = state;
        self.hints.send_if_modified(|hint| {
            let newer = epoch > *hint;
            *hint = epoch.max(*hint);
            newer
        });
    }

    /// The leader is heard.
    pub(super) fn hears_leader(&self) {
        *locked(&self.leader_heard) = Some(Instant::now());
        beats();
    }

    /// When it last was, in a calm round.
    pub(super) fn leader_heard(&self) -> Option<Instant> {
        *locked(&self.leader_heard)
    }

    pub(super) fn with_answers<T>(&self, act: impl FnOnce(&mut Answers) -> T) -> T {
        act(&mut locked(&self.answers))
    }

    /// This replica stops, for this reason; the first one stays.
    pub(super) fn fail(&self, why: &str) {
        let mut failure = locked(&self.failure);
        if failure.is_none() {
            tracing::error!(why, "the replica of the view has stopped");
            *failure = Some(why.to_owned());
        }
    }

    pub(super) fn failure(&self) -> Option<String> {
        locked(&self.failure).clone()
    }

    /// Another one does not want to hear of us (or does again).
    pub(super) fn refused(&self, why: Option<String>) {
        let mut refusal = locked(&self.refusal);
        if *refusal != why {
            if let Some(why) = &why {
                tracing::error!(why, "another replica refuses this one");
            }
            *refusal = why;
        }
    }

    pub(super) fn refusal(&self) -> Option<String> {
        locked(&self.refusal).clone()
    }
}

/// A number that nobody else draws.
pub(super) fn random() -> u64 {
    // Without randomness of the system there is no TLS either: nothing runs then. Time is better than a constant.
    getrandom::u64().unwrap_or_else(|_| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |now| now.as_nanos() as u64)
    })
}
