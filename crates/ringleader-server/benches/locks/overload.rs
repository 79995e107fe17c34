//! Twice the load that the machine can carry: what is held stays held, and what is too much is refused.

use crate::cluster::{Cluster, SERVERS, runtime, wait};
use crate::load::{Counts, Stream, socket};
use ringleader_locks::ServerId;
use ringleader_net::limits::allowance;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::sleep;

/// So many clients of each server ask one thing after the other while it is measured what the machine can carry.
const FEW: usize = 50;

/// So many questions are written at a time.
const PORTION: u64 = 64;

/// So many locks are wanted by all clients.
const LOCKS: u64 = 20_000;

/// Each session holds so many locks all the time.
const HELD: usize = 10;

/// So long is waited for the last answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long that is measured, at most.
const MEASURED: Duration = Duration::from_secs(5);

/// What is held all the time.
struct Held {
    stream: Stream,
    sessions: Vec<String>,
    /// The lock, the session, the fence.
    locks: Vec<(String, String, String)>,
}

/// Loads the servers for so long, and prints what became of it; whether all is well.
pub(crate) fn measure(cluster: &Cluster, sessions: usize, clients: usize, time: Duration) -> bool {
    let mut counts = Counts::default();
    let held: Vec<Held> = (0..SERVERS)
        .map(|place| hold(cluster, place, sessions / usize::from(SERVERS), HELD, &mut counts))
        .collect();
    let count: usize = held.iter().map(|each| each.locks.len()).sum();
    println!("{sessions} sessions hold {count} locks; refused until then: {counts}");
    let before = State::of(cluster);
    let going = Arc::new(AtomicBool::new(true));
    let keepers: Vec<JoinHandle<(Held, Counts, Duration)>> = held
        .into_iter()
        .map(|each| {
            let going = Arc::clone(&going);
            std::thread::spawn(move || keep(each, &going))
        })
        .collect();
    let pauses = {
        let going = Arc::clone(&going);
        std::thread::spawn(move || longest_pause(&going))
    };
    let carried = load(cluster, FEW.min(clients), MEASURED.min(time), Demand::Patient);
    let per_second = |count: u64, load: &Load| count as f64 / load.seconds;
    let rate = per_second(carried.granted, &carried);
    println!("  the machine carries {rate:.0} locks in a second, taken and given back");
    let loaded = load(cluster, clients, time, Demand::Rate(2.0 * rate));
    let (asked, granted) = (per_second(loaded.asked, &loaded), per_second(loaded.granted, &loaded));
    println!(
        "  {clients} clients of each server ask for {asked:.0} in a second ({:.2} times as many) for {:.0} s, and are \
         granted {granted:.0}; not read at the end: {}",
        asked / rate,
        loaded.seconds,
        loaded.unread
    );
    println!(
        "  refused: {}; the slowest answer to a keep-alive of theirs took {:.1} s",
        loaded.counts,
        loaded.slowest.as_secs_f64()
    );
    going.store(false, Ordering::Relaxed);
    let (mut kept, mut lost, mut longest) = (Counts::default(), 0, Duration::ZERO);
    for keeper in keepers {
        let (mut held, counts, waited) = keeper.join().expect("no panic");
        kept.merge(&counts);
        longest = longest.max(waited);
        let releases = held.locks.iter().map(|(name, session, fence)| {
            json!({ "op": "release", "name": name, "session": session, "fence": fence })
        });
        lost += held.stream.ask(releases.collect()).iter().filter(|reply| reply["done"].is_null()).count();
    }
    let after = State::of(cluster);
    println!(
        "  a thread that only sleeps was held up for {:.3} s at most",
        pauses.join().expect("no panic").as_secs_f64()
    );
    println!(
        "  keep-alives refused: {kept}; the slowest answers to those of all sessions of a server took {:.1} s; locks \
         lost of {count}: {lost}",
        longest.as_secs_f64()
    );
    println!("  before: {before}");
    println!("  after:  {after}");
    lost == 0 && kept.is_empty() && loaded.counts.only("limit") && after.keeps_all_of(&before)
}

