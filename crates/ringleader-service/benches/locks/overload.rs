//! Twice the load that the machine can carry: what is held stays held, and what is too much is refused.

use crate::cluster::{Cluster, SERVERS, wait};
use crate::load::{Counts, Stream, socket};
use ringleader::lock::ServerId;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So many streams load each server.
const STREAMS: usize = 4;

/// So many questions of a stream wait for their answers while it is measured what the machine can carry.
const AT_ONCE: u64 = 64;

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
pub(crate) fn measure(cluster: &Cluster, sessions: usize, locks: usize, time: Duration) -> bool {
    let mut counts = Counts::default();
    let held: Vec<Held> = (0..SERVERS)
        .map(|place| hold(cluster, place, sessions / usize::from(SERVERS), locks / sessions, &mut counts))
        .collect();
    let count: usize = held.iter().map(|each| each.locks.len()).sum();
    println!("{sessions} sessions hold {count} locks; refused until then: {counts}");
    let before = State::of(cluster);
    let going = Arc::new(AtomicBool::new(true));
    let keepers: Vec<JoinHandle<(Held, Counts)>> = held
        .into_iter()
        .map(|each| {
            let going = Arc::clone(&going);
            std::thread::spawn(move || keep(each, &going))
        })
        .collect();
    let carried = rate(cluster, MEASURED.min(time), None);
    println!(
        "  the machine carries {:.0} questions in a second, {AT_ONCE} of each stream at a time",
        carried.rate()
    );
    let loaded = rate(cluster, time, Some(2.0 * carried.rate()));
    println!(
        "  twice as many for {:.0} s: {:.0} asked and {:.0} answered in a second",
        loaded.seconds,
        loaded.asked as f64 / loaded.seconds,
        loaded.rate()
    );
    println!("  of those refused: {}", loaded.counts);
    going.store(false, Ordering::Relaxed);
    let (mut kept, mut lost) = (Counts::default(), 0);
    for keeper in keepers {
        let (mut held, counts) = keeper.join().expect("no panic");
        kept.merge(&counts);
        let releases = held.locks.iter().map(|(name, session, fence)| {
            json!({ "op": "release", "name": name, "session": session, "fence": fence })
        });
        lost += held.stream.ask(releases.collect()).iter().filter(|reply| reply["done"].is_null()).count();
    }
    let after = State::of(cluster);
    println!("  keep-alives refused: {kept}; locks lost of {count}: {lost}");
    println!("  before: {before}");
    println!("  after:  {after}");
    lost == 0 && kept.is_empty() && loaded.counts.only("limit") && after.has_members_of(&before)
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

/// Keeps sessions alive until it is over.
fn keep(mut held: Held, going: &AtomicBool) -> (Held, Counts) {
    let mut counts = Counts::default();
    while going.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let beats = held.sessions.iter().map(|each| json!({ "op": "keepalive", "session": each }));
        let replies = held.stream.ask(beats.collect());
        counts.adds("keepalive", &replies);
        while begun.elapsed() < Duration::from_secs(3) && going.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    (held, counts)
}

/// What a load was and what came of it.
struct Load {
    seconds: f64,
    asked: u64,
    answered: u64,
    counts: Counts,
}

impl Load {
    fn rate(&self) -> f64 {
        self.answered as f64 / self.seconds
    }
}

/// Locks that are taken and given back, by several streams at each server: so many questions in a second, or as many as
/// are answered.
fn rate(cluster: &Cluster, time: Duration, wanted: Option<f64>) -> Load {
    let each = wanted.map(|wanted| wanted / (STREAMS * usize::from(SERVERS)) as f64);
    let begun = Instant::now();
    let streams: Vec<_> = (0..SERVERS)
        .flat_map(|place| (0..STREAMS).map(move |number| (place, number)))
        .map(|(place, number)| {
            let mut stream = Stream::open(&socket(cluster, place));
            let mut counts = Counts::default();
            let session = stream.sessions(1, "batch", &mut counts).remove(0);
            std::thread::spawn(move || {
                load(stream, &session, &format!("batch/load/{place}/{number}"), time, each)
            })
        })
        .collect();
    let loads: Vec<Load> = streams.into_iter().map(|each| each.join().expect("no panic")).collect();
    let mut counts = Counts::default();
    loads.iter().for_each(|load| counts.merge(&load.counts));
    Load {
        seconds: begun.elapsed().as_secs_f64(),
        asked: loads.iter().map(|load| load.asked).sum(),
        answered: loads.iter().map(|load| load.answered).sum(),
        counts,
    }
}

/// What the two threads of a stream share.
#[derive(Default)]
struct Shared {
    asked: AtomicU64,
    answered: AtomicU64,
    over: AtomicBool,
    /// What is to be given back. Whoever reads answers must never wait for a write: the server would wait for it.
    releases: Mutex<String>,
}

fn load(stream: Stream, session: &str, name: &str, time: Duration, rate: Option<f64>) -> Load {
    let reader = stream.into_reader();
    let mut writer = reader.get_ref().try_clone().expect("a socket");
    let shared = Arc::new(Shared::default());
    let reads = {
        let (shared, session, name) = (Arc::clone(&shared), session.to_owned(), name.to_owned());
        std::thread::spawn(move || answers(reader, &shared, &session, &name))
    };
    let (begun, mut rid, mut kept) = (Instant::now(), 0_u64, Instant::now());
    while begun.elapsed() < time && !shared.over.load(Ordering::Relaxed) {
        let due = match rate {
            // Half of the questions are releases, which the answers bring about.
            Some(rate) => ((begun.elapsed().as_secs_f64() * rate / 2.0) as u64).saturating_sub(rid).min(200),
            None => {
                let answered = shared.answered.load(Ordering::Relaxed);
                AT_ONCE.saturating_sub(shared.asked.load(Ordering::Relaxed).saturating_sub(answered))
            }
        };
        let mut text = std::mem::take(&mut *shared.releases.lock().expect("no panic"));
        for _ in 0..due {
            rid += 1;
            let question = json!({ "id": rid, "op": "acquire", "name": format!("{name}/{}", rid % 1000),
                                   "session": session, "rid": rid, "wait_ms": 0 });
            text += &format!("{question}\n");
        }
        if kept.elapsed() > Duration::from_secs(3) {
            kept = Instant::now();
            text += &format!("{}\n", json!({ "id": 0, "op": "keepalive", "session": session }));
            shared.asked.fetch_add(1, Ordering::Relaxed);
        }
        shared.asked.fetch_add(due, Ordering::Relaxed);
        if !text.is_empty() && writer.write_all(text.as_bytes()).is_err() {
            break;
        }
        if due < 10 {
            std::thread::sleep(Duration::from_micros(500));
        }
    }
    let _ = writer.shutdown(std::net::Shutdown::Write);
    let counts = reads.join().expect("no panic");
    let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    Load {
        seconds: begun.elapsed().as_secs_f64(),
        asked: number(&shared.asked),
        answered: number(&shared.answered),
        counts,
    }
}

/// Reads answers until there are no more, and gives back what was granted.
fn answers(reader: BufReader<UnixStream>, shared: &Shared, session: &str, name: &str) -> Counts {
    let mut counts = Counts::default();
    for line in reader.lines() {
        let Ok(reply) = line.map(|line| serde_json::from_str::<Value>(&line).unwrap_or_default()) else {
            break;
        };
        shared.answered.fetch_add(1, Ordering::Relaxed);
        // A name comes up again before its lock was given back: an answer like any other.
        if reply["error"]["code"] != "locked" {
            counts.adds("load", std::slice::from_ref(&reply));
        }
        let (Some(fence), Some(id)) = (reply["granted"]["fence"].as_str(), reply["id"].as_u64()) else {
            continue;
        };
        let name = format!("{name}/{}", id % 1000);
        let question = json!({ "id": 0, "op": "release", "name": name, "session": session, "fence": fence });
        shared.asked.fetch_add(1, Ordering::Relaxed);
        *shared.releases.lock().expect("no panic") += &format!("{question}\n");
    }
    shared.over.store(true, Ordering::Relaxed);
    counts
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

    /// Whether every server that was a member still is, and always was.
    fn has_members_of(&self, before: &State) -> bool {
        self.epochs == before.epochs && self.members == before.members
    }

    /// The same, and no lock was lost. After an overload those that the load itself left behind are.
    pub(crate) fn keeps_all_of(&self, before: &State) -> bool {
        self.has_members_of(before) && self.lost <= before.lost
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
