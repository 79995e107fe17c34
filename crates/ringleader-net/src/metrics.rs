//! Counters for Prometheus. What happens is counted as it happens; what a member knows anyway is read from its
//! status when somebody asks.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use ringleader_live::{Cluster, Place, Refused, Status};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

type Labels = Vec<(&'static str, String)>;
type Counters = Family<Labels, Counter>;
type Seconds = Gauge<f64, AtomicU64>;
type Whole = Gauge<i64, AtomicI64>;

/// All counters of a member.
pub struct Metrics {
    registry: Registry,
    peers: Vec<Peer>,
    groups: Vec<Group>,
    refused: Counters,
    dropped: Counters,
    names: Vec<String>,
    cpu: Counter<f64, AtomicU64>,
    memory: Whole,
    log_dropped: Counter,
}

/// Of one peer. Looked up once: frames are counted by the hundred thousand.
struct Peer {
    frames_in: Counter,
    frames_out: Counter,
    bytes_in: Counter,
    bytes_out: Counter,
    connections: Counter,
    reconnects: Counter,
    suspicions: Counter,
    up: Whole,
    round_trip: Seconds,
    unacknowledged: Whole,
    clock_off: Whole,
}

/// Of one group.
struct Group {
    kinds: Vec<(&'static str, Counter)>,
    received: Counter,
    bytes: Counter,
    epochs: Counter,
    epoch: Whole,
    leads: Whole,
    lease: Seconds,
    old: Counter,
    entries: Counter,
    lost: Counter,
}

impl Metrics {
    /// Counters for the member at this place, all at zero.
    #[must_use]
    pub fn new(cluster: &Cluster, place: Place) -> Metrics {
        let mut registry = Registry::default();
        let mut families = Families::new(&mut registry);
        let names: Vec<String> = cluster.members.iter().map(|member| member.name.clone()).collect();
        let peers = names.iter().map(|name| families.peer(name)).collect();
        let groups = cluster.groups.iter().map(|group| {
            let entry = group.entry.with_settings(&group.scenario.settings);
            families.group(&group.name, entry.kinds)
        });
        let groups = groups.collect();
        // The own place has no connection: its lines would only puzzle.
        families.forget(&names[usize::from(place)]);
        let Families { refused, dropped, .. } = families;
        let (cpu, memory) = (Counter::default(), Whole::default());
        registry.register_with_unit("process_cpu", "CPU time of this process", Unit::Seconds, cpu.clone());
        registry.register_with_unit(
            "process_resident_memory",
            "Memory of this process that is not swapped out",
            Unit::Bytes,
            memory.clone(),
        );
        let log_dropped = Counter::default();
        registry.register(
            "ringleader_log_dropped",
            "Lines of the log that were dropped because nobody read it",
            log_dropped.clone(),
        );
        Metrics { registry, peers, groups, refused, dropped, names, cpu, memory, log_dropped }
    }

    pub(crate) fn frame_in(&self, peer: Place, bytes: usize) {
        let peer = &self.peers[usize::from(peer)];
        peer.frames_in.inc();
        peer.bytes_in.inc_by(bytes as u64);
    }

    pub(crate) fn frame_out(&self, peer: Place, bytes: usize) {
        let peer = &self.peers[usize::from(peer)];
        peer.frames_out.inc();
        peer.bytes_out.inc_by(bytes as u64);
    }

    /// A connection is there; all but the first are reconnects.
    pub(crate) fn connected(&self, peer: Place) {
        let peer = &self.peers[usize::from(peer)];
        if peer.connections.inc() > 0 {
            peer.reconnects.inc();
        }
    }

    pub(crate) fn suspected(&self, peer: Place) {
        self.peers[usize::from(peer)].suspicions.inc();
    }

    /// Somebody was turned away, or a connection closed, for this reason.
    pub(crate) fn refused(&self, reason: &'static str) {
        self.refused.get_or_create(&vec![("reason", reason.to_owned())]).inc();
    }

    /// A segment was dropped, for this reason.
    pub(crate) fn dropped(&self, peer: Place, why: &'static str) {
        let peer = self.names[usize::from(peer)].clone();
        self.dropped.get_or_create(&vec![("peer", peer), ("why", why.to_owned())]).inc();
    }

    pub(crate) fn sent(&self, group: u16, kind: &str) {
        let kinds = self.groups.get(usize::from(group)).map_or(&[][..], |group| &group.kinds);
        if let Some((_, counter)) = kinds.iter().find(|(name, _)| *name == kind) {
            counter.inc();
        }
    }

    pub(crate) fn old_epoch(&self, group: u16) {
        if let Some(group) = self.groups.get(usize::from(group)) {
            group.old.inc();
        }
    }

    /// What Prometheus reads, with what the member says of itself.
    #[must_use]
    pub fn text(&self, status: &Status) -> String {
        let set = |counter: &Counter, value: u64| counter.inner().store(value, Ordering::Relaxed);
        set(&self.log_dropped, crate::log::dropped_lines());
        for known in &status.peers {
            let Some(peer) = self.peers.get(usize::from(known.place)) else { continue };
            peer.up.set(i64::from(known.connected && known.heard));
            peer.round_trip.set(known.round_trip.map_or(f64::NAN, |trip| trip.0 as f64 / 1e6));
            peer.unacknowledged.set(known.waiting as i64);
            peer.clock_off.set(known.clock_off);
        }
        for (known, group) in status.groups.iter().zip(&self.groups) {
            set(&group.received, known.received_ever);
            set(&group.bytes, known.sent_ever.1);
            set(&group.epochs, known.epochs);
            group.epoch.set(known.epoch.number as i64);
            group.leads.set(i64::from(known.leads));
            let left = known.until.filter(|_| known.leads).map_or(0, |until| (until - status.now).0);
            group.lease.set(left as f64 / 1e6);
            set(&group.entries, known.entries);
            set(&group.lost, known.lost);
        }
        let usage = usage();
        self.cpu.inner().store(usage.cpu_seconds.to_bits(), Ordering::Relaxed);
        self.memory.set(usage.resident_bytes as i64);
        let mut text = String::new();
        match encode(&mut text, &self.registry) {
            Ok(()) => text,
            // Writing to a string does not fail; if the library finds another reason, the reader sees it.
            Err(error) => format!("# {error}\n"),
        }
    }
}

/// What this process costs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Usage {
    /// CPU time, user and system.
    pub cpu_seconds: f64,
    /// Resident memory.
    pub resident_bytes: u64,
}

/// Reads it from /proc; zeros where there is none.
#[must_use]
pub fn usage() -> Usage {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may have blanks in it; what follows its bracket has not.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let number = |place: usize| fields.get(place).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let ticks = number(11) + number(12);
    Usage {
        cpu_seconds: ticks as f64 / rustix::param::clock_ticks_per_second().max(1) as f64,
        resident_bytes: number(21) * rustix::param::page_size() as u64,
    }
}

/// The reason as one word, for counting.
#[must_use]
pub fn reason(refused: &Refused) -> &'static str {
    match refused {
        Refused::Cluster => "cluster",
        Refused::Config => "config",
        Refused::Version => "version",
        Refused::Name => "name",
        Refused::Stale(_) => "stale",
        Refused::Order => "order",
        Refused::Malformed => "malformed",
        Refused::Slow => "slow",
        Refused::Flood => "flood",
        Refused::Replaced => "replaced",
        Refused::Leaving => "leaving",
    }
}

