//! A server that leaves, one that is killed, and a rolling restart under load.

use crate::support::{Client, Cluster, events, until};
use ringleader_server::Options;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What was granted after the kill of the server that had it comes later than the lease of that, and the other locks do
/// not notice.
#[test]
fn locks_of_killed_server_expire_alone() {
    let mut cluster = Cluster::with(3, Options::default());
    let (doomed, safe, other) = (cluster.client(2), cluster.client(0), cluster.client(1));
    let lost = doomed.session("normal");
    let first = doomed.holds("doomed", &lost, 1);
    let kept = safe.session("normal");
    let fence = safe.holds("safe", &kept, 1);
    let waits = other.session("normal");
    cluster.kill(2);
    // The other lock: kept alive and released as if nothing had happened.
    let keeper = {
        let (safe, kept, fence) = (safe.clone(), kept.clone(), fence.clone());
        std::thread::spawn(move || {
            for _ in 0..20 {
                assert_eq!(safe.keep_alive(&kept).0, 200);
                std::thread::sleep(Duration::from_millis(100));
            }
            assert_eq!(safe.release("safe", &kept, &fence).0, 204);
        })
    };
    let keep_waiter = Arc::new(AtomicBool::new(true));
    let alive = {
        let (other, waits, going) = (other.clone(), waits.clone(), Arc::clone(&keep_waiter));
        std::thread::spawn(move || {
            while going.load(Ordering::Relaxed) {
                assert_eq!(other.keep_alive(&waits).0, 200);
                std::thread::sleep(Duration::from_millis(200));
            }
        })
    };
    // Nothing is said of a lock of which nothing is known, until it is.
    let unknown = until("the lock is being rebuilt", || {
        let answer = other.get("/v1/locks/doomed");
        (answer.0 == 503).then_some(answer.1)
    });
    assert_eq!(unknown["code"], "recovering", "{unknown}");
    assert!(unknown["certain"].as_str().is_some_and(|certain| certain.contains("nothing was granted")));
    assert!(unknown["retry_after_ms"].as_u64().is_some_and(|retry| retry > 0), "{unknown}");
    let second = other.holds("doomed", &waits, 1);
    assert!(second.parse::<u64>().expect("a fence") > first.parse::<u64>().expect("a fence"));
    keep_waiter.store(false, Ordering::Relaxed);
    alive.join().expect("the waiter's session lived on");
    keeper.join().expect("the other lock did not notice");
    // It comes back, and serves again.
    cluster.start(2);
    cluster.wait_ready(2);
    let again = cluster.client(2);
    let session = again.session("normal");
    assert!(again.holds("fresh", &session, 1).parse::<u64>().is_ok());
}

struct Load {
    going: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<Vec<u64>>>,
    grants: Arc<AtomicU64>,
}

impl Load {
    /// Clients that take one lock again and again, wherever they can; each writes down its fences in order.
    fn begin(clients: Vec<Vec<Client>>) -> Load {
        let going = Arc::new(AtomicBool::new(true));
        let grants = Arc::new(AtomicU64::new(0));
        let worker = |clients: Vec<Client>| {
            let (going, grants) = (Arc::clone(&going), Arc::clone(&grants));
            std::thread::spawn(move || work(&clients, &going, &grants))
        };
        let threads = clients.into_iter().map(worker).collect();
        Load { going, threads, grants }
    }

    fn end(self) -> Vec<u64> {
        self.going.store(false, Ordering::Relaxed);
        self.threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    }
}

fn work(clients: &[Client], going: &AtomicBool, grants: &AtomicU64) -> Vec<u64> {
    let (mut fences, mut rid, mut place) = (Vec::new(), 0, 0);
    while going.load(Ordering::Relaxed) {
        place += 1;
        let client = &clients[place % clients.len()];
        let (code, opened) = client.post("/v1/sessions", &json!({ "class": "normal" }));
        let Some(session) = opened["session"].as_str().filter(|_| code == 201) else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        for _ in 0..20 {
            rid += 1;
            let (code, granted) = client.acquire("shared", session, rid, 2000);
            let Some(fence) = granted["fence"].as_str().filter(|_| code == 200) else { break };
            fences.push(fence.parse().expect("a fence"));
            grants.fetch_add(1, Ordering::Relaxed);
            // It is held: a server that leaves waits for this, and does not take it away.
            std::thread::sleep(Duration::from_millis(2));
            assert_eq!(client.release("shared", session, fence).0, 204, "a lock was lost");
            if client.keep_alive(session).1["draining"] == true {
                break;
            }
        }
    }
    fences
}

#[test]
fn a_rolling_restart_under_load_loses_no_lock() {
    let folder = tempfile::tempdir().expect("there is room");
    let journal = folder.path().join("events");
    let mut cluster = Cluster::with(
        3,
        Options { events: Some(journal.clone()), drain: Duration::from_secs(10), ..Options::default() },
    );
    let clients: Vec<Client> = (0..3).map(|place| cluster.client(place)).collect();
    let load = Load::begin((0..3).map(|_| clients.clone()).collect());
    let more = |what: &str, load: &Load| {
        let before = load.grants.load(Ordering::Relaxed);
        until(what, || (load.grants.load(Ordering::Relaxed) > before + 20).then_some(()));
    };
    more("the first grants", &load);
    for place in 0..3 {
        cluster.leave(place);
        more("grants without it", &load);
        cluster.start(place);
        cluster.wait_ready(place);
        more("grants with it", &load);
    }
    let mut fences = load.end();
    let all = fences.len();
    fences.sort_unstable();
    fences.dedup();
    assert_eq!(fences.len(), all, "no fence was given twice");
    let lines = events(&journal);
    let lost = lines.iter().filter(|line| line["event"] == "lease_lost" && line["name"] == "shared").count();
    assert_eq!(lost, 0, "no holder lost its lock");
    assert_eq!(lines.iter().filter(|line| line["event"] == "drained").count(), 3, "all three left in order");
}

/// Drained, stopped, without a vote; then back again, with one.
#[test]
fn server_removed_and_readded_under_locks() {
    let mut cluster = Cluster::with(3, Options { drain: Duration::ZERO, ..Options::default() });
    let client = cluster.client(0);
    let votes = |place: u64| {
        let (_, members) = client.get("/v1/members");
        let all = members["members"].as_array().cloned().unwrap_or_default();
        all.into_iter().find(|one| one["place"] == place).map(|one| one["votes"].clone())
    };
    let session = client.session("batch");
    let fence = client.holds("batch%2Fkept", &session, 1);
    cluster.leave(2);
    until("it is not a member any more", || {
        let (code, answer) = client.post("/v1/members/c/remove", &json!({}));
        // If it led Raft, there is nobody to be asked until another one does.
        let not_yet = ["not_drained", "no_lease"].iter().any(|code| answer["code"] == *code);
        assert!(code == 204 || not_yet, "{code}: {answer}");
        (code == 204).then_some(())
    });
    assert_eq!(votes(2), Some(json!(false)));
    // With two voters of two, both are needed; and both are there.
    let other = cluster.client(1);
    let next = other.session("normal");
    assert!(other.holds("x", &next, 1).parse::<u64>().is_ok());
    cluster.start(2);
    until("it has a vote again", || (client.post("/v1/members/c/add", &json!({})).0 == 204).then_some(()));
    assert_eq!(votes(2), Some(json!(true)));
    cluster.wait_ready(2);
    assert_eq!(client.keep_alive(&session).0, 200);
    assert_eq!(client.release("batch%2Fkept", &session, &fence).0, 204, "it was held all the time");
}
