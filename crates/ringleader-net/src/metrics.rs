//! Counters for Prometheus. What happens is counted as it happens; what a member knows anyway is read from its
//! status when somebody asks.

use crate::registry::{Counters, Labels, Registry, Reloads, Seconds, raise};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use ringleader_live::{Cluster, Place, Refused, Status};

type Whole = Gauge;

/// All counters of a member.
pub struct Metrics {
    registry: Registry,
    /// The own place has no connection: its lines would only puzzle.
    peers: Vec<Option<Peer>>,
    groups: Vec<Group>,
    refused: Counters,
    dropped: Counters,
    reloads: Reloads,
    names: Vec<String>,
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
        let mut registry = Registry::new();
        let families = Families::new(&mut registry);
        let names: Vec<String> = cluster.members.iter().map(|member| member.name.clone()).collect();
        let peers = (0..).zip(&names).map(|(at, name)| (at != place).then(|| families.peer(name))).collect();
        let groups = cluster.groups.iter().map(|group| {
            let entry = group.entry.with_settings(&group.scenario.settings);
            families.group(&group.name, entry.kinds)
        });
        let groups = groups.collect();
        let Families { refused, dropped, .. } = families;
        let reloads = Reloads::new(&mut registry);
        Metrics { registry, peers, groups, refused, dropped, reloads, names }
    }

    fn peer(&self, place: Place) -> Option<&Peer> {
        self.peers.get(usize::from(place))?.as_ref()
    }

    pub(crate) fn frame_in(&self, peer: Place, bytes: usize) {
        let Some(peer) = self.peer(peer) else { return };
        peer.frames_in.inc();
        peer.bytes_in.inc_by(bytes as u64);
    }

    pub(crate) fn frame_out(&self, peer: Place, bytes: usize) {
        let Some(peer) = self.peer(peer) else { return };
        peer.frames_out.inc();
        peer.bytes_out.inc_by(bytes as u64);
    }

    /// A connection is there; all but the first are reconnects.
    pub(crate) fn connected(&self, peer: Place) {
        let Some(peer) = self.peer(peer) else { return };
        if peer.connections.inc() > 0 {
            peer.reconnects.inc();
        }
    }

    pub(crate) fn suspected(&self, peer: Place) {
        if let Some(peer) = self.peer(peer) {
            peer.suspicions.inc();
        }
    }

    /// Somebody was turned away, or a connection closed, for this reason.
    pub(crate) fn refused(&self, reason: &'static str) {
        self.refused.get_or_create(&vec![("reason", reason.to_owned())]).inc();
    }

    /// The files were read again, and are used if they were right.
    pub(crate) fn read_again(&self, well: bool) {
        self.reloads.count(well);
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
        for known in &status.peers {
            let Some(peer) = self.peer(known.place) else { continue };
            peer.up.set(i64::from(known.connected && known.heard));
            peer.round_trip.set(known.round_trip.map_or(f64::NAN, |trip| trip.0 as f64 / 1e6));
            peer.unacknowledged.set(known.waiting as i64);
            peer.clock_off.set(known.clock_off);
        }
        for (known, group) in status.groups.iter().zip(&self.groups) {
            raise(&group.received, known.received_ever);
            raise(&group.bytes, known.sent_ever.1);
            raise(&group.epochs, known.epochs);
            group.epoch.set(known.epoch.number as i64);
            group.leads.set(i64::from(known.leads));
            let left = known.until.filter(|_| known.leads).map_or(0, |until| (until - status.now).0);
            group.lease.set(left as f64 / 1e6);
            raise(&group.entries, known.entries);
            raise(&group.lost, known.lost);
        }
        self.registry.text()
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
        let r = registry;
        Families {
            frames: r.add("frames", "Frames on connections, by direction"),
            frame_bytes: r.add("frame_bytes", "Bytes of these frames"),
            connections: r.add("connections", "Connections on which it is settled who is there"),
            reconnects: r.add("reconnects", "Connections after the first one"),
            suspicions: r.add("suspicions", "How often the peer began to count as down"),
            up: r.add("peer_up", "Whether the peer is connected and heard"),
            round_trip: r.add("round_trip_seconds", "The last round trip of a heartbeat"),
            unacknowledged: r.add("unacknowledged", "Payloads that the peer has not acknowledged"),
            clock_off: r.add("clock_off_ppm", "How far the clock of the peer is certainly off ours"),
            sent: r.add("messages_sent", "Messages of the algorithm that were sent, by kind"),
            received: r.add("messages_received", "Messages of the algorithm that came in"),
            bytes: r.add("bytes_sent", "Bytes of the messages that were sent"),
            epochs: r.add("epochs", "Epochs that were joined"),
            epoch: r.add("epoch", "The number of the epoch that was joined last"),
            leads: r.add("leads", "Whether this member leads, or its user is inside"),
            lease: r.add("lease_remaining_seconds", "For how long that is granted"),
            old: r.add("old_epoch", "What was refused because its epoch is over"),
            entries: r.add("entries", "How often the user was let in"),
            lost: r.add("lost", "How often the user was inside and the grants ran out"),
            refused: r.add("refused", "Who was turned away, and connections closed, by reason"),
            dropped: r.add("dropped", "Segments that came twice, out of order or from another incarnation"),
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
}