/// The families while they are filled.
struct Families {
    frames: Counters,
    frame_bytes: Counters,
    connections: Counters,
    reconnects: Counters,
    suspicions: Counters,
    up: Family<Labels, Whole>,
    round_trip: Family<Labels, Seconds>,
    unacknowledged: Family<Labels, Whole>,
    clock_off: Family<Labels, Whole>,
    sent: Counters,
    received: Counters,
    bytes: Counters,
    epochs: Counters,
    epoch: Family<Labels, Whole>,
    leads: Family<Labels, Whole>,
    lease: Family<Labels, Seconds>,
    old: Counters,
    entries: Counters,
    lost: Counters,
    refused: Counters,
    dropped: Counters,
}

impl Families {
    fn new(registry: &mut Registry) -> Families {
        fn add<M>(registry: &mut Registry, name: &str, help: &str) -> M
        where
            M: Clone + Default + prometheus_client::registry::Metric,
        {
            let metric = M::default();
            registry.register(format!("ringleader_{name}"), help, metric.clone());
            metric
        }
        let r = registry;
        Families {
            frames: add(r, "frames", "Frames on connections, by direction"),
            frame_bytes: add(r, "frame_bytes", "Bytes of these frames"),
            connections: add(r, "connections", "Connections on which it is settled who is there"),
            reconnects: add(r, "reconnects", "Connections after the first one"),
            suspicions: add(r, "suspicions", "How often the peer began to count as down"),
            up: add(r, "peer_up", "Whether the peer is connected and heard"),
            round_trip: add(r, "round_trip_seconds", "The last round trip of a heartbeat"),
            unacknowledged: add(r, "unacknowledged", "Payloads that the peer has not acknowledged"),
            clock_off: add(r, "clock_off_ppm", "How far the clock of the peer is certainly off ours"),
            sent: add(r, "messages_sent", "Messages of the algorithm that were sent, by kind"),
            received: add(r, "messages_received", "Messages of the algorithm that came in"),
            bytes: add(r, "bytes_sent", "Bytes of the messages that were sent"),
            epochs: add(r, "epochs", "Epochs that were joined"),
            epoch: add(r, "epoch", "The number of the epoch that was joined last"),
            leads: add(r, "leads", "Whether this member leads, or its user is inside"),
            lease: add(r, "lease_remaining_seconds", "For how long that is granted"),
            old: add(r, "old_epoch", "What was refused because its epoch is over"),
            entries: add(r, "entries", "How often the user was let in"),
            lost: add(r, "lost", "How often the user was inside and the grants ran out"),
            refused: add(r, "refused", "Who was turned away, and connections closed, by reason"),
            dropped: add(r, "dropped", "Segments that came twice, out of order or from another incarnation"),
        }
    }

