//! `[[member]]`, and what members and servers have in common.

use super::Address;
use super::document::{Document, Family};
use super::quantity::{host_and_port, is_loopback};
use super::values::{HostPort, Name, Reader, Word};
use crate::problem::Problem;
use core::marker::PhantomData;
use ringleader_live::{MAX_MEMBERS, MemberSpec};
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::Range;

/// A member as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Member {
    name: Name,
    address: HostPort,
    listen: Option<HostPort>,
    status: Option<HostPort>,
    id: Option<Id>,
}

/// What the environment may say of a member.
pub(super) const VARIABLES: &[&str] = &["address", "listen", "status"];

/// An identity in elections.
#[derive(Clone, Copy, Serialize)]
struct Id(u64);

impl Word for Id {
    const EXPECTED: &'static str = "an identity: a whole number";

    fn read(text: &str) -> Result<Id, String> {
        let number = text.parse().map(Id);
        number.map_err(|_| "expected an identity: a whole number, not negative, below 2^64".into())
    }

    fn written(&self) -> String {
        self.0.to_string()
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Id, D::Error> {
        from.deserialize_u64(Reader(PhantomData))
    }
}

impl Member {
    /// The row of the file that says this.
    pub(super) fn of(member: &MemberSpec, address: &Address) -> Member {
        let listen = Some(&address.listen).filter(|listen| **listen != address.peer);
        Member {
            name: Name(member.name.clone()),
            address: HostPort(address.peer.clone()),
            listen: listen.cloned().map(HostPort),
            status: address.status.clone().map(HostPort),
            id: Some(Id(member.id)),
        }
    }
}

/// What members are called, where they are, and all their addresses with their places.
type Members<'r> = (Vec<MemberSpec>, Vec<Address>, Vec<(&'r str, Range<usize>)>);

/// Checks the members, and compares each with those before it.
pub(super) fn read<'r>(document: &Document<'_>, rows: &'r [Member]) -> Result<Members<'r>, Problem> {
    let at = |place: usize, key: &str| document.at(&format!("member.{place}.{key}"));
    let all: Vec<Row<'_>> = rows
        .iter()
        .map(|row| Row {
            name: &row.name.0,
            peer: &row.address.0,
            others: row.status.iter().map(|status| ("status", status.0.as_str())).collect(),
        })
        .collect();
    differ(document, "member", "a cluster", &all)?;
    let (mut members, mut addresses, mut reached) = (Vec::<MemberSpec>::new(), Vec::new(), Vec::new());
    for (place, row) in rows.iter().enumerate() {
        let (peer, listen) = (&row.address.0, &row.listen.as_ref().unwrap_or(&row.address).0);
        reached.push((peer.as_str(), at(place, "address")));
        reached.push((listen, at(place, "address")));
        if let Some(HostPort(status)) = &row.status {
            if status == listen || status == peer {
                let label = "the others are listened to there already: take another port";
                return Err(document.bad(at(place, "status"), label));
            }
            reached.push((status, at(place, "status")));
        }
        let id = row.id.map_or(place as u64 + 1, |id| id.0);
        if let Some(before) = members.iter().position(|member| member.id == id) {
            let said = |place: usize| {
                let (id, name) = (format!("member.{place}.id"), format!("member.{place}.name"));
                document.first(&[&id, &name]).unwrap_or_default()
            };
            let message = format!("identity {id} is given to two members");
            return Err(document.twice("duplicate_member", &message, said(before), said(place)));
        }
        members.push(MemberSpec { name: row.name.0.clone(), id });
        let (peer, listen, status) =
            (peer.clone(), listen.clone(), row.status.clone().map(|status| status.0));
        addresses.push(Address { peer, listen, status });
    }
    Ok((members, addresses, reached))
}

/// A row of a table of members or servers, to be compared with the others.
#[derive(Debug)]
pub struct Row<'r> {
    /// Its name.
    pub name: &'r str,
    /// Where the others reach it.
    pub peer: &'r str,
    /// Addresses under other keys that nobody else has.
    pub others: Vec<(&'r str, &'r str)>,
}

impl<'r> Row<'r> {
    fn reached(&self) -> Vec<(&'r str, &'r str)> {
        [vec![("address", self.peer)], self.others.clone()].concat()
    }
}

/// What the environment may say of each row of a table: how the variables begin, the row, the keys.
pub fn variables<'k>(document: &Document<'_>, table: &str, keys: &'k [&'k str]) -> Vec<Family<'k>> {
    let row = |place| {
        let row = format!("{table}.{place}");
        let name = document.text(&format!("{row}.name"))?;
        let beginning = format!("{table}_{name}_").to_uppercase().replace('-', "_");
        Some((beginning, row, keys))
    };
    (0..document.count(table)).filter_map(row).collect()
}

/// Whether an address means another socket on another machine.
fn is_local(address: &str) -> bool {
    let unspecified =
        |(host, _): (&str, u16)| host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_unspecified());
    is_loopback(address) || host_and_port(address).is_ok_and(unspecified)
}

/// The rows of a table share neither names nor addresses, and `whole` has not too many of them.
///
/// # Errors
/// For the first that are the same.
pub fn differ(document: &Document<'_>, table: &str, whole: &str, rows: &[Row<'_>]) -> Result<(), Problem> {
    let host = |row: &Row<'_>| host_and_port(row.peer).map(|(host, _)| host.to_owned()).unwrap_or_default();
    for (place, row) in rows.iter().enumerate() {
        if place == MAX_MEMBERS {
            let most = format!("{whole} has at most {MAX_MEMBERS} {table}s");
            let label = format!("this is number {}; {most}", place + 1);
            return Err(document.bad(document.at(&format!("{table}.{place}")), &label));
        }
        for (before, first) in rows[..place].iter().enumerate() {
            let twice = |what: String, key: &str, again: &str| {
                let at = |place: usize, key: &str| document.at(&format!("{table}.{place}.{key}"));
                let message = format!("{what} is given to two {table}s");
                Err(document.twice("duplicate_member", &message, at(before, key), at(place, again)))
            };
            if first.name == row.name {
                return twice(format!("the name `{}`", row.name), "name", "name");
            }
            // Two members may tell their status at the same `127.0.0.1:7422`, each on its own machine; where the others
            // reach them, they differ.
            let apart = host(first) != host(row);
            for (key, address) in first.reached() {
                for (again, _) in row.reached().into_iter().filter(|(_, other)| *other == address) {
                    if !(apart && is_local(address) && [key, again].contains(&"status")) {
                        return twice(format!("the address {address}"), key, again);
                    }
                }
            }
        }
    }
    Ok(())
}
