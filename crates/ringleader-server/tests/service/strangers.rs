//! Whoever may not, cannot, or talks nonsense.

use crate::support::{Client, Cluster, TOKEN, Way, until};
use ringleader_net::cert::{self, Validity};
use ringleader_net::limits::{Budget, Phases};
use ringleader_server::http::Limits;
use ringleader_server::{Options, Service};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn bad_requests_and_strangers_are_refused() {
    let budget = Budget::of(400, 1).expect("enough to serve");
    let cluster = Cluster::with(1, Options { budget: Some(budget), ..Options::default() });
    let client = cluster.client(0);
    malformed(&cluster, &client);
    certificates(&cluster);
    peers(&cluster);
    flood(&cluster, &client, &budget);
    let session = client.session("normal");
    assert!(client.holds("x", &session, 1).parse::<u64>().is_ok(), "it still serves");
}

fn malformed(cluster: &Cluster, client: &Client) {
    for request in [&b"nonsense\r\n\r\n"[..], b"GET\r\n\r\n", b"\0\0\0\0\r\n\r\n"] {
        let answer = client.raw(request);
        assert!(answer.map_or(true, |(code, _)| code == 400));
    }
    for line in ["{", "[]", "{\"id\":1,\"op\":\"fly\"}", "{\"id\":-1,\"op\":\"open\"}"] {
        let mut stream = client.stream();
        stream.send(line);
        let reply = stream.next().expect("a refusal");
        assert_eq!(reply["error"]["code"], "bad_request", "{line}: {reply}");
        assert!(stream.next().is_none(), "it is closed");
    }
    let mut stream = client.stream();
    stream.send(&"x".repeat(70_000));
    assert_eq!(stream.next().expect("a refusal")["error"]["code"], "too_large");
    assert!(stream.next().is_none(), "it is closed");
    let answer = client.get("/v1/stream");
    assert_eq!((answer.0, &answer.1["code"]), (400, &json!("bad_request")));
    // Plain text where TLS is spoken.
    let mut plain = TcpStream::connect(&cluster.config.servers[0].api).expect("it listens");
    plain.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").expect("it reads");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "nothing is told in plain text");
}

/// A certificate of another authority, one that has expired, one of another cluster, and a server's.
fn certificates(cluster: &Cluster) {
    let folder = cluster.folder.path();
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file");
    let ours = cert::Pair { certificate: read("ca.pem"), key: read("ca.key") };
    let theirs = cert::authority("test", Validity::days(1)).expect("an authority");
    let now = cert::seconds_now();
    let past = Validity { from: now - 20, until: now - 10 };
    let pairs = [
        ("other", cert::issue_client(&theirs, "test", "x", Validity::days(1)), false),
        ("expired", cert::issue_client(&ours, "test", "x", past), false),
        ("elsewhere", cert::issue_client(&ours, "prod", "x", Validity::days(1)), false),
        ("known", cert::issue_client(&ours, "test", "client", Validity::days(1)), true),
    ];
    for (file, pair, welcome) in pairs {
        let pair = pair.expect("it can be signed");
        std::fs::write(folder.join(format!("{file}.pem")), pair.certificate).expect("there is room");
        std::fs::write(folder.join(format!("{file}.key")), pair.key).expect("there is room");
        let (code, answer) = cluster.tls(0, Some(file), None).post("/v1/sessions", &json!({}));
        assert_eq!(code == 201, welcome, "{file}: {code} {answer}");
        assert!(welcome || code == 0, "{file} is not even heard: {code}");
    }
}

/// A client's certificate is no server's, and whoever talks nonsense to servers is cut off.
fn peers(cluster: &Cluster) {
    let mut as_peer = cluster.tls(0, Some("client"), None);
    if let Way::Tls(_, address, _) = &mut as_peer.way {
        address.clone_from(&cluster.config.servers[0].peer);
    }
    let answer = as_peer.raw(b"\0\0\0\x01\0");
    assert!(answer.is_err(), "a client is not heard as a server");
    let mut noise = TcpStream::connect(&cluster.config.servers[0].peer).expect("it listens");
    let _ = noise.write_all(&[0xff; 64]);
    let mut rest = Vec::new();
    let _ = noise.read_to_end(&mut rest);
    assert!(rest.len() < 64, "no more than an alert");
}

