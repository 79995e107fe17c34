//! The lock and election services of etcd, over gRPC, answered by a server of the lock service: clients of etcd work
//! unchanged. A lease of etcd is a session, the revision in the header of an answer is the fence.
//!
//! Here, and nowhere else, something is known of gRPC. What is not kept is refused, never imitated:
//! `docs/locks/etcd.md` says what is served.

mod claims;
mod cluster;
mod door;
mod elections;
mod forward;
mod keys;
mod leases;
mod locks;
mod refusals;
mod wire;

use forward::Peers;
use leases::Leases;
use ringleader_locks::ServerId;
use ringleader_net::Problem;
use ringleader_net::config::Security;
use ringleader_server::config::Config;
use ringleader_server::front::{Connection, Front, Visitor};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// The front of a server for clients of etcd. Its clones are the same.
#[derive(Clone)]
pub struct Etcd {
    leases: Arc<Leases>,
    peers: Arc<Peers>,
    members: Arc<[cluster::Member]>,
}

impl Etcd {
    /// The front of this server.
    ///
    /// # Errors
    /// If the server's certificate cannot be read.
    pub fn new(config: &Config, own: ServerId) -> Result<Arc<Etcd>, Problem> {
        Ok(Arc::new(Etcd {
            leases: Arc::new(Leases::new(own)),
            peers: Arc::new(Peers::new(config, own)?),
            members: cluster::members(config, matches!(config.security, Security::Tls { .. })).into(),
        }))
    }
}

impl Front for Etcd {
    fn protocol(&self) -> &'static [u8] {
        b"h2"
    }

    fn serve(
        self: Arc<Self>,
        connection: Connection,
        visitor: Visitor,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'static>> {
        Box::pin(door::serve(self, connection, visitor))
    }
}
