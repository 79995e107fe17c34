//! What servers cost with nothing to do, and with many sessions and many locks.

use crate::cluster::{Cluster, SERVERS, wait};
use crate::overload::State;
use ringleader_client::{Endpoint, api};
use ringleader_locks::ServerId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Prints, and gives, the most memory in MiB and the largest part of a core of these servers, which have nothing
/// to do.
pub(crate) fn idle(whose: &str, processes: &[u32], time: Duration) -> (f64, f64) {
    if !cfg!(target_os = "linux") {
        println!("what an idle server costs is read from /proc, which is not here");
        return (0.0, 0.0);
    }
    let before: Vec<f64> = processes.iter().map(|process| cpu_seconds(*process)).collect();
    let begin = Instant::now();
    std::thread::sleep(time);
    let passed = begin.elapsed().as_secs_f64();
    let shares = processes.iter().zip(before).map(|(it, before)| (cpu_seconds(*it) - before) / passed);
    let shares: Vec<f64> = shares.collect();
    let memory: Vec<f64> = processes.iter().map(|process| resident_mebibytes(*process)).collect();
    println!("{whose}, one of {SERVERS} with nothing to do, over {passed:.0} s:");
    let [low, high] = range(&shares);
    println!("  {:<50} {:.2} % to {:.2} % of a core", "time", low * 100.0, high * 100.0);
    let [small, large] = range(&memory);
    println!("  {:<50} {small:.1} to {large:.1} MiB", "resident memory");
    (large, high)
}

fn range(figures: &[f64]) -> [f64; 2] {
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    [least, figures.iter().copied().fold(0.0, f64::max)]
}

