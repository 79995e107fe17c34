//! What a hand-over costs a client of etcd: the same program against three servers of the lock service, over TLS, and
//! against three of Debian's etcd, in plain text. `cargo run --release --manifest-path tests/etcd/Cargo.toml`; with
//! `--quick` a little of it, to see that it works.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is for a terminal")]

use etcd_client::{Client, LockOptions};
use etcd_clients::{Debian, Servers};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Barrier;
use tokio::time::sleep;

/// So many times etcd's rate are wanted.
const WANTED: f64 = 50.0;

/// What came of it.
struct Found {
    /// Of all clients together, in a second.
    rate: f64,
    /// From the moment at which one begins to give it back to the one at which the next has it, in the middle.
    p50: Duration,
}

#[tokio::main]
async fn main() -> ExitCode {
    let quick = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--quick") => true,
        Some(other) => {
            eprintln!("error: {other}: the only option is --quick");
            return ExitCode::from(2);
        }
    };
    let time = if quick { Duration::from_millis(700) } else { Duration::from_secs(10) };
    let ours = {
        let servers = Servers::usual(3).await;
        measured([servers.client(0).await, servers.client(1).await, servers.client(2).await], time).await
    };
    show("the lock service, TLS", &ours);
    let Some(etcd) = Debian::start().await else {
        println!("etcd is not installed (Debian: apt-get install etcd-server): nothing is compared");
        return ExitCode::SUCCESS;
    };
    let theirs = measured([etcd.client(0).await, etcd.client(1).await, etcd.client(2).await], time).await;
    show("etcd, plain text", &theirs);
    let ratio = ours.rate / theirs.rate;
    println!("{ratio:.0} times as many hand-overs");
    // A little of each says nothing about how long it takes.
    if !quick {
        println!("{} at least {WANTED} times", if ratio >= WANTED { "as wanted " } else { "NOT REACHED" });
    }
    ExitCode::SUCCESS
}

fn show(what: &str, found: &Found) {
    println!(
        "{what:<24} {:>8.0} hand-overs in a second, {:>8.0} µs (p50)",
        found.rate,
        found.p50.as_secs_f64() * 1e6
    );
}

/// One lock that a client at each server wants all the time.
async fn measured(clients: [Client; 3], time: Duration) -> Found {
    let start = Arc::new(Barrier::new(clients.len()));
    let running = clients.map(|client| tokio::spawn(takes(client, Arc::clone(&start), time)));
    let mut spans = Vec::new();
    for (client, running) in running.into_iter().enumerate() {
        let own = running.await.expect("no panic");
        spans.extend(own.into_iter().map(|(had, gave)| (had, gave, client)));
    }
    spans.sort_unstable();
    let mut waits = Vec::new();
    for pair in spans.windows(2) {
        let [(_, gave, before), (had, _, after)] = [pair[0], pair[1]];
        assert!(gave <= had, "two clients had the lock at once");
        if before != after {
            waits.push(had - gave);
        }
    }
    waits.sort_unstable();
    let (Some((first, ..)), Some((_, last, _))) = (spans.first(), spans.last()) else {
        panic!("nobody had the lock");
    };
    let rate = waits.len() as f64 / (*last - *first).as_secs_f64();
    Found { rate, p50: waits.get(waits.len() / 2).copied().unwrap_or_default() }
}

/// Takes the lock and gives it back, over and over. From when until when it was held.
async fn takes(mut client: Client, start: Arc<Barrier>, time: Duration) -> Vec<(Instant, Instant)> {
    let lease = client.lease_grant(60, None).await.expect("a lease").id();
    let (mut keeper, mut answers) = client.lease_keep_alive(lease).await.expect("it lives");
    let alive = tokio::spawn(async move {
        while keeper.keep_alive().await.is_ok() && matches!(answers.message().await, Ok(Some(_))) {
            sleep(Duration::from_millis(300)).await;
        }
    });
    start.wait().await;
    let begin = Instant::now();
    let mut spans = Vec::new();
    while begin.elapsed() < time {
        let held = client.lock("wanted", Some(LockOptions::new().with_lease(lease))).await.expect("its turn");
        let had = Instant::now();
        let gave = Instant::now();
        client.unlock(held.key()).await.expect("it held");
        spans.push((had, gave));
    }
    alive.abort();
    spans
}
