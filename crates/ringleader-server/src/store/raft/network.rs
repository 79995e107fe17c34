//! What replicas say to each other, and how Raft says it. Every request says which cluster it is meant for, and what
//! Raft asks names the directory of the receiver: a server that lost its log, or comes from another cluster, gets no
//! say.

use super::prevote::PreVote;
use super::shared::{Rule, Shared};
use super::types::{LogId, Member, Order, Text, Types, json};
use crate::store::{StoreError, Wire};
use bytes::Bytes;
use openraft::error::{InstallSnapshotError, RPCError, RaftError, RemoteError};
use openraft::network::{Backoff, RPCOption};
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest, InstallSnapshotResponse,
    VoteRequest, VoteResponse,
};
use openraft::{RaftNetwork, RaftNetworkFactory};
use ringleader_locks::ServerId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A request between replicas.
#[derive(Serialize, Deserialize)]
pub(super) struct Envelope {
    /// The cluster that the sender belongs to, if it has begun.
    pub(super) cluster: Option<u64>,
    /// The directory of the sender.
    pub(super) mine: u64,
    /// The directory of the receiver, as the membership of the sender has it.
    pub(super) yours: Option<u64>,
    pub(super) body: Body,
}

/// What is asked.
#[derive(Serialize, Deserialize)]
pub(super) enum Body {
    /// Is there a cluster yet? These would be its voters.
    Hello(BTreeSet<ServerId>),
    Append(AppendEntriesRequest<Types>),
    /// Would you vote for one whose log ends here?
    PreVote(Option<LogId>),
    Vote(VoteRequest<u64>),
    Snapshot(InstallSnapshotRequest<Types>),
    /// The view, if you lead.
    Read,
    /// This order, and then the view, if you lead.
    Propose(Order),
    /// One more server that follows the log without a vote, if you lead.
    Learner(ServerId),
    /// These voters, if you lead.
    Voters(BTreeSet<ServerId>),
}

/// What is answered.
#[derive(Serialize, Deserialize)]
pub(super) enum Reply {
    /// Whether there is a log here already, who would be voters, and the directory.
    Hello(bool, BTreeSet<ServerId>, u64),
    Append(AppendEntriesResponse<u64>),
    PreVote(PreVote),
    Vote(VoteResponse<u64>),
    Snapshot(Result<InstallSnapshotResponse<u64>, InstallSnapshotError>),
    View(Text),
    Done,
    /// Somebody else leads, or nobody.
    NotLeader,
    /// It did not work, for now.
    Failed(String),
    /// It will not work: the sender is not who it should be.
    Refused(String),
}

impl Reply {
    pub(super) fn bytes(&self) -> Bytes {
        Bytes::from(json(self))
    }
}

/// Why the directory of this server is the wrong one.
pub(super) fn lost(server: ServerId) -> String {
    format!(
        "the data directory of server {server} is not the one with which it joined the cluster: put that back, or \
         remove the server from the cluster (`ringleader members remove`) and add it again"
    )
}

/// What is wrong with a request, if something is. The membership that is in effect here knows the sender's directory,
/// or does not.
pub(super) fn objection(
    shared: &Shared,
    from: ServerId,
    known: Option<u64>,
    envelope: &Envelope,
) -> Option<Reply> {
    if let (Some(theirs), Some(ours)) = (envelope.cluster, shared.cluster())
        && theirs != ours
    {
        return Some(Reply::Refused(format!(
            "server {from} has the log of another cluster ({theirs:016x}) than server {} ({ours:016x}): empty the data \
             directory of the one that is wrong",
            shared.id
        )));
    }
    match (&envelope.body, envelope.yours) {
        // There is nothing wrong with the sender: it need not stop.
        (_, Some(disk)) if disk != shared.disk => Some(Reply::Failed(lost(shared.id))),
        (Body::Append(_) | Body::Vote(_) | Body::Snapshot(_), None) => {
            let why = "a request of Raft that does not name the directory of its receiver";
            shared.holds(Rule::NamesDirectory).then(|| Reply::Failed(why.to_owned()))
        }
        // These are heard whoever sends them: our own membership may be out of date.
        (Body::Append(_) | Body::Vote(_) | Body::Snapshot(_), Some(_)) | (Body::PreVote(_), _) => None,
        (Body::Hello(_) | Body::Read | Body::Propose(_) | Body::Learner(_) | Body::Voters(_), _) => {
            known.filter(|disk| *disk != envelope.mine).map(|_| Reply::Refused(lost(from)))
        }
    }
}

/// Reaches the other replicas.
#[derive(Clone)]
pub(super) struct Network {
    pub(super) shared: Arc<Shared>,
    pub(super) wire: Arc<dyn Wire>,
}

impl Network {
    /// Asks another replica, whichever directory it has.
    pub(super) async fn ask(&self, to: ServerId, body: Body) -> Result<Reply, StoreError> {
        self.ask_in(to, None, body).await
    }

