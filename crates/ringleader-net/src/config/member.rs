//! `[[member]]`.

use super::Address;
use super::environment;
use super::quantity::{ADDRESS, host_and_port, is_loopback};
use super::source::{Given, Origin, Source, in_order, name};
use crate::problem::Problem;
use ringleader_live::{MAX_MEMBERS, MemberSpec};
use std::ops::Range;
use toml::de::DeTable;

const KEYS: [&str; 5] = ["name", "address", "listen", "status", "id"];

/// A member, with the places at which things were said.
pub(super) struct Row {
    pub(super) member: MemberSpec,
    pub(super) address: Address,
    name_at: Origin,
    id_at: Origin,
    peer_at: Origin,
    status_at: Option<Origin>,
}

impl Row {
    /// Its addresses, and where they were said.
    pub(super) fn addresses(&self) -> Vec<(&str, &Origin)> {
        let mut all = vec![(self.address.peer.as_str(), &self.peer_at)];
        if self.address.listen != self.address.peer {
            all.push((&self.address.listen, &self.peer_at));
        }
        if let (Some(status), Some(at)) = (&self.address.status, &self.status_at) {
            all.push((status, at));
        }
        all
    }
}

/// Reads the members, and compares each with those before it.
pub(super) fn read(
    source: &Source<'_>,
    tables: &[(Range<usize>, &DeTable<'_>)],
) -> Result<Vec<Row>, Problem> {
    let mut rows: Vec<Row> = Vec::new();
    for (place, (at, table)) in tables.iter().enumerate() {
        if place == MAX_MEMBERS {
            let label = format!("this is number {}; a cluster has at most {MAX_MEMBERS} members", place + 1);
            return Err(source.bad(&Origin::At(at.clone()), &label));
        }
        let row = one(source, place, at, table)?;
        for before in &rows {
            differ(source, before, &row)?;
        }
        rows.push(row);
    }
    Ok(rows)
}

fn one(source: &Source<'_>, place: usize, at: &Range<usize>, table: &DeTable<'_>) -> Result<Row, Problem> {
    let (mut named, mut id) = (None, None);
    let mut said: [Option<Given>; 3] = [None, None, None];
    for (key, value) in in_order(table) {
        match key.get_ref().as_ref() {
            "name" => named = Some(source.string(value, "a name such as \"b\"")?),
            "address" => said[0] = Some(source.string(value, ADDRESS)?),
            "listen" => said[1] = Some(source.string(value, ADDRESS)?),
            "status" => said[2] = Some(source.string(value, ADDRESS)?),
            "id" => id = Some(source.number(value, "an identity: a whole number")?),
            _ => return Err(source.unknown(key, KEYS.into_iter())),
        }
    }
    let whole = Origin::At(at.clone());
    let named = named.ok_or_else(|| source.bad(&whole, "this member has no name: name = \"b\""))?;
    let member = name(source, &named)?;
    for (slot, what) in said.iter_mut().zip(["ADDRESS", "LISTEN", "STATUS"]) {
        if let Some(given) = source.variable(&environment::of_member(&member, what)) {
            *slot = Some(given);
        }
        if let Some(given) = slot {
            host_and_port(&given.text)
                .map_err(|expected| source.bad(&given.origin, &format!("expected {expected}")))?;
        }
    }
    let [peer, listen, status] = said;
    let peer = peer.ok_or_else(|| {
        source.bad(&named.origin, "this member has no address: address = \"10.0.0.2:7421\"")
    })?;
    let (id, id_at) = match id {
        Some(given) => {
            let number = given.text.parse();
            let label = "expected an identity: a whole number, not negative, below 2^64";
            (number.map_err(|_| source.bad(&given.origin, label))?, given.origin)
        }
        None => (place as u64 + 1, named.origin.clone()),
    };
    let (status, status_at) = match status {
        Some(given) => (Some(given.text), Some(given.origin)),
        None => (None, None),
    };
    let listen = listen.map_or_else(|| peer.text.clone(), |given| given.text);
    if let (Some(status), Some(at)) = (&status, &status_at)
        && (*status == listen || *status == peer.text)
    {
        return Err(source.bad(at, "the others are listened to there already: take another port"));
    }
    Ok(Row {
        member: MemberSpec { name: member, id },
        address: Address { peer: peer.text, listen, status },
        name_at: named.origin,
        id_at,
        peer_at: peer.origin,
        status_at,
    })
}

/// Whether an address means another socket on another machine.
fn is_local(address: &str) -> bool {
    let unspecified =
        |(host, _): (&str, u16)| host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_unspecified());
    is_loopback(address) || host_and_port(address).is_ok_and(unspecified)
}

/// Two members share nothing.
fn differ(source: &Source<'_>, first: &Row, second: &Row) -> Result<(), Problem> {
    let twice = |what: &str, places: (&Origin, &Origin)| {
        let labels = [(places.0, "first here"), (places.1, "again here")];
        Err(source.wrong("duplicate_member", &format!("{what} is given to two members"), &labels))
    };
    if first.member.name == second.member.name {
        return twice(&format!("the name `{}`", second.member.name), (&first.name_at, &second.name_at));
    }
    if first.member.id == second.member.id {
        return twice(&format!("identity {}", second.member.id), (&first.id_at, &second.id_at));
    }
    // Two members may listen on the same `0.0.0.0:7421`, and tell their status at the same `127.0.0.1:7422`, each on
    // its own machine; where the others reach them, they differ.
    let host =
        |row: &Row| host_and_port(&row.address.peer).map(|(host, _)| host.to_owned()).unwrap_or_default();
    let apart = host(first) != host(second);
    let reached = |row: &Row| {
        let status = row.address.status.clone().zip(row.status_at.clone());
        [Some((row.address.peer.clone(), row.peer_at.clone())), status]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    };
    for (address, at) in &reached(first) {
        for (other, other_at) in &reached(second) {
            if address == other && !(apart && is_local(address)) {
                return twice(&format!("the address {address}"), (at, other_at));
            }
        }
    }
    Ok(())
}