    fn peer(&self, name: &str) -> Peer {
        let label = || vec![("peer", name.to_owned())];
        let way = |direction: &str| vec![("direction", direction.to_owned()), ("peer", name.to_owned())];
        Peer {
            frames_in: self.frames.get_or_create_owned(&way("in")),
            frames_out: self.frames.get_or_create_owned(&way("out")),
            bytes_in: self.frame_bytes.get_or_create_owned(&way("in")),
            bytes_out: self.frame_bytes.get_or_create_owned(&way("out")),
            connections: self.connections.get_or_create_owned(&label()),
            reconnects: self.reconnects.get_or_create_owned(&label()),
            suspicions: self.suspicions.get_or_create_owned(&label()),
            up: self.up.get_or_create_owned(&label()),
            round_trip: self.round_trip.get_or_create_owned(&label()),
            unacknowledged: self.unacknowledged.get_or_create_owned(&label()),
            clock_off: self.clock_off.get_or_create_owned(&label()),
        }
    }

    fn group(&self, name: &str, kinds: &[&'static str]) -> Group {
        let label = || vec![("group", name.to_owned())];
        let kind = |kind: &&'static str| {
            let labels = vec![("group", name.to_owned()), ("kind", (*kind).to_owned())];
            (*kind, self.sent.get_or_create_owned(&labels))
        };
        Group {
            kinds: kinds.iter().map(kind).collect(),
            received: self.received.get_or_create_owned(&label()),
            bytes: self.bytes.get_or_create_owned(&label()),
            epochs: self.epochs.get_or_create_owned(&label()),
            epoch: self.epoch.get_or_create_owned(&label()),
            leads: self.leads.get_or_create_owned(&label()),
            lease: self.lease.get_or_create_owned(&label()),
            old: self.old.get_or_create_owned(&label()),
            entries: self.entries.get_or_create_owned(&label()),
            lost: self.lost.get_or_create_owned(&label()),
        }
    }

    fn forget(&mut self, own: &str) {
        let label = vec![("peer", own.to_owned())];
        for direction in ["in", "out"] {
            let way = vec![("direction", direction.to_owned()), ("peer", own.to_owned())];
            self.frames.remove(&way);
            self.frame_bytes.remove(&way);
        }
        for family in [&self.connections, &self.reconnects, &self.suspicions] {
            family.remove(&label);
        }
        for family in [&self.up, &self.unacknowledged, &self.clock_off] {
            family.remove(&label);
        }
        self.round_trip.remove(&label);
    }
}
