//! What a lease holds and waits for. As with etcd, a lease has at most one claim to a name: to ask for what it holds is
//! answered at once, with the same fence, and several calls may wait for the same.

use crate::leases::{Lease, Leases, answered, unanswered};
use crate::refusals::not_leader;
use ringleader_client::api::Refusal;
use ringleader_live::Micros;
use ringleader_locks::{Answer, Ask, Denial, Fence, Mode, Name, Rid};
use ringleader_server::core::Core;
use ringleader_server::front::{refusal, refuse};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex as Turn;
use tokio::time::sleep;

/// The claims of a lease.
#[derive(Default)]
pub(crate) struct Claims(Mutex<Known>);

#[derive(Default)]
struct Known {
    last: Rid,
    names: BTreeMap<Name, Claim>,
}

struct Claim {
    rid: Rid,
    /// How many calls wait for it.
    calls: usize,
    /// Only one of them asks the server: it answers a request once.
    turn: Arc<Turn<()>>,
    fence: Option<Fence>,
}

impl Claims {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names that are held.
    pub(crate) fn held(&self) -> Vec<Name> {
        let known = self.known();
        let held = known.names.iter().filter(|(_, claim)| claim.fence.is_some());
        held.map(|(name, _)| name.clone()).collect()
    }

    /// The request for this name, and its fence if it is held.
    fn of(&self, name: &Name) -> Option<(Rid, Option<Fence>)> {
        self.known().names.get(name).map(|claim| (claim.rid, claim.fence))
    }

    fn joins(&self, name: &Name) -> (Rid, Arc<Turn<()>>) {
        let mut known = self.known();
        let new = known.last + 1;
        let claim = known.names.entry(name.clone()).or_insert_with(|| Claim {
            rid: new,
            calls: 0,
            turn: Arc::default(),
            fence: None,
        });
        claim.calls += 1;
        let (rid, turn) = (claim.rid, Arc::clone(&claim.turn));
        known.last = known.last.max(rid);
        (rid, turn)
    }

    fn granted(&self, name: &Name, rid: Rid, fence: Fence) {
        if let Some(claim) = self.known().names.get_mut(name).filter(|claim| claim.rid == rid) {
            claim.fence = Some(fence);
        }
    }

    /// A call waits no more. Whether the request is wanted by nobody now.
    fn leaves(&self, name: &Name, rid: Rid) -> bool {
        let mut known = self.known();
        let Some(claim) = known.names.get_mut(name).filter(|claim| claim.rid == rid) else { return false };
        claim.calls -= 1;
        let unwanted = claim.calls == 0 && claim.fence.is_none();
        if unwanted {
            known.names.remove(name);
        }
        unwanted
    }

    fn ends(&self, name: &Name, rid: Rid) {
        let mut known = self.known();
        if known.names.get(name).is_some_and(|claim| claim.rid == rid) {
            known.names.remove(name);
        }
    }
}

/// A call that waits. The request is withdrawn with the last of them, also if it was granted meanwhile.
struct Waits<'c> {
    core: &'c Core,
    lease: &'c Lease,
    name: &'c Name,
    rid: Rid,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if self.lease.claims.leaves(self.name, self.rid) {
            let _ = self.core.at_once(Ask::Cancel { session: self.lease.session, rid: self.rid });
        }
    }
}

/// What calls about a lock or an election do with the lease that they name.
pub(crate) struct Holder<'c> {
    pub(crate) core: &'c Core,
    pub(crate) leases: &'c Leases,
    pub(crate) lease: &'c Lease,
}

impl Holder<'_> {
    /// Waits until it is granted, for as long as the client does.
    pub(crate) async fn takes(&self, name: &Name, value: Arc<[u8]>) -> Result<Fence, Refusal> {
        let Holder { core, leases, lease } = *self;
        let (rid, turn) = lease.claims.joins(name);
        let _waits = Waits { core, lease, name, rid };
        let _turn = turn.lock().await;
        loop {
            core.may_go_on(lease.session)?;
            let (session, wanted, value) = (lease.session, name.clone(), Arc::clone(&value));
            let ask = Ask::Acquire {
                session,
                rid,
                name: wanted,
                wait: None,
                priority: 0,
                value,
                mode: Mode::Exclusive,
            };
            match core.ask(ask).await {
                Ok(Answer::Granted { fence, .. }) => {
                    lease.claims.granted(name, rid, fence);
                    return Ok(fence);
                }
                // Refused for the time being: the same number asks again.
                Ok(Answer::Denied(Denial::NoLease { retry } | Denial::Recovering { retry })) => {
                    sleep(Duration::from_micros(retry.max(Micros::millis(10)).0)).await;
                }
                Ok(Answer::Denied(denial)) => {
                    return Err(leases.refused(lease, refusal(core, Some(name), denial)));
                }
                Ok(
                    Answer::Opened { .. }
                    | Answer::Alive { .. }
                    | Answer::Closed
                    | Answer::Cancelled
                    | Answer::Released
                    | Answer::State(_),
                ) => return Err(refuse("no_lease", "this server stops")),
                Err(why) => return Err(unanswered(why)),
            }
        }
    }

    /// Gives it back; or withdraws the request, if it waits. The fence that it had.
    pub(crate) async fn gives_back(&self, name: &Name) -> Result<Option<Fence>, Refusal> {
        let Holder { core, leases, lease } = *self;
        let Some((rid, fence)) = lease.claims.of(name) else { return Ok(None) };
        let session = lease.session;
        let ask = match fence {
            Some(fence) => Ask::Release { session, name: name.clone(), fence },
            None => Ask::Cancel { session, rid },
        };
        match answered(core, ask).await {
            Ok(_) => {}
            Err(refusal) if refusal.code == "not_holder" => {}
            Err(refusal) => return Err(leases.refused(lease, refusal)),
        }
        lease.claims.ends(name, rid);
        Ok(fence)
    }

    /// Whether it leads with this revision.
    pub(crate) fn leads(&self, name: &Name, revision: i64) -> Result<Fence, Refusal> {
        match self.lease.claims.of(name) {
            Some((_, Some(fence))) if fence.number().cast_signed() == revision => Ok(fence),
            Some((_, Some(fence))) => Err(not_leader(format!(
                "election: not leader: this lease leads `{name}` with revision {fence}, not {revision}"
            ))),
            Some((_, None)) | None => {
                Err(not_leader(format!("election: not leader: this lease does not lead `{name}`")))
            }
        }
    }

    /// Shows another value.
    pub(crate) async fn proclaims(&self, name: &Name, fence: Fence, value: Arc<[u8]>) -> Result<(), Refusal> {
        let (session, name) = (self.lease.session, name.clone());
        let proclaimed = answered(self.core, Ask::Proclaim { session, name, fence, value }).await;
        proclaimed.map(|_| ()).map_err(|refusal| self.leases.refused(self.lease, refusal))
    }
}