    /// Asks another replica if it has this directory.
    async fn ask_in(&self, to: ServerId, yours: Option<u64>, body: Body) -> Result<Reply, StoreError> {
        let envelope = Envelope { cluster: self.shared.cluster(), mine: self.shared.disk, yours, body };
        let answer = self.wire.call(to, Bytes::from(json(&envelope))).await?;
        let reply: Reply = serde_json::from_slice(&answer).map_err(|error| {
            StoreError::Unavailable(format!("server {to} answers what nobody asked: {error}"))
        })?;
        let refusal = if let Reply::Refused(why) = &reply { Some(why.as_str()) } else { None };
        self.shared.answered(to, refusal);
        Ok(reply)
    }
}

impl RaftNetworkFactory<Types> for Network {
    type Network = Link;

    async fn new_client(&mut self, target: u64, member: &Member) -> Link {
        let yours = Some(member.disk).filter(|_| self.shared.holds(Rule::NamesDirectory));
        Link { network: self.clone(), target, yours }
    }
}

/// Reaches one of them.
pub(super) struct Link {
    network: Network,
    target: u64,
    /// Its directory.
    yours: Option<u64>,
}

type Failure<E> = RPCError<u64, Member, E>;

impl Link {
    /// Nothing of a leader goes out while it is silent.
    fn silence(&self) -> Option<StoreError> {
        let why = || "this leader hears no majority, and makes room for another".to_owned();
        self.network.shared.silent.load(Ordering::Relaxed).then(|| StoreError::Unavailable(why()))
    }

    async fn ask<E: std::error::Error>(&self, body: Body) -> Result<Reply, Failure<E>> {
        let to = ServerId::try_from(self.target).map_err(|error| unreachable(&error))?;
        self.network.ask_in(to, self.yours, body).await.map_err(|error| unreachable(&error))
    }
}

fn unreachable<E: std::error::Error>(error: &(impl std::error::Error + 'static)) -> Failure<E> {
    RPCError::Unreachable(openraft::error::Unreachable::new(error))
}

/// An answer that is none to the question.
fn unfit<E: std::error::Error>(reply: &Reply) -> Failure<E> {
    let why = match reply {
        Reply::Failed(why) | Reply::Refused(why) => why.clone(),
        Reply::Hello(..)
        | Reply::Append(_)
        | Reply::PreVote(_)
        | Reply::Vote(_)
        | Reply::Snapshot(_)
        | Reply::View(_)
        | Reply::Done
        | Reply::NotLeader => "an answer to another question".to_owned(),
    };
    unreachable(&StoreError::Unavailable(why))
}

impl RaftNetwork<Types> for Link {
    async fn append_entries(
        &mut self,
        request: AppendEntriesRequest<Types>,
        _: RPCOption,
    ) -> Result<AppendEntriesResponse<u64>, Failure<RaftError<u64>>> {
        if let Some(silence) = self.silence() {
            return Err(unreachable(&silence));
        }
        let reply = self.ask(Body::Append(request)).await?;
        if let Reply::Append(answer) = reply { Ok(answer) } else { Err(unfit(&reply)) }
    }

    async fn install_snapshot(
        &mut self,
        request: InstallSnapshotRequest<Types>,
        _: RPCOption,
    ) -> Result<InstallSnapshotResponse<u64>, Failure<RaftError<u64, InstallSnapshotError>>> {
        if let Some(silence) = self.silence() {
            return Err(unreachable(&silence));
        }
        let reply = self.ask(Body::Snapshot(request)).await?;
        match reply {
            Reply::Snapshot(Ok(answer)) => Ok(answer),
            Reply::Snapshot(Err(error)) => {
                Err(RPCError::RemoteError(RemoteError::new(self.target, RaftError::APIError(error))))
            }
            Reply::Hello(..)
            | Reply::Append(_)
            | Reply::PreVote(_)
            | Reply::Vote(_)
            | Reply::View(_)
            | Reply::Done
            | Reply::NotLeader
            | Reply::Failed(_)
            | Reply::Refused(_) => Err(unfit(&reply)),
        }
    }

    async fn vote(
        &mut self,
        request: VoteRequest<u64>,
        _: RPCOption,
    ) -> Result<VoteResponse<u64>, Failure<RaftError<u64>>> {
        let (vote, log) = (request.vote, request.last_log_id);
        let reply = self.ask(Body::Vote(request)).await?;
        let Reply::Vote(answer) = reply else { return Err(unfit(&reply)) };
        if !answer.vote_granted && answer.last_log_id > log {
            self.network.shared.behind.store(true, Ordering::Relaxed);
        } else if !answer.vote_granted && answer.vote > vote && !answer.vote.is_committed() {
            self.network.shared.outbid.store(true, Ordering::Relaxed);
        }
        Ok(answer)
    }

    fn backoff(&self) -> Backoff {
        // A server that comes back is to have the log again well before anybody else fails.
        Backoff::new(std::iter::repeat(Duration::from_millis(50)))
    }
}
