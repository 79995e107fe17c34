//! `Lease` and `Lock`.

use crate::Etcd;
use crate::claims::Holder;
use crate::door::Asks;
use crate::keys::{key, name, parts};
use crate::leases::Lease;
use crate::refusals::bad;
use crate::wire::etcdserverpb::lease_client::LeaseClient;
use crate::wire::etcdserverpb::lease_server::Lease as LeaseService;
use crate::wire::etcdserverpb::{
    LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest, LeaseKeepAliveResponse, LeaseRevokeRequest,
    LeaseRevokeResponse, LeaseTimeToLiveRequest, LeaseTimeToLiveResponse,
};
use crate::wire::v3lockpb::lock_client::LockClient;
use crate::wire::v3lockpb::lock_server::Lock as LockService;
use crate::wire::v3lockpb::{LockRequest, LockResponse, UnlockRequest, UnlockResponse};
use futures_util::{Stream, StreamExt, stream};
use ringleader_client::api::Refusal;
use ringleader_locks::{Kind, Name, ServerId};
use ringleader_server::config::Right;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tonic::{Code, Request, Response, Status, Streaming};

/// What is answered, or refused.
pub(crate) type Answered<T> = Result<Response<T>, Status>;

/// So many keep-alives of a stream are answered at once. One that takes long does not hold up the others.
const AT_ONCE: usize = 64;

/// So long a keep-alive is tried again whose server cannot be reached.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often.
const AGAIN: Duration = Duration::from_millis(200);

impl Etcd {
    /// A lease of this client at this server.
    pub(crate) fn lease(&self, asks: &Asks, id: i64) -> Result<Arc<Lease>, Refusal> {
        self.leases.find(asks.who()?, id)
    }

    /// Where a lease is, if not here.
    pub(crate) fn elsewhere(&self, asks: &Asks, lease: i64) -> Result<Option<ServerId>, Status> {
        self.peers.elsewhere(asks, lease).map_err(|refusal| asks.refused(&refusal))
    }

    /// What a call does with a lease.
    pub(crate) fn holder<'c>(&'c self, asks: &'c Asks, lease: &'c Lease) -> Holder<'c> {
        Holder { core: asks.visitor.core(), leases: &self.leases, lease }
    }

    async fn locks(&self, asks: &Asks, name: &Name, lease: i64) -> Result<i64, Refusal> {
        asks.who()?.may(Right::Lock, Some(name))?;
        let lease = self.lease(asks, lease)?;
        let fence = self.holder(asks, &lease).takes(name, Arc::from([])).await?;
        Ok(fence.number().cast_signed())
    }

    async fn unlocks(&self, asks: &Asks, name: &Name, lease: i64) -> Result<Option<i64>, Refusal> {
        let lease = self.lease(asks, lease)?;
        let fence = self.holder(asks, &lease).gives_back(name).await?;
        Ok(fence.map(|fence| fence.number().cast_signed()))
    }

    /// One keep-alive.
    async fn keeps_alive(&self, asks: &Asks, id: i64) -> Result<LeaseKeepAliveResponse, Status> {
        let header = |seconds| LeaseKeepAliveResponse { header: self.header(asks, None), id, ttl: seconds };
        // Nobody has it: as with etcd, it has no time left.
        let Ok(to) = self.peers.elsewhere(asks, id) else { return Ok(header(0)) };
        let Some(to) = to else {
            let Ok(lease) = self.lease(asks, id) else { return Ok(header(0)) };
            let kept = self.leases.keep_alive(asks.visitor.core(), &lease).await;
            return kept.map(header).map_err(|refusal| asks.refused(&refusal));
        };
        let until = Instant::now() + PATIENCE;
        loop {
            let one = stream::iter([LeaseKeepAliveRequest { id }]);
            let passed = self.peers.pass((asks, to), one, |way, request| async move {
                let mut answers = LeaseClient::new(way).lease_keep_alive(request).await?.into_inner();
                answers.message().await?.ok_or_else(|| Status::unavailable("no answer"))
            });
            match passed.await {
                Err(status) if status.code() == Code::Unavailable && Instant::now() < until => {
                    sleep(AGAIN).await;
                }
                answered => return answered,
            }
        }
    }
}

#[tonic::async_trait]
impl LeaseService for Etcd {
    async fn lease_grant(&self, request: Request<LeaseGrantRequest>) -> Answered<LeaseGrantResponse> {
        let (asks, LeaseGrantRequest { ttl, id }) = (Asks::of(request.extensions())?, request.into_inner());
        let granted = async { self.leases.grant(asks.visitor.core(), asks.who()?, (ttl, id)).await }.await;
        let lease = granted.map_err(|refusal| asks.refused(&refusal))?;
        let header = self.header(&asks, None);
        let error = String::new();
        Ok(Response::new(LeaseGrantResponse { header, id: lease.id, ttl: lease.seconds, error }))
    }

