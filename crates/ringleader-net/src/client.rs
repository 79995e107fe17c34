//! Asking a member how it is, by HTTP: the other side of `ringleader.status/1`.

use crate::clock;
use core::fmt;
use http_body_util::Full;
use hyper::header::{CONNECTION, HOST};
use hyper::{Request, StatusCode};
use ringleader_client::http::{Address, Asked};
use ringleader_live::Micros;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// No status is longer: 64 members and some groups take a tenth of it.
const BYTES_MAX: usize = 4 << 20;

/// How a member is, as it says. What other versions add is not looked at; what they leave out is nothing.
#[derive(Deserialize, Clone, PartialEq, Debug, Default)]
#[serde(default)]
pub struct Status {
    /// Always `ringleader.status/1`.
    pub schema: String,
    /// The cluster.
    pub cluster: String,
    /// The member.
    pub member: String,
    /// Its incarnation.
    pub incarnation: u64,
    /// The wall clock, in milliseconds since 1970.
    pub wall_ms: u64,
    /// Whether it is about to stop.
    pub leaving: bool,
    /// The version of its program.
    pub version: String,
    /// How much clocks may be off, in parts per million.
    pub drift_ppm: u32,
    /// The others.
    pub peers: Vec<Peer>,
    /// Its groups.
    pub groups: Vec<Group>,
}

/// How another member is, as far as it can tell.
#[derive(Deserialize, Clone, PartialEq, Debug, Default)]
#[serde(default)]
pub struct Peer {
    /// Its name.
    pub member: String,
    /// Whether there is a connection.
    pub connected: bool,
    /// Whether it is heard.
    pub heard: bool,
    /// The last round trip.
    pub round_trip_us: Option<u64>,
    /// How far its clock is off, in parts per million.
    pub clock_off_ppm: i64,
}

/// How a group is, as this member sees it.
#[derive(Deserialize, Clone, PartialEq, Debug, Default)]
#[serde(default)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its algorithm.
    pub algorithm: String,
    /// `election` or `mutex`.
    pub problem: Option<String>,
    /// The epoch.
    pub epoch: Epoch,
    /// How far that is.
    pub phase: String,
    /// What its process says.
    pub position: Option<String>,
    /// Whether it leads, or its user is inside.
    pub leads: bool,
    /// For how much longer that is granted, on its own clock.
    pub valid_ms: Option<u64>,
    /// Who leads, as far as it knows.
    pub leader: Option<String>,
    /// Messages of this epoch.
    pub messages: Messages,
}

/// An epoch.
#[derive(Deserialize, Clone, PartialEq, Debug, Default)]
#[serde(default)]
pub struct Epoch {
    /// Its number; 0 is none.
    pub number: u64,
    /// Who opened it.
    pub steward: Option<String>,
}

/// Messages that were sent.
#[derive(Deserialize, Clone, PartialEq, Debug, Default)]
#[serde(default)]
pub struct Messages {
    /// In all.
    pub total: u64,
    /// By kind.
    pub by_kind: BTreeMap<String, u64>,
}

impl Status {
    /// The group with this name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }
}

/// An answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// What was said.
    pub status: Status,
    /// The same, as it came.
    pub text: String,
    /// When it was asked, on the clock that promises are counted on.
    pub sent: Micros,
    /// How long that took.
    pub took: Micros,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unanswered {
    /// Nobody answers there.
    Silent(String),
    /// Somebody answers, but it is no member.
    Foreign(String),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Silent(why) => write!(f, "{why}"),
            Unanswered::Foreign(why) => write!(f, "something else answers there: {why}"),
        }
    }
}

/// Asks the member whose status is served at this address.
///
/// # Errors
/// If nobody answers in time, or not with a status.
pub fn ask(address: &str, patience: Duration) -> Result<Answer, Unanswered> {
    let (text, sent, took) = fetch(address, patience)?;
    let status: Status = serde_json::from_str(&text)
        .map_err(|_| Unanswered::Foreign("it says no status as JSON".to_owned()))?;
    if status.schema != "ringleader.status/1" {
        let why = format!("its schema is `{}`, not `ringleader.status/1`", status.schema);
        return Err(Unanswered::Foreign(why));
    }
    Ok(Answer { status, text, sent, took })
}

/// The text of the status that is served at this address; when it was asked for, and how long that took.
///
/// # Errors
/// If nobody answers in time, or not with success.
pub fn fetch(address: &str, patience: Duration) -> Result<(String, Micros, Micros), Unanswered> {
    let question = Request::get("/v1/status")
        .header(HOST, address)
        .header(CONNECTION, "close")
        .body(Full::default())
        .map_err(|error| Unanswered::Silent(error.to_string()))?;
    let sent = clock::now();
    let answer = Asked::new(Address::Plain(address.to_owned()), BYTES_MAX).call_within(patience, question);
    let answer = answer.map_err(|error| Unanswered::Silent(words(&error)))?;
    if answer.status() != StatusCode::OK {
        return Err(Unanswered::Foreign(format!("HTTP {}", answer.status().as_u16())));
    }
    let text = String::from_utf8_lossy(answer.body()).into_owned();
    Ok((text, sent, clock::now() - sent))
}

/// The reason without the library's own words around it.
fn words(error: &io::Error) -> String {
    let known = [
        (ErrorKind::ConnectionRefused, "connection refused: nothing listens there"),
        (ErrorKind::ConnectionReset, "it closes the connection"),
    ];
    let words = known.iter().find(|(kind, _)| *kind == error.kind());
    words.map_or_else(|| error.to_string(), |(_, words)| (*words).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn why(address: &str) -> String {
        fetch(address, Duration::from_secs(60)).expect_err("nobody says how it is").to_string()
    }

    #[test]
    fn reason_for_no_answer_is_said_in_plain_words() {
        assert_eq!(why("127.0.0.1:1"), "connection refused: nothing listens there");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("an address").to_string();
        let closes = std::thread::spawn(move || drop(listener.accept().expect("somebody asks")));
        assert_eq!(why(&at), "it closes the connection");
        closes.join().expect("it ends");
    }
}
