//! Every decoder that bytes from a network or a file reach, as a function of bytes that must come back: with a
//! value, with an error, never with a panic, and what it took must survive its own form.
//!
//! `fuzz/` lets libFuzzer look for bytes that break one (`cargo xtask long fuzz`); a test of this crate runs
//! all of them over `seeds/` and thousands of changes of these, on every gate. The seeds are real traffic:
//! `cargo run -p ringleader-fuzz --example record` records them anew. What libFuzzer finds is put into
//! `seeds/` too, as `found-...`, and stays.

use ringleader_client::api;
use ringleader_live::Frame;
use ringleader_locks::{Command, Message, Times, View};
use ringleader_net::config::Environment;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A decoder.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, and that of the folder with its seeds.
    pub name: &'static str,
    /// What reads.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "live_frame", run: live_frame },
    Target { name: "live_stream", run: live_stream },
    Target { name: "wire_message", run: wire_message },
    Target { name: "mesh_stream", run: mesh_stream },
    Target { name: "lock_message", run: lock_message },
    Target { name: "lock_view", run: lock_view },
    Target { name: "lock_command", run: lock_command },
    Target { name: "raft_request", run: ringleader_server::store::fuzz::raft_request },
    Target { name: "raft_reply", run: ringleader_server::store::fuzz::raft_reply },
    Target { name: "etcd_answer", run: ringleader_server::store::fuzz::etcd_answer },
    Target { name: "client_question", run: client_question },
    Target { name: "server_reply", run: server_reply },
    Target { name: "proxy_path", run: proxy_path },
    Target { name: "trace_file", run: trace_file },
    Target { name: "cluster_file", run: cluster_file },
    Target { name: "service_file", run: service_file },
];

/// The one with this name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

fn live_frame(bytes: &[u8]) {
    if let Ok(frame) = Frame::decode(bytes) {
        assert_eq!(Frame::decode(&frame.encode()), Ok(frame));
    }
}

fn live_stream(bytes: &[u8]) {
    let _ = ringleader_net::fuzz::stream(bytes);
}

/// The name of an algorithm, a line feed, and a message of it.
fn wire_message(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (name, message) = (&bytes[..end], &bytes[end + 1..]);
    let Some(entry) = ringleader_errata::all().iter().find(|entry| entry.spec.name.as_bytes() == name) else {
        return;
    };
    if let Ok(decoded) = entry.decode(message) {
        let again = entry.decode(&decoded.bytes);
        assert_eq!(again, Ok(decoded));
    }
}

/// However the bytes of a connection are cut, the same is in them.
fn mesh_stream(bytes: &[u8]) {
    let whole = ringleader_server::mesh::fuzz::stream(bytes, bytes.len());
    let cut = ringleader_server::mesh::fuzz::stream(bytes, 3);
    assert_eq!(whole, cut);
    for (request, bytes) in whole.1 {
        if request {
            ringleader_server::store::fuzz::raft_request(&bytes);
        } else {
            ringleader_server::store::fuzz::raft_reply(&bytes);
        }
    }
}

/// One value has one form.
fn lock_message(bytes: &[u8]) {
    if let Ok(message) = Message::decode(bytes) {
        let mut again = Vec::new();
        message.encode(&mut again);
        assert_eq!(again, bytes);
    }
}

fn encoded(view: &View) -> Vec<u8> {
    let mut bytes = Vec::new();
    view.encode(&mut bytes);
    bytes
}

fn lock_view(bytes: &[u8]) {
    if let Ok(view) = View::decode(bytes) {
        assert_eq!(encoded(&view), bytes);
    }
}

/// A command has one form, and what it makes of a view can be stored and read again.
fn lock_command(bytes: &[u8]) {
    let Ok(command) = Command::decode(bytes) else { return };
    let mut again = Vec::new();
    command.encode(&mut again);
    assert_eq!(again, bytes);
    let first = View::first(1, Times::default(), Vec::new());
    if let Ok(next) = first.after(&command) {
        assert_eq!(View::decode(&encoded(&next)), Ok(next));
    }
}

/// What is read as this type is written and read again as the same.
fn survives<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) {
    if let Ok(value) = serde_json::from_slice::<T>(bytes) {
        let text = serde_json::to_vec(&value).unwrap_or_default();
        assert_eq!(serde_json::from_slice::<T>(&text).ok(), Some(value));
    }
}

/// A line of a stream, or the body of a call.
fn client_question(bytes: &[u8]) {
    survives::<api::Question>(bytes);
    survives::<api::OpenSession>(bytes);
    survives::<api::KeepAlive>(bytes);
    survives::<api::Acquire>(bytes);
    survives::<api::Release>(bytes);
    survives::<api::Cancel>(bytes);
}

fn server_reply(bytes: &[u8]) {
    survives::<api::Reply>(bytes);
    survives::<api::SessionOpened>(bytes);
    survives::<api::KeptAlive>(bytes);
    survives::<api::Granted>(bytes);
    survives::<api::LockInfo>(bytes);
    survives::<api::Watched>(bytes);
    survives::<api::Refusal>(bytes);
}

fn proxy_path(bytes: &[u8]) {
    if let Ok(path) = std::str::from_utf8(bytes) {
        ringleader_client::proxy::fuzz_path(path);
    }
}

fn trace_file(bytes: &[u8]) {
    let _ = ringleader_lab::formats::read_trace(bytes);
    let _ = ringleader_lab::formats::read_part(bytes);
}

fn cluster_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for name in [None, Some("a")] {
        let environment = Environment::empty();
        let _ = ringleader_net::config::Config::parse(
            text,
            "cluster.toml",
            ringleader_errata::all(),
            name,
            &environment,
        );
    }
}

/// A file that is read is written as one that says the same.
fn service_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let read = |text: &str| {
        ringleader_server::config::Config::parse(text, "service.toml", None, &Environment::empty())
    };
    if let Ok(config) = read(text) {
        let written = config.to_toml();
        let again = read(&written);
        assert!(again.is_ok_and(|again| again.to_toml() == written), "{text}\n----\n{written}");
    }
    let _ = ringleader_server::config::Config::parse(text, "service.toml", Some("a"), &Environment::empty());
}
