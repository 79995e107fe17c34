//! What servers cost with nothing to do, and with many sessions and many locks.

use crate::cluster::{Cluster, SERVERS, wait};
use ringleader::lock::ServerId;
use ringleader_client::{Endpoint, api};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
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

/// Makes so many sessions, which hold so many locks, a third of them at each server, and prints what it took.
pub(crate) fn many(cluster: &Cluster, sessions: usize, locks: usize) {
    let memory = || -> Vec<f64> { cluster.processes().into_iter().map(resident_mebibytes).collect() };
    let before = memory();
    let begin = Instant::now();
    let at_each = sessions / usize::from(SERVERS);
    let of_each = locks / sessions;
    let one = |place: ServerId| {
        let options = cluster.at_socket(place);
        let Some(Endpoint::Unix(path)) = options.servers.into_iter().next() else { panic!("a socket") };
        std::thread::spawn(move || {
            let mut stream = Stream::open(&path);
            let mut open = Vec::new();
            let (mut kept, mut held) = (Instant::now(), 0);
            // In portions, so that no more questions wait than a server allows.
            while open.len() < at_each {
                let portion = (at_each - open.len()).min(500);
                let asked = (0..portion).map(|_| json!({ "op": "open", "class": "batch", "meta": "bench" }));
                let opened = stream.ask(asked.collect());
                let from = open.len();
                let session = |reply: &Value| reply["opened"]["session"].as_str().expect("one").to_owned();
                open.extend(opened.iter().map(session));
                let asked = open.iter().enumerate().skip(from).flat_map(|(number, session)| {
                    (0..of_each).map(move |lock| {
                        let name = format!("batch/{place}/{number}/{lock}");
                        json!({ "op": "acquire", "name": name, "session": session, "rid": lock + 1,
                                "wait_ms": 60_000 })
                    })
                });
                let granted = stream.ask(asked.collect());
                held += granted.iter().filter(|reply| reply["granted"].is_object()).count();
                if kept.elapsed() > Duration::from_secs(4) {
                    kept = Instant::now();
                    stream
                        .ask(open.iter().map(|each| json!({ "op": "keepalive", "session": each })).collect());
                }
            }
            (stream, held)
        })
    };
    let threads: Vec<_> = (0..SERVERS).map(one).collect();
    let done: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
    let took = begin.elapsed().as_secs_f64();
    let held: usize = done.iter().map(|(_, held)| held).sum();
    let after = memory();
    let counted: u64 =
        (0..SERVERS).filter_map(|place| wait("its status", || cluster.status(place))["held"].as_u64()).sum();
    println!("{sessions} sessions and {held} locks that they hold (the servers say {counted}): {took:.1} s");
    let text = |all: &[f64]| all.iter().map(|each| format!("{each:.1}")).collect::<Vec<_>>().join(", ");
    println!("  resident memory of the servers, MiB: {} before, {} after", text(&before), text(&after));
    let more = after.iter().sum::<f64>() - before.iter().sum::<f64>();
    println!(
        "  {:.0} bytes for each lock with its share of a session",
        more * 1048576.0 / held.max(1) as f64
    );
}

/// A stream of questions and replies without anything around it: one connection with as many sessions as it
/// likes.
struct Stream {
    reader: BufReader<UnixStream>,
    asked: u64,
}

impl Stream {
    fn open(path: &std::path::Path) -> Stream {
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

    /// Asks all of this at once, and waits for all replies; they are given in the order of the questions.
    fn ask(&mut self, questions: Vec<Value>) -> Vec<Value> {
        let (first, count) = (self.asked, questions.len());
        let mut replies = vec![Value::Null; count];
        let mut questions = questions.into_iter();
        let mut left = count;
        while left > 0 {
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
            self.reader.get_mut().write_all(text.as_bytes()).expect("it reads");
            for _ in 0..portion {
                let mut line = String::new();
                self.reader.read_line(&mut line).expect("it replies");
                let reply: Value = serde_json::from_str(&line).expect("a reply is an object");
                let place = reply["id"].as_u64().and_then(|id| usize::try_from(id - first).ok());
                replies[place.expect("the number of a question")] = reply;
            }
            left -= portion;
        }
        replies
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