fn hold(cluster: &Cluster, place: ServerId, sessions: usize, locks: usize, counts: &mut Counts) -> Held {
    let mut stream = Stream::open(&socket(cluster, place));
    let sessions = stream.sessions(sessions, "batch", counts);
    let (names, asked): (Vec<_>, Vec<_>) = sessions
        .iter()
        .enumerate()
        .flat_map(|(number, session)| {
            (0..locks).map(move |lock| {
                let name = format!("batch/held/{place}/{number}/{lock}");
                let ask = json!({ "op": "acquire", "name": name, "session": session, "rid": lock + 1,
                                  "wait_ms": 60_000 });
                ((name, session.clone()), ask)
            })
        })
        .unzip();
    let replies = stream.ask(asked);
    counts.adds("acquire", &replies);
    let fence = |reply: &Value| reply["granted"]["fence"].as_str().map(str::to_owned);
    let granted = names.into_iter().zip(&replies);
    let locks = granted.filter_map(|((name, session), reply)| Some((name, session, fence(reply)?))).collect();
    Held { stream, sessions, locks }
}

/// Keeps sessions alive until it is over; how long the answers took at most.
fn keep(mut held: Held, going: &AtomicBool) -> (Held, Counts, Duration) {
    let (mut counts, mut longest) = (Counts::default(), Duration::ZERO);
    while going.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let beats = held.sessions.iter().map(|each| json!({ "op": "keepalive", "session": each }));
        let replies = held.stream.ask(beats.collect());
        counts.adds("keepalive", &replies);
        longest = longest.max(begun.elapsed());
        while begun.elapsed() < Duration::from_secs(3) && going.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    (held, counts, longest)
}

/// How long the machine does not run a thread that wants to run, at most: a server is no better off.
fn longest_pause(going: &AtomicBool) -> Duration {
    let (nap, mut longest) = (Duration::from_millis(10), Duration::ZERO);
    while going.load(Ordering::Relaxed) {
        let begun = Instant::now();
        std::thread::sleep(nap);
        longest = longest.max(begun.elapsed().saturating_sub(nap));
    }
    longest
}

/// What a load was and what came of it.
struct Load {
    seconds: f64,
    /// Locks that were asked for, and those that were granted.
    asked: u64,
    granted: u64,
    /// Locks that were to be asked for when the servers did not read.
    unread: u64,
    /// How long the answer to a keep-alive took at most, from the moment at which it was due.
    slowest: Duration,
    counts: Counts,
}

/// How much is asked.
#[derive(Clone, Copy)]
enum Demand {
    /// The next question of a connection when the last one is answered.
    Patient,
    /// So many locks in a second, whatever is answered.
    Rate(f64),
}

