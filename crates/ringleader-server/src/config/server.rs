//! `[[server]]`.

use ringleader_net::Problem;
use ringleader_net::config::document::Document;
use ringleader_net::config::is_loopback;
use ringleader_net::config::member::{Row, differ};
use ringleader_net::config::values::{HostPort, Name};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// What the environment may say of a server.
pub(super) const VARIABLES: &[&str] = &["address", "listen", "api", "socket", "status", "etcd"];

/// Where a server is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerAddress {
    /// Its name.
    pub name: String,
    /// Where the other servers reach it, as host and port.
    pub peer: String,
    /// Where it listens for them: the same, unless it is behind something.
    pub listen: String,
    /// Where clients reach it by HTTPS.
    pub api: String,
    /// Where clients of the same machine reach it.
    pub socket: Option<PathBuf>,
    /// Where its status is told in plain HTTP, on this machine only.
    pub status: Option<String>,
    /// Where clients of etcd reach it by gRPC.
    pub etcd: Option<String>,
}

/// A server as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Server {
    name: Name,
    address: HostPort,
    listen: Option<HostPort>,
    api: HostPort,
    socket: Option<Socket>,
    status: Option<HostPort>,
    etcd: Option<HostPort>,
}

ringleader_net::checked_words! {
    /// The path of a socket.
    Socket("the path of a Unix socket", |text| match text.len() {
        1..=100 => Ok(()),
        _ => Err("expected a path of 1 to 100 bytes: systems allow no more".into()),
    });
}

impl From<&ServerAddress> for Server {
    fn from(server: &ServerAddress) -> Server {
        let listen = Some(&server.listen).filter(|listen| **listen != server.peer);
        Server {
            name: Name(server.name.clone()),
            address: HostPort(server.peer.clone()),
            listen: listen.cloned().map(HostPort),
            api: HostPort(server.api.clone()),
            socket: server.socket.as_ref().map(|path| Socket(path.display().to_string())),
            status: server.status.clone().map(HostPort),
            etcd: server.etcd.clone().map(HostPort),
        }
    }
}

impl From<&Server> for ServerAddress {
    fn from(row: &Server) -> ServerAddress {
        ServerAddress {
            name: row.name.0.clone(),
            peer: row.address.0.clone(),
            listen: row.listen.as_ref().unwrap_or(&row.address).0.clone(),
            api: row.api.0.clone(),
            socket: row.socket.as_ref().map(|path| PathBuf::from(&path.0)),
            status: row.status.as_ref().map(|status| status.0.clone()),
            etcd: row.etcd.as_ref().map(|etcd| etcd.0.clone()),
        }
    }
}

/// The addresses of a server, with their places.
type Reached<'s> = Vec<(&'s str, Range<usize>)>;

/// Checks the servers, and compares each with those before it.
pub(super) fn check<'s>(
    document: &Document<'_>,
    servers: &'s [ServerAddress],
) -> Result<Reached<'s>, Problem> {
    let row = |server: &'s ServerAddress| Row {
        name: &server.name,
        peer: &server.peer,
        others: [("api", server.api.as_str())]
            .into_iter()
            .chain(server.etcd.as_deref().map(|etcd| ("etcd", etcd)))
            .collect(),
    };
    differ(document, "server", "a service", &servers.iter().map(row).collect::<Vec<_>>())?;
    let mut reached = Vec::new();
    for (place, server) in servers.iter().enumerate() {
        let at = |key: &str| document.at(&format!("server.{place}.{key}"));
        let ServerAddress { peer, listen, api, status, etcd, .. } = server;
        if api == listen || api == peer {
            let label = "the servers are listened to there already: take another port";
            return Err(document.bad(at("api"), label));
        }
        if let Some(status) = status {
            if !is_loopback(status) {
                let label = "the status is told in plain text, to this machine only: an address such as 127.0.0.1:7433";
                return Err(document.bad(at("status"), label));
            }
            if [listen, peer, api].contains(&status) {
                return Err(document.bad(at("status"), "something else is there already: take another port"));
            }
        }
        if let Some(etcd) = etcd {
            if [listen, peer, api].contains(&etcd) || status.as_ref() == Some(etcd) {
                let label = "something else is there already: clients of etcd need a port of their own";
                return Err(document.bad(at("etcd"), label));
            }
            reached.push((&**etcd, at("etcd")));
        }
        reached.extend([(&**peer, at("address")), (listen, at("address")), (api, at("api"))]);
    }
    Ok(reached)
}
