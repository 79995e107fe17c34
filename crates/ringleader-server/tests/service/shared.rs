//! Locks that several hold, over HTTP at three servers, and requests for them that make no sense.

use crate::support::{Client, Cluster, until};
use serde_json::{Value, json};

/// Asks for a lock in some way.
fn asks(client: &Client, how: &str, session: &str, rid: u64, with: &Value) -> (u16, Value) {
    let mut body = json!({ "session": session, "rid": rid });
    for (key, value) in with.as_object().into_iter().flatten() {
        body[key] = value.clone();
    }
    client.post(how, &body)
}

/// The fence of a lock that can be had; until every server is known to speak the version of it, nobody is granted one.
fn holds(client: &Client, name: &str, session: &str, rid: u64, with: &Value) -> u64 {
    until("the lock is granted", || {
        assert_eq!(client.keep_alive(session).0, 200);
        let (code, answer) = asks(client, &format!("/v1/locks/{name}/acquire"), session, rid, with);
        assert!(matches!(code, 200 | 503), "{answer}");
        let fence = answer["fence"].as_str().map(|fence| fence.parse().expect("a number"));
        fence.filter(|_| code == 200)
    })
}

fn word(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["code"].as_str().unwrap_or("none"))
}

#[test]
fn shared_locks_and_permits_over_all_servers() {
    let cluster = Cluster::new(3);
    let clients: Vec<Client> = (0..3).map(|place| cluster.client(place)).collect();
    let sessions: Vec<String> = clients.iter().map(|client| client.session("normal")).collect();
    let alive = || clients.iter().zip(&sessions).all(|(client, session)| client.keep_alive(session).0 == 200);
    let shared = json!({ "mode": "shared" });
    let reads = [0, 1].map(|place| holds(&clients[place], "s", &sessions[place], 1, &shared));
    assert!(alive());
    let (writer, session) = (&clients[2], &sessions[2]);
    assert_eq!(word(&writer.acquire("s", session, 1, 50)), (408, "timeout"));
    let (_, info) = clients[0].get("/v1/locks/s?consistent=1");
    assert_eq!(
        (&info["mode"], &info["holders"], &info["state"]),
        (&json!("shared"), &json!(2), &json!("held"))
    );
    for (place, fence) in reads.iter().enumerate() {
        assert_eq!(clients[place].release("s", &sessions[place], &fence.to_string()).0, 204);
    }
    assert!(alive());
    let wrote = holds(writer, "s", session, 2, &json!({ "mode": "exclusive" }));
    assert!(reads.iter().all(|read| *read < wrote), "{reads:?}, {wrote}");
    assert!(alive());
    assert_eq!(word(&asks(&clients[0], "/v1/locks/s/try", &sessions[0], 2, &shared)), (409, "locked"));

    let two = json!({ "permits": 2 });
    let permits = [0, 1].map(|place| holds(&clients[place], "k", &sessions[place], 3, &two));
    assert!(alive());
    assert_eq!(word(&asks(writer, "/v1/locks/k/try", session, 4, &two)), (409, "locked"));
    // Somebody holds it in another way.
    for with in [json!({}), shared, json!({ "permits": 3 })] {
        let answer = asks(writer, "/v1/locks/k/acquire", session, 5, &with);
        assert_eq!(word(&answer), (409, "mode_mixed"), "{with}");
        assert!(answer.1["certain"].as_str().is_some_and(|certain| certain.contains("not granted")));
    }
    let (_, info) = clients[1].get("/v1/locks/k?consistent=1");
    let told = (&info["mode"], &info["permits"], &info["holders"]);
    assert_eq!(told, (&json!("permits"), &json!(2), &json!(2)));
    assert_eq!(clients[0].release("k", &sessions[0], &permits[0].to_string()).0, 204);
    assert!(holds(writer, "k", session, 6, &two) > permits[1]);
}

#[test]
fn bad_modes_are_refused() {
    let cluster = Cluster::new(1);
    let client = cluster.client(0);
    let session = client.session("normal");
    let bad = [
        json!({ "permits": 0 }),
        json!({ "permits": -1 }),
        json!({ "permits": 1001 }),
        json!({ "permits": 1.5 }),
        json!({ "permits": "two" }),
        json!({ "mode": "read" }),
        json!({ "mode": "" }),
        json!({ "mode": 1 }),
        json!({ "mode": "shared", "permits": 2 }),
    ];
    let of_elections = [json!({ "mode": "shared" }), json!({ "permits": 1 })];
    let locks = bad.iter().flat_map(|with| [("/v1/locks/x/acquire", with), ("/v1/locks/x/try", with)]);
    let elections = bad.iter().chain(&of_elections).map(|with| ("/v1/elections/x/campaign", with));
    for (rid, (path, with)) in (1..).zip(locks.chain(elections)) {
        let answer = asks(&client, path, &session, rid, with);
        assert_eq!(word(&answer), (400, "bad_request"), "{path} {with}: {}", answer.1);
        assert!(answer.1["certain"].as_str().is_some_and(|certain| certain.contains("nothing was done")));
    }
    let said = asks(&client, "/v1/locks/x/acquire", &session, 1, &json!({ "permits": 0 })).1;
    assert!(said["message"].as_str().is_some_and(|said| said.contains("1 to 1000")), "{said}");
    for path in ["/v1/locks/x?consistent=1", "/v1/elections/x?consistent=1"] {
        let info = until("it can be asked", || Some(client.get(path)).filter(|(code, _)| *code == 200)).1;
        assert_eq!(
            (&info["state"], &info["holders"], &info["mode"]),
            (&json!("free"), &json!(0), &json!("exclusive"))
        );
    }
}
