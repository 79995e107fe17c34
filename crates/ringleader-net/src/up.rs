//! A cluster on this machine: a directory with certificates and a configuration, and one real process for each member.
//! None of them outlives whoever started it: each watches its standard input, and leaves when that ends.

use crate::config::{Address, Config, Level, Security};
use crate::{Problem, cert, client, record};
use ringleader_live::{Cluster, Place};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long members have to leave before they are killed.
const LEAVING: Duration = Duration::from_secs(4);

/// Ports are taken from here: below those that systems hand out for outgoing connections, so that nobody else gets one
/// between the moment it was found free and the moment a member claims it.
const PORTS: std::ops::Range<u16> = 16_000..32_000;

/// How to make a cluster on this machine.
pub struct Plan {
    /// The program that has the command `node`.
    pub program: PathBuf,
    /// Members, groups, times.
    pub cluster: Cluster,
    /// Where everything is put.
    pub folder: PathBuf,
    /// Plain text instead of certificates.
    pub plain: bool,
    /// Whether members record.
    pub records: bool,
    /// What the members draw from, each its own.
    pub seed: u64,
}

/// A cluster on this machine.
pub struct Local {
    plan: Plan,
    config: Config,
    members: Vec<Running>,
}

/// One member.
struct Running {
    child: Option<Child>,
    starts: u64,
    events: Tail,
}

/// A member that ended without having been told to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gone {
    /// Which.
    pub place: Place,
    /// How it ended.
    pub status: String,
    /// The last lines of its log.
    pub log: String,
}

impl Local {
    /// Writes the files. Nothing runs yet.
    ///
    /// # Errors
    /// If a file cannot be written, no ports are free, or the cluster cannot be.
    pub fn new(plan: Plan, registry: &'static [ringleader::registry::Entry]) -> Result<Local, Problem> {
        let mut ports = Ports::new(plan.seed);
        let mut addresses = Vec::new();
        for _ in &plan.cluster.members {
            let peer = format!("127.0.0.1:{}", ports.free()?);
            let status = Some(format!("127.0.0.1:{}", ports.free()?));
            addresses.push(Address { listen: peer.clone(), peer, status });
        }
        let security = if plan.plain {
            Security::Plain
        } else {
            Security::Tls {
                authority: "ca.pem".into(),
                certificate: "{name}.pem".into(),
                key: "{name}.key".into(),
            }
        };
        let cluster = plan.cluster.clone();
        let config = Config { cluster, addresses, security, log: Level::Info, warnings: Vec::new() };
        let text = config.to_toml();
        // What a member would refuse is refused here, before anything runs.
        let nothing = crate::config::Environment::empty();
        let file = plan.folder.join("cluster.toml");
        Config::parse(&text, &file.display().to_string(), registry, None, &nothing)?;
        write(&file, &text)?;
        if !plan.plain {
            certificates(&plan)?;
        }
        let member = |name: &str| Running {
            child: None,
            starts: 0,
            events: Tail::new(plan.folder.join(format!("{name}.events"))),
        };
        let members = plan.cluster.members.iter().map(|spec| member(&spec.name)).collect();
        Ok(Local { plan, config, members })
    }

