//! The state machine, as Raft wants it: one state in memory, a snapshot of it on the disk. After a start it is as the
//! snapshot says, and follows the log from there once it hears how far that is agreed upon.

use super::shared::Shared;
use super::types::{Change, Entry, LogId, Membership, SnapshotMeta, State, StorageError, Text, Types, json};
use crate::store::StoreError;
use crate::store::log::{Found, Kept, Writer};
use openraft::storage::{RaftStateMachine, Snapshot};
use openraft::{EntryPayload, ErrorSubject, ErrorVerb, OptionalSend, RaftSnapshotBuilder};
use serde::{Deserialize, Serialize};
use std::io::{self, Cursor};
use std::sync::{Arc, Mutex, PoisonError};

/// A snapshot on the disk.
#[derive(Clone, Serialize, Deserialize)]
struct Picture {
    meta: SnapshotMeta,
    state: Text,
}

impl Picture {
    fn shown(&self) -> Snapshot<Types> {
        Snapshot { meta: self.meta.clone(), snapshot: Box::new(Cursor::new(self.state.0.clone())) }
    }
}

/// The state machine.
pub(super) struct Machine {
    applied: Option<LogId>,
    membership: Membership,
    album: Album,
}

/// Makes snapshots and keeps the latest.
#[derive(Clone)]
struct Album {
    latest: Arc<Mutex<Option<Picture>>>,
    writer: Writer,
    shared: Arc<Shared>,
}

impl Album {
    async fn keep(&self, picture: Picture) -> Result<(), StorageError> {
        let (latest, shared) = (self.latest.clone(), self.shared.clone());
        let bytes = json(&picture);
        let done = self.writer.perform(move |disk| {
            let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
            // One may be taken while a newer one comes from the leader: the newer one stays.
            if latest.as_ref().is_some_and(|old| old.meta.last_log_id > picture.meta.last_log_id) {
                return Ok(());
            }
            disk.keep(Kept::Snapshot, &bytes)?;
            let index = picture.meta.last_log_id.map(|log_id| log_id.index);
            shared.snapshot.send_modify(|upto| *upto = index.max(*upto));
            *latest = Some(picture);
            Ok(())
        });
        done.await.map_err(|error| self.failed(ErrorVerb::Write, error))
    }

    fn failed(&self, verb: ErrorVerb, error: io::Error) -> StorageError {
        self.shared.fail(&error.to_string());
        StorageError::from_io_error(ErrorSubject::Snapshot(None), verb, error)
    }

    fn latest(&self) -> Option<Snapshot<Types>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Picture::shown)
    }
}

impl Machine {
    pub(super) fn new(found: &Found, writer: Writer, shared: Arc<Shared>) -> Result<Machine, StoreError> {
        let album = Album { latest: Arc::default(), writer, shared };
        let mut machine = Machine { applied: None, membership: Membership::default(), album };
        if let Some(bytes) = &found.snapshot {
            let unknown = || {
                let why = "the snapshot on the disk is one that this version cannot read: use a newer one";
                StoreError::Broken(why.to_owned())
            };
            let picture: Picture = serde_json::from_slice(bytes).map_err(|_| unknown())?;
            let state = State::decode(&picture.state.0).ok_or_else(unknown)?;
            machine.take(&picture.meta, state);
            machine.album.shared.snapshot.send_replace(machine.applied.map(|log_id| log_id.index));
            machine.album.latest = Arc::new(Mutex::new(Some(picture)));
        }
        let purged = found.purged.as_ref().map(|(index, _)| *index);
        if purged > machine.applied.map(|log_id| log_id.index) {
            return Err(StoreError::Broken(
                "the snapshot on the disk is older than the beginning of the log: put the directory back as it was, or \
                 remove this server from the cluster, empty its directory and add it again"
                    .to_owned(),
            ));
        }
        Ok(machine)
    }

