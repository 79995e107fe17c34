//! A service on this machine: a directory with certificates and a configuration, and one real process for each server.

use crate::config::{Config, Pace, Permission, Right, Rights, ServerAddress, Views, Who};
use ringleader_locks::Class;
use ringleader_net::Problem;
use ringleader_net::config::{Environment, Level, Security};
use ringleader_net::up::{Local, Ports, Start, certificates, write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

/// The name of the certificate that clients of this machine use.
pub const CLIENT: &str = "client";

/// The name of the configuration.
pub const FILE: &str = "service.toml";

/// How to make a service on this machine.
pub struct Plan {
    /// The program that has the command `node`.
    pub program: PathBuf,
    /// Where everything is put.
    pub folder: PathBuf,
    /// How many servers.
    pub servers: u16,
    /// The name of the cluster.
    pub cluster: String,
    /// Leases and rhythms.
    pub pace: Pace,
    /// Which names are of which class.
    pub classes: Vec<(String, Class)>,
    /// For how long holders may keep what they hold when a server is asked to leave.
    pub drain: Duration,
    /// Whether clients of etcd are served: the program must have a front for them.
    pub etcd: bool,
}

/// The names of the servers: a, b, c, and s26 and so on after z.
fn named(place: u16) -> String {
    match u8::try_from(place).ok().filter(|place| *place < 26) {
        Some(place) => char::from(b'a' + place).to_string(),
        None => format!("s{place}"),
    }
}

/// Writes the files. Nothing runs yet.
///
/// # Errors
/// If a file cannot be written, or no ports are free.
pub fn make(plan: Plan) -> Result<(Local, Config), Problem> {
    let seed = getrandom::u64().unwrap_or_else(|_| ringleader_net::clock::wall());
    let mut ports = Ports::new(seed);
    let mut servers = Vec::new();
    for place in 0..plan.servers {
        let mut address = || ports.free().map(|port| format!("127.0.0.1:{port}"));
        let (peer, api, status, etcd) = (address()?, address()?, address()?, address()?);
        let socket = Some(PathBuf::from("{name}.sock"));
        let name = named(place);
        let (status, etcd) = (Some(status), plan.etcd.then_some(etcd));
        servers.push(ServerAddress { name, listen: peer.clone(), peer, api, socket, status, etcd });
    }
    let config = Config {
        cluster: plan.cluster.clone(),
        log: Level::Info,
        data: "data/{name}".into(),
        security: Security::Tls {
            authority: "ca.pem".into(),
            certificate: "{name}.pem".into(),
            key: "{name}.key".into(),
            revoked: None,
        },
        servers,
        views: Views::Raft,
        pace: plan.pace,
        classes: plan.classes.clone(),
        tokens: Vec::new(),
        permissions: vec![Permission {
            who: Who::Certificate(CLIENT.to_owned()),
            prefix: String::new(),
            allow: Rights::of(&Right::ALL),
        }],
        collector: None,
        warnings: Vec::new(),
    };
    let text = config.to_toml();
    let file = plan.folder.join(FILE);
    // What a server would refuse is refused here, before anything runs.
    Config::parse(&text, &file.display().to_string(), None, &Environment::empty())?;
    write(&file, &text, 0o644)?;
    let names: Vec<&str> = config.servers.iter().map(|server| server.name.as_str()).collect();
    let addresses: &[IpAddr] = if plan.etcd { &[IpAddr::V4(Ipv4Addr::LOCALHOST)] } else { &[] };
    certificates(&plan.folder, &config.cluster, (&names, addresses), &[CLIENT])?;
    let drain = format!("{}ms", plan.drain.as_millis());
    let local = Local::new(Start {
        program: plan.program,
        folder: plan.folder,
        file: FILE,
        names,
        arguments: Box::new(move |_, _| vec!["--drain".into(), (&drain).into()]),
        patience: plan.drain + Duration::from_secs(2),
    });
    let config = Config::read(&file, None, &Environment::empty())?;
    Ok((local, config))
}
