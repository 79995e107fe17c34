//! Clusters in one process, and a peer in the hands of the test.

use ringleader::registry::{ALL, Problem, find};
use ringleader::sim::Scenario;
use ringleader_live::{
    Cluster, Frame, Greeting, GroupSpec, Hello, Member, MemberSpec, Micros, PROTOCOL, Place, Status, Timing,
    Users,
};
use ringleader_net::config::{Address, Config, Level, Security};
use ringleader_net::node::{Handle, Node, Options};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Waits until it is so. The limit is for mistakes, not for slow machines.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(300), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A port that nobody has at this moment.
pub(crate) fn address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").to_string()
}

/// Members a, b, c, … in plain text, which run this algorithm.
pub(crate) fn cluster(n: usize, algorithm: &str) -> Config {
    let entry = find(ALL, algorithm).expect("there is such an algorithm");
    let users = Users { entries: 20, hold: Micros::millis(1), think: Micros::millis(1) };
    let group = GroupSpec {
        name: "main".into(),
        entry,
        scenario: Scenario::new(n as u32),
        users: (entry.problem == Problem::Mutex).then_some(users),
        zero: None,
    };
    let name = |place: usize| char::from(b'a' + place as u8).to_string();
    let member = |place: usize| MemberSpec { name: name(place), id: place as u64 + 1 };
    let cluster = Cluster {
        name: "test".into(),
        members: (0..n).map(member).collect(),
        groups: vec![group],
        timing: Timing::default(),
    };
    let at = |_| {
        let peer = address();
        Address { listen: peer.clone(), peer, status: Some(address()) }
    };
    Config {
        cluster,
        addresses: (0..n).map(at).collect(),
        security: Security::Plain,
        log: Level::Info,
        warnings: Vec::new(),
    }
}

/// A member that runs in a thread.
pub(crate) struct Live {
    pub(crate) handle: Handle,
    pub(crate) incarnation: u64,
    status: String,
    events: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    pub(crate) fn start(config: &Config, place: Place, folder: &Path, options: Options) -> Live {
        let events = folder.join(format!("{place}.events"));
        let options = Options { events: Some(events.clone()), ..options };
        let mut bound = None;
        // One that ran here before may need a moment to give its addresses back.
        until("its addresses are free", || {
            bound = Node::bind(config, place, options.clone()).ok();
            bound.is_some()
        });
        let node = bound.expect("it is bound");
        let (handle, incarnation) = (node.handle(), node.incarnation());
        let status = config.addresses[usize::from(place)].status.clone().unwrap_or_default();
        let thread = std::thread::spawn(move || node.run(|| {}).expect("it runs"));
        Live { handle, incarnation, status, events, thread: Some(thread) }
    }

    pub(crate) fn status(&self) -> Status {
        self.handle.status().expect("it runs")
    }

    /// What it has told, of this kind.
    pub(crate) fn events(&self, event: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.events).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["event"] == event).collect()
    }

    /// Whether it has told something of this kind, for this reason.
    pub(crate) fn told(&self, event: &str, reason: &str) -> bool {
        self.events(event).iter().any(|line| line["reason"] == reason)
    }

    /// What it answers by HTTP: the code and the body.
    pub(crate) fn http(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.status).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers");
        let code = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (code, text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }

    /// The value of a line of its counters.
    pub(crate) fn counter(&self, line: &str) -> Option<f64> {
        let (_, text) = self.http("/metrics");
        let found = text.lines().find_map(|found| found.strip_prefix(line));
        found.and_then(|value| value.trim().parse().ok())
    }

    /// Waits until it has ended.
    pub(crate) fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends in order");
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.handle.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A peer that says what the test wants.
pub(crate) struct Puppet {
    pub(crate) stream: TcpStream,
    pub(crate) incarnation: u64,
    buffer: Vec<u8>,
}

impl Puppet {
    /// Dials member 0 as the member at this place, and greets; gives what the other greets with.
    pub(crate) fn greet(config: &Config, place: Place, incarnation: u64) -> (Puppet, Hello) {
        let stream = TcpStream::connect(&config.addresses[0].peer).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a time");
        let mut puppet = Puppet { stream, incarnation, buffer: Vec::new() };
        let member = Member::new(config.cluster.clone(), place, incarnation, 1, Micros(1));
        let member = member.unwrap_or_else(|_| panic!("the cluster is admitted"));
        puppet.say(&Frame::Hello(Hello {
            cluster: config.cluster.name.clone(),
            config: member.config(),
            versions: (PROTOCOL, PROTOCOL),
            place,
            greeting: Greeting { mine: incarnation, yours: 0, next: 0 },
        }));
        let heard = loop {
            match puppet.hear() {
                Some(Frame::Hello(hello)) => break hello,
                Some(_) => {}
                None => panic!("it closes without a greeting"),
            }
        };
        (puppet, heard)
    }

    pub(crate) fn say(&mut self, frame: &Frame) {
        let body = frame.encode();
        let length = (body.len() as u32).to_be_bytes();
        self.raw(&[&length[..], &body].concat());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("it is read");
    }

    /// The next frame; none when the other has closed.
    pub(crate) fn hear(&mut self) -> Option<Frame> {
        loop {
            if let Some((length, rest)) = self.buffer.split_first_chunk::<4>() {
                let length = u32::from_be_bytes(*length) as usize;
                if rest.len() >= length {
                    let frame = Frame::decode(&rest[..length]).expect("members speak well");
                    self.buffer.drain(..4 + length);
                    return Some(frame);
                }
            }
            let mut more = [0; 4096];
            match self.stream.read(&mut more) {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.buffer.extend_from_slice(&more[..read]),
            }
        }
    }

    /// The last frame before the other closes.
    pub(crate) fn last(&mut self) -> Option<Frame> {
        std::iter::from_fn(|| self.hear()).last()
    }
}