    async fn lease_revoke(&self, request: Request<LeaseRevokeRequest>) -> Answered<LeaseRevokeResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        if let Some(to) = self.elsewhere(&asks, message.id)? {
            let pass = |way, request| async { LeaseClient::new(way).lease_revoke(request).await };
            return self.peers.pass((&asks, to), message, pass).await;
        }
        let revoked = async {
            let lease = self.lease(&asks, message.id)?;
            self.leases.revoke(asks.visitor.core(), &lease).await
        };
        revoked.await.map_err(|refusal| asks.refused(&refusal))?;
        Ok(Response::new(LeaseRevokeResponse { header: self.header(&asks, None) }))
    }

    type LeaseKeepAliveStream = Pin<Box<dyn Stream<Item = Result<LeaseKeepAliveResponse, Status>> + Send>>;

    async fn lease_keep_alive(
        &self,
        request: Request<Streaming<LeaseKeepAliveRequest>>,
    ) -> Answered<Self::LeaseKeepAliveStream> {
        let asks = Asks::of(request.extensions())?;
        let etcd = self.clone();
        let answers = request.into_inner().map(move |question| {
            let (etcd, asks) = (etcd.clone(), asks.clone());
            async move { etcd.keeps_alive(&asks, question?.id).await }
        });
        Ok(Response::new(Box::pin(answers.buffer_unordered(AT_ONCE))))
    }

    async fn lease_time_to_live(
        &self,
        request: Request<LeaseTimeToLiveRequest>,
    ) -> Answered<LeaseTimeToLiveResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let LeaseTimeToLiveRequest { id, keys } = message;
        // As etcd says it of one that nobody has.
        let none = |header| LeaseTimeToLiveResponse { header, id, ttl: -1, granted_ttl: 0, keys: Vec::new() };
        match self.peers.elsewhere(&asks, id) {
            Ok(Some(to)) => {
                let pass = |way, request| async { LeaseClient::new(way).lease_time_to_live(request).await };
                return self.peers.pass((&asks, to), message, pass).await;
            }
            Ok(None) => {}
            Err(_) => return Ok(Response::new(none(self.header(&asks, None)))),
        }
        let header = self.header(&asks, None);
        let Ok(lease) = self.lease(&asks, id) else { return Ok(Response::new(none(header))) };
        let held = if keys { lease.claims.held() } else { Vec::new() };
        Ok(Response::new(LeaseTimeToLiveResponse {
            header,
            id,
            ttl: lease.seconds_left(),
            granted_ttl: lease.seconds,
            keys: held.iter().map(|name| key(name, id)).collect(),
        }))
    }
}

#[tonic::async_trait]
impl LockService for Etcd {
    async fn lock(&self, request: Request<LockRequest>) -> Answered<LockResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let refused = |refusal: Refusal| asks.refused(&refusal);
        let name = name(Kind::Lock, &message.name).map_err(refused)?;
        if message.lease == 0 {
            return Err(refused(without_lease("Lock")));
        }
        if let Some(to) = self.elsewhere(&asks, message.lease)? {
            let pass = |way, request| async { LockClient::new(way).lock(request).await };
            return self.peers.pass((&asks, to), message, pass).await;
        }
        let fence = self.locks(&asks, &name, message.lease).await.map_err(refused)?;
        let key = key(&name, message.lease);
        Ok(Response::new(LockResponse { header: self.header(&asks, Some(fence)), key }))
    }

    async fn unlock(&self, request: Request<UnlockRequest>) -> Answered<UnlockResponse> {
        let (asks, message) = (Asks::of(request.extensions())?, request.into_inner());
        let refused = |refusal: Refusal| asks.refused(&refusal);
        let (name, lease) = parts(Kind::Lock, &message.key).map_err(refused)?;
        if let Some(to) = self.elsewhere(&asks, lease)? {
            let pass = |way, request| async { LockClient::new(way).unlock(request).await };
            return self.peers.pass((&asks, to), message, pass).await;
        }
        let fence = self.unlocks(&asks, &name, lease).await.map_err(refused)?;
        Ok(Response::new(UnlockResponse { header: self.header(&asks, fence) }))
    }
}

/// Nobody would keep it alive, and its holder would not learn that it ends.
pub(crate) fn without_lease(call: &str) -> Refusal {
    bad(format!("{call} needs a lease: grant one first (Lease.LeaseGrant), keep it alive, and name it here"))
}
