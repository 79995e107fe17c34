//! Every error of the table, provoked, and what it promises.

use crate::support::{Client, Cluster, TOKEN, until};
use ringleader_server::Options;
use ringleader_server::http::Limits;
use serde_json::{Value, json};
use std::time::Duration;

/// The number of HTTP, the word, and what is certain.
fn refused(answer: &(u16, Value), code: u16, word: &str, certain: &str) {
    assert_eq!((answer.0, answer.1["code"].as_str()), (code, Some(word)), "{}", answer.1);
    let said = answer.1["certain"].as_str().unwrap_or("");
    assert!(said.contains(certain), "{said}");
    assert!(answer.1["message"].as_str().is_some_and(|message| !message.is_empty()));
}

#[test]
fn every_refusal_says_what_is_certain() {
    let mut cluster = Cluster::with(
        3,
        Options {
            drain: Duration::from_secs(1),
            limits: Limits { calls: 6, questions: 3, ..Limits::default() },
            ..Options::default()
        },
    );
    let client = cluster.client(0);
    let (mine, other) = (client.session("normal"), client.session("normal"));
    locks(&client, &mine, &other);
    requests(&client, &mine);
    who(&cluster, &client, &mine);
    sessions(&client);
    limits(&cluster, &client);
    leaving(&mut cluster);
    cut_off(&mut cluster);
}

fn locks(client: &Client, mine: &str, other: &str) {
    let fence = client.holds("x", mine, 1);
    let tried = client.post("/v1/locks/x/try", &json!({ "session": other, "rid": 1 }));
    refused(&tried, 409, "locked", "not granted to this request");
    refused(&client.acquire("x", other, 2, 50), 408, "timeout", "the wait was withdrawn");
    // The promise: the wait is gone, so the release leaves the lock free.
    refused(&client.release("x", other, &fence), 409, "not_holder", "does not hold");
    let wrong = (fence.parse::<u64>().expect("a number") + 1).to_string();
    refused(&client.release("x", mine, &wrong), 409, "not_holder", "does not hold");
    assert_eq!(client.release("x", mine, &fence).0, 204);
    assert_eq!(client.get("/v1/locks/x").1["state"], "free");
    refused(&client.release("x", mine, &fence), 409, "not_holder", "does not hold");
}

fn requests(client: &Client, mine: &str) {
    let post = |path: &str, body: &str| client.call("POST", path, body);
    refused(&post("/v1/sessions", "{"), 400, "bad_request", "nothing was done");
    refused(&post("/v1/sessions", "{\"ttl\":1}"), 400, "bad_request", "nothing was done");
    refused(&post("/v1/sessions", "{\"ttl_ms\":1}"), 400, "bad_request", "nothing was done");
    refused(&post("/v1/sessions", "{\"ttl_ms\":999999}"), 400, "bad_request", "nothing was done");
    refused(&post("/v1/sessions", "{\"class\":\"slow\"}"), 400, "bad_request", "nothing was done");
    // A list is not read as the fields in their order.
    refused(&post("/v1/sessions", "[null, null]"), 400, "bad_request", "nothing was done");
    refused(&client.get("/v1/locks?limit=-1"), 400, "bad_request", "nothing was done");
    refused(&client.post("/v1/members/%FF/drain", &json!({})), 400, "bad_request", "nothing was done");
    refused(&client.keep_alive("xyz"), 400, "bad_request", "nothing was done");
    refused(&client.release("x", mine, "-1"), 400, "bad_request", "nothing was done");
    refused(&client.acquire(&"x".repeat(600), mine, 9, 0), 400, "bad_name", "nothing was done");
    refused(&client.acquire("%00", mine, 9, 0), 400, "bad_name", "nothing was done");
    refused(&client.acquire("%FF", mine, 9, 0), 400, "bad_name", "nothing was done");
    // A session that lasts longer than the lease of the lock cannot hold it, and is told which can.
    let fast = client.acquire("fast/x".replace('/', "%2F").as_str(), mine, 9, 0);
    refused(&fast, 400, "bad_request", "nothing was done");
    assert!(
        fast.1["help"].as_str().is_some_and(|help| help.contains("of class fast: a session")),
        "{}",
        fast.1
    );
    let value = "v".repeat(5000);
    let body = json!({ "session": mine, "rid": 9, "value": value });
    refused(&client.post("/v1/locks/x/acquire", &body), 400, "bad_request", "nothing was done");
    refused(&client.get("/v1/nothing"), 404, "not_found", "nothing was done");
    refused(&client.call("PUT", "/v1/locks/x", ""), 405, "bad_request", "nothing was done");
    let large = "x".repeat(100_000);
    refused(&post("/v1/sessions", &large), 413, "too_large", "nothing was done");
}