/// Of connections that ask nothing the oldest give way; whoever asks stays, and streams count as connections.
fn flood(cluster: &Cluster, client: &Client, budget: &Budget) {
    let mut stream = client.stream();
    let mut silent: Vec<_> = (0..200).map(|_| client.connect().expect("it listens")).collect();
    let opened = stream.ask(&json!({ "id": 1, "op": "open" }));
    assert!(opened["opened"]["session"].is_string(), "{opened}");
    for one in &mut silent[..200 - budget.door] {
        assert!(matches!(one.read(&mut [0]), Ok(0) | Err(_)), "it has given way");
    }
    assert_eq!(client.get("/healthz").0, 200, "the last one finds a place");
    drop(silent);
    // Streams: each has a place for as long as it lasts.
    let mut streams: Vec<_> = (1..budget.local).map(|_| client.stream()).collect();
    let (code, answer) = client.post("/v1/sessions", &json!({}));
    assert_eq!((code, &answer["code"]), (429, &json!("limit")), "{answer}");
    let opened = stream.ask(&json!({ "id": 2, "op": "open" }));
    assert!(opened["opened"]["session"].is_string(), "those who are there go on: {opened}");
    assert_eq!(
        cluster.tls(0, Some("client"), None).get("/v1/status").0,
        200,
        "others have places of their own"
    );
    streams.clear();
    until("room again", || (client.get("/v1/status").0 == 200).then_some(()));
}

#[test]
fn who_asks_is_settled_before_a_body_is_read() {
    let phases = Phases { body: Duration::from_millis(300), ..Phases::default() };
    let limits = Limits { phases, ..Limits::default() };
    let cluster = Cluster::with(1, Options { limits, ..Options::default() });
    let head = |token: &str, length: usize| {
        format!("POST /v1/sessions HTTP/1.1\r\nhost: x\r\n{token}content-length: {length}\r\n\r\n")
    };
    let asks = |client: &Client, request: String| {
        let (code, body) = client.raw(request.as_bytes()).expect("an answer, though no body comes");
        (code, serde_json::from_slice::<serde_json::Value>(&body).expect("JSON")["code"].clone())
    };
    let stranger = cluster.tls(0, None, None);
    assert_eq!(asks(&stranger, head("", 60_000)), (401, json!("unauthenticated")));
    let wrong = head("authorization: Bearer wrong-wrong-wrong\r\n", 60_000);
    assert_eq!(asks(&stranger, wrong), (401, json!("unauthenticated")));
    // Whoever is known has some time for a body, and some bytes.
    let right = format!("authorization: Bearer {TOKEN}\r\n");
    assert_eq!(asks(&stranger, head(&right, 60_000)), (400, json!("bad_request")));
    let large = head(&right, 100_000) + &" ".repeat(100_000);
    assert_eq!(asks(&stranger, large), (413, json!("too_large")));
    // An answer without a name is the last one on its connection.
    let mut stream = stranger.connect().expect("it listens");
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").expect("it reads");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).to_lowercase();
    assert!(answer.starts_with("http/1.1 200") && answer.contains("connection: close"), "{answer}");
}

#[test]
fn what_cannot_start_says_why() {
    let cluster = Cluster::stopped(3, Options::default());
    let config = cluster.config_of(0);
    let refused = |config: &ringleader_server::config::Config| {
        let bound = Service::bind(config, 0, Options::default());
        let problem = bound.and_then(|service| service.run(|_| {})).expect_err("it cannot start");
        assert_eq!(problem.exit, 4);
        problem.to_string()
    };
    // The address is taken.
    let taken = std::net::TcpListener::bind(&config.servers[0].api).expect("it is free");
    assert!(refused(&config).contains("already in use"));
    drop(taken);
    // The folder cannot be one.
    let mut bad = config.clone();
    bad.data = cluster.folder.path().join("service.toml").join("data");
    assert!(refused(&bad).contains("cannot write in"));
    // The log of views is broken: it is not used.
    let views = config.data.join("views");
    std::fs::create_dir_all(&views).expect("there is room");
    std::fs::write(views.join("identity"), b"garbage that nobody wrote").expect("there is room");
    let said = refused(&config);
    assert!(said.contains("the log of views must not be used"), "{said}");
    // The certificate is not there.
    std::fs::remove_file(cluster.folder.path().join("a.pem")).expect("it was there");
    assert!(refused(&config).contains("cannot read the certificate"));
}
