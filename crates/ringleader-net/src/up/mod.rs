//! `up`: nodes on this machine, in a directory with certificates and a configuration. Here those that run an algorithm;
//! `ringleader-server` makes those of a lock service in the same way.

mod clocks;
mod files;
mod local;
mod tail;
mod watch;

pub use clocks::{Clocks, Found, NodeClock, Skew, judge};
pub use files::{Ports, certificates, write};
pub use local::{Gone, Local, Start};
pub use watch::{Course, Seen, Summary, Watch};

use crate::config::{Address, Config, Environment, Level, Security};
use crate::{Problem, record};
use ringleader_live::Cluster;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to make a cluster on this machine.
pub struct Plan {
    /// The program that has the command `node`.
    pub program: PathBuf,
    /// Nodes, groups, times.
    pub cluster: Cluster,
    /// Where everything is put.
    pub folder: PathBuf,
    /// Plain text instead of certificates.
    pub plain: bool,
    /// Whether nodes record.
    pub records: bool,
    /// What the nodes draw from, each its own.
    pub seed: u64,
}

/// The name of the configuration.
pub const FILE: &str = "cluster.toml";

/// Writes the files. Nothing runs yet.
///
/// # Errors
/// If a file cannot be written, no ports are free, or the cluster cannot be.
pub fn make(
    plan: Plan,
    registry: &'static [ringleader::registry::Entry],
) -> Result<(Local, Config), Problem> {
    let Plan { program, cluster, folder, plain, records, seed } = plan;
    let mut ports = Ports::new(seed);
    let mut addresses = Vec::new();
    for _ in &cluster.members {
        let peer = format!("127.0.0.1:{}", ports.free()?);
        let status = Some(format!("127.0.0.1:{}", ports.free()?));
        addresses.push(Address { listen: peer.clone(), peer, status });
    }
    let security = if plain {
        Security::Plain
    } else {
        Security::Tls {
            authority: "ca.pem".into(),
            certificate: "{name}.pem".into(),
            key: "{name}.key".into(),
            revoked: None,
        }
    };
    let config = Config { cluster, addresses, security, log: Level::Info, warnings: Vec::new() };
    let text = config.to_toml();
    // What a node would refuse is refused here, before anything runs.
    let file = folder.join(FILE);
    Config::parse(&text, &file.display().to_string(), registry, None, &Environment::empty())?;
    write(&file, &text, 0o644)?;
    let names: Vec<&str> = config.cluster.members.iter().map(|member| member.name.as_str()).collect();
    if !plain {
        certificates(&folder, &config.cluster.name, (&names, &[]), &[])?;
    }
    let parts: Vec<PathBuf> = names.iter().map(|name| folder.join(format!("{name}.rlt"))).collect();
    let arguments = Box::new(move |place: u16, starts: u64| {
        let seed = seed ^ (u64::from(place) + 1) << 32 ^ starts << 48;
        let mut words = vec!["--seed".into(), seed.to_string().into()];
        words.extend(plain.then(|| "--plain".into()));
        if records {
            words.extend(["--record".into(), parts[usize::from(place)].clone().into()]);
        }
        words
    });
    let local =
        Local::new(Start { program, folder, file: FILE, names, arguments, patience: Duration::from_secs(4) });
    Ok((local, config))
}

/// The recordings of an epoch in this folder, of all nodes and their incarnations.
#[must_use]
pub fn parts(folder: &Path, config: &Config, epoch: u64) -> Vec<PathBuf> {
    let of = |name: &str| {
        let base = folder.join(format!("{name}.rlt"));
        let paths = (1..).map(move |again| record::part_path(&base, None, epoch, again));
        paths.take_while(|path| path.exists()).collect::<Vec<_>>()
    };
    config.cluster.members.iter().flat_map(|member| of(&member.name)).collect()
}