fn who(cluster: &Cluster, client: &Client, mine: &str) {
    let stranger = cluster.tls(0, None, None);
    refused(&stranger.post("/v1/sessions", &json!({})), 401, "unauthenticated", "nothing was done");
    let guess = cluster.tls(0, None, Some("wrong"));
    refused(&guess.post("/v1/sessions", &json!({})), 401, "unauthenticated", "nothing was done");
    let known = cluster.tls(0, None, Some(TOKEN));
    let session = known.session("normal");
    refused(&known.acquire("x", &session, 1, 0), 403, "forbidden", "nothing was done");
    refused(&known.post("/v1/members/a/drain", &json!({})), 403, "forbidden", "nothing was done");
    refused(&known.get("/v1/elections/x"), 403, "forbidden", "nothing was done");
    assert_eq!(known.acquire("ci%2Fx", &session, 2, 20_000).0, 200);
    // A stolen session is of no use without the credentials, and is not hurt by the attempt.
    refused(&known.keep_alive(mine), 410, "session_unknown", "nothing was granted");
    refused(&known.acquire("ci%2Fy", mine, 77, 0), 410, "session_unknown", "nothing was granted");
    assert_eq!(known.call("DELETE", &format!("/v1/sessions/{mine}"), "").0, 410);
    assert_eq!(client.keep_alive(mine).0, 200);
    let moved = client.post("/v1/members/b/drain", &json!({}));
    refused(&moved, 307, "moved", "nothing was done");
    refused(&client.post("/v1/members/z/drain", &json!({})), 404, "not_found", "nothing was done");
    refused(&client.post("/v1/members/b/remove", &json!({})), 409, "not_drained", "nothing was done");
}

fn sessions(client: &Client) {
    let nobody = format!("{:032x}", 7);
    refused(&client.keep_alive(&nobody), 410, "session_unknown", "nothing was granted");
    // A session that is silent ends; its lock is free then, and its waits are told.
    let (short, long) = (client.session("fast"), client.session("normal"));
    let fence = client.holds("fast%2Fs", &short, 1);
    let waits = {
        let (client, short) = (client.clone(), short.clone());
        std::thread::spawn(move || {
            let held = client.session("normal");
            let other = client.holds("held", &held, 1);
            let answer = client.acquire("held", &short, 2, 50_000);
            (answer, client.release("held", &held, &other))
        })
    };
    let (answer, _) = waits.join().expect("no panic");
    assert_eq!(answer.0, 410, "{}", answer.1);
    refused(&client.release("fast%2Fs", &short, &fence), 410, "session_expired", "is or will be free");
    assert_eq!(client.get("/v1/locks/fast%2Fs").1["state"], "free");
    let _ = long;
}

fn limits(cluster: &Cluster, client: &Client) {
    // More calls than may wait are refused at once, and the others go on.
    let session = client.session("batch");
    let fence = client.holds("batch%2Fl", &session, 1);
    let waiting: Vec<_> = (2..8)
        .map(|rid| {
            let (client, session) = (client.clone(), session.clone());
            std::thread::spawn(move || client.acquire("batch%2Fl", &session, rid, 50_000))
        })
        .collect();
    until("a full house", || {
        let answer = client.post("/v1/sessions", &json!({}));
        (answer.0 == 429).then(|| refused(&answer, 429, "limit", "nothing was done"))
    });
    let mut stream = cluster.client(0).stream();
    let ask = |id: u64| {
        json!({ "id": id, "op": "acquire", "name": "batch/l", "session": session, "rid": 100 + id,
                "wait_ms": 50_000 })
        .to_string()
    };
    (1..=3).for_each(|id| stream.send(&ask(id)));
    stream.send(&ask(4));
    let reply = stream.next().expect("a reply");
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(4), &json!("limit")));
    drop(stream);
    let path = format!("/v1/sessions/{session}");
    let mut closing = cluster.client(0).stream();
    let closed = closing.ask(&json!({ "id": 1, "op": "close", "session": session }));
    assert_eq!(closed["done"], json!({}), "{path}");
    for thread in waiting {
        let answer = thread.join().expect("no panic");
        assert!([410, 429].contains(&answer.0), "{}: {}", answer.0, answer.1);
    }
    let _ = fence;
}

fn leaving(cluster: &mut Cluster) {
    let client = cluster.client(2);
    let session = client.session("normal");
    let fence = client.holds("d", &session, 1);
    assert_eq!(client.post("/v1/members/c/drain", &json!({})).0, 202);
    refused(&client.post("/v1/sessions", &json!({})), 503, "draining", "nothing was done");
    assert_eq!(client.keep_alive(&session).1["draining"], true);
    assert_eq!(client.get("/readyz").0, 503);
    assert_eq!(client.release("d", &session, &fence).0, 204);
    // Then it leaves by itself, and the lock is free at once: nobody waits for its leases.
    let other = cluster.client(0);
    let next = other.session("normal");
    assert!(other.holds("d", &next, 1).parse::<u64>().is_ok());
    cluster.leave(2);
}

/// Two of three servers are gone: nothing is granted, and that is said.
fn cut_off(cluster: &mut Cluster) {
    let client = cluster.client(0);
    let session = client.session("batch");
    cluster.kill(1);
    let answer = until("no lease", || {
        let answer = client.post("/v1/sessions", &json!({ "class": "fast" }));
        (answer.0 == 503).then_some(answer)
    });
    refused(&answer, 503, "no_lease", "nothing was granted");
    assert!(answer.1["retry_after_ms"].as_u64().is_some_and(|retry| retry > 0), "{}", answer.1);
    assert_eq!(client.get("/readyz").0, 503);
    assert_eq!(client.get("/healthz").0, 200);
    let _ = session;
}
