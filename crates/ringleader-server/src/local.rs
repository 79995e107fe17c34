//! A service on this machine: a directory with certificates and a configuration, and one real process for each server.
//! None of them outlives whoever started it: each watches its standard input, and leaves when that ends.

use crate::config::{Config, Pace, Permission, Right, Rights, ServerAddress, Views, Who};
use ringleader_locks::{Class, ServerId};
use ringleader_net::config::{Environment, Level, Security};
use ringleader_net::up::Ports;
use ringleader_net::{Problem, cert};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
}

/// A service on this machine.
pub struct Local {
    plan: Plan,
    config: Config,
    running: Vec<Option<Child>>,
}

/// A server that ended without having been told to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gone {
    /// Its name.
    pub name: String,
    /// Somebody asked it to leave, and it did.
    pub left: bool,
    /// How it ended.
    pub status: String,
    /// The last lines of its log.
    pub log: String,
}

fn failed(what: &str, error: &io::Error) -> Problem {
    Problem::environment("cannot_write", format!("cannot write {what}: {error}"))
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), Problem> {
    use std::os::unix::fs::OpenOptionsExt;
    let open = File::options().write(true).create(true).truncate(true).mode(mode).open(path);
    open.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| failed(&path.display().to_string(), &error))
}

/// The names of the servers: a, b, c, and s26 and so on after z.
fn named(place: u16) -> String {
    match u8::try_from(place).ok().filter(|place| *place < 26) {
        Some(place) => char::from(b'a' + place).to_string(),
        None => format!("s{place}"),
    }
}

impl Local {
    /// Writes the files. Nothing runs yet.
    ///
    /// # Errors
    /// If a file cannot be written, or no ports are free.
    pub fn new(plan: Plan) -> Result<Local, Problem> {
        let seed = getrandom::u64().unwrap_or_else(|_| ringleader_net::clock::wall());
        let mut ports = Ports::new(seed);
        let mut servers = Vec::new();
        for place in 0..plan.servers {
            let mut address = || ports.free().map(|port| format!("127.0.0.1:{port}"));
            let (peer, api, status) = (address()?, address()?, address()?);
            let socket = Some(PathBuf::from("{name}.sock"));
            let name = named(place);
            servers.push(ServerAddress {
                name,
                listen: peer.clone(),
                peer,
                api,
                socket,
                status: Some(status),
            });
        }
        let config = Config {
            cluster: plan.cluster.clone(),
            log: Level::Info,
            data: "data/{name}".into(),
            security: Security::Tls {
                authority: "ca.pem".into(),
                certificate: "{name}.pem".into(),
                key: "{name}.key".into(),
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
            warnings: Vec::new(),
        };
        let text = config.to_toml();
        let file = plan.folder.join(FILE);
        // What a server would refuse is refused here, before anything runs.
        Config::parse(&text, &file.display().to_string(), None, &Environment::empty())?;
        write(&file, &text, 0o644)?;
        certificates(&plan, &config)?;
        let running = config.servers.iter().map(|_| None).collect();
        let config = Config::read(&file, None, &Environment::empty())?;
        Ok(Local { plan, config, running })
    }

    /// What the servers read.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The file in which they read it.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.plan.folder.join(FILE)
    }

    /// The socket of a server.
    #[must_use]
    pub fn socket(&self, place: ServerId) -> PathBuf {
        self.plan.folder.join(format!("{}.sock", self.config.name(place)))
    }

    /// The file of a server with this ending: `log`, `events`.
    #[must_use]
    pub fn path(&self, place: ServerId, ending: &str) -> PathBuf {
        self.plan.folder.join(format!("{}.{ending}", self.config.name(place)))
    }

