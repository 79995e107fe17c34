//! A server that has more to do than it can.

use crate::support::{Cluster, until};
use ringleader::lock::{Class, Denial, Kind, Name};
use std::sync::mpsc;

/// The server's thread stands still until the test lets it go on, as when it has more to do than it can. Nothing here
/// depends on how fast the machine is.
#[test]
fn server_that_is_behind_refuses_what_is_new_and_keeps_what_it_granted() {
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
