//! What `ringleader doctor` needs to know about a lock service.

use crate::config::{Config, Views};
use ringleader_live::Micros;
use ringleader_locks::Class;
use ringleader_net::client::{Unanswered, fetch};
use ringleader_net::config::written;
use ringleader_net::doctor::{Place, Said, Subject};
use serde::Deserialize;
use std::time::Duration;

/// The servers of a service.
#[must_use]
pub fn subject(config: &Config) -> Subject<'_> {
    let members = config.servers.iter().map(|server| Place {
        name: &server.name,
        peer: &server.peer,
        listen: &server.listen,
        status: server.status.as_deref(),
        also: [(server.api.as_str(), "clients")]
            .into_iter()
            .chain(server.etcd.as_deref().map(|etcd| (etcd, "clients of etcd")))
            .collect(),
    });
    Subject {
        cluster: &config.cluster,
        security: &config.security,
        drift_ppm: config.pace.times.drift_ppm,
        overview: overview(config),
        warnings: &config.warnings,
        members: members.collect(),
        ask,
    }
}

fn overview(config: &Config) -> String {
    let servers = config.servers.len();
    let leases: Vec<String> = Class::ALL
        .iter()
        .map(|class| format!("{} {}", class.name(), written(config.pace.times.lease(*class))))
        .collect();
    let views = match &config.views {
        Views::Raft => format!("{} are a majority", servers / 2 + 1),
        Views::Etcd(etcd) => format!("the view is in etcd at {}", etcd.endpoints.join(", ")),
    };
    format!("lock service {}: {servers} servers, {views}; leases {}", config.cluster, leases.join(", "))
}

/// How a server is, as it says.
#[derive(Deserialize)]
struct Status {
    schema: String,
    cluster: String,
    server: String,
    wall_ms: u64,
    members: Vec<Member>,
}

#[derive(Deserialize)]
struct Member {
    name: String,
    connected: bool,
}

fn ask(address: &str, patience: Duration) -> Result<Said, Unanswered> {
    let (text, _, took): (String, Micros, Micros) = fetch(address, patience)?;
    let foreign = |why: &str| Unanswered::Foreign(why.to_owned());
    let status: Status =
        serde_json::from_str(&text).map_err(|_| foreign("it is not the status of a server of locks"))?;
    if status.schema != "ringleader.service-status/1" {
        return Err(foreign("it is not the status of a server of locks"));
    }
    let others = status.members.into_iter().filter(|member| member.name != status.server);
    Ok(Said {
        cluster: status.cluster,
        wall_ms: status.wall_ms,
        took,
        // What its clock is to others is not watched: leases allow for it.
        peers: others.map(|member| (member.name, member.connected, 0)).collect(),
        member: status.server,
    })
}