    /// Starts a server.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&mut self, place: ServerId) -> Result<(), Problem> {
        let failed = |error: io::Error| {
            Problem::environment("cannot_start", format!("a server cannot be started: {error}"))
        };
        let log = File::options().create(true).append(true).open(self.path(place, "log")).map_err(failed)?;
        let mut command = Command::new(&self.plan.program);
        command.args(["node", "--while-stdin", "--log-format", "json"]);
        command.arg("--name").arg(self.config.name(place)).arg("--config").arg(self.file());
        command.arg("--events").arg(self.path(place, "events"));
        command.arg("--drain").arg(format!("{}ms", self.plan.drain.as_millis()));
        // What is meant for servers that are services is not meant for these.
        for (variable, _) in std::env::vars_os() {
            if variable.to_string_lossy().starts_with("RINGLEADER_") {
                command.env_remove(variable);
            }
        }
        command.env_remove("NOTIFY_SOCKET");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().map_err(failed)?;
        if let Some(slot) = self.running.get_mut(usize::from(place)) {
            *slot = Some(child);
        }
        Ok(())
    }

    /// Kills a server, as `kill -9` does; whether it ran.
    pub fn kill(&mut self, place: ServerId) -> bool {
        let Some(mut child) = self.running.get_mut(usize::from(place)).and_then(Option::take) else {
            return false;
        };
        let killed = child.kill().is_ok();
        let _ = child.wait();
        killed
    }

    /// The process of a server, if it runs.
    #[must_use]
    pub fn pid(&self, place: ServerId) -> Option<u32> {
        self.running.get(usize::from(place))?.as_ref().map(Child::id)
    }

    /// Asks a server to leave; it drains and ends. Then [`Local::ended`] says so.
    pub fn leave(&mut self, place: ServerId) {
        if let Some(Some(child)) = self.running.get_mut(usize::from(place)) {
            drop(child.stdin.take());
        }
    }

    /// Whether a server has ended, or never ran.
    pub fn ended(&mut self, place: ServerId) -> bool {
        match self.running.get_mut(usize::from(place)) {
            Some(Some(child)) => !matches!(child.try_wait(), Ok(None)),
            Some(None) | None => true,
        }
    }

    /// Servers that ended of their own accord: something is wrong with them.
    pub fn gone(&mut self) -> Vec<Gone> {
        let mut gone = Vec::new();
        for (slot, server) in self.running.iter_mut().zip(&self.config.servers) {
            let Some(child) = slot else { continue };
            let Ok(Some(status)) = child.try_wait() else { continue };
            *slot = None;
            let log = std::fs::read_to_string(self.plan.folder.join(format!("{}.log", server.name)));
            let log = log.unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(8).collect();
            let log = last.into_iter().rev().collect::<Vec<_>>().join("\n");
            let (name, left) = (server.name.clone(), status.success());
            gone.push(Gone { name, left, status: status.to_string(), log });
        }
        gone
    }

    /// Asks all servers to leave, and waits for them; those that do not are killed.
    pub fn stop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            drop(child.stdin.take());
        }
        let until = Instant::now() + self.plan.drain + Duration::from_secs(2);
        for slot in &mut self.running {
            let Some(mut child) = slot.take() else { continue };
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn certificates(plan: &Plan, config: &Config) -> Result<(), Problem> {
    let validity = cert::Validity::days(30);
    let authority = cert::authority(&plan.cluster, validity)?;
    write(&plan.folder.join("ca.pem"), &authority.certificate, 0o644)?;
    write(&plan.folder.join("ca.key"), &authority.key, 0o600)?;
    let mut all = Vec::new();
    for server in &config.servers {
        all.push((server.name.as_str(), cert::issue(&authority, &plan.cluster, &server.name, validity)?));
    }
    all.push((CLIENT, cert::issue_client(&authority, &plan.cluster, CLIENT, validity)?));
    for (name, pair) in all {
        write(&plan.folder.join(format!("{name}.pem")), &pair.certificate, 0o644)?;
        write(&plan.folder.join(format!("{name}.key")), &pair.key, 0o600)?;
    }
    Ok(())
}
