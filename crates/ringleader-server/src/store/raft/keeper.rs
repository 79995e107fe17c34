//! The log and the vote, as Raft wants them: the entries are in memory, for there are few, and on the disk before
//! Raft hears that they are.

use super::shared::{Rule, Shared};
use super::types::{Entry, LogId, StorageError, Types, Vote, json};
use crate::store::StoreError;
use crate::store::log::{Found, Kept, Writer};
use openraft::storage::{LogFlushed, LogState, RaftLogStorage};
use openraft::{ErrorSubject, ErrorVerb, OptionalSend, RaftLogReader};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::ops::{Bound, RangeBounds};
use std::sync::{Arc, Mutex, PoisonError};

/// What is in memory.
#[derive(Default)]
struct Mirror {
    purged: Option<LogId>,
    entries: BTreeMap<u64, Entry>,
    vote: Option<Vote>,
}

/// The log. Its clones are the same one.
#[derive(Clone)]
pub(super) struct Keeper {
    mirror: Arc<Mutex<Mirror>>,
    writer: Writer,
    shared: Arc<Shared>,
}

impl Keeper {
    pub(super) fn new(found: &Found, writer: Writer, shared: Arc<Shared>) -> Result<Keeper, StoreError> {
        let unknown = |what: &str| {
            StoreError::Broken(format!(
                "the {what} on the disk is one that this version cannot read: use a newer one"
            ))
        };
        let mut mirror = Mirror::default();
        if let Some(vote) = &found.vote {
            let mut vote: Vote = serde_json::from_slice(vote).map_err(|_| unknown("vote"))?;
            // openraft lets a leader that is started again lead on in its term, with a state that is as old as its
            // snapshot. As in any other Raft, it is a follower here, and needs votes for a later term.
            let own = vote.leader_id.voted_for() == Some(u64::from(shared.id));
            if own && shared.holds(Rule::StartsAsFollower) {
                vote.committed = false;
            }
            mirror.vote = Some(vote);
        }
        if let Some((_, about)) = &found.purged {
            mirror.purged = Some(serde_json::from_slice(about).map_err(|_| unknown("log"))?);
        }
        for (index, bytes) in &found.entries {
            mirror.entries.insert(*index, serde_json::from_slice(bytes).map_err(|_| unknown("log"))?);
        }
        Ok(Keeper { mirror: Arc::new(Mutex::new(mirror)), writer, shared })
    }

    fn with<T>(&self, look: impl FnOnce(&mut Mirror) -> T) -> T {
        look(&mut self.mirror.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whatever could not be written is the end of this replica.
    fn failed(&self, subject: ErrorSubject<u64>, error: io::Error) -> StorageError {
        self.shared.fail(&error.to_string());
        StorageError::from_io_error(subject, ErrorVerb::Write, error)
    }
}

impl RaftLogReader<Types> for Keeper {
    async fn try_get_log_entries<RB: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: RB,
    ) -> Result<Vec<Entry>, StorageError> {
        let start = range.start_bound().cloned();
        let end = range.end_bound().cloned();
        let empty = match (start, end) {
            (Bound::Included(from), Bound::Excluded(to)) => from >= to,
            (Bound::Included(from), Bound::Included(to)) => from > to,
            (Bound::Excluded(_) | Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        };
        if empty {
            return Ok(Vec::new());
        }
        Ok(self.with(|mirror| mirror.entries.range((start, end)).map(|(_, entry)| entry.clone()).collect()))
    }
}

impl RaftLogStorage<Types> for Keeper {
    type LogReader = Keeper;

    async fn get_log_state(&mut self) -> Result<LogState<Types>, StorageError> {
        Ok(self.with(|mirror| LogState {
            last_purged_log_id: mirror.purged,
            last_log_id: mirror.entries.last_key_value().map(|(_, entry)| entry.log_id).or(mirror.purged),
        }))
    }

    async fn get_log_reader(&mut self) -> Keeper {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Result<(), StorageError> {
        let bytes = json(vote);
        let done = self.writer.perform(move |disk| disk.keep(Kept::Vote, &bytes)).await;
        done.map_err(|error| self.failed(ErrorSubject::Vote, error))?;
        self.with(|mirror| mirror.vote = Some(*vote));
        Ok(())
    }

    async fn read_vote(&mut self) -> Result<Option<Vote>, StorageError> {
        Ok(self.with(|mirror| mirror.vote))
    }

    async fn append<I>(&mut self, entries: I, callback: LogFlushed<Types>) -> Result<(), StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let mut written = Vec::new();
        self.with(|mirror| {
            for entry in entries {
                written.push((entry.log_id.index, json(&entry)));
                mirror.entries.insert(entry.log_id.index, entry);
            }
        });
        let shared = self.shared.clone();
        let handed_in = self.writer.submit(move |disk| {
            let done = disk.append(written).inspect_err(|error| shared.fail(&error.to_string()));
            callback.log_io_completed(done);
        });
        handed_in.map_err(|stopped| self.failed(ErrorSubject::Logs, stopped.into()))
    }

    async fn truncate(&mut self, log_id: LogId) -> Result<(), StorageError> {
        let done = self.writer.perform(move |disk| disk.truncate(log_id.index)).await;
        done.map_err(|error| self.failed(ErrorSubject::Logs, error))?;
        self.with(|mirror| mirror.entries.split_off(&log_id.index));
        Ok(())
    }

    async fn purge(&mut self, log_id: LogId) -> Result<(), StorageError> {
        // openraft asks for this when it has begun to install a snapshot of the leader. Without the entries and without
        // the snapshot, nobody could start this replica again after a crash: the snapshot has to be on the disk first.
        let mut snapshot = self.shared.snapshot.subscribe();
        let failed = || self.shared.failure();
        // Its sender is in `shared`, and not gone.
        let _ = snapshot.wait_for(|upto| *upto >= Some(log_id.index) || failed().is_some()).await;
        if let Some(why) = failed() {
            return Err(self.failed(ErrorSubject::Logs, io::Error::other(why)));
        }
        let about = json(&log_id);
        let done = self.writer.perform(move |disk| disk.purge(log_id.index, &about)).await;
        done.map_err(|error| self.failed(ErrorSubject::Logs, error))?;
        self.with(|mirror| {
            mirror.entries = mirror.entries.split_off(&(log_id.index + 1));
            mirror.purged = mirror.purged.max(Some(log_id));
        });
        Ok(())
    }
}
