//! `Election`.

use crate::Etcd;
use crate::door::Asks;
use crate::keys::{key, name};
use crate::leases::lease_of;
use crate::locks::{Answered, without_lease};
use crate::refusals::bad;
use crate::wire::mvccpb::KeyValue;
use crate::wire::v3electionpb::election_client::ElectionClient;
use crate::wire::v3electionpb::election_server::Election;
use crate::wire::v3electionpb::{
    CampaignRequest, CampaignResponse, LeaderKey, LeaderRequest, LeaderResponse, ProclaimRequest,
    ProclaimResponse, ResignRequest, ResignResponse,
};
use futures_util::{Stream, stream};
use ringleader_client::api::Refusal;
use ringleader_locks::{Fence, Kind, LockState, MAX_VALUE, Name};
use ringleader_server::config::Right;
use ringleader_server::front::refuse;
use std::pin::Pin;
use std::sync::Arc;
use tonic::{Request, Response, Status};

impl Etcd {
    async fn campaigns(&self, asks: &Asks, name: &Name, message: &CampaignRequest) -> Result<i64, Refusal> {
        asks.who()?.may(Right::Elect, Some(name))?;
        let lease = self.lease(asks, message.lease)?;
        let holder = self.holder(asks, &lease);
        let value = shown(&message.value)?;
        let fence = holder.takes(name, Arc::clone(&value)).await?;
        // Who leads already and campaigns again shows what it says now, as with etcd.
        holder.proclaims(name, fence, value).await?;
        Ok(fence.number().cast_signed())
    }

    async fn proclaims(&self, asks: &Asks, leader: &Leads, value: &[u8]) -> Result<(), Refusal> {
        asks.who()?.may(Right::Elect, Some(&leader.name))?;
        let lease = self.lease(asks, leader.lease)?;
        let holder = self.holder(asks, &lease);
        let fence = holder.leads(&leader.name, leader.revision)?;
        holder.proclaims(&leader.name, fence, shown(value)?).await
    }

    async fn resigns(&self, asks: &Asks, leader: &Leads) -> Result<(), Refusal> {
        let lease = self.lease(asks, leader.lease)?;
        let holder = self.holder(asks, &lease);
        holder.leads(&leader.name, leader.revision)?;
        holder.gives_back(&leader.name).await.map(|_| ())
    }

    fn led(&self, asks: &Asks, name: &Name, fence: Fence, state: &LockState) -> LeaderResponse {
        let (revision, lease) = (fence.number().cast_signed(), lease_of(&state.holder));
        LeaderResponse {
            header: self.header(asks, Some(revision)),
            kv: Some(KeyValue {
                key: key(name, lease),
                create_revision: revision,
                mod_revision: revision,
                version: 1,
                value: state.value.to_vec(),
                lease,
            }),
        }
    }
}

/// What a leader shows, in bytes: they are text, as everywhere in this service.
fn shown(value: &[u8]) -> Result<Arc<[u8]>, Refusal> {
    if str::from_utf8(value).is_err() {
        return Err(bad("a value is text in UTF-8"));
    }
    if value.len() > MAX_VALUE {
        return Err(bad(format!("the value has {} bytes; at most {MAX_VALUE}", value.len())));
    }
    Ok(value.into())
}

/// Who says that it leads.
struct Leads {
    name: Name,
    lease: i64,
    revision: i64,
}

/// The key that the answer to a campaign has.
fn leads(key_of: Option<&LeaderKey>) -> Result<Leads, Refusal> {
    let missing = || bad("\"leader\" field must be provided: it is in the answer to Campaign");
    let LeaderKey { name: bytes, key: told, rev, lease } = key_of.ok_or_else(missing)?;
    let name = name(Kind::Election, bytes)?;
    if *told != key(&name, *lease) {
        let shown = String::from_utf8_lossy(told);
        return Err(bad(format!("`{shown}` is no key of this leader: it is in the answer to Campaign")));
    }
    Ok(Leads { name, lease: *lease, revision: *rev })
}

/// What an observer has seen.
struct Seen {
    etcd: Etcd,
    asks: Asks,
    name: Name,
    glances: tokio::sync::watch::Receiver<Option<LockState>>,
    last: Option<(Fence, Arc<[u8]>)>,
}

