//! Who votes, changed while the cluster runs: one server at a time, first as a learner until it has the log.

use super::network::{Body, Reply, lost};
use super::tasks::Parts;
use super::types::Member;
use super::{RaftStore, StoreError};
use openraft::ChangeMembers;
use ringleader_locks::ServerId;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::timeout;

/// How long a change of members may take: a learner gets the whole log first.
const PATIENCE: Duration = Duration::from_secs(10);

impl RaftStore {
    /// The servers that vote, as far as this replica knows.
    #[must_use]
    pub fn voters(&self) -> BTreeSet<ServerId> {
        self.inner.clone_parts().voters()
    }

    /// The servers that follow the log without a vote, as far as this replica knows.
    #[must_use]
    pub fn learners(&self) -> BTreeSet<ServerId> {
        self.inner.clone_parts().learners()
    }

    /// One more server follows the log, without a vote, and has caught up when this is done.
    ///
    /// # Errors
    /// If there is no leader, no majority, or the server does not answer.
    pub async fn add_learner(&self, server: ServerId) -> Result<(), StoreError> {
        self.change(Body::Learner(server)).await
    }

    /// These servers vote from now on: one more than before, which is a learner already, or one less.
    ///
    /// # Errors
    /// If it is more than one change, if there is no leader or no majority.
    pub async fn change_voters(&self, voters: BTreeSet<ServerId>) -> Result<(), StoreError> {
        self.change(Body::Voters(voters)).await
    }

    async fn change(&self, body: Body) -> Result<(), StoreError> {
        let parts = self.inner.clone_parts();
        if let Some(error) = parts.broken() {
            return Err(error);
        }
        match timeout(PATIENCE, parts.ask_leader(body)).await {
            Ok(Ok(Reply::View(_) | Reply::Done)) => Ok(()),
            Ok(Ok(Reply::Failed(why))) => Err(StoreError::Unavailable(why)),
            Ok(Ok(Reply::Refused(why))) => Err(StoreError::Broken(why)),
            Ok(Ok(
                Reply::Hello(..)
                | Reply::Append(_)
                | Reply::PreVote(_)
                | Reply::Vote(_)
                | Reply::Snapshot(_)
                | Reply::NotLeader,
            )) => Err(StoreError::Unavailable("the leader has just changed: try again".to_owned())),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(StoreError::Unavailable(
                "no answer in time: look who votes now before you try again".to_owned(),
            )),
        }
    }
}

fn servers(ids: impl Iterator<Item = u64>) -> BTreeSet<ServerId> {
    ids.filter_map(|id| ServerId::try_from(id).ok()).collect()
}

impl Parts {
    pub(super) fn voters(&self) -> BTreeSet<ServerId> {
        let metrics = self.raft.metrics().borrow().clone();
        servers(metrics.membership_config.voter_ids())
    }

    fn learners(&self) -> BTreeSet<ServerId> {
        let metrics = self.raft.metrics().borrow().clone();
        servers(metrics.membership_config.membership().learner_ids())
    }

    /// A learner comes in with the number of its directory, which it keeps when it becomes a voter.
    pub(super) async fn admit_learner(&self, server: ServerId) -> Result<(), String> {
        let member = match self.network.ask(server, Body::Hello(self.voters())).await {
            Ok(Reply::Hello(_, _, disk)) => Member { disk },
            Ok(Reply::Refused(why) | Reply::Failed(why)) => return Err(why),
            Ok(
                Reply::Append(_)
                | Reply::PreVote(_)
                | Reply::Vote(_)
                | Reply::Snapshot(_)
                | Reply::View(_)
                | Reply::Done
                | Reply::NotLeader,
            ) => return Err(format!("server {server} answers another question")),
            Err(error) => return Err(error.to_string()),
        };
        let id = u64::from(server);
        let known = self.raft.with_raft_state(move |state| {
            let effective = state.membership_state.effective();
            (effective.get_node(&id).copied(), effective.voter_ids().any(|voter| voter == id))
        });
        match known.await.map_err(|error| error.to_string())? {
            (Some(before), true) if before != member => return Err(lost(server)),
            (Some(before), false) if before != member => {
                // It had no vote with the directory that it lost, so it broke no promise. It is removed before it is
                // added again: openraft would still count on the log that it had.
                let out = ChangeMembers::RemoveNodes(BTreeSet::from([id]));
                self.raft.change_membership(out, false).await.map_err(|error| error.to_string())?;
            }
            (Some(_) | None, _) => {}
        }
        let done = self.raft.add_learner(id, member, true).await;
        done.map(|_| ()).map_err(|error| error.to_string())
    }

    pub(super) async fn install_voters(&self, voters: BTreeSet<ServerId>) -> Result<(), String> {
        let before = self.voters();
        if before.symmetric_difference(&voters).count() > 1 {
            return Err(format!(
                "voters change one at a time: now {before:?}, asked for {voters:?}; add or remove one, then the next"
            ));
        }
        if voters.is_empty() {
            return Err("somebody has to vote".to_owned());
        }
        let ids: BTreeSet<u64> = voters.iter().map(|server| u64::from(*server)).collect();
        let done = self.raft.change_membership(ChangeMembers::ReplaceAllVoters(ids), false).await;
        done.map(|_| ()).map_err(|error| error.to_string())
    }
}