/// Refusals, by what was asked and by code.
#[derive(Default)]
pub(crate) struct Counts(BTreeMap<(&'static str, String), usize>);

impl Counts {
    /// Counts the refusals among these replies.
    pub(crate) fn adds(&mut self, asked: &'static str, replies: &[Value]) {
        for reply in replies.iter().filter(|reply| reply["error"].is_object() || reply["id"].is_null()) {
            let code = reply["error"]["code"].as_str().unwrap_or("no reply");
            *self.0.entry((asked, code.to_owned())).or_default() += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: &Counts) {
        for (what, count) in &other.0 {
            *self.0.entry(what.clone()).or_default() += count;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is no other code.
    pub(crate) fn only(&self, code: &str) -> bool {
        self.0.keys().all(|(_, found)| found == code)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "none");
        }
        let each: Vec<String> =
            self.0.iter().map(|((asked, code), count)| format!("{asked} {code} {count}")).collect();
        write!(f, "{}", each.join(", "))
    }
}

/// The socket of a server.
pub(crate) fn socket(cluster: &Cluster, place: ServerId) -> PathBuf {
    match cluster.at_socket(place).servers.into_iter().next() {
        Some(Endpoint::Unix(path)) => path,
        _ => panic!("a socket"),
    }
}

/// Makes so many sessions, which hold so many locks, a third of them at each server, and prints what it took; whether
/// nothing was refused but with `limit`, and no server lost its membership.
pub(crate) fn many(cluster: &Cluster, sessions: usize, locks: usize) -> bool {
    let memory = || -> Vec<f64> { cluster.processes().into_iter().map(resident_mebibytes).collect() };
    let (before, state) = (memory(), State::of(cluster));
    let begin = Instant::now();
    let at_each = sessions / usize::from(SERVERS);
    let of_each = locks / sessions;
    let one = |place: ServerId| {
        let path = socket(cluster, place);
        std::thread::spawn(move || fill(&path, place, at_each, of_each))
    };
    let threads: Vec<_> = (0..SERVERS).map(one).collect();
    // The streams stay open until everything is counted.
    let done: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
    let took = begin.elapsed().as_secs_f64();
    let held: usize = done.iter().map(|(_, held, _)| held).sum();
    let mut counts = Counts::default();
    done.iter().for_each(|(_, _, each)| counts.merge(each));
    let (after, later) = (memory(), State::of(cluster));
    let counted: u64 =
        (0..SERVERS).filter_map(|place| wait("its status", || cluster.status(place))["held"].as_u64()).sum();
    println!("{sessions} sessions and {held} locks that they hold (the servers say {counted}): {took:.1} s");
    println!("  refused on the way: {counts}");
    println!("  before: {state}");
    println!("  after:  {later}");
    let text = |all: &[f64]| all.iter().map(|each| format!("{each:.1}")).collect::<Vec<_>>().join(", ");
    println!("  resident memory of the servers, MiB: {} before, {} after", text(&before), text(&after));
    let more = after.iter().sum::<f64>() - before.iter().sum::<f64>();
    println!(
        "  {:.0} bytes for each lock with its share of a session",
        more * 1048576.0 / held.max(1) as f64
    );
    counts.only("limit") && later.keeps_all_of(&state)
}

/// Opens sessions at a server and takes locks with them; what is refused is asked again.
fn fill(path: &Path, place: ServerId, sessions: usize, locks: usize) -> (Stream, usize, Counts) {
    let mut stream = Stream::open(path);
    let (mut open, mut counts) = (Vec::new(), Counts::default());
    let (mut kept, mut held) = (Instant::now(), 0);
    // In portions, so that no more questions wait than a server allows.
    while open.len() < sessions {
        let portion = (sessions - open.len()).min(500);
        let from = open.len();
        open.extend(stream.sessions(portion, "batch", &mut counts));
        let mut asked: Vec<Value> = (from..open.len())
            .flat_map(|number| (0..locks).map(move |lock| (number, lock)))
            .map(|(number, lock)| {
                let name = format!("batch/{place}/{number}/{lock}");
                json!({ "op": "acquire", "name": name, "session": open[number], "rid": lock + 1,
                        "wait_ms": 60_000 })
            })
            .collect();
        let begun = Instant::now();
        while !asked.is_empty() && begun.elapsed() < PATIENCE {
            let replies = stream.ask(asked.clone());
            counts.adds("acquire", &replies);
            held += replies.iter().filter(|reply| reply["granted"].is_object()).count();
            let refused = |reply: &Value| reply["error"]["code"] == "limit";
            asked = asked
                .into_iter()
                .zip(&replies)
                .filter(|(_, reply)| refused(reply))
                .map(|(it, _)| it)
                .collect();
            if !asked.is_empty() {
                std::thread::sleep(AGAIN);
            }
            if kept.elapsed() > Duration::from_secs(4) {
                kept = Instant::now();
                let beats = open.iter().map(|each| json!({ "op": "keepalive", "session": each }));
                let replies = stream.ask(beats.collect());
                counts.adds("keepalive", &replies);
            }
        }
    }
    (stream, held, counts)
}

/// After a refusal nothing is asked for so long.
const AGAIN: Duration = Duration::from_millis(200);

/// For so long is asked again.
const PATIENCE: Duration = Duration::from_secs(120);

/// A stream of questions and replies without anything around it: one connection with as many sessions as it
/// likes.
pub(crate) struct Stream {
    reader: BufReader<UnixStream>,
    asked: u64,
}

impl Stream {
    pub(crate) fn open(path: &Path) -> Stream {
        let mut stream = UnixStream::connect(path).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        let upgrade = api::STREAM;
        let head = format!(
            "GET /v1/stream HTTP/1.1\r\nhost: bench\r\nconnection: upgrade\r\nupgrade: {upgrade}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).expect("it answers") > 0, "it says yes");
        }
        Stream { reader, asked: 0 }
    }

    /// So many sessions of this class. Whatever is refused is counted and asked again.
    pub(crate) fn sessions(&mut self, count: usize, class: &str, counts: &mut Counts) -> Vec<String> {
        let (mut open, begun) = (Vec::new(), Instant::now());
        while open.len() < count {
            assert!(begun.elapsed() < PATIENCE, "no sessions: {counts}");
            let asked = (open.len()..count).map(|_| json!({ "op": "open", "class": class, "meta": "bench" }));
            let replies = self.ask(asked.collect());
            counts.adds("open", &replies);
            let session = |reply: &Value| reply["opened"]["session"].as_str().map(str::to_owned);
            open.extend(replies.iter().filter_map(session));
            if open.len() < count {
                std::thread::sleep(AGAIN);
            }
        }
        open
    }

    /// Asks all of this at once, and waits for all replies; they are given in the order of the questions. A reply that
    /// does not come because the server ends the stream is null.
    pub(crate) fn ask(&mut self, questions: Vec<Value>) -> Vec<Value> {
        let (first, count) = (self.asked, questions.len());
        let mut replies = vec![Value::Null; count];
        let mut questions = questions.into_iter().peekable();
        while questions.peek().is_some() {
            // Not so many that both ends would wait for the other to read.
            let mut text = String::new();
            let mut portion = 0;
            for mut question in questions.by_ref().take(100) {
                question["id"] = json!(self.asked);
                self.asked += 1;
                portion += 1;
                text += &question.to_string();
                text.push('\n');
            }
            if self.reader.get_mut().write_all(text.as_bytes()).is_err() {
                return replies;
            }
            for _ in 0..portion {
                let mut line = String::new();
                if self.reader.read_line(&mut line).map_or(true, |read| read == 0) {
                    return replies;
                }
                let reply: Value = serde_json::from_str(&line).expect("a reply is an object");
                let place = reply["id"].as_u64().and_then(|id| usize::try_from(id - first).ok());
                replies[place.expect("the number of a question")] = reply;
            }
        }
        replies
    }

    /// The connection itself.
    pub(crate) fn into_reader(self) -> BufReader<UnixStream> {
        self.reader
    }
}

/// The time that all threads of a process have been on a core. In nanoseconds, where the ticks of `stat`
/// are too coarse.
fn cpu_seconds(process: u32) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("the process is there");
    let spent = tasks.flatten().map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or_default()
    });
    spent.sum::<f64>() / 1e9
}

fn resident_mebibytes(process: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
