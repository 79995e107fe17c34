//! A data folder that is lost: a new run of the server starts while clients of the earlier run may still hold locks.
//! The holder here is frozen: it sends nothing more, and holds until its deadline on its own clock.
//!
//! Each test does it once. `RINGLEADER_REPEAT=7` does it seven times in each, with other servers and other locks.

use crate::stores::Etcd;
use crate::support::{Client, Cluster, until};
use ringleader_live::Micros;
use ringleader_server::Options;
use ringleader_server::config::{Etcd as Store, Views};
use serde_json::json;
use std::time::{Duration, Instant};

/// The lease of the locks here: long enough that a server is back before it ends, on a busy machine too.
const LEASE: Micros = Micros::millis(8000);

fn rounds() -> u16 {
    match std::env::var("RINGLEADER_REPEAT") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("RINGLEADER_REPEAT is a number, not `{text}`")),
        Err(_) => 1,
    }
}

/// The files of a cluster with short leases.
fn stopped(servers: u16) -> Cluster {
    let mut cluster = Cluster::stopped(servers, Options::default());
    cluster.config.pace.times.leases = [Micros::millis(2000), Micros::millis(4000), LEASE];
    cluster.writes();
    cluster
}

fn starts(cluster: &mut Cluster, servers: u16) {
    (0..servers).for_each(|place| cluster.start(place));
    (0..servers).for_each(|place| cluster.wait_ready(place));
}

/// A client that holds a lock and sends nothing more.
struct Frozen {
    fence: u64,
    deadline: Instant,
}

impl Frozen {
    fn holds(cluster: &Cluster, client: &Client, name: &str) -> Frozen {
        let (session, fence) = client.takes(name, "batch");
        let sent = Instant::now();
        let (code, answer) = client.keep_alive(&session);
        assert_eq!(code, 200, "{answer}");
        let valid = answer["valid_ms"].as_u64().expect("a number");
        let held = cluster.config.pace.times.of_client(Micros::millis(valid));
        Frozen { fence, deadline: sent + Duration::from_micros(held.0) }
    }

    /// Somebody else takes the lock, at this server, as soon as it can be had.
    fn is_followed(&self, client: &Client, name: &str) -> u64 {
        let (_, fence) = client.takes(name, "batch");
        let early = self.deadline.saturating_duration_since(Instant::now());
        assert!(early.is_zero(), "{name} has a second holder {early:?} before the first one's deadline");
        fence
    }
}

fn lose_folder(cluster: &Cluster, place: u16) {
    std::fs::remove_dir_all(cluster.config_of(place).data).expect("it was there");
}

/// Who is asked for the lock afterwards: the server that is back, or another one.
fn asked(cluster: &Cluster, round: u16, lost: u16) -> Client {
    cluster.client(if round.is_multiple_of(2) { (lost + 1) % 3 } else { lost })
}

#[test]
fn lost_folder_frees_no_lock_with_etcd() {
    let Some(etcd) = Etcd::start() else { return };
    let mut cluster = stopped(3);
    let endpoints = vec![etcd.endpoint()];
    cluster.config.views = Views::Etcd(Store { endpoints, authority: None, identity: None });
    cluster.writes();
    etcd.wait();
    starts(&mut cluster, 3);
    for round in 0..rounds() {
        let (lost, name) = (round % 3, format!("batch%2F{round}"));
        let holder = Frozen::holds(&cluster, &cluster.client(lost), &name);
        cluster.kill(lost);
        lose_folder(&cluster, lost);
        cluster.start(lost);
        cluster.wait_ready(lost);
        let next = holder.is_followed(&asked(&cluster, round, lost), &name);
        assert!(next > holder.fence, "fences grow");
    }
}

/// What the message of a server without its log advises: remove it, empty its folder, add it.
#[test]
fn lost_folder_frees_no_lock_with_raft() {
    let mut cluster = stopped(3);
    starts(&mut cluster, 3);
    for round in 0..rounds() {
        let (lost, name) = (round % 3, format!("batch%2F{round}"));
        let holder = Frozen::holds(&cluster, &cluster.client(lost), &name);
        cluster.kill(lost);
        lose_folder(&cluster, lost);
        let (other, id) = (cluster.client((lost + 1) % 3), ["a", "b", "c"][usize::from(lost)]);
        let change = |what: &str| {
            let path = format!("/v1/members/{id}/{what}");
            until(what, || (other.post(&path, &json!({})).0 == 204).then_some(()));
        };
        change("remove");
        cluster.start(lost);
        change("add");
        cluster.wait_ready(lost);
        let next = holder.is_followed(&asked(&cluster, round, lost), &name);
        assert!(next > holder.fence, "fences grow");
    }
}

/// A container without a volume: the cluster begins anew, and knows nothing of what was before.
#[test]
fn lost_folder_of_the_only_server_frees_no_lock() {
    for round in 0..rounds() {
        let mut cluster = stopped(1);
        starts(&mut cluster, 1);
        let name = format!("batch%2F{round}");
        let holder = Frozen::holds(&cluster, &cluster.client(0), &name);
        cluster.kill(0);
        lose_folder(&cluster, 0);
        starts(&mut cluster, 1);
        holder.is_followed(&cluster.client(0), &name);
    }
}
