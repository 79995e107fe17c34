//! A lock service of real servers, one on each host, with real clients: started, killed, paused and asked from
//! outside, and judged in the end.
//!
//! The first hosts are those of the servers, then come those of clients, and the last one has the storage that clients
//! write to. Clients are on hosts of their own and on those of the servers.

pub mod audit;
mod clients;
mod exclusion;
mod faults;
mod judge;
mod setup;
pub mod storage;
mod wrapped;

pub use clients::{Client, Load};
pub use exclusion::Blow;
pub use judge::Verdict;
pub use setup::{CLIENT, LOCKS, Leases};
pub use wrapped::Wrapped;

use crate::lab::Lab;
use crate::process::Process;
use crate::table::Tally;
use crate::{ask, now_us};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use storage::Storage;
use tempfile::TempDir;

/// For how long is waited for something that must happen. Far more than it takes: only whoever hangs runs into it.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often servers are asked, and conditions looked at.
const ASK_EVERY: Duration = Duration::from_millis(25);

/// What is to be built.
pub struct Plan {
    /// How many servers.
    pub servers: usize,
    /// How many hosts only for clients.
    pub client_hosts: usize,
    /// The leases.
    pub leases: Leases,
    /// What chance is drawn from.
    pub seed: u64,
    /// The program of the clients.
    pub holder: PathBuf,
}

/// For each server when it was asked last, and what it said.
type Views = Vec<(u64, Option<Value>)>;

/// A service. Everything that runs is killed when it is dropped.
pub struct Service {
    names: Vec<String>,
    servers: Vec<Option<Process>>,
    starts: usize,
    clients: Vec<Client>,
    views: Arc<Mutex<Views>>,
    stop: Arc<AtomicBool>,
    askers: Vec<JoinHandle<()>>,
    program: PathBuf,
    plan: Plan,
    /// What was done to it.
    pub faults: Tally,
    storage: Storage,
    folder: TempDir,
    lab: Lab,
}

impl Service {
    /// Hosts, certificates and a configuration; nobody is started yet.
    ///
    /// # Panics
    /// If something cannot be made, or `RINGLEADER_BIN` does not say where the program is.
    #[must_use]
    pub fn new(plan: Plan) -> Service {
        let program = std::env::var_os("RINGLEADER_BIN");
        let program =
            program.expect("RINGLEADER_BIN names the program to be tested; use `cargo xtask network`");
        let program = PathBuf::from(program);
        let hosts = plan.servers + plan.client_hosts + 1;
        let lab = Lab::new(hosts, plan.seed).unwrap_or_else(|error| panic!("no hosts can be made: {error}"));
        // In memory, where there is such a place: on a disk that others use as well a write may take longer than an
        // election, and then that decides what is seen here, and not the faults.
        let prefix = "ringleader-server-";
        let folder = TempDir::with_prefix_in(prefix, "/dev/shm").or_else(|_| TempDir::with_prefix(prefix));
        let folder = folder.expect("a folder of its own");
        let names: Vec<String> = ('a'..).take(plan.servers).map(String::from).collect();
        setup::certify(&program, folder.path(), &names);
        let config = setup::configuration(&lab, &names, plan.leases);
        std::fs::write(folder.path().join("service.toml"), config).expect("the configuration is written");
        let storage = Storage::start(&lab.hosts()[hosts - 1]).unwrap_or_else(|error| panic!("{error}"));
        let mut service = Service {
            servers: names.iter().map(|_| None).collect(),
            starts: 0,
            clients: Vec::new(),
            views: Arc::new(Mutex::new(vec![(0, None); names.len()])),
            stop: Arc::new(AtomicBool::new(false)),
            askers: Vec::new(),
            program,
            faults: Tally::default(),
            storage,
            folder,
            lab,
            names,
            plan,
        };
        service.askers = (0..service.size()).map(|place| service.asker(place)).collect();
        service
    }

    /// A service whose servers all serve.
    #[must_use]
    pub fn serving(plan: Plan) -> Service {
        let mut service = Service::new(plan);
        (0..service.size()).for_each(|place| service.start(place));
        service.await_servers(&service.everybody());
        service
    }