    /// What the members read.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Starts a member.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&mut self, place: Place) -> Result<(), Problem> {
        let failed = |error: io::Error| {
            Problem::environment("cannot_start", format!("a member cannot be started: {error}"))
        };
        let name = self.name(place).to_owned();
        let path = |ending: &str| self.plan.folder.join(format!("{name}.{ending}"));
        let log = File::options().create(true).append(true).open(path("log")).map_err(failed)?;
        let member = &mut self.members[usize::from(place)];
        member.starts += 1;
        let seed = self.plan.seed ^ (u64::from(place) + 1) << 32 ^ member.starts << 48;
        let mut command = Command::new(&self.plan.program);
        command.args(["node", "--name", &name, "--while-stdin", "--log-format", "json"]);
        command.arg("--config").arg(self.plan.folder.join("cluster.toml"));
        command.arg("--events").arg(path("events")).arg("--seed").arg(seed.to_string());
        if self.plan.plain {
            command.arg("--plain");
        }
        if self.plan.records {
            command.arg("--record").arg(path("rlt"));
        }
        // What is meant for members that are services is not meant for these.
        for (variable, _) in std::env::vars_os() {
            if variable.to_string_lossy().starts_with("RINGLEADER_") {
                command.env_remove(variable);
            }
        }
        command.env_remove("NOTIFY_SOCKET");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        member.child = Some(command.spawn().map_err(failed)?);
        Ok(())
    }

    /// Kills a member, as `kill -9` does; whether it ran.
    pub fn kill(&mut self, place: Place) -> bool {
        let Some(mut child) = self.members[usize::from(place)].child.take() else { return false };
        let killed = child.kill().is_ok();
        let _ = child.wait();
        killed
    }

    /// The process of a member, if it runs.
    #[must_use]
    pub fn pid(&self, place: Place) -> Option<u32> {
        self.members.get(usize::from(place))?.child.as_ref().map(Child::id)
    }

    /// Members that ended of their own accord: something is wrong with them.
    pub fn gone(&mut self) -> Vec<Gone> {
        let mut gone = Vec::new();
        for place in 0..self.members.len() {
            let Some(child) = &mut self.members[place].child else { continue };
            let Ok(Some(status)) = child.try_wait() else { continue };
            self.members[place].child = None;
            let log = std::fs::read_to_string(
                self.plan.folder.join(format!("{}.log", self.plan.cluster.members[place].name)),
            );
            let log = log.unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(8).collect();
            let log = last.into_iter().rev().collect::<Vec<_>>().join("\n");
            gone.push(Gone { place: place as Place, status: status.to_string(), log });
        }
        gone
    }

    /// What the members have told since the last time, in the order of their common clock.
    pub fn happened(&mut self) -> Vec<Value> {
        let mut all: Vec<Value> = self.members.iter_mut().flat_map(|member| member.events.more()).collect();
        all.sort_by_key(|line| line["at_us"].as_u64());
        all
    }

    /// The status of a member; none if it does not answer.
    #[must_use]
    pub fn status(&self, place: Place) -> Option<Value> {
        self.pid(place)?;
        let at = self.config.addresses[usize::from(place)].status.as_deref()?;
        let (text, ..) = client::fetch(at, Duration::from_secs(1)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The name of a member.
    #[must_use]
    pub fn name(&self, place: Place) -> &str {
        self.plan.cluster.members.get(usize::from(place)).map_or("?", |member| member.name.as_str())
    }

    /// Asks all members to leave, and waits for them; those that do not are killed.
    pub fn stop(&mut self) {
        for member in &mut self.members {
            if let Some(child) = &mut member.child {
                drop(child.stdin.take());
            }
        }
        let until = Instant::now() + LEAVING;
        for member in &mut self.members {
            let Some(child) = &mut member.child else { continue };
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            if let Some(mut child) = member.child.take() {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }

    /// The recordings of an epoch, of all members and their incarnations.
    #[must_use]
    pub fn parts(&self, epoch: u64) -> Vec<PathBuf> {
        let of = |name: &str| {
            let base = self.plan.folder.join(format!("{name}.rlt"));
            let paths = (1..).map(move |again| record::part_path(&base, None, epoch, again));
            paths.take_while(|path| path.exists()).collect::<Vec<_>>()
        };
        self.plan.cluster.members.iter().flat_map(|member| of(&member.name)).collect()
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        for place in 0..self.members.len() {
            self.kill(place as Place);
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    std::fs::write(path, text).map_err(|error| {
        Problem::environment("cannot_write", format!("cannot write {}: {error}", path.display()))
    })
}

fn certificates(plan: &Plan) -> Result<(), Problem> {
    let validity = cert::Validity::days(2);
    let authority = cert::authority(&plan.cluster.name, validity)?;
    write(&plan.folder.join("ca.pem"), &authority.certificate)?;
    for member in &plan.cluster.members {
        let pair = cert::issue(&authority, &plan.cluster.name, &member.name, validity)?;
        write(&plan.folder.join(format!("{}.pem", member.name)), &pair.certificate)?;
        write_secret(&plan.folder.join(format!("{}.key", member.name)), &pair.key)?;
    }
    Ok(())
}

fn write_secret(path: &Path, text: &str) -> Result<(), Problem> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let open = File::options().write(true).create(true).truncate(true).mode(0o600).open(path);
    open.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        Problem::environment("cannot_write", format!("cannot write {}: {error}", path.display()))
    })
}

/// Free ports of this machine, none twice.
pub struct Ports {
    next: u16,
    tried: u16,
}

impl Ports {
    /// The search begins somewhere; where depends on this.
    #[must_use]
    pub fn new(seed: u64) -> Ports {
        // Several clusters that are made at once look in different places.
        let start = seed ^ u64::from(std::process::id()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let range = u64::from(PORTS.end - PORTS.start);
        Ports { next: PORTS.start + ((start ^ start >> 29) % range) as u16, tried: 0 }
    }

    /// One that is free now.
    ///
    /// # Errors
    /// If none is.
    pub fn free(&mut self) -> Result<u16, Problem> {
        while self.tried < PORTS.end - PORTS.start {
            self.tried += 1;
            self.next = if self.next + 1 >= PORTS.end { PORTS.start } else { self.next + 1 };
            if TcpListener::bind(("127.0.0.1", self.next)).is_ok() {
                return Ok(self.next);
            }
        }
        Err(Problem::environment("no_ports", "no ports are free on this machine"))
    }
}

/// The lines that are added to a file.
struct Tail {
    path: PathBuf,
    read: u64,
    rest: Vec<u8>,
}

impl Tail {
    fn new(path: PathBuf) -> Tail {
        Tail { path, read: 0, rest: Vec::new() }
    }

    /// The whole lines that were added since the last time.
    fn more(&mut self) -> Vec<Value> {
        let Ok(mut file) = File::open(&self.path) else { return Vec::new() };
        if file.seek(SeekFrom::Start(self.read)).is_err() {
            return Vec::new();
        }
        self.read += file.read_to_end(&mut self.rest).unwrap_or(0) as u64;
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else { return Vec::new() };
        let rest = self.rest.split_off(end + 1);
        let lines = std::mem::replace(&mut self.rest, rest);
        let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        // A member that was killed while it wrote leaves half a line; the next incarnation goes on behind it.
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_gives_whole_lines_once() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("a.events");
        let mut tail = Tail::new(path.clone());
        assert!(tail.more().is_empty(), "there is no file yet");
        std::fs::write(&path, "{\"at_us\":1}\n{\"at_").expect("there is room");
        assert_eq!(tail.more().len(), 1);
        assert!(tail.more().is_empty());
        std::fs::write(&path, "{\"at_us\":1}\n{\"at_us\":2}\n").expect("there is room");
        assert_eq!(tail.more()[0]["at_us"], 2);
    }

    #[test]
    fn ports_are_free_and_differ() {
        let mut ports = Ports::new(7);
        let first = ports.free().expect("some are free");
        assert!(PORTS.contains(&first));
        assert_ne!(ports.free().expect("some are free"), first);
    }
}
