//! The clients of a service: real processes that take locks and write to the storage, and what they write down, as it
//! grows.

use super::audit::Diary;
use super::setup::{self, LOCKS};
use super::{PATIENCE, Service};
use crate::now_us;
use crate::process::Process;
use nix::sys::signal::Signal;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::process::Stdio;

/// What a client does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Load {
    /// Its host.
    pub host: usize,
    /// The servers that it knows, in the order in which it tries them; through the socket if it is on the same host.
    pub servers: Vec<usize>,
    /// How many of its workers take locks at once.
    pub workers: u64,
    /// Each holds for so many milliseconds, at least and at most.
    pub hold: (u64, u64),
    /// Of a hundred holdings so many are longer, by so many milliseconds.
    pub long: (u32, u64),
    /// So much longer than it may it believes that it holds, in percent of the lease: 0 but for clients that are wrong
    /// on purpose, whom the auditor must find.
    pub belief: u64,
}

/// A client.
pub struct Client {
    name: String,
    load: Load,
    starts: usize,
    process: Option<Process>,
    diary: PathBuf,
    log: RefCell<Tail>,
    /// What earlier starts of it wrote down.
    past: Vec<Diary>,
}

/// A file that grows.
struct Tail {
    file: Option<File>,
    rest: Vec<u8>,
    diary: Diary,
}

impl Tail {
    /// Takes in what was written since.
    fn read(&mut self, path: &PathBuf) {
        if self.file.is_none() {
            self.file = File::open(path).ok();
        }
        let Some(file) = self.file.as_mut() else { return };
        file.read_to_end(&mut self.rest).expect("the diary of a client can be read");
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return };
        let whole: Vec<u8> = self.rest.drain(..=end).collect();
        for line in String::from_utf8_lossy(&whole).lines() {
            self.diary.take(line).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

impl Client {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its latest start, as the storage knows it.
    #[must_use]
    pub fn start_name(&self) -> String {
        format!("{}-{}", self.name, self.starts)
    }

    /// The host that it is on.
    #[must_use]
    pub fn host(&self) -> usize {
        self.load.host
    }

    /// Looks at what its latest start wrote down so far.
    pub fn diary<T>(&self, look: impl FnOnce(&Diary) -> T) -> T {
        let mut tail = self.log.borrow_mut();
        tail.read(&self.diary);
        look(&tail.diary)
    }

    /// All that all its starts wrote down.
    pub(super) fn diaries(&self) -> Vec<Diary> {
        let mut all = self.past.clone();
        all.push(self.diary(Diary::clone));
        all
    }

    pub(super) fn has_ended(&self) -> bool {
        self.process.as_ref().is_some_and(Process::has_ended)
    }

    /// Whether it runs, paused or not.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.process.is_some()
    }

    /// Whether every one of its workers took something after this moment.
    #[must_use]
    pub fn has_moved_on(&self, since: u64) -> bool {
        let workers = self.load.workers;
        self.diary(|diary| {
            (0..workers).all(|worker| {
                let who = format!("{}.{worker}", diary.client);
                let own = diary.holdings.iter().rev().find(|held| held.who == who);
                own.is_some_and(|held| held.from > since)
            })
        })
    }

    pub(super) fn state(&self) -> String {
        let mut text = format!("client {} on host {}: ", self.start_name(), self.load.host);
        self.diary(|diary| {
            let _ = write!(text, "{} holdings, {:?}", diary.holdings.len(), diary.events);
            for waiting in diary.waiters() {
                let ago = now_us().saturating_sub(waiting.since) / 1000;
                let _ = write!(text, "\n  {} waits for {} since {ago} ms", waiting.who, waiting.lock);
            }
            for held in diary.holders() {
                let left = held.to as i128 - i128::from(now_us());
                let _ = write!(text, "\n  {} holds {} for another {left} us", held.who, held.lock);
            }
        });
        text
    }
}

impl Service {
    /// The clients.
    #[must_use]
    pub fn clients(&self) -> &[Client] {
        &self.clients
    }

    /// Starts another client; its place among them.
    pub fn add_client(&mut self, load: Load) -> usize {
        let name = format!("c{}", self.clients.len());
        self.clients.push(Client {
            name,
            load,
            starts: 0,
            process: None,
            diary: PathBuf::new(),
            log: RefCell::new(Tail { file: None, rest: Vec::new(), diary: Diary::default() }),
            past: Vec::new(),
        });
        self.start_client(self.clients.len() - 1);
        self.clients.len() - 1
    }

    /// As is usual here: a client on the host of each server, which prefers that server through its socket, and one on
    /// each host of its own, which prefers another server each.
    pub fn add_clients(&mut self, workers: u64, hold: (u64, u64), long: (u32, u64), belief: u64) {
        let size = self.size();
        let rotated = |first: usize| (0..size).map(|place| (first + place) % size).collect::<Vec<_>>();
        for host in 0..size + self.plan.client_hosts {
            self.add_client(Load { host, servers: rotated(host % size), workers, hold, long, belief });
        }
        self.await_progress();
    }

