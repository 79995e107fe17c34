//! Services on the loopback, one process for each server, and ways to reach them.

use ringleader_client::{Credentials, Endpoint, Options as Client, blocking};
use ringleader_locks::{Class, ServerId};
use ringleader_net::config::Environment;
use ringleader_net::tls::Identity;
use ringleader_net::up::Local;
use ringleader_server::config::{Config, Pace};
use ringleader_server::local::{self, CLIENT, Plan};
use ringleader_server::{Options, Service};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The names of the servers, by place.
pub(crate) const NAMES: [&str; 3] = ["a", "b", "c"];

/// How many servers there are.
pub(crate) const SERVERS: u16 = 3;

const CLUSTER: &str = "bench";

/// For how long is waited for what must happen. A server that comes and goes is let in again after 16 s at most.
const PATIENCE: Duration = Duration::from_secs(300);

/// The files of a service of which no server runs.
pub(crate) struct Folder {
    folder: TempDir,
    local: Local,
    config: Config,
}

impl Folder {
    /// For the round trips of TLS: they need certificates and nothing else.
    pub(crate) fn new(_: usize, _: impl Fn(&[String]) -> String) -> Folder {
        Folder::with(Pace::default())
    }

    fn with(pace: Pace) -> Folder {
        let folder = tempfile::Builder::new().prefix("rl").tempdir().expect("a folder");
        let plan = Plan {
            program: std::env::current_exe().expect("this program"),
            folder: folder.path().to_owned(),
            servers: SERVERS,
            cluster: CLUSTER.to_owned(),
            pace,
            classes: vec![("fast/".to_owned(), Class::Fast), ("batch/".to_owned(), Class::Batch)],
            drain: Duration::ZERO,
            etcd: false,
        };
        let (local, config) = local::make(plan).unwrap_or_else(|problem| panic!("a service: {problem:?}"));
        Folder { folder, local, config }
    }

    /// What a server proves itself with.
    pub(crate) fn identity(&self, place: usize) -> Identity {
        let read = |name: &str| std::fs::read(self.folder.path().join(name)).expect("it was written");
        let name = NAMES[place];
        let files = [read("ca.pem"), read(&format!("{name}.pem")), read(&format!("{name}.key"))];
        let [authority, certificate, key] = &files;
        Identity::from_pem(CLUSTER, [("ca", authority), ("certificate", certificate), ("key", key)])
            .expect("good certificates")
    }
}

/// A service of which the servers run.
pub(crate) struct Cluster {
    files: Folder,
}

impl Cluster {
    /// All servers as processes, all of them ready, and every lock free: a cluster that begins waits one lease of each
    /// class first.
    pub(crate) fn new(pace: Pace) -> Cluster {
        let mut cluster = Cluster { files: Folder::with(pace) };
        (0..SERVERS).for_each(|place| cluster.start(place));
        (0..SERVERS).for_each(|place| cluster.wait_ready(place));
        (0..SERVERS).for_each(|place| {
            wait("a server that grants everything", || {
                cluster.status(place).filter(|status| status["recovering"] == 0)
            });
        });
        cluster
    }

    /// The first server is one that is to run in this process; the others are processes.
    pub(crate) fn around_this_process() -> (Cluster, Service) {
        let mut cluster = Cluster { files: Folder::with(Pace::default()) };
        (1..SERVERS).for_each(|place| cluster.start(place));
        let service = bind(cluster.files.local.file(), NAMES[0], Options::default());
        (cluster, service)
    }

    /// Starts a server.
    pub(crate) fn start(&mut self, place: ServerId) {
        self.files.local.start(place).unwrap_or_else(|problem| panic!("a server: {problem:?}"));
    }

    /// Waits until a server grants.
    pub(crate) fn wait_ready(&self, place: ServerId) {
        wait("a server that is ready", || self.get(place, "/readyz").map(|_| ()));
    }

    /// Kills a server, as `kill -9` does.
    pub(crate) fn kill(&mut self, place: ServerId) {
        assert!(self.files.local.kill(place), "it ran");
    }

    /// The processes of the servers.
    pub(crate) fn processes(&self) -> Vec<u32> {
        (0..SERVERS).filter_map(|place| self.files.local.pid(place)).collect()
    }

    /// A client of this machine.
    pub(crate) fn at_socket(&self, place: ServerId) -> Client {
        Client {
            meta: "bench".to_owned(),
            ..Client::new([Endpoint::Unix(self.files.local.path(place, "sock"))])
        }
    }

    /// A client with a certificate.
    pub(crate) fn over_tls(&self, place: ServerId) -> Client {
        let server = &self.files.config.servers[usize::from(place)];
        let name = ringleader_net::tls::certificate_name(&server.name, CLUSTER);
        let endpoint = format!("https://{}#{name}", server.api).parse().expect("an address");
        let file = |ending: &str| self.files.folder.path().join(format!("{CLIENT}.{ending}"));
        Client {
            authority: Some(self.files.folder.path().join("ca.pem")),
            credentials: Credentials::Certificate { chain: file("pem"), key: file("key") },
            meta: "bench".to_owned(),
            ..Client::new([endpoint])
        }
    }

    /// What a server answers, if it does and all is well.
    fn get(&self, place: ServerId, path: &str) -> Option<Vec<u8>> {
        blocking::call(&self.at_socket(place), "GET", path, None).ok()
    }

    /// What a server says of itself.
    pub(crate) fn status(&self, place: ServerId) -> Option<Value> {
        serde_json::from_slice(&self.get(place, "/v1/status")?).ok()
    }

    /// How many messages all servers have sent to each other.
    pub(crate) fn messages(&self) -> f64 {
        self.counter("ringleader_messages_sent_total")
    }

    /// What all servers together have counted.
    pub(crate) fn counter(&self, name: &str) -> f64 {
        let one = |place: ServerId| {
            let text = wait("figures", || self.get(place, "/metrics"));
            let text = String::from_utf8_lossy(&text);
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|number| number.trim().parse::<f64>().ok()).expect("this figure is among them")
        };
        (0..SERVERS).map(one).sum()
    }
}

/// This program as a server: what `ringleader node` does with the arguments that [`Local`] gives it. No
/// file of events is written, as none is unless somebody asks for it.
pub(crate) fn be_server(arguments: &[String]) {
    // What it logs is in its folder, as that of any server: a run that went wrong says why.
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).init();
    let after = |word: &str| {
        let place = arguments.iter().position(|argument| argument == word).expect("it is given");
        &arguments[place + 1]
    };
    let options = Options { stdin: true, drain: Duration::ZERO, ..Options::default() };
    let service = bind(Path::new(after("--config")), after("--name"), options);
    service.run(|_| {}).unwrap_or_else(|problem| panic!("the server: {problem:?}"));
}

fn bind(file: &Path, name: &str, options: Options) -> Service {
    let config = Config::read(file, Some(name), &Environment::empty());
    let config = config.unwrap_or_else(|problem| panic!("the configuration: {problem:?}"));
    let place = NAMES.iter().position(|each| *each == name).and_then(|place| ServerId::try_from(place).ok());
    Service::bind(&config, place.expect("one of three"), options)
        .unwrap_or_else(|problem| panic!("{name}: {problem:?}"))
}

/// Waits until something is there.
pub(crate) fn wait<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A runtime of one thread, as servers have it.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}
