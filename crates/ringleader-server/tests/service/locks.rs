//! Sessions, locks and elections, over HTTP, on the stream and in the same process.

use crate::support::{Client, Cluster, NORMAL_MS};
use ringleader_locks::{Class, Name};
use serde_json::json;
use std::io::Read;

fn number(fence: &str) -> u64 {
    fence.parse().expect("a fence")
}

#[test]
fn fences_grow_across_servers() {
    let cluster = Cluster::new(3);
    let clients: Vec<Client> = (0..3).map(|place| cluster.client(place)).collect();
    // A new cluster grants after one lease. Sessions that wait for it without being kept alive would end.
    let first = clients[0].session("normal");
    let fence = clients[0].holds("a%2Fb", &first, 1);
    assert_eq!(clients[0].release("a%2Fb", &first, &fence).0, 204);
    let sessions: Vec<String> = clients.iter().map(|client| client.session("normal")).collect();
    let mut last = 0;
    for round in 0..4 {
        for (client, session) in clients.iter().zip(&sessions) {
            let fence = client.holds("a%2Fb", session, round * 2 + 1);
            assert!(number(&fence) > last, "fences grow");
            last = number(&fence);
            let again = client.keep_alive(session).1["requests"][0].clone();
            assert_eq!((&again["state"], again["fence"].as_str()), (&json!("holds"), Some(fence.as_str())));
            let rid = again["rid"].as_u64().expect("a number");
            let (code, answer) = client.acquire("a%2Fb", session, rid, 1000);
            assert_eq!((code, answer["fence"].as_str()), (200, Some(fence.as_str())), "the same rid again");
            let (_, info) = client.get("/v1/locks/a%2Fb?consistent=1");
            assert_eq!((&info["state"], &info["holder"]), (&json!("held"), &json!("test")));
            assert_eq!(client.release("a%2Fb", session, &fence).0, 204);
            assert_eq!(client.keep_alive(session).0, 200);
        }
    }
    // A server lists what is held there. (What nobody holds it forgets if it is the home, and that is whoever came in
    // at the right moment.)
    let fence = clients[2].holds("a%2Fb", &sessions[2], 99);
    let (code, listed) = clients[2].get("/v1/locks");
    assert_eq!(code, 200);
    assert!(listed["locks"].as_array().is_some_and(|locks| locks.iter().any(|lock| lock["name"] == "a/b")));
    assert_eq!(clients[2].release("a%2Fb", &sessions[2], &fence).0, 204);
    let path = format!("/v1/sessions/{}", sessions[0]);
    assert_eq!(clients[0].call("DELETE", &path, "").0, 204);
    assert_eq!(clients[0].keep_alive(&sessions[0]).1["code"], "session_expired");
    an_election_shows_its_leader(&cluster);
    many_questions_on_one_stream(&cluster);
    in_the_same_process(&cluster);
    how_it_is(&cluster);
}

