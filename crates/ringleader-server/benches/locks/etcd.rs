//! The lock of etcd, as it comes: three servers on the loopback, in plain text, and its calls `Lock` and
//! `Unlock` as JSON over connections that are kept.

use crate::cluster::{SERVERS, wait};
use crate::figures::Figures;
use crate::handover::{Handovers, Span, between};
use ringleader_net::up::Ports;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The words `alone` and `wanted`: bytes are written in base 64.
const ALONE: &str = "YWxvbmU=";
const WANTED: &str = "d2FudGVk";

/// Three servers. They are killed when it is dropped.
pub(crate) struct Etcd {
    _folder: TempDir,
    servers: Vec<Child>,
    addresses: Vec<String>,
}

impl Etcd {
    /// Starts them; none if it is not installed.
    pub(crate) fn start() -> Option<Etcd> {
        let folder = TempDir::new().expect("a folder");
        let mut ports = Ports::new(u64::from(std::process::id()));
        let mut address =
            || format!("127.0.0.1:{}", ports.free().unwrap_or_else(|problem| panic!("a port: {problem:?}")));
        let addresses: Vec<String> = (0..SERVERS).map(|_| address()).collect();
        let peers: Vec<String> = (0..SERVERS).map(|_| format!("http://{}", address())).collect();
        let all: Vec<String> =
            peers.iter().enumerate().map(|(place, peer)| format!("e{place}={peer}")).collect();
        let mut etcd = Etcd { _folder: folder, servers: Vec::new(), addresses };
        for (place, (address, peer)) in etcd.addresses.iter().zip(&peers).enumerate() {
            let client = format!("http://{address}");
            let mut command = Command::new("etcd");
            command.arg("--name").arg(format!("e{place}"));
            command.arg("--data-dir").arg(etcd._folder.path().join(format!("e{place}")));
            command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
            command.args(["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]);
            command.args(["--initial-cluster", &all.join(","), "--initial-cluster-state", "new"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match command.spawn() {
                Ok(server) => etcd.servers.push(server),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
                Err(error) => panic!("etcd: {error}"),
            }
        }
        for address in &etcd.addresses {
            wait("etcd", || {
                let mut link = Link::open(address).ok()?;
                (link.call("GET", "/health", "").ok()?["health"] == "true").then_some(())
            });
        }
        Some(etcd)
    }

    /// The numbers of their processes.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.servers.iter().map(Child::id).collect()
    }

    /// So many times a lock that nobody else wants, taken and given back.
    pub(crate) fn pairs(&self, pairs: usize) -> Figures {
        let mut client = Holder::new(&self.addresses[0]);
        let pair = |_| {
            let begin = Instant::now();
            let key = client.lock(ALONE);
            client.unlock(&key);
            begin.elapsed()
        };
        (0..pairs).map(pair).collect()
    }

    /// One lock that a client at each server wants all the time.
    pub(crate) fn handover(&self, time: Duration) -> Handovers {
        let start = Arc::new(Barrier::new(self.addresses.len()));
        let one = |address: &String| {
            let (mut client, start) = (Holder::new(address), Arc::clone(&start));
            std::thread::spawn(move || {
                let mut spans: Vec<Span> = Vec::new();
                start.wait();
                let begin = Instant::now();
                while begin.elapsed() < time {
                    let key = client.lock(WANTED);
                    let had = Instant::now();
                    let until = Instant::now();
                    client.unlock(&key);
                    spans.push((had, until));
                }
                spans
            })
        };
        let clients: Vec<_> = self.addresses.iter().map(one).collect();
        let spans: Vec<_> = clients.into_iter().map(|each| each.join().expect("no panic")).collect();
        between(&spans)
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// A client with a lease.
struct Holder {
    link: Link,
    lease: String,
}

impl Holder {
    fn new(address: &str) -> Holder {
        let mut link = Link::open(address).expect("etcd listens");
        let answer = link.post("/v3/lease/grant", &json!({ "TTL": 600 }));
        let lease = answer["ID"].as_str().unwrap_or_else(|| panic!("a lease of etcd: {answer}")).to_owned();
        Holder { link, lease }
    }

    fn lock(&mut self, name: &str) -> String {
        let answer = self.link.post("/v3/lock/lock", &json!({ "name": name, "lease": self.lease }));
        answer["key"].as_str().unwrap_or_else(|| panic!("a lock of etcd: {answer}")).to_owned()
    }

    fn unlock(&mut self, key: &str) {
        let answer = self.link.post("/v3/lock/unlock", &json!({ "key": key }));
        assert!(answer["header"].is_object(), "etcd does not take a lock back: {answer}");
    }
}

/// A connection that is kept.
struct Link {
    reader: BufReader<TcpStream>,
}

impl Link {
    fn open(address: &str) -> std::io::Result<Link> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Link { reader: BufReader::new(stream) })
    }

    fn post(&mut self, path: &str, body: &Value) -> Value {
        self.call("POST", path, &body.to_string()).unwrap_or_else(|error| panic!("etcd, {path}: {error}"))
    }

    fn call(&mut self, method: &str, path: &str, body: &str) -> std::io::Result<Value> {
        let length = body.len();
        let request =
            format!("{method} {path} HTTP/1.1\r\nhost: etcd\r\ncontent-length: {length}\r\n\r\n{body}");
        self.reader.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut in_chunks) = (0, false);
        loop {
            let line = self.line()?.to_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            in_chunks |= line.starts_with("transfer-encoding:") && line.ends_with("chunked");
        }
        let mut answer = Vec::new();
        if in_chunks {
            loop {
                let size = usize::from_str_radix(&self.line()?, 16).map_err(std::io::Error::other)?;
                self.take(size, &mut answer)?;
                self.line()?;
                if size == 0 {
                    break;
                }
            }
        } else {
            self.take(length, &mut answer)?;
        }
        serde_json::from_slice(&answer).map_err(std::io::Error::other)
    }

    fn take(&mut self, size: usize, into: &mut Vec<u8>) -> std::io::Result<()> {
        let before = into.len();
        into.resize(before + size, 0);
        self.reader.read_exact(&mut into[before..])
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}
