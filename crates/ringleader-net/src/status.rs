//! The status of a member as JSON, `ringleader.status/1`.

use ringleader::model::{Estimate, Ticks};
use ringleader_live::{ClockStatus, Cluster, GroupStatus, Micros, PeerStatus, Place, Status};
use serde_json::{Map, Value, json};

/// The schema that it names.
pub const STATUS_SCHEMA: &str = "ringleader.status/1";

/// The status of a member of this cluster. Fields are added, never renamed.
#[must_use]
pub fn status_json(cluster: &Cluster, status: &Status) -> Value {
    json!({
        "schema": STATUS_SCHEMA,
        "cluster": cluster.name,
        "member": name(cluster, status.place),
        "place": status.place,
        "incarnation": status.incarnation,
        "at_us": status.now.0,
        "wall_ms": crate::clock::wall() / 1000,
        "leaving": status.leaving,
        "version": env!("CARGO_PKG_VERSION"),
        "drift_ppm": cluster.timing.terms.drift,
        "peers": status.peers.iter().map(|peer| peer_json(cluster, peer)).collect::<Vec<_>>(),
        "groups": status.groups.iter().map(|group| group_json(cluster, status, group)).collect::<Vec<_>>(),
    })
}

fn name(cluster: &Cluster, place: Place) -> &str {
    cluster.members.get(usize::from(place)).map_or("?", |member| member.name.as_str())
}

fn peer_json(cluster: &Cluster, peer: &PeerStatus) -> Value {
    json!({
        "member": name(cluster, peer.place),
        "incarnation": peer.incarnation,
        "connected": peer.connected,
        "heard": peer.heard,
        "phi": f64::from(peer.phi_tenths) / 10.0,
        "round_trip_us": peer.round_trip.map(|trip| trip.0),
        "unacknowledged": peer.waiting,
        "clock_off_ppm": peer.clock_off,
    })
}

fn group_json(cluster: &Cluster, status: &Status, group: &GroupStatus) -> Value {
    let spec = cluster.groups.iter().find(|spec| spec.name == group.name);
    let by_kind: Map<String, Value> =
        group.sent.iter().map(|(kind, count)| ((*kind).to_owned(), json!(count))).collect();
    let total: u64 = group.sent.iter().map(|(_, count)| count).sum();
    let fields: Map<String, Value> =
        group.fields.iter().map(|(field, value)| (field.to_string(), json!(value))).collect();
    let valid = group.until.filter(|_| group.leads).map(|until| (until - status.now).0 / 1000);
    json!({
        "name": group.name,
        "algorithm": group.algorithm,
        "problem": spec.map(|spec| spec.entry.problem.name()),
        "epoch": { "number": group.epoch.number, "steward": name(cluster, group.epoch.steward) },
        "participants": group.participants.iter().map(|&place| name(cluster, place)).collect::<Vec<_>>(),
        "phase": group.phase.name(),
        "position": group.position.map(|position| position.name()),
        "leads": group.leads,
        "valid_ms": valid,
        "leader": group.leader.map(|place| name(cluster, place)),
        "messages": { "total": total, "by_kind": by_kind },
        "sent_ever": group.sent_ever.0,
        "bytes_ever": group.sent_ever.1,
        "received_ever": group.received_ever,
        "refused_old": group.refused_old,
        "entries": group.entries,
        "lost": group.lost,
        "epochs": group.epochs,
        "fields": fields,
        "clock": group.clock.as_ref().map(|clock| clock_json(cluster, group, clock)),
    })
}

/// The clock of a process; times on it in ticks.
fn clock_json(cluster: &Cluster, group: &GroupStatus, clock: &ClockStatus) -> Value {
    let ticks = |ticks: Ticks| ticks.parts() as f64 / Ticks::PARTS as f64;
    let member = |index: u32| group.participants.get(index as usize).map(|&place| name(cluster, place));
    let estimate = |(found, at): &(Estimate, Micros)| {
        json!({
            "of": member(found.of.0),
            "ahead": ticks(found.ahead),
            "round_trip": found.round_trip.map(ticks),
            "bound": ticks(found.bound),
            "at_us": at.0,
        })
    };
    json!({
        "shows": ticks(clock.face.shows),
        "correction": ticks(clock.face.correction),
        "promise": clock.face.promise.map(ticks),
        "rests": clock.rests,
        "estimates": clock.estimates.iter().map(estimate).collect::<Vec<_>>(),
    })
}

/// Whether a member can do its part, and if not, why.
///
/// # Errors
/// What is missing, in words.
pub fn is_ready(cluster: &Cluster, status: &Status) -> Result<(), String> {
    let members = cluster.members.len();
    let heard = 1 + status.peers.iter().filter(|peer| peer.heard && peer.connected).count();
    if status.leaving {
        return Err("this member is about to stop".to_owned());
    }
    if heard * 2 <= members {
        return Err(format!("it hears {heard} of {members} members, itself included: no majority"));
    }
    // Who comes back while somebody leads is left out of the epoch until the next: it knows who leads, and is well.
    let outside =
        |group: &&GroupStatus| !group.participants.contains(&status.place) && group.leader.is_none();
    let outside = status.groups.iter().find(outside);
    match outside {
        Some(group) => Err(format!("it does not take part in `{}` yet", group.name)),
        None => Ok(()),
    }
}