fn an_election_shows_its_leader(cluster: &Cluster) {
    let (first, second) = (cluster.client(0), cluster.client(1));
    let (one, two) = (first.session("normal"), second.session("normal"));
    let mut watcher = second.connect().expect("it listens");
    std::io::Write::write_all(&mut watcher, b"GET /v1/elections/boss/observe HTTP/1.1\r\nhost: x\r\n\r\n")
        .expect("it reads");
    let campaign = |value: &str, session: &str| json!({ "session": session, "rid": 1, "value": value });
    let (code, granted) = first.post("/v1/elections/boss/campaign", &campaign("10.0.0.1", &one));
    assert_eq!(code, 200, "{granted}");
    let waits = {
        let (second, body) = (second.clone(), campaign("10.0.0.2", &two));
        std::thread::spawn(move || second.post("/v1/elections/boss/campaign", &body))
    };
    let (_, leader) = second.get("/v1/elections/boss");
    assert_eq!((&leader["value"], &leader["kind"]), (&json!("10.0.0.1"), &json!("election")));
    let resign = json!({ "session": one, "fence": granted["fence"] });
    assert_eq!(first.post("/v1/elections/boss/resign", &resign).0, 204);
    let (code, next) = waits.join().expect("no panic");
    assert_eq!(code, 200, "{next}");
    assert!(number(next["fence"].as_str().unwrap_or("0")) > number(granted["fence"].as_str().unwrap_or("0")));
    // Whoever watches hears of the last one, whatever was left out in between.
    let (mut seen, mut buffer) = (String::new(), [0; 4096]);
    while !seen.contains("10.0.0.2") {
        let read = watcher.read(&mut buffer).expect("events");
        assert!(read > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    // A lock of the same name is another thing.
    assert_eq!(first.get("/v1/locks/boss").1["state"], "free");
}

fn many_questions_on_one_stream(cluster: &Cluster) {
    let client = cluster.tls(2, Some("client"), None);
    let mut stream = client.stream();
    let opened = stream.ask(&json!({ "id": 1, "op": "open", "class": "normal" }));
    let session = opened["opened"]["session"].as_str().expect("a session").to_owned();
    assert!(opened["opened"]["valid_ms"].as_u64().is_some_and(|valid| valid > 0 && valid <= NORMAL_MS));
    // Two questions at once; the second is answered although the first waits.
    let acquire = |id: u64, rid: u64| {
        let mut ask = json!({ "id": id, "op": "acquire", "name": "s", "session": session, "rid": rid });
        ask["wait_ms"] = json!(20_000);
        ask
    };
    let granted = stream.ask(&acquire(2, 1));
    let fence = granted["granted"]["fence"].as_str().expect("a fence").to_owned();
    stream.send(&acquire(3, 2).to_string());
    let alive = stream.ask(&json!({ "id": 4, "op": "keepalive", "session": session }));
    assert_eq!(alive["id"], 4);
    let states = alive["alive"]["requests"].as_array().map(Vec::len);
    assert_eq!(states, Some(2), "{alive}");
    stream.send(
        &json!({ "id": 5, "op": "release", "name": "s", "session": session, "fence": fence }).to_string(),
    );
    let both = [stream.next().expect("a reply"), stream.next().expect("a reply")];
    let of = |id: u64| both.iter().find(|reply| reply["id"] == id).expect("both are answered");
    assert_eq!(of(5)["done"], json!({}));
    assert!(of(3)["granted"]["fence"].as_str().is_some_and(|next| number(next) > number(&fence)));
    let closed = stream.ask(&json!({ "id": 6, "op": "close", "session": session }));
    assert_eq!(closed["done"], json!({}));
}

fn in_the_same_process(cluster: &Cluster) {
    let embedded = cluster.embedded(0);
    let session = embedded.open(Class::Normal, "embedded").expect("it serves");
    let name = Name::lock("here").expect("a name");
    // The first time the token may be elsewhere; then it is here.
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let fence = runtime.block_on(session.acquire(&name, None)).expect("it is free");
    assert!(session.holds(fence));
    session.release(&name, fence).expect("it is held");
    let before = cluster.embedded(0).core().mesh().tally().sent.load(std::sync::atomic::Ordering::Relaxed);
    let (rounds, begun) = (20_000_u32, std::time::Instant::now());
    let mut last = fence;
    for _ in 0..rounds {
        let fence = session.try_here(&name).expect("it is free").expect("the token is here");
        assert!(fence.fence > last.fence);
        last = fence;
        session.release(&name, fence).expect("it is held");
    }
    let took = begun.elapsed();
    let after = cluster.embedded(0).core().mesh().tally().sent.load(std::sync::atomic::Ordering::Relaxed);
    // Pings go on meanwhile; locks send nothing.
    let pings = 2 * (took.as_millis() as u64 / 50 + 4);
    assert!(after - before <= pings, "{} messages for {rounds} pairs", after - before);
    assert!(!session.holds(last));
}

fn how_it_is(cluster: &Cluster) {
    let client = cluster.client(1);
    let (code, status) = client.get("/v1/status");
    assert_eq!((code, &status["joined"], &status["server"]), (200, &json!(true), &json!("b")));
    assert_eq!(status["connected"], json!(["a", "c"]));
    let (_, members) = client.get("/v1/members");
    let all = members["members"].as_array().expect("a list");
    assert!(all.iter().all(|one| one["member"] == true && one["votes"] == true), "{members}");
    let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n";
    let (code, text) = client.raw(request).expect("it answers");
    let text = String::from_utf8(text).expect("text");
    assert_eq!(code, 200);
    for line in [
        "ringleader_epoch ",
        "ringleader_grants_total{class=\"normal\"}",
        "ringleader_acquire_seconds_bucket{",
        "ringleader_lease_remaining_seconds{class=\"fast\"}",
        "ringleader_sessions ",
        "ringleader_token_hops_total ",
        "# EOF",
    ] {
        assert!(text.contains(line), "{line} is missing in {text}");
    }
}
