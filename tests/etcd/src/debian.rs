//! Debian's etcd beside it: three servers on the loopback, in plain text.

use crate::{PATIENCE, address};
use etcd_client::Client;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Three servers. They are killed when it is dropped.
pub struct Debian {
    _folder: TempDir,
    servers: Vec<Child>,
    addresses: Vec<String>,
}

impl Debian {
    /// Starts them, and waits until they answer; none if etcd is not installed.
    pub async fn start() -> Option<Debian> {
        let folder = TempDir::new().expect("there is room");
        let addresses: Vec<String> = (0..3).map(|_| address()).collect();
        let peers: Vec<String> = (0..3).map(|_| format!("http://{}", address())).collect();
        let all: Vec<String> =
            peers.iter().enumerate().map(|(place, peer)| format!("e{place}={peer}")).collect();
        let mut servers = Vec::new();
        for (place, (address, peer)) in addresses.iter().zip(&peers).enumerate() {
            let client = format!("http://{address}");
            let mut command = Command::new("etcd");
            command.arg("--name").arg(format!("e{place}"));
            command.arg("--data-dir").arg(folder.path().join(format!("e{place}")));
            command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
            command.args(["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]);
            command.args(["--initial-cluster", &all.join(","), "--initial-cluster-state", "new"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match command.spawn() {
                Ok(server) => servers.push(server),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
                Err(error) => panic!("etcd: {error}"),
            }
        }
        let etcd = Debian { _folder: folder, servers, addresses };
        for place in 0..3 {
            let begun = Instant::now();
            while etcd.client(place).await.lease_grant(60, None).await.is_err() {
                assert!(begun.elapsed() < PATIENCE, "etcd does not answer");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Some(etcd)
    }

    /// A client of one server.
    pub async fn client(&self, place: usize) -> Client {
        let url = format!("http://{}", self.addresses[place]);
        Client::connect([url], None).await.expect("it is dialled later")
    }
}

impl Drop for Debian {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}
