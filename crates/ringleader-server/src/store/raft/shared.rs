//! What the parts of a replica know in common.

use super::rounds::Readers;
use super::types::{State, json};
use crate::store::StoreError;
use crate::store::log::Syncs;
use ringleader_locks::ServerId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Whose directory it is.
#[derive(Serialize, Deserialize)]
struct Identity {
    schema: String,
    server: ServerId,
    disk: u64,
    cluster: Option<u64>,
}

const SCHEMA: &str = "ringleader.replica/1";

/// What safety rests on here, beside openraft itself. Tests leave a rule out to see that they would notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// A replica starts as a follower, even if it led when it stopped.
    StartsAsFollower,
    /// No read is answered before all is applied that the log had when leadership began.
    AppliesItsLog,
    /// Only who would win stands for election.
    AsksFirst,
    /// A replica gives its word only to who names its directory.
    NamesDirectory,
}

/// What the parts of a replica know in common.
pub(super) struct Shared {
    without: Vec<Rule>,
    pub(super) id: ServerId,
    /// The number of our directory, drawn when it was made.
    pub(super) disk: u64,
    pub(super) hints: watch::Sender<u32>,
    pub(super) proposes: watch::Sender<bool>,
    pub(super) syncs: Arc<Syncs>,
    /// The last entry that the snapshot on the disk covers.
    pub(super) snapshot: watch::Sender<Option<u64>>,
    /// Who waits for the leader to know that it still leads.
    pub(super) readers: Readers,
    /// While this replica leads and hears no majority, it is not to be heard either.
    pub(super) silent: AtomicBool,
    /// In an election, somebody had a longer log: we cannot win it.
    pub(super) behind: AtomicBool,
    /// In an election, somebody had voted for a later one already: the next one may be ours.
    pub(super) outbid: AtomicBool,
    state: Mutex<State>,
    /// The cluster that the directory belonged to at the start: it counts until the log has been followed again.
    remembered: Option<u64>,
    /// Why this replica has stopped.
    failure: Mutex<Option<String>>,
    /// Which others refuse this replica, and why.
    refusals: Mutex<BTreeMap<ServerId, String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Of what the directory says about itself, if it says something.
    pub(super) fn new(
        id: ServerId,
        found: Option<&[u8]>,
        syncs: Arc<Syncs>,
        without: Vec<Rule>,
    ) -> Result<Shared, StoreError> {
        let (disk, remembered) = match found {
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
                (identity.disk, identity.cluster)
            }
            None => (random(), None),
        };
        Ok(Shared {
            without,
            id,
            disk,
            hints: watch::Sender::new(0),
            proposes: watch::Sender::new(false),
            syncs,
            snapshot: watch::Sender::new(None),
            readers: Readers::default(),
            silent: AtomicBool::new(false),
            behind: AtomicBool::new(false),
            outbid: AtomicBool::new(false),
            state: Mutex::default(),
            remembered,
            failure: Mutex::default(),
            refusals: Mutex::default(),
        })
    }

    /// Whether this rule is followed.
    pub(super) fn holds(&self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }

    /// What the directory is to say about itself.
    pub(super) fn identity(&self, state: &State) -> Vec<u8> {
        json(&Identity {
            schema: SCHEMA.to_owned(),
            server: self.id,
            disk: self.disk,
            cluster: state.cluster,
        })
    }

    pub(super) fn state(&self) -> State {
        locked(&self.state).clone()
    }

    /// The number of the cluster, as far as it is known.
    pub(super) fn cluster(&self) -> Option<u64> {
        locked(&self.state).cluster.or(self.remembered)
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

    /// This replica stops, for this reason; the first one stays.
    pub(super) fn fail(&self, why: &str) {
        let mut failure = locked(&self.failure);
        if failure.is_none() {
            tracing::error!(event = "replica_stopped", why, "the replica of the membership has stopped");
            *failure = Some(why.to_owned());
        }
        drop(failure);
        // Whoever waits for a snapshot waits in vain.
        self.snapshot.send_modify(|_| {});
    }

    pub(super) fn failure(&self) -> Option<String> {
        locked(&self.failure).clone()
    }

    /// Another replica answered: it refuses this one, or does not.
    pub(super) fn answered(&self, server: ServerId, refusal: Option<&str>) {
        let mut refusals = locked(&self.refusals);
        match refusal {
            Some(why) => {
                let before = refusals.insert(server, why.to_owned());
                if before.as_deref() != Some(why) {
                    tracing::error!(
                        event = "rejected_by_peer",
                        server,
                        why,
                        "another replica refuses this one"
                    );
                }
            }
            None => drop(refusals.remove(&server)),
        }
    }

    /// A leader counts on this replica.
    pub(super) fn accepted(&self) {
        locked(&self.refusals).clear();
    }

    /// Why this replica is the wrong one: most of the other voters refuse it. One alone may be wrong itself.
    pub(super) fn refusal(&self, voters: &BTreeSet<ServerId>) -> Option<String> {
        let others = voters.iter().filter(|voter| **voter != self.id).count();
        let refusals = locked(&self.refusals);
        let first = refusals.values().next().cloned();
        first.filter(|_| refusals.len() * 2 > others)
    }
}

/// A number that nobody else draws.
pub(super) fn random() -> u64 {
    #[cfg(test)]
    if let Some(drawn) = seeded::next() {
        return drawn;
    }
    // Without randomness of the system there is no TLS either: nothing runs then. Time is better than a constant.
    getrandom::u64().unwrap_or_else(|_| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |now| now.as_nanos() as u64)
    })
}

/// Numbers from a seed, for tests that are to go the same way again.
#[cfg(test)]
pub(super) mod seeded {
    use std::cell::Cell;

    thread_local! {
        static STATE: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// Everything that this thread draws comes from this seed from now on.
    pub(in super::super) fn begin(seed: u64) {
        STATE.set(Some(seed));
    }

    /// The next number (splitmix64); none in a thread without a seed.
    pub(in super::super) fn next() -> Option<u64> {
        let state = STATE.get()?.wrapping_add(0x9E37_79B9_7F4A_7C15);
        STATE.set(Some(state));
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Some(mixed ^ (mixed >> 31))
    }
}
