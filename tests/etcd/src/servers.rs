//! Servers of the lock service, by the program itself.

use crate::{PATIENCE, address};
use etcd_client::{Certificate, Client, ConnectOptions, Identity, TlsOptions};
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The token of `ci`, which may use names that begin with `ci/` only.
pub const TOKEN: &str = "correct-horse-battery";

/// The name of the certificate that clients use.
pub const CLIENT: &str = "client";

/// What a client is told at most of a lease of six seconds.
pub const TOLD_S: i64 = 5;

/// Long enough that nobody is given up because the machine has other things to do.
const PATIENT: &str =
    "[times]\nfast = \"2s\"\nnormal = \"6s\"\nsuspect = \"1500ms\"\nheartbeat = \"200ms\"\n";

/// What stands in the file after the servers.
const REST: &str = "
[[class]]
prefix = \"fast/\"
class = \"fast\"
[[token]]
name = \"ci\"
secret = \"correct-horse-battery\"
[[permission]]
who = \"cert:client\"
allow = [\"lock\", \"elect\", \"observe\", \"admin\"]
[[permission]]
who = \"token:ci\"
prefix = \"ci/\"
allow = [\"lock\", \"elect\", \"observe\"]
";

/// A service and its servers. They are killed when it is dropped.
pub struct Servers {
    folder: TempDir,
    addresses: Vec<String>,
    running: Vec<Option<Child>>,
    secure: bool,
}

/// The name of a server.
fn name(place: usize) -> char {
    ['a', 'b', 'c'][place]
}

impl Servers {
    /// So many, with times for tests, all of them ready, and every lock free.
    pub async fn new(count: usize) -> Servers {
        Servers::with(count, PATIENT, true).await
    }

    /// The same in plain text: clients show tokens.
    pub async fn plain(count: usize) -> Servers {
        Servers::with(count, PATIENT, false).await
    }

    /// The same with the times that nobody has to write.
    pub async fn usual(count: usize) -> Servers {
        Servers::with(count, "", true).await
    }

    async fn with(count: usize, times: &str, secure: bool) -> Servers {
        // In memory, where there is such a place: how slow the disk of this machine is must decide nothing.
        let mut short = tempfile::Builder::new();
        short.prefix("rl");
        let folder = short.tempdir_in("/dev/shm").or_else(|_| short.tempdir()).expect("there is room");
        let addresses: Vec<String> = (0..count).map(|_| address()).collect();
        let mut text =
            "schema = \"ringleader.service/1\"\ncluster = \"test\"\ndata = \"data/{name}\"\n".to_owned();
        text.push_str(if secure {
            "[tls]\nauthority = \"ca.pem\"\ncertificate = \"{name}.pem\"\nkey = \"{name}.key\"\n"
        } else {
            "[plain]\n"
        });
        for (place, etcd) in addresses.iter().enumerate() {
            let (name, peer, api) = (name(place), address(), address());
            text.push_str(&format!(
                "[[server]]\nname = \"{name}\"\naddress = \"{peer}\"\napi = \"{api}\"\nsocket = \"{{name}}.sock\"\n\
                 etcd = \"{etcd}\"\n"
            ));
        }
        text.push_str(times);
        text.push_str(REST);
        let file = folder.path().join("service.toml");
        std::fs::write(&file, text).expect("there is room");
        let (dir, file) = (folder.path().display().to_string(), file.display().to_string());
        if secure {
            ringleader(&["cert", "init", "--cluster", "test", "--dir", &dir]);
            ringleader(&["cert", "issue", "--config", &file, "--dir", &dir]);
            ringleader(&["cert", "issue", "--client", CLIENT, "--config", &file, "--dir", &dir]);
        }
        let running = (0..count).map(|_| None).collect();
        let mut servers = Servers { folder, addresses, running, secure };
        (0..count).for_each(|place| servers.start(place));
        for place in 0..count {
            servers.is_ready(place).await;
        }
        servers
    }

    /// Starts a server.
    pub fn start(&mut self, place: usize) {
        let folder = self.folder.path();
        let log = folder.join(format!("{}.log", name(place)));
        let log = File::options().create(true).append(true).open(log).expect("there is room");
        let mut command = Command::new(program());
        command.args(["node", "--while-stdin", "--name", &name(place).to_string(), "--config"]);
        command.arg(folder.join("service.toml"));
        if !self.secure {
            command.arg("--plain");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        self.running[place] = Some(command.spawn().expect("it starts"));
    }

    /// Waits until a server grants everything.
    pub async fn is_ready(&mut self, place: usize) {
        let begun = Instant::now();
        while self.get(place, "/v1/status").is_none_or(|status| {
            status["joined"] != true || status["recovering"] != 0 || status["lease_ms"]["normal"] == 0
        }) {
            let child = self.running[place].as_mut().expect("it was started");
            let log = self.folder.path().join(format!("{}.log", name(place)));
            let log = || std::fs::read_to_string(&log).unwrap_or_default();
            assert!(matches!(child.try_wait(), Ok(None)), "server {place} has ended:\n{}", log());
            assert!(begun.elapsed() < PATIENCE, "server {place} is not ready:\n{}", log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// As `kill -9` does.
    pub fn kill(&mut self, place: usize) {
        let mut child = self.running[place].take().expect("it runs");
        child.kill().expect("it runs");
        child.wait().expect("it has ended");
    }

    /// What a server answers by HTTP at its Unix socket, if it does and all is well.
    pub fn get(&self, place: usize, path: &str) -> Option<Value> {
        let socket = self.folder.path().join(format!("{}.sock", name(place)));
        let mut stream = UnixStream::connect(socket).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        head.starts_with("HTTP/1.1 200").then(|| serde_json::from_str(body).ok())?
    }

    /// Where clients of etcd reach a server, `host:port`.
    pub fn address(&self, place: usize) -> &str {
        &self.addresses[place]
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name)).expect("it was written")
    }

    /// The authority, without a certificate of the client's own.
    pub fn authority(&self) -> TlsOptions {
        TlsOptions::new().ca_certificate(Certificate::from_pem(self.read("ca.pem")))
    }

    /// Somebody with this certificate.
    pub fn certified(&self, name: &str) -> TlsOptions {
        let own = |ending: &str| self.read(&format!("{name}.{ending}"));
        self.authority().identity(Identity::from_pem(own("pem"), own("key")))
    }

    /// The client that may do everything.
    pub fn options(&self) -> ConnectOptions {
        ConnectOptions::new().with_tls(self.certified(CLIENT))
    }

    /// Somebody with the token of `ci`.
    pub fn with_token(&self) -> ConnectOptions {
        let options = ConnectOptions::new().with_user("ci", TOKEN);
        if self.secure { options.with_tls(self.authority()) } else { options }
    }

    /// A client of one server.
    pub async fn client(&self, place: usize) -> Client {
        self.connect(&[place], self.options()).await.expect("it connects")
    }

    /// A client that spreads its calls over these servers.
    ///
    /// # Errors
    /// If it is refused.
    pub async fn connect(
        &self,
        places: &[usize],
        options: ConnectOptions,
    ) -> Result<Client, etcd_client::Error> {
        let scheme = if self.secure { "https" } else { "http" };
        let urls: Vec<String> =
            places.iter().map(|place| format!("{scheme}://{}", self.address(*place))).collect();
        Client::connect(urls, Some(options)).await
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The program: the one that `RINGLEADER_BIN` names, or that of a build of the project.
fn program() -> PathBuf {
    match std::env::var_os("RINGLEADER_BIN") {
        Some(program) => program.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/debug/ringleader"),
    }
}

/// Runs a command of the program.
fn ringleader(arguments: &[&str]) {
    let program = program();
    let output = Command::new(&program).args(arguments).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{}: {error}; build it (cargo build), or say where it is in RINGLEADER_BIN", program.display())
    });
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}
