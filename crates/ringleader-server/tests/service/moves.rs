//! Sessions that go to another server with what they hold, and their clients with them.

use crate::support::{Client, Cluster, until};
use ringleader_client::{Credentials, Options as ClientOptions, blocking};
use ringleader_server::Options;
use serde_json::json;
use std::io::{Read, Write};
use std::time::Duration;

/// The answer to a sign of life, head and all.
fn raw_keep_alive(client: &Client, session: &str) -> String {
    let mut stream = client.connect().expect("it listens");
    let path = format!("/v1/sessions/{session}/keepalive");
    let request =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers");
    text
}

/// A lock is held while its server leaves, is stopped, and comes back; by a client of HTTP that is told where its
/// session is, and by our own, which follows it.
#[test]
fn drained_server_loses_no_locks() {
    let mut cluster = Cluster::with(3, Options { drain: Duration::from_secs(30), ..Options::default() });
    let client = cluster.client(0);
    let (code, opened) =
        client.post("/v1/sessions", &json!({ "class": "batch", "follow_key": "correct horse battery" }));
    assert_eq!(code, 201, "{opened}");
    let session = opened["session"].as_str().expect("a session").to_owned();
    let fence = client.holds("batch%2Fkept", &session, 1);
    // Our own client, which is at the same server and knows the others.
    let sockets = (0..3).map(|place| cluster.socket(place).parse().expect("an address"));
    let ours = blocking::Client::connect(ClientOptions::new(sockets)).expect("a session");
    let guard = ours.acquire(ours.inner().lock("ours")).expect("it is free");
    let before = guard.fence();
    // One that is at the same server by its socket, and knows the others by TLS only: there it is somebody else.
    let file = |name: &str| cluster.folder.path().join(name);
    let by_tls = (1..3).map(|place| {
        let name = cluster.config.name(place);
        format!("https://{}#{name}.test.ringleader", cluster.api(place)).parse().expect("an address")
    });
    let servers = [cluster.socket(0).parse().expect("an address")].into_iter().chain(by_tls);
    let apart = blocking::Client::connect(ClientOptions {
        authority: Some(file("ca.pem")),
        credentials: Credentials::Certificate { chain: file("client.pem"), key: file("client.key") },
        ..ClientOptions::new(servers)
    })
    .expect("a session");
    let held_apart = apart.acquire(apart.inner().lock("apart")).expect("it is free");
    // Somebody waits for it at another server.
    let (other, waits) = (cluster.client(1), cluster.client(1).session("normal"));
    let waiter = {
        let (other, waits) = (other.clone(), waits.clone());
        std::thread::spawn(move || other.acquire("ours", &waits, 1, 50_000))
    };
    until("somebody waits", || (other.get("/v1/status").1["waiters"] == 1).then_some(()));
    cluster.embedded(0).core().drain();
    let moved = until("it has moved", || {
        let answer = client.keep_alive(&session);
        (answer.0 != 200).then_some(answer)
    });
    assert_eq!((moved.0, &moved.1["code"]), (307, &json!("moved")), "{}", moved.1);
    let to = moved.1["move_to"].as_str().expect("where").to_owned();
    let place =
        (1..3).find(|place| to == format!("https://{}", cluster.api(*place))).expect("another server");
    let head = raw_keep_alive(&client, &session);
    assert!(head.contains(&format!("location: {to}/v1/sessions/{session}/keepalive\r\n")), "{head}");
    // There it is, under the same fence.
    let there = cluster.client(place);
    let (code, alive) = there.keep_alive(&session);
    let requests = alive["requests"].as_array().cloned().unwrap_or_default();
    assert_eq!((code, requests.len()), (200, 1), "{alive}");
    assert_eq!((&requests[0]["state"], &requests[0]["fence"]), (&json!("holds"), &json!(fence)));
    // The old server is gone, and what was held is held.
    cluster.leave(0);
    assert!(guard.is_held() && guard.fence() == before && held_apart.is_held());
    assert_eq!(there.keep_alive(&session).0, 200);
    cluster.start(0);
    cluster.wait_ready(0);
    assert!(guard.is_held() && held_apart.is_held());
    held_apart.release().expect("it was held all the time");
    assert!(!waiter.is_finished(), "it is still held");
    guard.release().expect("it was held all the time");
    let (code, granted) = waiter.join().expect("no panic");
    assert_eq!(code, 200, "{granted}");
    let next: u64 = granted["fence"].as_str().and_then(|fence| fence.parse().ok()).expect("a fence");
    assert!(next > before.number());
    assert_eq!(there.release("batch%2Fkept", &session, &fence).0, 204, "it was held all the time");
}