/// Clients of all servers that want the same locks, so many connections to each server.
fn load(cluster: &Cluster, clients: usize, time: Duration, demand: Demand) -> Load {
    let places = (0..SERVERS).flat_map(|place| (0..clients).map(move |_| place));
    let paths: Vec<PathBuf> = places.map(|place| socket(cluster, place)).collect();
    // Every connection is a file.
    let _ = allowance();
    runtime().block_on(LocalSet::new().run_until(async move {
        let total = Rc::new(Total::default());
        let mut connections = Vec::new();
        for (number, path) in paths.iter().enumerate() {
            let (stream, session) = connect(path).await;
            let connection = Rc::new(Connection { number, session, ..Connection::default() });
            let (reader, writer) = stream.into_split();
            let reads = spawn_local(reads(reader, Rc::clone(&connection), Rc::clone(&total), demand));
            let writes = spawn_local(writes(writer, Rc::clone(&connection), Rc::clone(&total)));
            connections.push((connection, reads, writes));
        }
        let begun = Instant::now();
        let (mut given, mut kept) = (0_u64, Instant::now());
        if matches!(demand, Demand::Patient) {
            connections.iter().for_each(|(connection, ..)| connection.wants(1));
        }
        while begun.elapsed() < time {
            if let Demand::Rate(rate) = demand {
                let due = (begun.elapsed().as_secs_f64() * rate) as u64;
                for number in given..due {
                    connections[number as usize % connections.len()].0.wants(1);
                }
                given = due;
            }
            if kept.elapsed() > Duration::from_secs(4) {
                kept = Instant::now();
                connections.iter().for_each(|(connection, ..)| connection.keeps());
            }
            sleep(Duration::from_millis(2)).await;
        }
        let seconds = begun.elapsed().as_secs_f64();
        let [asked, granted] = [&total.locks, &total.granted].map(Cell::get);
        let unread = connections.iter().map(|(connection, ..)| connection.wanted.take()).sum();
        total.over.set(true);
        let until = Instant::now() + PATIENCE;
        while total.answered.get() < total.asked.get() && Instant::now() < until {
            sleep(Duration::from_millis(20)).await;
        }
        connections.iter().for_each(|(connection, ..)| connection.ends());
        for (_, reads, writes) in connections {
            let _ = (writes.await, reads.await);
        }
        let (counts, slowest) = (total.counts.take(), total.slowest.get());
        Load { seconds, asked, granted, unread, slowest, counts }
    }))
}

/// What all connections count.
#[derive(Default)]
struct Total {
    /// Nothing new is asked.
    over: Cell<bool>,
    locks: Cell<u64>,
    asked: Cell<u64>,
    answered: Cell<u64>,
    granted: Cell<u64>,
    slowest: Cell<Duration>,
    counts: RefCell<Counts>,
}

fn adds(counter: &Cell<u64>, more: u64) {
    counter.set(counter.get() + more);
}

/// One connection, with a session of its own.
#[derive(Default)]
struct Connection {
    number: usize,
    session: String,
    /// Locks that are still to be asked for.
    wanted: Cell<u64>,
    /// What is to be written besides.
    besides: RefCell<String>,
    /// When the keep-alive was due that has no answer yet.
    beats: Cell<Option<Instant>>,
    over: Cell<bool>,
    more: Notify,
}

impl Connection {
    fn wants(&self, locks: u64) {
        adds(&self.wanted, locks);
        self.more.notify_one();
    }

    fn says(&self, question: &Value) {
        *self.besides.borrow_mut() += &format!("{question}\n");
        self.more.notify_one();
    }

    fn keeps(&self) {
        self.beats.set(self.beats.get().or(Some(Instant::now())));
        self.says(&json!({ "id": 0, "op": "keepalive", "session": self.session }));
    }

    fn ends(&self) {
        self.over.set(true);
        self.says(&json!({ "id": 0, "op": "close", "session": self.session }));
    }

    /// The lock that this question is about: all clients go through all of them, and no client asks for one twice at
    /// a time.
    fn name(&self, question: u64) -> String {
        format!("batch/load/{}", (question + 997 * self.number as u64) % LOCKS)
    }
}

/// A connection and its session. A server that has too much to do is asked again.
async fn connect(path: &Path) -> (UnixStream, String) {
    let path = path.to_owned();
    let opened = tokio::task::spawn_blocking(move || {
        let mut stream = Stream::open(&path);
        let session = stream.sessions(1, "batch", &mut Counts::default()).remove(0);
        (stream.into_reader(), session)
    });
    let (reader, session) = opened.await.expect("no panic");
    let stream = reader.into_inner();
    stream.set_nonblocking(true).expect("a socket");
    (UnixStream::from_std(stream).expect("a socket"), session)
}

