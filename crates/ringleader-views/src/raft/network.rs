//! What replicas say to each other, and how Raft says it. Every request says which cluster it is meant for and whose
//! directories it believes in: a server that lost its log, or comes from another cluster, gets no say.

use super::prevote::PreVote;
use super::shared::Shared;
use super::types::{LogId, Order, Text, Types, json};
use crate::{StoreError, Unreachable, Wire};
use bytes::Bytes;
use openraft::error::{InstallSnapshotError, RPCError, RaftError, RemoteError};
use openraft::network::{Backoff, RPCOption};
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest, InstallSnapshotResponse,
    VoteRequest, VoteResponse,
};
use openraft::{EmptyNode, RaftNetwork, RaftNetworkFactory};
use ringleader::lock::ServerId;
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
    /// The directory of the receiver, as far as the sender knows.
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
    /// Whether there is a log here already, and who would be voters.
    Hello(bool, BTreeSet<ServerId>),
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

/// What is wrong with a request, if something is.
pub(super) fn objection(shared: &Shared, from: ServerId, envelope: &Envelope) -> Option<String> {
    let (cluster, disks) = shared.cluster();
    if let (Some(theirs), Some(ours)) = (envelope.cluster, cluster)
        && theirs != ours
    {
        return Some(format!(
            "server {from} has the log of another cluster ({theirs:016x}) than server {} ({ours:016x}): empty the data \
             directory of the one that is wrong",
            shared.id
        ));
    }
    let lost = |server: ServerId| {
        format!(
            "the data directory of server {server} is not the one with which it joined the cluster: put that back, or \
             remove the server from the cluster (`ringleader members remove`) and add it again"
        )
    };
    if disks.get(&from).is_some_and(|disk| *disk != envelope.mine) {
        return Some(lost(from));
    }
    envelope.yours.filter(|disk| *disk != shared.disk).map(|_| lost(shared.id))
}

/// Reaches the other replicas.
#[derive(Clone)]
pub(super) struct Network {
    pub(super) shared: Arc<Shared>,
    pub(super) wire: Arc<dyn Wire>,
}

impl Network {
    /// Asks another replica.
    pub(super) async fn ask(&self, to: ServerId, body: Body) -> Result<Reply, Unreachable> {
        let (cluster, disks) = self.shared.cluster();
        let envelope = Envelope { cluster, mine: self.shared.disk, yours: disks.get(&to).copied(), body };
        let answer = self.wire.call(to, Bytes::from(json(&envelope))).await?;
        let reply: Reply = serde_json::from_slice(&answer)
            .map_err(|error| Unreachable(format!("server {to} answers what nobody asked: {error}")))?;
        if let Reply::Refused(why) = &reply {
            self.shared.refused(Some(why.clone()));
        }
        Ok(reply)
    }
}

impl RaftNetworkFactory<Types> for Network {
    type Network = Link;

    async fn new_client(&mut self, target: u64, _: &EmptyNode) -> Link {
        Link { network: self.clone(), target }
    }
}

/// Reaches one of them.
pub(super) struct Link {
    network: Network,
    target: u64,
}

type Failure<E> = RPCError<u64, EmptyNode, E>;

impl Link {
    /// Nothing of a leader goes out while it is silent.
    fn silence(&self) -> Option<StoreError> {
        let why = || "this leader hears no majority, and makes room for another".to_owned();
        self.network.shared.silent.load(Ordering::Relaxed).then(|| StoreError::Unavailable(why()))
    }

    async fn ask<E: std::error::Error>(&self, body: Body) -> Result<Reply, Failure<E>> {
        let to = ServerId::try_from(self.target).map_err(|error| unreachable(&error))?;
        self.network.ask(to, body).await.map_err(|error| unreachable(&error))
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
