//! Servers in processes of their own, with limits of their own: this program, called again.

use crate::support::{Client, Cluster, until};
use ringleader_net::config::Environment;
use ringleader_net::limits::{Budget, Phases};
use ringleader_net::log::{LogFormat, subscribe};
use ringleader_server::config::Config;
use ringleader_server::http::Limits;
use ringleader_server::{Options, Service};
use std::io::Read;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FILE: &str = "SERVER_FILE";
const NAME: &str = "SERVER_NAME";
const WRONG: &str = "SERVER_WRONG";
const LOG: &str = "SERVER_LOG";

/// How the servers are to be.
#[derive(Clone, Copy, Default)]
pub(crate) struct Manner {
    /// How many files each may open.
    pub(crate) files: Option<usize>,
    /// A wrong version: strangers have as many places and as much time as they like.
    pub(crate) hospitable: bool,
    /// Everything is logged to a pipe, which the test has.
    pub(crate) log: Option<Log>,
}

/// How the log is written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Log {
    Usual,
    /// A wrong version: whoever logs waits until the line is written.
    Blocking,
}

/// The files of a service, and its servers as processes.
pub(crate) struct Servers {
    pub(crate) cluster: Cluster,
    running: Vec<Option<Child>>,
    manner: Manner,
    /// Whether the pipes that servers log to are read.
    reads: Vec<Arc<AtomicBool>>,
    /// What was read.
    logs: Vec<Arc<Mutex<Vec<u8>>>>,
}

impl Servers {
    /// All of them, ready.
    pub(crate) fn new(count: u16, manner: Manner) -> Servers {
        let cluster = Cluster::stopped(count, Options::default());
        let running = (0..count).map(|_| None).collect();
        let reads = (0..count).map(|_| Arc::new(AtomicBool::new(true))).collect();
        let logs = (0..count).map(|_| Arc::default()).collect();
        let mut servers = Servers { cluster, running, manner, reads, logs };
        (0..count).for_each(|place| servers.start(place));
        for place in 0..count {
            until("a server that is ready", || {
                assert!(servers.runs(place), "server {place} has ended");
                (servers.client(place).get("/readyz").0 == 200).then_some(())
            });
        }
        servers
    }

    fn start(&mut self, place: u16) {
        let program = std::env::current_exe().expect("this program");
        let limit = self.manner.files.map_or_else(String::new, |files| format!("ulimit -n {files}; "));
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{limit}exec \"$0\" \"$@\"")).arg(program);
        command.args(["--exact", "process::entry", "--nocapture"]);
        command.env(FILE, self.cluster.folder.path().join("service.toml"));
        command.env(NAME, self.cluster.config.name(place));
        if self.manner.hospitable {
            command.env(WRONG, "1");
        }
        let stderr = match self.manner.log {
            Some(log) => {
                command.env(LOG, if log == Log::Usual { "usual" } else { "blocking" });
                Stdio::piped()
            }
            None => Stdio::null(),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(stderr);
        let mut child = command.spawn().expect("it starts");
        if let Some(pipe) = child.stderr.take() {
            let reads = Arc::clone(&self.reads[usize::from(place)]);
            let log = Arc::clone(&self.logs[usize::from(place)]);
            std::thread::spawn(move || read(pipe, &reads, &log));
        }
        self.running[usize::from(place)] = Some(child);
    }

    /// Starts a server again, and waits until it is ready.
    pub(crate) fn restart(&mut self, place: u16) {
        self.start(place);
        until("a server that is ready again", || {
            assert!(self.runs(place), "server {place} has ended");
            (self.client(place).get("/readyz").0 == 200).then_some(())
        });
    }

    /// Whether a server runs.
    pub(crate) fn runs(&mut self, place: u16) -> bool {
        let child = self.running[usize::from(place)].as_mut();
        child.is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// As `kill -9` does.
    pub(crate) fn kill(&mut self, place: u16) {
        let mut child = self.running[usize::from(place)].take().expect("it runs");
        child.kill().expect("it runs");
        child.wait().expect("it has ended");
    }

    /// Nobody reads what a server logs any more; or somebody does again.
    pub(crate) fn reads_log(&self, place: u16, reads: bool) {
        self.reads[usize::from(place)].store(reads, Ordering::Relaxed);
    }

    /// Whether a server has logged this, as far as its log was read.
    pub(crate) fn has_logged(&self, place: u16, text: &str) -> bool {
        let log = self.logs[usize::from(place)].lock().expect("no panic");
        String::from_utf8_lossy(&log).contains(text)
    }

    /// A client of the same machine.
    pub(crate) fn client(&self, place: u16) -> Client {
        self.cluster.client(place)
    }

    /// One of the counters of a server.
    pub(crate) fn counter(&self, place: u16, name: &str) -> u64 {
        let text = String::from_utf8(self.client(place).text("/metrics")).expect("text");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|number| number.trim().parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
    }
}

/// Reads a pipe while somebody wants it.
fn read(mut pipe: ChildStderr, reads: &AtomicBool, log: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 65_536];
    loop {
        while !reads.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        match pipe.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => log.lock().expect("no panic").extend_from_slice(&buffer[..count]),
        }
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

/// Runs a server if this program was called for that; otherwise there is nothing to test here.
#[test]
fn entry() {
    let (Some(file), Ok(name)) = (std::env::var_os(FILE), std::env::var(NAME)) else { return };
    let _log = match std::env::var(LOG).as_deref() {
        Ok("blocking") => {
            tracing_subscriber::fmt()
                .with_writer(std::io::stderr)
                .with_max_level(tracing::Level::DEBUG)
                .init();
            None
        }
        Ok(_) => Some(subscribe(LogFormat::Json, "trace").expect("nobody logs yet")),
        Err(_) => None,
    };
    let mut options = Options { stdin: true, ..Options::default() };
    if std::env::var_os(WRONG).is_some() {
        let many = 1 << 20;
        options.budget = Some(Budget {
            clients: many,
            strangers: many,
            local: many,
            door: many,
            status: many,
            handshakes: many,
        });
        options.bounds.handshakes = many;
        options.bounds.handshake = Duration::from_secs(3600);
        let hour = Duration::from_secs(3600);
        let phases = Phases { stranger: hour, idle: hour, body: hour, write: hour };
        options.limits = Limits { phases, ..Limits::default() };
    }
    let config = Config::read(file.as_ref(), Some(&name), &Environment::empty()).expect("our own file");
    let place = config.place(&name).expect("one of them");
    let service = Service::bind(&config, place, options).expect("its addresses are free");
    service.run(|_| {}).expect("it leaves in peace");
}
