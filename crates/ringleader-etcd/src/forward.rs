//! The way to other servers. Clients of etcd spread their calls over all servers, so that many come to one that does
//! not have their lease: it asks the one that does.

use crate::door::Asks;
use crate::keys::place_of;
use crate::refusals::no_such_lease;
use http::Uri;
use hyper_util::rt::TokioIo;
use ringleader_client::api::Refusal;
use ringleader_locks::ServerId;
use ringleader_net::Problem;
use ringleader_net::tls::{self, Identity};
use ringleader_server::config::Config;
use ringleader_server::front::{Connection, refuse};
use rustls::ClientConfig;
use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tower_service::Service;

/// Who asked the server that passes a call on: only servers of the cluster are believed.
pub(crate) const ON_BEHALF_OF: &str = "ringleader-on-behalf-of";

/// It was passed on.
pub(crate) const PASSED_ON: &str = "ringleader-passed-on";

/// So long it may take to reach another server.
const DIAL: Duration = Duration::from_secs(1);

/// While a call waits, the other server is asked so often whether it is there, and has so long to say so.
const PING: Duration = Duration::from_secs(2);

/// The other servers.
pub(crate) struct Peers {
    own: ServerId,
    ways: Vec<Option<Way>>,
}

/// How one of them is reached.
struct Way {
    name: String,
    dials: Dials,
    /// Made with the first call.
    channel: OnceLock<Channel>,
}

impl Peers {
    /// Nothing is dialled yet.
    pub(crate) fn new(config: &Config, own: ServerId) -> Result<Peers, Problem> {
        let identity = Identity::read(&config.security, &config.cluster)?;
        let client = identity.as_ref().map(tls::client).transpose()?.map(|client| {
            let mut client = ClientConfig::clone(&client);
            client.alpn_protocols = vec![b"h2".to_vec()];
            Arc::new(client)
        });
        let ways = config.servers.iter().map(|server| {
            let address: Arc<str> = server.etcd.as_deref()?.into();
            let name = tls::server_name(&server.name, &config.cluster)?;
            let tls = client.clone().map(|client| (client, name));
            Some(Way { name: server.name.clone(), dials: Dials { address, tls }, channel: OnceLock::new() })
        });
        Ok(Peers { own, ways: ways.collect() })
    }

    /// The server of a lease, if it is another one.
    pub(crate) fn elsewhere(&self, asks: &Asks, lease: i64) -> Result<Option<ServerId>, Refusal> {
        let place = place_of(lease).ok_or_else(no_such_lease)?;
        if place == self.own {
            return Ok(None);
        }
        // Passed on, it comes to the server that it is meant for; if that has another number there, the files differ.
        let known = self.ways.get(usize::from(place)).is_some_and(Option::is_some);
        if known && !asks.passed_on { Ok(Some(place)) } else { Err(no_such_lease()) }
    }

    /// Passes a call on.
    pub(crate) async fn pass<T, A, F>(
        &self,
        (asks, to): (&Asks, ServerId),
        message: T,
        call: impl FnOnce(Channel, Request<T>) -> F,
    ) -> Result<A, Status>
    where
        F: Future<Output = Result<A, Status>>,
    {
        let way = self.ways.get(usize::from(to)).and_then(Option::as_ref);
        let way = way.ok_or_else(|| asks.refused(&no_such_lease()))?;
        let mut request = Request::new(message);
        let headers = request.metadata_mut();
        headers.insert(PASSED_ON, MetadataValue::from_static("1"));
        let who = asks.who().map_err(|refusal| asks.refused(&refusal))?;
        match (&way.dials.tls, &asks.token) {
            // In plain text nobody knows this server by its certificate: the client's own token goes on.
            (None, Some(token)) => {
                let token = MetadataValue::try_from(token.as_bytes());
                headers
                    .insert("authorization", token.map_err(|_| Status::internal("a token with bad bytes"))?);
            }
            (Some(_), _) | (None, None) => {
                let key = MetadataValue::try_from(&*who.key());
                headers.insert(ON_BEHALF_OF, key.map_err(|_| Status::internal("a caller with bad bytes"))?);
            }
        }
        call(way.channel(), request).await.map_err(|status| match status.source() {
            // It is not what the other server said: nothing came of it.
            Some(_) => asks.refused(&way.silent()),
            None => status,
        })
    }
}

