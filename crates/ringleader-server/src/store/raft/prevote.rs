//! A question before an election: would you vote for me? Only who would win stands. A server that was cut off hears
//! no leader, but those who do hear it say no: so it does not end the term of a leader that is well (openraft 0.9 has
//! no pre-vote).
//!
//! Nothing is promised by an answer. Whether a vote counts is Raft's affair, before and after.

use super::network::{Body, Reply};
use super::patience::Lost;
use super::tasks::Parts;
use super::types::LogId;
use ringleader_locks::ServerId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// What a voter would answer to a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum PreVote {
    Yes,
    /// No: it leads, or hears a leader.
    Led,
    /// No: its own log is longer.
    Longer,
}

impl Parts {
    /// Whether this replica would vote for one whose log ends here; none if it has stopped.
    pub(super) async fn would_vote(&self, theirs: Option<LogId>) -> Option<PreVote> {
        // As long as Raft itself refuses to vote, see `RaftOptions::config`.
        let lease = self.options.election.start;
        let heard = self.raft.with_raft_state(move |state| {
            let within = state.vote_last_modified().is_some_and(|heard| heard.elapsed() <= lease);
            state.vote_ref().is_committed() && within
        });
        let heard = heard.await.ok()?;
        // A leader hears nobody but itself: what counts is that a majority answers it.
        let leads = *self.shared.proposes.borrow();
        let own = self.raft.data_metrics().borrow().last_log;
        Some(match () {
            () if heard || leads => PreVote::Led,
            () if own > theirs => PreVote::Longer,
            () => PreVote::Yes,
        })
    }

    /// Asks all voters whether they would vote for this replica. If too few would, why it would lose.
    pub(super) async fn canvass(&self) -> Result<(), Lost> {
        let deadline = Instant::now() + self.options.election.start;
        let own = u64::from(self.shared.id);
        let voters = self.raft.with_raft_state(|state| {
            let effective = state.membership_state.effective();
            effective.get_joint_config().clone()
        });
        let Ok(voters) = voters.await else { return Err(Lost::Silence) };
        let last = self.raft.data_metrics().borrow().last_log;
        let mut asked = JoinSet::new();
        for voter in voters.iter().flatten().copied().filter(|voter| *voter != own).collect::<BTreeSet<u64>>()
        {
            let Ok(server) = ServerId::try_from(voter) else { continue };
            let network = self.network.clone();
            asked.spawn(async move { (voter, network.ask(server, Body::PreVote(last)).await) });
        }
        let (mut yes, mut behind) = (BTreeSet::from([own]), false);
        while !is_majority(&voters, &yes) {
            match timeout_at(deadline, asked.join_next()).await {
                Ok(Some(Ok((voter, Ok(Reply::PreVote(PreVote::Yes)))))) => {
                    yes.insert(voter);
                }
                Ok(Some(Ok((_, Ok(Reply::PreVote(PreVote::Longer)))))) => behind = true,
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return Err(if behind { Lost::Behind } else { Lost::Silence }),
            }
        }
        Ok(())
    }
}

/// Whether these are a majority of every set: while voters change, of the old and of the new.
fn is_majority(voters: &[Vec<u64>], yes: &BTreeSet<u64>) -> bool {
    voters.iter().all(|set| set.iter().filter(|voter| yes.contains(voter)).count() * 2 > set.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn majority_of_every_set_is_needed() {
        for (voters, yes, enough) in [
            (vec![vec![0]], vec![0], true),
            (vec![vec![0, 1]], vec![0], false),
            (vec![vec![0, 1]], vec![0, 1], true),
            (vec![vec![0, 1, 2]], vec![0, 1], true),
            (vec![vec![0, 1, 2, 3]], vec![0, 1], false),
            (vec![vec![0, 1, 2], vec![0, 3, 4]], vec![0, 1], false),
            (vec![vec![0, 1, 2], vec![0, 3, 4]], vec![0, 1, 3], true),
            // One that has no vote any more is not counted.
            (vec![vec![1, 2, 3]], vec![0, 1], false),
        ] {
            assert_eq!(is_majority(&voters, &yes.into_iter().collect()), enough, "{voters:?}");
        }
    }
}
