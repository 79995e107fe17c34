//! What clients of etcd ask before they ask for a lock: who the servers are, how this one is, and a token for a name
//! and a password; and the header of every answer.

use crate::Etcd;
use crate::door::Asks;
use crate::locks::Answered;
use crate::refusals::bad;
use crate::wire::etcdserverpb::auth_server::Auth;
use crate::wire::etcdserverpb::cluster_server::Cluster;
use crate::wire::etcdserverpb::maintenance_server::Maintenance;
use crate::wire::etcdserverpb::{
    AuthenticateRequest, AuthenticateResponse, Member as Listed, MemberListRequest, MemberListResponse,
    ResponseHeader, StatusRequest, StatusResponse,
};
use ringleader_locks::{Fence, ServerId};
use ringleader_server::config::{Config, Right, sha256};
use tonic::{Request, Response};

/// Clients read a number of etcd from it; the rest says what this is.
const VERSION: &str = concat!("3.5.0+ringleader.", env!("CARGO_PKG_VERSION"));

/// A server, as the file has it.
#[derive(Clone)]
pub(crate) struct Member {
    id: u64,
    name: String,
    peer: String,
    client: Option<String>,
}

/// All of them, by place.
pub(crate) fn members(config: &Config, secure: bool) -> Vec<Member> {
    let scheme = if secure { "https" } else { "http" };
    let member = |server: &ringleader_server::config::ServerAddress| Member {
        id: number(&format!("{}/{}", config.cluster, server.name)),
        name: server.name.clone(),
        peer: format!("{scheme}://{}", server.peer),
        client: server.etcd.as_ref().map(|address| format!("{scheme}://{address}")),
    };
    config.servers.iter().map(member).collect()
}

/// A number for a name, the same at all servers and for ever, and never 0.
fn number(name: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = sha256(name.as_bytes());
    u64::from_be_bytes([a, b, c, d, e, f, g, h]) | 1
}

impl Etcd {
    /// The header of an answer. Its revision is a fence if the answer is about one; otherwise it is smaller than all
    /// fences of this epoch.
    pub(crate) fn header(&self, asks: &Asks, fence: Option<i64>) -> Option<ResponseHeader> {
        let core = asks.visitor.core();
        let epoch = core.view().map_or(0, |view| view.epoch);
        Some(ResponseHeader {
            cluster_id: number(&core.facts().cluster),
            member_id: self.member(core.own()),
            revision: fence.unwrap_or_else(|| Fence::new(epoch, 0).number().cast_signed()),
            raft_term: u64::from(epoch),
        })
    }

    fn member(&self, place: ServerId) -> u64 {
        self.members.get(usize::from(place)).map_or(0, |member| member.id)
    }
}

#[tonic::async_trait]
impl Cluster for Etcd {
    async fn member_list(&self, request: Request<MemberListRequest>) -> Answered<MemberListResponse> {
        let asks = Asks::of(request.extensions())?;
        let voters = asks.visitor.core().voters();
        let listed = (0..).zip(self.members.iter()).map(|(place, member)| Listed {
            id: member.id,
            name: member.name.clone(),
            peer_ur_ls: vec![member.peer.clone()],
            client_ur_ls: member.client.iter().cloned().collect(),
            is_learner: voters.as_ref().is_some_and(|voters| !voters.contains(&place)),
        });
        Ok(Response::new(MemberListResponse { members: listed.collect(), header: self.header(&asks, None) }))
    }
}

#[tonic::async_trait]
impl Maintenance for Etcd {
    async fn status(&self, request: Request<StatusRequest>) -> Answered<StatusResponse> {
        let asks = Asks::of(request.extensions())?;
        let allowed = asks.who().and_then(|who| who.may(Right::Observe, None));
        allowed.map_err(|refusal| asks.refused(&refusal))?;
        let core = asks.visitor.core();
        let figures = core.store().figures();
        let figure =
            |word: &str| figures.iter().find(|(known, _)| *known == word).map_or(0, |(_, number)| *number);
        // One more than its place; 0 is nobody.
        let leader = figure("raft_leader").checked_sub(1).and_then(|place| ServerId::try_from(place).ok());
        Ok(Response::new(StatusResponse {
            header: self.header(&asks, None),
            version: VERSION.to_owned(),
            db_size: 0,
            leader: leader.map_or(0, |place| self.member(place)),
            raft_index: figure("raft_applied_entry"),
            raft_term: u64::from(core.view().map_or(0, |view| view.epoch)),
        }))
    }
}

#[tonic::async_trait]
impl Auth for Etcd {
    /// The name and the password are those of a token of the file. The answer is the same token: it has no end.
    async fn authenticate(&self, request: Request<AuthenticateRequest>) -> Answered<AuthenticateResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let AuthenticateRequest { name, password } = message;
        let who = asks.visitor.principal(Some(format!("Bearer {password}").as_bytes()));
        match who {
            Ok(who) if *who.key() == format!("token:{name}") => {}
            // The words of etcd, whatever was wrong.
            _none => {
                let words = "etcdserver: authentication failed, invalid user ID or password";
                return Err(asks.refused(&bad(words)));
            }
        }
        Ok(Response::new(AuthenticateResponse { header: self.header(&asks, None), token: password }))
    }
}
