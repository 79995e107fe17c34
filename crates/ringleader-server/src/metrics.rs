//! Counters for Prometheus. What happens is counted as it happens; what the server knows anyway is read from it when
//! somebody asks.

use crate::core::Core;
use crate::journal::way;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use ringleader_live::Micros;
use ringleader_locks::{Class, Command, Event, Path, Tally};
use ringleader_net::clock;
use ringleader_net::registry::{Counters, Labels, Registry, Reloads, Seconds, raise};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// Bounds of the buckets, in seconds.
const ACQUIRE: [f64; 12] = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0];

/// What is counted of a server.
pub struct Metrics {
    registry: Registry,
    acquire: [Histogram; 4],
    read: Histogram,
    recovery: Histogram,
    views: Counters,
    refusals: Counters,
    lost: Counter,
    steps: Counters,
    connections: Gauge,
    requests: Counter,
    shed: Counter,
    forbidden: Counter,
    reloads: Reloads,
    expires: Gauge,
    /// How many connections of strangers were closed to make room for others.
    displaced: OnceLock<Box<dyn Fn() -> u64 + Send + Sync>>,
    known: Known,
}

/// What the server knows anyway.
struct Known {
    epoch: Gauge,
    joined: Gauge,
    draining: Gauge,
    sessions: Gauge,
    tokens: Gauge,
    held: Gauge,
    waiters: Gauge,
    homes: Gauge,
    recovering: Gauge,
    streak: Gauge,
    lease: Family<Labels, Seconds>,
    grants: Counters,
    store: Family<Labels, Gauge>,
    hops: Counter,
    expired: Counter,
    installed: Counter,
    recreated: Counter,
    old_epoch: Counter,
    duplicates: Counter,
    resent: Counter,
    left: Counter,
    arrived: Counter,
    sent: Counter,
    dropped: Counter,
    refused: Counter,
    displaced: Counter,
    defects: Counter,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// All at zero.
    #[must_use]
    pub fn new() -> Metrics {
        let mut registry = Registry::new();
        let r = &mut registry;
        let paths = Family::<Labels, Histogram, _>::new_with_constructor(|| Histogram::new(ACQUIRE));
        let paths = r.with("acquire_seconds", "From the request for a lock to its grant", paths);
        let acquire = [Path::Local, Path::Home, Path::Third, Path::Queued]
            .map(|path| paths.get_or_create(&vec![("path", way(path).to_owned())]).clone());
        let read = Histogram::new(ACQUIRE);
        let read = r.with("lease_read_seconds", "Linearizable reads of the view", read);
        let help = "From a new view to the opening of all shards at home here";
        let recovery = r.with("recovery_seconds", help, Histogram::new(ACQUIRE));
        let help = "Steps of a clock of this machine: it slept, or its wall clock was set";
        let steps: Counters = r.add("clock_step", help);
        for clock in clock::CLOCKS {
            let _ = steps.get_or_create(&vec![("clock", clock.to_owned())]);
        }
        Metrics {
            acquire,
            read,
            recovery,
            views: r.add("view_changes", "Changes of the view that were proposed here"),
            refusals: r.add("refusals", "Questions of clients that were refused"),
            lost: r.add("lost", "Locks whose holder's session ended"),
            steps,
            connections: r.add("connections", "Connections of clients"),
            requests: r.add("requests", "Questions of clients"),
            shed: r.add(
                "shed",
                "Sessions and requests for locks that were refused because this server was behind",
            ),
            forbidden: r.add("session_forbidden", "Sessions that may not go on because less is permitted"),
            reloads: Reloads::new(r),
            expires: r.add(
                "certificate_expires_timestamp_seconds",
                "Until when the certificate of this server is valid, in seconds since 1970; 0 in plain text",
            ),
            displaced: OnceLock::new(),
            known: Known::new(r),
            registry,
        }
    }

    pub(crate) fn forbade(&self) {
        self.forbidden.inc();
    }

    /// The files were read, and are used if they were right.
    pub(crate) fn read_again(&self, well: bool) {
        self.reloads.count(well);
    }

    /// Until when the own certificate is valid.
    pub(crate) fn certified(&self, until: i64) {
        self.expires.set(until);
    }

    pub(crate) fn happened(&self, event: &Event) {
        match event {
            Event::Granted { path, waited, .. } => self.acquire[*path as usize].observe(seconds(*waited)),
            Event::Recovered { after, .. } => self.recovery.observe(seconds(*after)),
            Event::Lost { .. } => {
                self.lost.inc();
            }
            Event::Released { .. }
            | Event::Expired(_)
            | Event::Left { .. }
            | Event::Arrived { .. }
            | Event::Installed { .. }
            | Event::Drained => {}
        }
    }

    pub(crate) fn read(&self, took: Micros) {
        self.read.observe(seconds(took));
    }

    pub(crate) fn proposed(&self, command: &Command) {
        let reason = match command {
            Command::Exclude(..) => "exclude",
            Command::Admit(..) => "admit",
            Command::Rehome(..) => "rehome",
            Command::SetTimes(..) => "times",
            Command::SetProto(..) => "proto",
            Command::Settle(_) => "settle",
            Command::Left(..) => "left",
        };
        self.views.get_or_create(&vec![("reason", reason.to_owned())]).inc();
    }

    pub(crate) fn stepped(&self, clock: &str) {
        self.steps.get_or_create(&vec![("clock", clock.to_owned())]).inc();
    }