    fn take(&mut self, meta: &SnapshotMeta, state: State) {
        self.applied = meta.last_log_id;
        self.membership = meta.last_membership.clone();
        self.album.shared.set_state(state);
    }
}

impl RaftStateMachine<Types> for Machine {
    type SnapshotBuilder = Builder;

    async fn applied_state(&mut self) -> Result<(Option<LogId>, Membership), StorageError> {
        Ok((self.applied, self.membership.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Result<Vec<()>, StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let shared = self.album.shared.clone();
        let mut answers = Vec::new();
        let mut state = shared.state();
        let before = state.cluster;
        for entry in entries {
            match entry.payload {
                EntryPayload::Blank => {}
                EntryPayload::Normal(order) => {
                    let Some(change) = Change::decode(&order.0) else {
                        let why = format!(
                            "entry {} of the log is an order that this version does not know: use a newer one",
                            entry.log_id.index
                        );
                        shared.fail(&why);
                        let subject = ErrorSubject::Apply(entry.log_id);
                        let error = io::Error::other(why);
                        return Err(StorageError::from_io_error(subject, ErrorVerb::Read, error));
                    };
                    state.follow(&change);
                }
                EntryPayload::Membership(membership) => {
                    self.membership = Membership::new(Some(entry.log_id), membership);
                }
            }
            self.applied = Some(entry.log_id);
            answers.push(());
        }
        let written = (before != state.cluster).then(|| shared.identity(&state));
        if let Some(identity) = written {
            let done = self.album.writer.perform(move |disk| disk.keep(Kept::Identity, &identity)).await;
            done.map_err(|error| self.album.failed(ErrorVerb::Write, error))?;
        }
        shared.set_state(state);
        Ok(answers)
    }

    async fn get_snapshot_builder(&mut self) -> Builder {
        Builder {
            applied: self.applied,
            membership: self.membership.clone(),
            state: self.album.shared.state(),
            album: self.album.clone(),
        }
    }

    async fn begin_receiving_snapshot(&mut self) -> Result<Box<Cursor<Vec<u8>>>, StorageError> {
        Ok(Box::default())
    }

    async fn install_snapshot(
        &mut self,
        meta: &SnapshotMeta,
        snapshot: Box<Cursor<Vec<u8>>>,
    ) -> Result<(), StorageError> {
        let bytes = snapshot.into_inner();
        let Some(state) = State::decode(&bytes) else {
            let error =
                io::Error::other("the leader sent a snapshot that this version cannot read: use a newer one");
            return Err(self.album.failed(ErrorVerb::Read, error));
        };
        self.album.keep(Picture { meta: meta.clone(), state: Text(bytes) }).await?;
        let identity = self.album.shared.identity(&state);
        let done = self.album.writer.perform(move |disk| disk.keep(Kept::Identity, &identity)).await;
        done.map_err(|error| self.album.failed(ErrorVerb::Write, error))?;
        self.take(meta, state);
        Ok(())
    }

    async fn get_current_snapshot(&mut self) -> Result<Option<Snapshot<Types>>, StorageError> {
        Ok(self.album.latest())
    }
}

/// A state, about to become a snapshot.
pub(super) struct Builder {
    applied: Option<LogId>,
    membership: Membership,
    state: State,
    album: Album,
}

impl RaftSnapshotBuilder<Types> for Builder {
    async fn build_snapshot(&mut self) -> Result<Snapshot<Types>, StorageError> {
        let term = self.applied.map_or(0, |log_id| log_id.leader_id.term);
        let index = self.applied.map_or(0, |log_id| log_id.index);
        let meta = SnapshotMeta {
            last_log_id: self.applied,
            last_membership: self.membership.clone(),
            snapshot_id: format!("{term}-{index}"),
        };
        let picture = Picture { meta, state: Text(self.state.encode()) };
        let shown = picture.shown();
        self.album.keep(picture).await?;
        Ok(shown)
    }
}