impl Seen {
    /// The next leader, or the next value of the same. What is older than what was seen is left out.
    async fn next(&mut self) -> Option<LeaderResponse> {
        loop {
            let state = self.glances.borrow_and_update().clone();
            if let Some(state) = state.filter(|state| state.held)
                && let Some(fence) = state.fence
            {
                let now = (fence, Arc::clone(&state.value));
                if self.last.as_ref().is_none_or(|last| *last != now && last.0 <= fence) {
                    self.last = Some(now);
                    return Some(self.etcd.led(&self.asks, &self.name, fence, &state));
                }
            }
            self.glances.changed().await.ok()?;
        }
    }
}

#[tonic::async_trait]
impl Election for Etcd {
    async fn campaign(&self, request: Request<CampaignRequest>) -> Answered<CampaignResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let refused = |refusal: Refusal| asks.refused(&refusal);
        let name = name(Kind::Election, &message.name).map_err(refused)?;
        let lease = message.lease;
        if lease == 0 {
            return Err(refused(without_lease("Campaign")));
        }
        if let Some(to) = self.elsewhere(&asks, lease)? {
            let pass = |way, request| async { ElectionClient::new(way).campaign(request).await };
            return self.peers.pass((&asks, to), message, pass).await;
        }
        let rev = self.campaigns(&asks, &name, &message).await.map_err(refused)?;
        let leader = LeaderKey { key: key(&name, lease), name: message.name, rev, lease };
        Ok(Response::new(CampaignResponse { header: self.header(&asks, Some(rev)), leader: Some(leader) }))
    }

    async fn proclaim(&self, request: Request<ProclaimRequest>) -> Answered<ProclaimResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let refused = |refusal: Refusal| asks.refused(&refusal);
        let leader = leads(message.leader.as_ref()).map_err(refused)?;
        if let Some(to) = self.elsewhere(&asks, leader.lease)? {
            let pass = |way, request| async { ElectionClient::new(way).proclaim(request).await };
            return self.peers.pass((&asks, to), message, pass).await;
        }
        self.proclaims(&asks, &leader, &message.value).await.map_err(refused)?;
        Ok(Response::new(ProclaimResponse { header: self.header(&asks, Some(leader.revision)) }))
    }

    async fn leader(&self, request: Request<LeaderRequest>) -> Answered<LeaderResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let looked = async {
            let name = name(Kind::Election, &message.name)?;
            asks.who()?.may(Right::Observe, Some(&name))?;
            let state = asks.visitor.look(&name).await?;
            match state.fence.filter(|_| state.held) {
                Some(fence) => Ok(self.led(&asks, &name, fence, &state)),
                // The words of etcd.
                None => Err(refuse("no_leader", "election: no leader")),
            }
        };
        looked.await.map(Response::new).map_err(|refusal| asks.refused(&refusal))
    }

    type ObserveStream = Pin<Box<dyn Stream<Item = Result<LeaderResponse, Status>> + Send>>;

    async fn observe(&self, request: Request<LeaderRequest>) -> Answered<Self::ObserveStream> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let refused = |refusal: Refusal| asks.refused(&refusal);
        let name = name(Kind::Election, &message.name).map_err(refused)?;
        let may = asks.who().and_then(|who| who.may(Right::Observe, Some(&name)));
        may.map_err(refused)?;
        let glances = asks.visitor.watches(&name);
        let seen = Seen { etcd: self.clone(), asks, name, glances, last: None };
        let leaders = stream::unfold(seen, |mut seen| async move {
            let led = seen.next().await?;
            Some((Ok(led), seen))
        });
        Ok(Response::new(Box::pin(leaders)))
    }

    async fn resign(&self, request: Request<ResignRequest>) -> Answered<ResignResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let refused = |refusal: Refusal| asks.refused(&refusal);
        let leader = leads(message.leader.as_ref()).map_err(refused)?;
        if let Some(to) = self.elsewhere(&asks, leader.lease)? {
            let pass = |way, request| async { ElectionClient::new(way).resign(request).await };
            return self.peers.pass((&asks, to), message, pass).await;
        }
        self.resigns(&asks, &leader).await.map_err(refused)?;
        Ok(Response::new(ResignResponse { header: self.header(&asks, Some(leader.revision)) }))
    }
}