    /// How many servers it has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.names.len()
    }

    /// The places of all servers.
    #[must_use]
    pub fn everybody(&self) -> Vec<usize> {
        (0..self.size()).collect()
    }

    /// The places of all servers but these.
    #[must_use]
    pub fn others(&self, than: &[usize]) -> Vec<usize> {
        (0..self.size()).filter(|place| !than.contains(place)).collect()
    }

    /// The hosts and the switch between them.
    #[must_use]
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// What clients write to.
    #[must_use]
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The program that is tested.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The folder of all files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The longest lease.
    #[must_use]
    pub fn longest_lease(&self) -> Duration {
        Duration::from_millis(self.plan.leases.millis[2])
    }

    /// Whether a server was started and neither stopped nor killed since.
    #[must_use]
    pub fn is_up(&self, place: usize) -> bool {
        self.servers[place].is_some()
    }

    /// Starts a server.
    pub fn start(&mut self, place: usize) {
        assert!(self.servers[place].is_none(), "{} runs already", self.names[place]);
        let name = &self.names[place];
        let path = |ending: &str| self.folder.path().join(format!("{name}.{}.{ending}", self.starts));
        let log = File::create(path("log")).expect("a file for its log");
        let child = self.lab.hosts()[place]
            .command(&self.program)
            .args(["node", "--config"])
            .arg(self.folder.path().join("service.toml"))
            .args(["--name", name, "--events"])
            .arg(path("events"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        self.starts += 1;
        self.servers[place] = Some(Process::new(child));
    }

    /// Kills a server, and makes sure that it is gone.
    pub fn kill(&mut self, place: usize) {
        self.assert_well();
        self.servers[place].take().expect("it runs").kill();
        self.faults.add("servers killed", 1);
    }

    /// Sends a signal to a server.
    pub fn signal(&mut self, place: usize, signal: Signal) {
        self.servers[place].as_mut().expect("it runs").signal(signal);
    }

    /// Asks a server to leave, which is something that happens to its clients, and waits until it has.
    pub fn drain(&mut self, place: usize) {
        // Whoever has hardly been started has nothing to leave yet, and the signal just ends it.
        let since = now_us();
        self.wait(&format!("server {place} answers"), || {
            let (asked, answer) = &self.views()[place];
            (*asked > since && answer.is_some()).then_some(())
        });
        self.end(place);
        self.faults.add("servers drained", 1);
    }

    /// Asks a server to leave, and waits until it has.
    fn end(&mut self, place: usize) {
        let mut server = self.servers[place].take().expect("it runs");
        server.signal(Signal::SIGTERM);
        let status = server.ends(PATIENCE);
        let name = &self.names[place];
        assert_eq!(status.and_then(|status| status.code()), Some(0), "{name}: {status:?}\n{}", self.state());
    }

    /// Waits until these servers serve, by what they answer from now on.
    pub fn await_servers(&self, places: &[usize]) {
        let since = now_us();
        self.wait(&format!("servers {places:?} serve"), || {
            places.iter().all(|&place| self.serves(place, since)).then_some(())
        });
    }

    /// Whether a server says that it serves, asked after this moment.
    #[must_use]
    pub fn serves(&self, place: usize, since: u64) -> bool {
        let views = self.views();
        let (asked, answer) = &views[place];
        let leased = |answer: &Value| answer["lease_ms"]["fast"].as_u64().is_some_and(|left| left > 0);
        *asked > since && answer.as_ref().is_some_and(|answer| answer["joined"] == true && leased(answer))
    }

    /// Which server may propose views: the one that leads among those that keep them. Waits until one of these does.
    pub fn await_proposer(&self, among: &[usize]) -> usize {
        let since = now_us();
        self.wait(&format!("one of {among:?} proposes"), || {
            let views = self.views();
            among.iter().copied().find(|&place| {
                let (asked, answer) = &views[place];
                *asked > since && answer.as_ref().is_some_and(|answer| answer["proposes"] == true)
            })
        })
    }

    /// Waits until something is there.
    ///
    /// # Panics
    /// If that takes longer than anybody has patience for, or something ends by itself meanwhile.
    pub fn wait<T>(&self, what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
        let begin = Instant::now();
        loop {
            if let Some(found) = condition() {
                return found;
            }
            assert!(begin.elapsed() < PATIENCE, "in vain: {what}\n{}", self.state());
            self.assert_well();
            std::thread::sleep(ASK_EVERY);
        }
    }

    /// Nobody has ended whom nobody has stopped.
    fn assert_well(&self) {
        let servers = self.names.iter().zip(&self.servers);
        let ended = servers.filter(|(_, server)| server.as_ref().is_some_and(Process::has_ended));
        let ended: Vec<&str> = ended.map(|(name, _)| name.as_str()).collect();
        assert!(ended.is_empty(), "{ended:?} have ended by themselves\n{}", self.state());
        let ended: Vec<&str> =
            self.clients.iter().filter(|client| client.has_ended()).map(|client| client.name()).collect();
        assert!(ended.is_empty(), "clients {ended:?} have ended by themselves\n{}", self.state());
    }

    /// How everybody is, for whoever has to find out why something did not happen.
    #[must_use]
    pub fn state(&self) -> String {
        let mut text = String::new();
        for (name, (asked, answer)) in self.names.iter().zip(self.views().iter()) {
            let ago = now_us().saturating_sub(*asked) / 1000;
            let answer = answer.as_ref().map_or("no answer".into(), Value::to_string);
            let _ = writeln!(text, "{name}, {ago} ms ago: {answer}");
        }
        for client in &self.clients {
            let _ = writeln!(text, "{}", client.state());
        }
        let mut logs: Vec<PathBuf> = std::fs::read_dir(self.folder.path())
            .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
            .unwrap_or_default();
        logs.retain(|path| path.extension().is_some_and(|ending| ending == "log"));
        logs.sort();
        for path in logs {
            let log = std::fs::read_to_string(&path).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let last = &lines[lines.len().saturating_sub(8)..];
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(text, "{name} ends:\n{}", last.join("\n"));
        }
        text
    }

    fn views(&self) -> MutexGuard<'_, Views> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a server over and over, on a thread of its host.
    fn asker(&self, place: usize) -> JoinHandle<()> {
        let (views, stop) = (Arc::clone(&self.views), Arc::clone(&self.stop));
        let work = move || {
            while !stop.load(Ordering::Relaxed) {
                let asked = now_us();
                let answer = ask::status(setup::status_port(place)).ok();
                views.lock().unwrap_or_else(PoisonError::into_inner)[place] = (asked, answer);
                std::thread::sleep(2 * ASK_EVERY);
            }
        };
        self.lab.hosts()[place].thread(work).unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.clients.clear();
        self.servers.clear();
        self.stop.store(true, Ordering::Relaxed);
        for asker in self.askers.drain(..) {
            if asker.join().is_err() && !std::thread::panicking() {
                panic!("one who asked for the status has panicked");
            }
        }
        // For whoever has to find out what happened.
        if std::thread::panicking() && std::env::var_os("RINGLEADER_NETWORK_KEEP").is_some() {
            self.folder.disable_cleanup(true);
        }
    }
}