impl Way {
    fn channel(&self) -> Channel {
        let new = || {
            // The address is the dialler's affair; this is what the other side is told.
            let endpoint = Endpoint::from_static("http://ringleader");
            let endpoint = endpoint.connect_timeout(DIAL).http2_keep_alive_interval(PING);
            endpoint.keep_alive_timeout(PING).connect_with_connector_lazy(self.dials.clone())
        };
        self.channel.get_or_init(new).clone()
    }

    fn silent(&self) -> Refusal {
        let message = format!(
            "server `{}`, which has this lease, does not answer: whether this was done is not known. If it is gone, \
             what the lease holds is free when the lease's time is over",
            self.name
        );
        refuse("no_lease", message)
    }
}

/// Opens connections to a server.
#[derive(Clone)]
struct Dials {
    address: Arc<str>,
    tls: Option<(Arc<ClientConfig>, rustls::pki_types::ServerName<'static>)>,
}

impl Service<Uri> for Dials {
    type Response = TokioIo<Connection>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<Connection>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let Dials { address, tls } = self.clone();
        Box::pin(async move {
            let stream = TcpStream::connect(&*address).await?;
            stream.set_nodelay(true)?;
            let connection: Connection = match tls {
                Some((config, name)) => {
                    Box::new(tokio_rustls::TlsConnector::from(config).connect(name, stream).await?)
                }
                None => Box::new(stream),
            };
            Ok(TokioIo::new(connection))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Etcd;
    use crate::wire::etcdserverpb::LeaseGrantRequest;
    use crate::wire::etcdserverpb::lease_client::LeaseClient;
    use ringleader_net::config::Environment;
    use ringleader_server::local::{self, CLIENT, Plan};
    use ringleader_server::{Options, Service as Server};
    use std::sync::mpsc;
    use tonic::Code;

    /// A call for somebody else, with this certificate; tried until the server grants.
    async fn asks(config: &Config, folder: &std::path::Path, name: &str) -> Result<i64, Status> {
        let read = |file: String| std::fs::read(folder.join(file)).expect("it was written");
        let files = [read("ca.pem".to_owned()), read(format!("{name}.pem")), read(format!("{name}.key"))];
        let [authority, certificate, key] = &files;
        let identity =
            Identity::from_pem("test", [("ca", authority), ("certificate", certificate), ("key", key)]);
        let mut client =
            ClientConfig::clone(&tls::client(&identity.expect("our own files")).expect("a client"));
        client.alpn_protocols = vec![b"h2".to_vec()];
        let server = tls::server_name("a", "test").expect("a name");
        let address = config.servers[0].etcd.as_deref().expect("it has one").into();
        let dials = Dials { address, tls: Some((Arc::new(client), server)) };
        let way = Way { name: "a".to_owned(), dials, channel: OnceLock::new() };
        loop {
            let mut request = Request::new(LeaseGrantRequest { ttl: 1, id: 0 });
            let whom = MetadataValue::try_from(format!("cert:{CLIENT}")).expect("a word");
            request.metadata_mut().insert(ON_BEHALF_OF, whom);
            match LeaseClient::new(way.channel()).lease_grant(request).await {
                Ok(granted) => return Ok(granted.into_inner().id),
                Err(status) if status.code() == Code::Unavailable => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(status) => return Err(status),
            }
        }
    }

    #[tokio::test]
    async fn only_servers_ask_for_others() {
        let folder = tempfile::tempdir().expect("there is room");
        let (_, config) = local::make(Plan {
            program: "ringleader".into(),
            folder: folder.path().to_owned(),
            servers: 1,
            cluster: "test".to_owned(),
            pace: Default::default(),
            classes: Vec::new(),
            drain: Duration::ZERO,
            etcd: true,
        })
        .expect("a service");
        let own = Config::read(&folder.path().join(local::FILE), Some("a"), &Environment::empty());
        let own = own.expect("our own file");
        let server = Server::bind(&own, 0, Options::default()).expect("its addresses are free");
        let server = server.with_front(Etcd::new(&own, 0).expect("a front"));
        let (handle, (ready, is_ready)) = (server.handle(), mpsc::channel());
        let thread = std::thread::spawn(move || server.run(|_| ready.send(()).expect("somebody waits")));
        is_ready.recv().expect("it starts");
        assert!(asks(&config, folder.path(), "a").await.expect("a server may") > 0);
        let refused = asks(&config, folder.path(), CLIENT).await.expect_err("a client may not");
        assert_eq!(refused.code(), Code::PermissionDenied);
        assert!(refused.message().contains("only a server of this cluster"), "{refused}");
        handle.stop();
        thread.join().expect("no panic").expect("it stops");
    }
}
