//! A server that has more to do than it can.

use crate::support::{Cluster, until};
use ringleader_locks::{Class, Denial, Kind, Name};
use serde_json::{Value, json};
use std::sync::mpsc;

/// The server's thread stands still until the test lets it go on, as when it has more to do than it can. Nothing here
/// depends on how fast the machine is.
#[test]
fn overloaded_server_refuses_new_and_keeps_granted() {
    let cluster = Cluster::new(1);
    let client = cluster.client(0);
    let held = client.session("batch");
    let fence = client.holds("batch%2Fheld", &held, 1);
    let kept = client.session("batch");
    let given_back = client.holds("batch%2Fgiven-back", &kept, 1);
    let embedded = cluster.embedded(0);
    let inside = embedded.open(Class::Batch, "inside").expect("it serves");

    let (go_on, waits) = mpsc::channel::<()>();
    embedded.core().spawn(async move {
        let _ = waits.recv();
    });
    let refused = until("a refusal", || embedded.open(Class::Batch, "new").err());
    assert!(matches!(refused, Denial::Limit(_)), "{refused:?}");
    let name = Name::new(Kind::Lock, "batch/new").expect("a good name");
    let refused = inside.try_here(&name).expect_err("it is behind");
    assert!(matches!(refused, Denial::Limit(_)), "{refused:?}");
    let expired = embedded.core().tally().expired;

    // These wait for the server; none of them is refused.
    let (keeper, releaser) = (cluster.client(0), cluster.client(0));
    let answers = std::thread::scope(|scope| {
        let (held, kept) = (&held, &kept);
        let alive = scope.spawn(move || keeper.keep_alive(held));
        let released = scope.spawn(move || releaser.release("batch%2Fgiven-back", kept, &given_back));
        go_on.send(()).expect("it still waits");
        [alive.join().expect("no panic"), released.join().expect("no panic")]
    });
    for (code, answer) in answers {
        assert!(matches!(code, 200 | 204), "{code}: {answer}");
    }
    assert_eq!(embedded.core().tally().expired, expired, "no session was lost");

    until("a server that has caught up", || embedded.open(Class::Batch, "later").ok());
    let (_, lock) = client.get("/v1/locks/batch%2Fheld");
    assert_eq!(lock["fence"].as_str(), Some(fence.as_str()), "what was granted is still held: {lock}");
    assert_eq!(client.release("batch%2Fheld", &held, &fence).0, 204);
}

/// One connection asks more at once than it has a share of a turn for.
#[test]
fn keep_alive_overtakes_other_requests() {
    let cluster = Cluster::new(1);
    let client = cluster.client(0);
    let session = client.session("batch");
    let mut stream = client.stream();
    let cancel = |id: u64| json!({ "id": id, "op": "cancel", "session": session, "rid": id }).to_string();
    let mut questions: Vec<String> = (1..=40).map(cancel).collect();
    questions.push(json!({ "id": 41, "op": "keepalive", "session": session }).to_string());
    stream.send(&questions.join("\n"));
    let replies: Vec<u64> = questions
        .iter()
        .map(|_| stream.next().expect("a reply")["id"].as_u64().unwrap_or_default())
        .collect();
    let after: Vec<u64> = replies.iter().copied().skip_while(|id| *id != 41).collect();
    assert!(after.len() > 1, "the keep-alive is answered last: {replies:?}");
    let others: Vec<u64> = replies.into_iter().filter(|id| *id != 41).collect();
    assert_eq!(others, (1..=40).collect::<Vec<_>>(), "the others in their order");
}

/// What was asked before a line that is no question is done.
#[test]
fn questions_before_a_bad_line_are_answered() {
    let cluster = Cluster::new(1);
    let client = cluster.client(0);
    let session = client.session("batch");
    let mut stream = client.stream();
    let cancel = |id: u64| json!({ "id": id, "op": "cancel", "session": session, "rid": id }).to_string();
    let mut lines: Vec<String> = (1..=40).map(cancel).collect();
    lines.push("nonsense".to_owned());
    stream.send(&lines.join("\n"));
    let replies: Vec<Value> = std::iter::from_fn(|| stream.next()).collect();
    let answered: Vec<u64> = replies.iter().filter_map(|reply| reply["id"].as_u64()).collect();
    assert_eq!(answered, (1..=40).chain([0]).collect::<Vec<_>>(), "{replies:?}");
    assert_eq!(replies.last().map(|reply| &reply["error"]["code"]), Some(&json!("bad_request")));
}
