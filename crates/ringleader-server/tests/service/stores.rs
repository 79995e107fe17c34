//! Where the view is kept: in an etcd that goes away and comes back; on a disk that is full.

use crate::support::{Cluster, until};
use ringleader_server::Options;
use ringleader_server::config::{Etcd as Store, Views};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Says that something was not tested, because this is missing here; in CI nothing may be.
#[expect(clippy::print_stderr, reason = "a test that was not made says so")]
fn not_here(what: &str) {
    let demanded = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!demanded, "{what}");
    eprintln!("not tested: {what}");
}

/// An etcd of one server, ended with this.
pub(crate) struct Etcd {
    folder: tempfile::TempDir,
    ports: [u16; 2],
    child: Child,
}

impl Etcd {
    pub(crate) fn start() -> Option<Etcd> {
        let free = || {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        };
        // In memory, where there is such a place: how slow the disk of this machine is must decide nothing.
        let folder =
            tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("there is room");
        let ports = [free(), free()];
        match Etcd::spawn(folder.path(), ports) {
            Some(child) => Some(Etcd { folder, ports, child }),
            None => {
                not_here("the program `etcd` is not here (apt-get install etcd-server)");
                None
            }
        }
    }

    /// Where it answers.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    /// Waits until it does.
    pub(crate) fn wait(&self) {
        until("etcd is there", || std::net::TcpStream::connect(("127.0.0.1", self.ports[0])).ok());
    }

    fn spawn(folder: &Path, ports: [u16; 2]) -> Option<Child> {
        let [client, peer] = ports.map(|port| format!("http://127.0.0.1:{port}"));
        let mut command = Command::new("etcd");
        command.args(["--name", "one", "--data-dir"]).arg(folder.join("data"));
        command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        command.arg(format!("--initial-cluster=one={peer}")).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok()
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn again(&mut self) {
        self.child = Etcd::spawn(self.folder.path(), self.ports).expect("it ran before");
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        self.kill();
    }
}

#[test]
fn etcd_membership_survives_server_death() {
    let Some(mut etcd) = Etcd::start() else { return };
    let mut cluster = Cluster::stopped(3, Options::default());
    let endpoints = vec![etcd.endpoint()];
    cluster.config.views = Views::Etcd(Store { endpoints, authority: None, identity: None });
    cluster.writes();
    etcd.wait();
    (0..3).for_each(|place| cluster.start(place));
    (0..3).for_each(|place| cluster.wait_ready(place));
    let mut last = 0;
    for place in 0..3 {
        let client = cluster.client(place);
        let (session, fence) = client.takes("x", "normal");
        client.release("x", &session, &fence.to_string());
        assert!(fence > last, "fences grow");
        last = fence;
    }
    // Without Raft two may go, and the last one still grants.
    cluster.kill(2);
    cluster.kill(1);
    let alone = cluster.client(0);
    let (_, fence) = alone.takes("x", "fast");
    assert!(fence > last);
    // Without etcd nothing is granted, as soon as the leases are over.
    etcd.kill();
    until("it is not ready any more", || (alone.get("/readyz").0 == 503).then_some(()));
    until("it opens no session", || {
        let answer = alone.post("/v1/sessions", &serde_json::json!({ "class": "batch" }));
        (answer.0 == 503 && answer.1["code"] == "no_lease").then_some(())
    });
    etcd.again();
    cluster.wait_ready(0);
    assert!(alone.takes("x", "normal").1 > fence);
}

/// A disk of a few pages, which goes away with this.
struct Small(PathBuf);

impl Small {
    /// None where this user may not make one.
    fn mount(at: PathBuf) -> Option<Small> {
        std::fs::create_dir_all(&at).expect("there is room");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(&at)
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Small(at));
        }
        not_here("a small disk needs the right to mount one: run it as root");
        None
    }

    /// Writes until nothing fits.
    fn fill(&self) {
        let page = [7; 4096];
        let mut number = 0;
        while std::fs::write(self.0.join(format!("filler.{number}")), page).is_ok() {
            number += 1;
            assert!(number < 1000, "a small disk");
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn full_disk_stops_one_server_only() {
    let mut cluster = Cluster::stopped(5, Options::default());
    let Some(disk) = Small::mount(cluster.folder.path().join("data").join("a")) else { return };
    (0..5).for_each(|place| cluster.start(place));
    (0..5).for_each(|place| cluster.wait_ready(place));
    let leader = |cluster: &Cluster| {
        let leads = |place: &u16| cluster.client(*place).get("/v1/status").1["store"]["raft_leads"] == 1;
        until("somebody leads", || (0..5).find(leads))
    };
    while leader(&cluster) == 0 {
        cluster.kill(0);
        cluster.start(0);
        cluster.wait_ready(0);
    }
    disk.fill();
    // Who votes writes down for whom, before anybody hears of it.
    let dead = leader(&cluster);
    cluster.kill(dead);
    let problem = cluster.stops(0);
    assert_eq!(problem.exit, 4);
    let said = problem.to_string();
    assert!(said.contains("No space left"), "{said}");
    let client = cluster.client(if dead == 1 { 2 } else { 1 });
    let session = client.session("normal");
    assert!(client.holds("x", &session, 1).parse::<u64>().is_ok(), "three of five go on");
    // With room again it comes back.
    for entry in std::fs::read_dir(&disk.0).expect("it is there").flatten() {
        if entry.file_name().to_string_lossy().starts_with("filler") {
            std::fs::remove_file(entry.path()).expect("it was there");
        }
    }
    cluster.start(0);
    cluster.wait_ready(0);
}
