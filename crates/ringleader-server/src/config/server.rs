//! `[[server]]`.

use ringleader_net::Problem;
use ringleader_net::config::is_loopback;
use ringleader_net::config::quantity::{ADDRESS, host_and_port};
use ringleader_net::config::source::{Given, Origin, Source, in_order, name};
use std::ops::Range;
use std::path::PathBuf;
use toml::de::DeTable;

const KEYS: [&str; 6] = ["name", "address", "listen", "api", "socket", "status"];

/// What the environment may say of a server.
pub(super) const VARIABLES: [&str; 5] = ["ADDRESS", "LISTEN", "API", "SOCKET", "STATUS"];

/// The most servers: more are more messages, and no more safety.
const MOST: usize = 64;

/// Where a server is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerAddress {
    /// Its name.
    pub name: String,
    /// Where the other servers reach it, as host and port.
    pub peer: String,
    /// Where it listens for them: the same, unless it is behind something.
    pub listen: String,
    /// Where clients reach it by HTTPS.
    pub api: String,
    /// Where clients of the same machine reach it.
    pub socket: Option<PathBuf>,
    /// Where its status is told in plain HTTP, on this machine only.
    pub status: Option<String>,
}

/// A server, with the places at which things were said.
pub(super) struct Row {
    pub(super) server: ServerAddress,
    name_at: Origin,
    peer_at: Origin,
    api_at: Origin,
}

impl Row {
    /// Its addresses, and where they were said.
    pub(super) fn addresses(&self) -> Vec<(&str, &Origin)> {
        let server = &self.server;
        vec![(&server.peer, &self.peer_at), (&server.listen, &self.peer_at), (&server.api, &self.api_at)]
    }
}

/// The variable that says something of a server.
pub(super) fn variable(server: &str, what: &str) -> String {
    format!("RINGLEADER_SERVER_{}_{what}", server.to_uppercase().replace('-', "_"))
}

/// Reads the servers, and compares each with those before it.
pub(super) fn read(
    source: &Source<'_>,
    tables: &[(Range<usize>, &DeTable<'_>)],
) -> Result<Vec<Row>, Problem> {
    let mut rows: Vec<Row> = Vec::new();
    for (place, (at, table)) in tables.iter().enumerate() {
        if place == MOST {
            let label = format!("this is number {}; a service has at most {MOST} servers", place + 1);
            return Err(source.bad(&Origin::At(at.clone()), &label));
        }
        let row = one(source, at, table)?;
        for before in &rows {
            differ(source, before, &row)?;
        }
        rows.push(row);
    }
    Ok(rows)
}

fn one(source: &Source<'_>, at: &Range<usize>, table: &DeTable<'_>) -> Result<Row, Problem> {
    let mut named = None;
    let mut said: [Option<Given>; 5] = [None, None, None, None, None];
    for (key, value) in in_order(table) {
        match key.get_ref().as_ref() {
            "name" => named = Some(source.string(value, "a name such as \"b\"")?),
            "address" => said[0] = Some(source.string(value, ADDRESS)?),
            "listen" => said[1] = Some(source.string(value, ADDRESS)?),
            "api" => said[2] = Some(source.string(value, ADDRESS)?),
            "socket" => said[3] = Some(source.string(value, "the path of a Unix socket")?),
            "status" => said[4] = Some(source.string(value, ADDRESS)?),
            _ => return Err(source.unknown(key, KEYS.into_iter())),
        }
    }
    let whole = Origin::At(at.clone());
    let named = named.ok_or_else(|| source.bad(&whole, "this server has no name: name = \"b\""))?;
    let server = name(source, &named)?;
    for (slot, what) in said.iter_mut().zip(VARIABLES) {
        if let Some(given) = source.variable(&variable(&server, what)) {
            *slot = Some(given);
        }
        let Some(given) = slot else { continue };
        if what == "SOCKET" {
            if given.text.is_empty() || given.text.len() > 100 {
                return Err(
                    source.bad(&given.origin, "expected a path of 1 to 100 bytes: systems allow no more")
                );
            }
        } else {
            host_and_port(&given.text)
                .map_err(|expected| source.bad(&given.origin, &format!("expected {expected}")))?;
        }
    }
    let [peer, listen, api, socket, status] = said;
    let peer = peer.ok_or_else(|| {
        source.bad(&named.origin, "this server has no address: address = \"10.0.0.2:7431\"")
    })?;
    let api = api.ok_or_else(|| {
        source.bad(&named.origin, "clients cannot reach this server: api = \"10.0.0.2:7432\"")
    })?;
    let listen = listen.map_or_else(|| peer.text.clone(), |given| given.text);
    if api.text == listen || api.text == peer.text {
        return Err(source.bad(&api.origin, "the servers are listened to there already: take another port"));
    }
    if let Some(status) = &status {
        if !is_loopback(&status.text) {
            let label =
                "the status is told in plain text, to this machine only: an address such as 127.0.0.1:7433";
            return Err(source.bad(&status.origin, label));
        }
        if [&listen, &peer.text, &api.text].contains(&&status.text) {
            return Err(source.bad(&status.origin, "something else is there already: take another port"));
        }
    }
    Ok(Row {
        server: ServerAddress {
            name: server,
            peer: peer.text,
            listen,
            api: api.text,
            socket: socket.map(|given| PathBuf::from(given.text)),
            status: status.map(|given| given.text),
        },
        name_at: named.origin,
        peer_at: peer.origin,
        api_at: api.origin,
    })
}

/// Two servers share neither name nor address.
fn differ(source: &Source<'_>, first: &Row, second: &Row) -> Result<(), Problem> {
    let twice = |what: &str, places: (&Origin, &Origin)| {
        let labels = [(places.0, "first here"), (places.1, "again here")];
        Err(source.wrong("duplicate_member", &format!("{what} is given to two servers"), &labels))
    };
    if first.server.name == second.server.name {
        return twice(&format!("the name `{}`", second.server.name), (&first.name_at, &second.name_at));
    }
    let reached = |row: &Row| {
        [(row.server.peer.clone(), row.peer_at.clone()), (row.server.api.clone(), row.api_at.clone())]
    };
    for (address, at) in &reached(first) {
        for (other, other_at) in &reached(second) {
            if address == other {
                return twice(&format!("the address {address}"), (at, other_at));
            }
        }
    }
    Ok(())
}
