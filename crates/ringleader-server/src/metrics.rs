//! Counters for Prometheus. What happens is counted as it happens; what the server knows anyway is read from it when
//! somebody asks.

use crate::core::Core;
use crate::journal::way;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use ringleader_live::Micros;
use ringleader_locks::{Class, Command, Event, Path};
use ringleader_net::log::dropped_lines;
use std::sync::atomic::{AtomicU64, Ordering};

type Labels = Vec<(&'static str, String)>;
type Seconds = Gauge<f64, AtomicU64>;

/// Bounds of the buckets, in seconds.
const ACQUIRE: [f64; 12] = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0];

/// What is counted of a server.
pub struct Metrics {
    registry: Registry,
    acquire: [Histogram; 4],
    read: Histogram,
    recovery: Histogram,
    views: Family<Labels, Counter>,
    refusals: Family<Labels, Counter>,
    lost: Counter,
    steps: Family<Labels, Counter>,
    connections: Gauge,
    requests: Counter,
    shed: Counter,
    known: Known,
}

/// What the server knows anyway.
#[derive(Default)]
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
    grants: Family<Labels, Counter>,
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
    log_dropped: Counter,
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
        let mut registry = Registry::with_prefix("ringleader");
        let family = Family::<Labels, Histogram, _>::new_with_constructor(|| Histogram::new(ACQUIRE));
        registry.register("acquire_seconds", "From the request for a lock to its grant", family.clone());
        let acquire = [Path::Local, Path::Home, Path::Third, Path::Queued]
            .map(|path| family.get_or_create(&vec![("path", way(path).to_owned())]).clone());
        let read = Histogram::new(ACQUIRE);
        registry.register("lease_read_seconds", "Linearizable reads of the view", read.clone());
        let recovery = Histogram::new(ACQUIRE);
        registry.register(
            "recovery_seconds",
            "From a new view to the opening of all shards at home here",
            recovery.clone(),
        );
        let views = Family::default();
        registry.register(
            "view_changes",
            "Changes of the view that were proposed here",
            Clone::clone(&views),
        );
        let refusals = Family::default();
        registry.register("refusals", "Questions of clients that were refused", Clone::clone(&refusals));
        let lost = Counter::default();
        registry.register("lost", "Locks whose holder's session ended", lost.clone());
        let steps = Family::default();
        let help = "Steps of a clock of this machine: it slept, or its wall clock was set";
        registry.register("clock_step", help, Clone::clone(&steps));
        let connections = Gauge::default();
        registry.register("connections", "Connections of clients", connections.clone());
        let requests = Counter::default();
        registry.register("requests", "Questions of clients", requests.clone());
        let known = Known::default();
        known.register(&mut registry);
        let shed = Counter::default();
        let help = "Sessions and requests for locks that were refused because this server was behind";
        registry.register("shed", help, shed.clone());
        Metrics {
            registry,
            acquire,
            read,
            recovery,
            views,
            refusals,
            lost,
            steps,
            connections,
            requests,
            shed,
            known,
        }
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

    /// Everything, as Prometheus reads it.
    #[must_use]
    pub fn text(&self, core: &Core, displaced: u64) -> String {
        self.known.update(core);
        raise(&self.known.displaced, displaced);
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn seconds(span: Micros) -> f64 {
    span.0 as f64 / 1e6
}

/// A counter that somebody else counts.
fn raise(counter: &Counter, to: u64) {
    counter.inc_by(to.saturating_sub(counter.get()));
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Known {
    fn register(&self, registry: &mut Registry) {
        for (name, help, gauge) in [
            ("epoch", "The epoch that is installed", &self.epoch),
            ("joined", "Whether this server is a member of the view", &self.joined),
            ("draining", "Whether it is about to leave", &self.draining),
            ("sessions", "Open sessions", &self.sessions),
            ("tokens", "Tokens that are here", &self.tokens),
            ("held", "Locks that are held here", &self.held),
            ("waiters", "Requests that wait here", &self.waiters),
            ("homes", "Shards at home here", &self.homes),
            ("recovering_shards", "Those of them that are not open yet", &self.recovering),
            ("local_streak", "Most local waiters in a row while others waited for the token", &self.streak),
        ] {
            registry.register(name, help, gauge.clone());
        }
        for (name, help, counter) in [
            ("token_hops", "Tokens sent to other servers", &self.hops),
            ("session_expired", "Sessions that ended because nothing was heard of them", &self.expired),
            ("views_installed", "Views installed", &self.installed),
            ("recreated_tokens", "Tokens re-created at home", &self.recreated),
            ("dropped_old_epoch", "Messages of other epochs, dropped", &self.old_epoch),
            ("dup_token", "Tokens that came twice", &self.duplicates),
            ("resend", "Messages sent again", &self.resent),
            ("session_left", "Sessions that went to another server", &self.left),
            ("session_arrived", "Sessions that came from another server", &self.arrived),
            ("messages_sent", "Messages to other servers", &self.sent),
            ("messages_dropped", "Messages that found no connection or no room", &self.dropped),
            ("peers_refused", "Connections of servers or strangers that were refused", &self.refused),
            (
                "displaced",
                "Connections of strangers that were closed to make room for others",
                &self.displaced,
            ),
            ("log_dropped", "Lines of the log that were dropped because nobody read it", &self.log_dropped),
        ] {
            registry.register(name, help, counter.clone());
        }
        let lease = "How much of the lease is left, by class; it should not fall below half of it";
        registry.register("lease_remaining_seconds", lease, self.lease.clone());
        registry.register("grants", "Grants, by class", self.grants.clone());
        registry.register("store", "Figures of the store of the view", self.store.clone());
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
            (&self.sent, core.mesh().tally().sent.load(Ordering::Relaxed)),
            (&self.dropped, core.mesh().tally().dropped.load(Ordering::Relaxed)),
            (&self.refused, core.mesh().tally().refused.load(Ordering::Relaxed)),
            (&self.log_dropped, dropped_lines()),
        ] {
            raise(counter, count);
        }
        for (word, number) in core.store().figures() {
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            self.store.get_or_create(&vec![("figure", word.to_owned())]).set(number);
        }
    }
}
