//! The files of a service: certificates, and the configuration that all its servers read.

use crate::lab::Lab;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The name of the cluster.
const CLUSTER: &str = "hosts";

/// The name of the certificate that all clients show.
pub const CLIENT: &str = "tester";

/// The leases by class, and after how long a server is suspected, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leases {
    /// By class: fast, normal, batch.
    pub millis: [u64; 3],
    /// How often servers read the view.
    pub renew: u64,
    /// After how long without a word a server is excluded.
    pub suspect: u64,
    /// How often the leader of Raft shows that it is there; elections begin after two and a half to five of these.
    pub heartbeat: u64,
}

impl Leases {
    /// Short ones, so that many faults fit into little time.
    pub const SHORT: Leases = Leases { millis: [1500, 2000, 3000], renew: 250, suspect: 800, heartbeat: 100 };

    /// Where a word between two servers may take 100 ms. Those of batch outlast a server that is taken in again.
    pub const FAR: Leases = Leases { millis: [1500, 2000, 8000], renew: 250, suspect: 800, heartbeat: 200 };

    /// Long enough that nobody loses anything because this machine is busy.
    pub const LONG: Leases = Leases { millis: [3000, 4000, 5000], renew: 300, suspect: 1500, heartbeat: 100 };

    /// The same, and no election because a busy machine held up a heartbeat.
    pub const CALM: Leases = Leases { heartbeat: 500, ..Leases::LONG };
}

/// The locks that clients take in turn: two of each class.
pub const LOCKS: [&str; 6] = ["fast/1", "fast/2", "normal/1", "normal/2", "batch/1", "batch/2"];

/// The port of a server's status on the loopback of its host. No two are the same: one file describes all.
pub(super) fn status_port(place: usize) -> u16 {
    7600 + u16::try_from(place).unwrap_or_default()
}

/// Where clients reach a server from other hosts, with the name that its certificate must have.
pub(super) fn endpoint(lab: &Lab, place: usize, name: &str) -> String {
    format!("https://{}:7432#{name}.{CLUSTER}.ringleader", lab.hosts()[place].address)
}

/// An authority, and a certificate for each server and for the clients.
pub(super) fn certify(program: &Path, folder: &Path, names: &[String]) {
    let run = |arguments: &[&str]| {
        let output = Command::new(program).arg("cert").args(arguments).arg("--dir").arg(folder).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["init", "--cluster", CLUSTER]);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run(&[&["issue"][..], &names, &["--client", CLIENT, "--cluster", CLUSTER]].concat());
}

/// The configuration.
pub(super) fn configuration(lab: &Lab, names: &[String], leases: Leases) -> String {
    let mut text = format!(
        "schema = \"ringleader.service/1\"\ncluster = \"{CLUSTER}\"\ndata = \"data/{{name}}\"\n\n\
         [tls]\nauthority = \"ca.pem\"\ncertificate = \"{{name}}.pem\"\nkey = \"{{name}}.key\"\n",
    );
    for (place, (name, host)) in names.iter().zip(lab.hosts()).enumerate() {
        let (address, port) = (host.address, status_port(place));
        let _ = write!(text, "\n[[server]]\nname = \"{name}\"\naddress = \"{address}:7431\"\n");
        let _ = write!(text, "api = \"{address}:7432\"\nsocket = \"{name}.sock\"\n");
        let _ = writeln!(text, "status = \"127.0.0.1:{port}\"");
    }
    let Leases { millis: [fast, normal, batch], renew, suspect, heartbeat } = leases;
    let _ = write!(text, "\n[times]\nfast = \"{fast}ms\"\nnormal = \"{normal}ms\"\nbatch = \"{batch}ms\"\n");
    let _ = write!(text, "renew = \"{renew}ms\"\nsuspect = \"{suspect}ms\"\nheartbeat = \"{heartbeat}ms\"\n");
    for class in ["fast", "batch"] {
        let _ = write!(text, "\n[[class]]\nprefix = \"{class}/\"\nclass = \"{class}\"\n");
    }
    let _ = write!(
        text,
        "\n[[permission]]\nwho = \"cert:{CLIENT}\"\nallow = [\"lock\", \"elect\", \"observe\"]\n"
    );
    text
}