    /// Starts a client that does not run.
    pub fn start_client(&mut self, client: usize) {
        let seed = self.plan.seed ^ ((client as u64) << 8);
        let folder = self.folder.path().to_owned();
        let load = self.clients[client].load.clone();
        let server = |place: &usize| {
            if *place == load.host {
                format!("unix:{}", folder.join(format!("{}.sock", self.names[*place])).display())
            } else {
                setup::endpoint(&self.lab, *place, &self.names[*place])
            }
        };
        let servers: Vec<String> = load.servers.iter().map(server).collect();
        let it = &mut self.clients[client];
        assert!(it.process.is_none(), "{} runs already", it.name);
        if it.starts > 0 {
            let diary = it.diary(Diary::clone);
            it.past.push(diary);
        }
        it.starts += 1;
        let start = format!("{}-{}", it.name, it.starts);
        it.diary = folder.join(format!("{start}.diary"));
        it.log = RefCell::new(Tail { file: None, rest: Vec::new(), diary: Diary::new(&start) });
        let log = File::create(folder.join(format!("{start}.log"))).expect("a file for its log");
        let file = |name: &str| folder.join(name).display().to_string();
        let child = self.lab.hosts()[load.host]
            .command(&self.plan.holder)
            .arg(format!("name={start}"))
            .arg(format!("servers={}", servers.join(",")))
            .arg(format!("authority={}", file("ca.pem")))
            .arg(format!("certificate={}", file(&format!("{}.pem", setup::CLIENT))))
            .arg(format!("key={}", file(&format!("{}.key", setup::CLIENT))))
            .arg(format!("locks={}", LOCKS.join(",")))
            .arg(format!("storage={}", self.storage.address))
            .arg(format!("log={}", it.diary.display()))
            .arg(format!("workers={}", load.workers))
            .arg(format!("seed={}", seed + it.starts as u64))
            .arg(format!("hold_least={}", load.hold.0))
            .arg(format!("hold_most={}", load.hold.1))
            .arg(format!("long_percent={}", load.long.0))
            .arg(format!("long={}", load.long.1))
            .arg(format!("belief={}", load.belief))
            .arg(format!("leases={}", self.plan.leases.millis.map(|millis| millis.to_string()).join(",")))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the client starts");
        it.process = Some(Process::new(child));
    }

    /// Kills a client, and makes sure that it is gone.
    pub fn kill_client(&mut self, client: usize) {
        self.clients[client].process.take().expect("it runs").kill();
        self.faults.add("clients killed", 1);
    }

    /// Sends a signal to a client.
    pub fn signal_client(&mut self, client: usize, signal: Signal) {
        self.clients[client].process.as_mut().expect("it runs").signal(signal);
    }

    /// Waits until every worker of every client that runs has taken something, and every lock was taken, after
    /// now: nobody is forgotten.
    pub fn await_progress(&self) {
        let since = now_us();
        self.wait("every worker takes something, and every lock is taken", || {
            let moved = |client: &&Client| client.is_up() && !client.has_moved_on(since);
            let all = !self.clients.iter().any(|client| moved(&client));
            let taken = |lock: &&str| self.taken(lock, since);
            (all && LOCKS.iter().all(taken)).then_some(())
        });
    }

    /// Whether somebody took this lock after this moment.
    #[must_use]
    pub fn taken(&self, lock: &str, since: u64) -> bool {
        self.clients.iter().any(|client| {
            client.diary(|diary| {
                let newer = diary.holdings.iter().rev().take_while(|held| held.from > since);
                newer.into_iter().any(|held| held.lock == lock)
            })
        })
    }

    /// Waits until a client holds something that it will hold for a while yet; which, and the lock and the fence.
    pub fn await_holder(&self, among: &[usize]) -> (usize, String, u64) {
        self.wait("somebody holds something", || {
            among.iter().copied().find_map(|client| {
                self.clients[client].diary(|diary| {
                    let held = diary.holders().next()?;
                    Some((client, held.lock.clone(), held.fence))
                })
            })
        })
    }

    /// Asks all clients to end, and waits until they have: whoever still waits for a lock must get it.
    pub(super) fn end_clients(&mut self) {
        for client in &mut self.clients {
            if let Some(process) = client.process.as_mut() {
                process.hang_up();
            }
        }
        for place in 0..self.clients.len() {
            let Some(mut process) = self.clients[place].process.take() else { continue };
            let status = process.ends(PATIENCE);
            let name = &self.clients[place].name;
            let Some(status) = status else {
                panic!("{name} does not end: somebody waits for ever\n{}", self.state())
            };
            assert_eq!(status.code(), Some(0), "{name} was asked to end: {status}\n{}", self.state());
            assert!(self.clients[place].diary(|diary| diary.ended), "{name} did not end as it should");
        }
    }
}
