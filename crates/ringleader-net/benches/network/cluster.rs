//! Clusters on the loopback: certificates and a configuration in a folder, members as threads or as
//! processes.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use ringleader::registry::{self, Entry};
use ringleader_net::config::{Config, Environment};
use ringleader_net::node::{Handle, Node, Options};
use ringleader_net::tls::{self, Identity};
use serde_json::Value;
use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The word by which this program is told to be a member.
pub(crate) const MEMBER: &str = "be-a-member";

/// The names of members, by place.
pub(crate) const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

const CLUSTER: &str = "bench";

/// For how long is waited for what must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with the certificates and the configuration of a cluster.
pub(crate) struct Folder {
    folder: TempDir,
    members: usize,
}

impl Folder {
    /// For so many members; `groups` writes what they do, and gets a free address for nothing else.
    pub(crate) fn new(members: usize, groups: impl Fn(&[String]) -> String) -> Folder {
        let folder = TempDir::new().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file in it");
        };
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
        write("ca.pem", &authority.pem());
        for name in &NAMES[..members] {
            let key = KeyPair::generate().expect("a key");
            let params = CertificateParams::new([tls::certificate_name(name, CLUSTER)]).expect("a name");
            let certificate = params.signed_by(&key, &authority).expect("a certificate");
            write(&format!("{name}.pem"), &certificate.pem());
            write(&format!("{name}.key"), &key.serialize_pem());
        }
        // All at once, so that no two are the same.
        let ports: Vec<TcpListener> =
            (0..members).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
        let addresses: Vec<String> =
            ports.iter().map(|port| port.local_addr().expect("an address").to_string()).collect();
        let mut text = format!(
            "schema = \"ringleader.cluster/1\"\ncluster = \"{CLUSTER}\"\nlog = \"error\"\n[tls]\n\
             authority = \"ca.pem\"\ncertificate = \"{{name}}.pem\"\nkey = \"{{name}}.key\"\n"
        );
        for (name, address) in NAMES.iter().zip(&addresses) {
            let _ = write!(text, "[[member]]\nname = \"{name}\"\naddress = \"{address}\"\n");
        }
        text.push_str(&groups(&addresses));
        write("cluster.toml", &text);
        Folder { folder, members }
    }

    /// What a member proves itself with.
    pub(crate) fn identity(&self, place: usize) -> Identity {
        let read = |name: &str| std::fs::read(self.folder.path().join(name)).expect("it was written");
        let name = NAMES[place];
        let files = [read("ca.pem"), read(&format!("{name}.pem")), read(&format!("{name}.key"))];
        let [authority, certificate, key] = &files;
        Identity::from_pem(CLUSTER, [("ca", authority), ("certificate", certificate), ("key", key)])
            .expect("good certificates")
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("cluster.toml")
    }

    /// All members as threads of this process, running algorithms of this registry.
    pub(crate) fn threads(&self, registry: &'static [Entry]) -> Threads {
        let nodes: Vec<Node> =
            NAMES[..self.members].iter().map(|name| bind(&self.config(), name, registry, None)).collect();
        let handles = nodes.iter().map(Node::handle).collect();
        let run = |node: Node| std::thread::spawn(move || node.run(|| {}).expect("the member runs"));
        Threads { handles, threads: nodes.into_iter().map(run).collect() }
    }

    /// A member as a process, which appends what happens to the file of its events.
    pub(crate) fn process(&self, place: usize) -> Process {
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        command.arg(MEMBER).arg(self.config()).arg(NAMES[place]).arg(self.events_file(place));
        Process(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the member starts"))
    }

    fn events_file(&self, place: usize) -> PathBuf {
        self.folder.path().join(format!("{}.events", NAMES[place]))
    }

    /// What a member has told so far.
    pub(crate) fn events(&self, place: usize) -> Vec<Value> {
        let text = std::fs::read_to_string(self.events_file(place)).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
    }

    /// What all have told, with who told it.
    pub(crate) fn all_events(&self) -> Vec<(usize, Value)> {
        (0..self.members)
            .flat_map(|place| self.events(place).into_iter().map(move |value| (place, value)))
            .collect()
    }
}

/// Members that are threads of this process.
pub(crate) struct Threads {
    handles: Vec<Handle>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.handles.iter().for_each(Handle::stop);
        for thread in self.threads.drain(..) {
            assert!(thread.join().is_ok() || std::thread::panicking(), "a member has panicked");
        }
    }
}

/// A member that is a process. It is killed when it is dropped.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // Whether it had ended by itself does not matter any more.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// This program as a member.
pub(crate) fn be_member(config: &str, name: &str, events: &str) {
    bind(Path::new(config), name, registry::ALL, Some(events.into())).run(|| {}).expect("the member runs");
}

fn bind(config: &Path, name: &str, registry: &'static [Entry], events: Option<PathBuf>) -> Node {
    let config = Config::read(config, registry, Some(name), &Environment::empty());
    let config = config.unwrap_or_else(|problem| panic!("the configuration: {problem:?}"));
    let place = config.place(name).expect("a member of it");
    let options = Options { events, ..Options::default() };
    Node::bind(&config, place, options).unwrap_or_else(|problem| panic!("{name}: {problem:?}"))
}

/// Waits until something is there.
pub(crate) fn wait<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "in vain: {what}");
        // Rarely enough that looking does not slow down what is looked at.
        std::thread::sleep(Duration::from_millis(20));
    }
}