    pub(crate) fn refused(&self, code: &str) {
        self.refusals.get_or_create(&vec![("code", code.to_owned())]).inc();
    }

    pub(crate) fn asked(&self) {
        self.requests.inc();
    }

    pub(crate) fn shed(&self) {
        self.shed.inc();
    }

    pub(crate) fn connected(&self) {
        self.connections.inc();
    }

    pub(crate) fn disconnected(&self) {
        self.connections.dec();
    }

    /// Who knows how many connections of strangers were closed to make room for others.
    pub(crate) fn asks_for_displaced(&self, count: impl Fn() -> u64 + Send + Sync + 'static) {
        let _ = self.displaced.set(Box::new(count));
    }

    /// Everything, as Prometheus reads it.
    #[must_use]
    pub fn text(&self, core: &Core) -> String {
        self.known.update(core);
        raise(&self.known.displaced, self.displaced.get().map_or(0, |count| count()));
        self.registry.text()
    }
}

fn seconds(span: Micros) -> f64 {
    span.0 as f64 / 1e6
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Known {
    fn new(r: &mut Registry) -> Known {
        Known {
            epoch: r.add("epoch", "The epoch that is installed"),
            joined: r.add("joined", "Whether this server is a member of the view"),
            draining: r.add("draining", "Whether it is about to leave"),
            sessions: r.add("sessions", "Open sessions"),
            tokens: r.add("tokens", "Tokens that are here"),
            held: r.add("held", "Locks that are held here"),
            waiters: r.add("waiters", "Requests that wait here"),
            homes: r.add("homes", "Shards at home here"),
            recovering: r.add("recovering_shards", "Those of them that are not open yet"),
            streak: r.add("local_streak", "Most local waiters in a row while others waited for the token"),
            hops: r.add("token_hops", "Tokens sent to other servers"),
            expired: r.add("session_expired", "Sessions that ended because nothing was heard of them"),
            installed: r.add("views_installed", "Views installed"),
            recreated: r.add("recreated_tokens", "Tokens re-created at home"),
            old_epoch: r.add("dropped_old_epoch", "Messages of other epochs, dropped"),
            duplicates: r.add("dup_token", "Tokens that came twice"),
            resent: r.add("resend", "Messages sent again"),
            left: r.add("session_left", "Sessions that went to another server"),
            arrived: r.add("session_arrived", "Sessions that came from another server"),
            sent: r.add("messages_sent", "Messages to other servers"),
            dropped: r.add("messages_dropped", "Messages that found no connection or no room"),
            refused: r.add("peers_refused", "Connections of servers or strangers that were refused"),
            displaced: r
                .add("displaced", "Connections of strangers that were closed to make room for others"),
            defects: r.add(
                "impossible",
                "Clauses that ran although the proof excludes them: a defect of the server",
            ),
            lease: r.add(
                "lease_remaining_seconds",
                "How much of the lease is left, by class; it should not fall below half of it",
            ),
            grants: r.add("grants", "Grants, by class"),
            store: r.add("store", "Figures of the store of the view"),
        }
    }

    fn count(&self, tally: &Tally) {
        for (counter, count) in [
            (&self.hops, tally.hops),
            (&self.expired, tally.expired),
            (&self.installed, tally.installed),
            (&self.recreated, tally.recreated),
            (&self.old_epoch, tally.old_epoch),
            (&self.duplicates, tally.duplicates),
            (&self.resent, tally.resent),
            (&self.left, tally.left),
            (&self.arrived, tally.arrived),
            (&self.defects, tally.defects),
        ] {
            raise(counter, count);
        }
    }

    fn update(&self, core: &Core) {
        let (status, tally) = (core.status(), core.tally());
        self.epoch.set(i64::from(status.epoch));
        self.joined.set(i64::from(status.joined));
        self.draining.set(i64::from(status.draining));
        self.sessions.set(whole(status.sessions));
        self.tokens.set(whole(status.tokens));
        self.held.set(whole(status.held));
        self.waiters.set(whole(status.waiters));
        self.homes.set(whole(status.homes));
        self.recovering.set(whole(status.recovering));
        self.streak.set(i64::try_from(tally.streak).unwrap_or(i64::MAX));
        for class in Class::ALL {
            let labels = vec![("class", class.name().to_owned())];
            self.lease.get_or_create(&labels).set(seconds(status.lease[class.index()]));
            raise(&self.grants.get_or_create(&labels), tally.grants[class.index()]);
        }
        self.count(&tally);
        let mesh = core.mesh().tally();
        for (counter, count) in
            [(&self.sent, &mesh.sent), (&self.dropped, &mesh.dropped), (&self.refused, &mesh.refused)]
        {
            raise(counter, count.load(Ordering::Relaxed));
        }
        for (word, number) in core.store().figures() {
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            self.store.get_or_create(&vec![("figure", word.to_owned())]).set(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defect_is_counted() {
        let metrics = Metrics::new();
        let line = |count| format!("\nringleader_impossible_total {count}\n");
        assert!(metrics.registry.text().contains(&line(0)), "{}", metrics.registry.text());
        metrics.known.count(&Tally { impossible: Some("a clause"), defects: 2, ..Tally::default() });
        assert!(metrics.registry.text().contains(&line(2)), "{}", metrics.registry.text());
    }
}