/// Asks what is wanted, until it is over.
async fn writes(mut writer: OwnedWriteHalf, connection: Rc<Connection>, total: Rc<Total>) {
    let (mut asked, session) = (0_u64, &connection.session);
    loop {
        let mut text = connection.besides.take();
        let mut questions = text.lines().count() as u64;
        let now = connection.wanted.get().min(PORTION);
        connection.wanted.set(connection.wanted.get() - now);
        for _ in 0..now {
            asked += 1;
            questions += 1;
            let name = connection.name(asked);
            // Written by hand: what is measured is the server.
            text += &format!(
                "{{\"id\":{asked},\"op\":\"acquire\",\"name\":\"{name}\",\"session\":\"{session}\",\
                 \"rid\":{asked},\"wait_ms\":1000}}\n"
            );
        }
        if text.is_empty() {
            if connection.over.get() {
                break;
            }
            connection.more.notified().await;
        } else if writer.write_all(text.as_bytes()).await.is_err() {
            break;
        }
        adds(&total.asked, questions);
        adds(&total.locks, now);
    }
    let _ = writer.shutdown().await;
}

/// Reads answers until there are no more, and gives back what was granted.
async fn reads(reader: OwnedReadHalf, connection: Rc<Connection>, total: Rc<Total>, demand: Demand) {
    let mut reader = BufReader::new(reader);
    let mut line = String::new();
    while reader.read_line(&mut line).await.is_ok_and(|read| read > 0) {
        adds(&total.answered, 1);
        let id = number_after(&line, "\"id\":").unwrap_or_default();
        if line.contains("\"granted\"") {
            let fence = line.split("\"fence\":\"").nth(1).and_then(|rest| rest.split('"').next());
            adds(&total.granted, 1);
            let (name, session) = (connection.name(id), &connection.session);
            connection
                .says(&json!({ "id": 0, "op": "release", "name": name, "session": session, "fence": fence }));
        } else if line.contains("\"alive\"") {
            let took = connection.beats.take().map_or(Duration::ZERO, |due| due.elapsed());
            total.slowest.set(total.slowest.get().max(took));
        } else if line.contains("\"error\"") && !line.contains("\"timeout\"") {
            // That others had it for the whole second is an answer like any other.
            let reply = serde_json::from_str::<Value>(&line).unwrap_or_default();
            total.counts.borrow_mut().adds("load", std::slice::from_ref(&reply));
        }
        if matches!(demand, Demand::Patient) && id > 0 && !total.over.get() {
            connection.wants(1);
        }
        line.clear();
    }
}

fn number_after(text: &str, word: &str) -> Option<u64> {
    let rest = text.split(word).nth(1)?;
    rest.split(|each: char| !each.is_ascii_digit()).next()?.parse().ok()
}

/// What the servers say of themselves.
pub(crate) struct State {
    epochs: Vec<u64>,
    members: Vec<usize>,
    expired: u64,
    lost: f64,
    shed: f64,
}

impl State {
    pub(crate) fn of(cluster: &Cluster) -> State {
        let all: Vec<Value> =
            (0..SERVERS).map(|place| wait("its status", || cluster.status(place))).collect();
        let members = |status: &Value| {
            let members = status["members"].as_array().map_or(&[][..], Vec::as_slice);
            members.iter().filter(|member| member["member"] == true).count()
        };
        State {
            epochs: all.iter().filter_map(|status| status["epoch"].as_u64()).collect(),
            members: all.iter().map(members).collect(),
            expired: all.iter().filter_map(|status| status["sessions_expired"].as_u64()).sum(),
            lost: cluster.counter("ringleader_lost_total"),
            shed: cluster.counter("ringleader_shed_total"),
        }
    }

    /// Whether every server that was a member still is, and always was, and no lock was lost.
    pub(crate) fn keeps_all_of(&self, before: &State) -> bool {
        self.epochs == before.epochs && self.members == before.members && self.lost <= before.lost
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let State { epochs, members, expired, lost, shed } = self;
        write!(
            f,
            "epochs {epochs:?}, members {members:?}, sessions expired {expired}, locks lost {lost}, shed {shed}"
        )
    }
}
