//! Elections, at one server.

use crate::{key, lease, refused};
use etcd_client::{Client, LeaderKey, ProclaimOptions, ResignOptions};
use etcd_clients::{Servers, until};

async fn campaigns(client: &mut Client, value: &str, lease: i64) -> LeaderKey {
    let answer = client.campaign("main", value, lease).await.expect("it is elected");
    answer.leader().expect("a leader").clone()
}

fn as_leader(leader: &LeaderKey) -> Option<ResignOptions> {
    Some(ResignOptions::new().with_leader(leader.clone()))
}

async fn proclaims(client: &mut Client, leader: &LeaderKey, value: &str) -> Result<(), etcd_client::Error> {
    let options = Some(ProclaimOptions::new().with_leader(leader.clone()));
    client.proclaim(value, options).await.map(|_| ())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_is_seen_and_followed_by_the_next() {
    let servers = Servers::new(1).await;
    let (mut one, mut two, mut third) =
        (servers.client(0).await, servers.client(0).await, servers.client(0).await);
    let (code, words) = refused(one.leader("main").await);
    assert_eq!((code, words.as_str()), (5, "election: no leader"));
    let (first, second) = (lease(&one).await, lease(&two).await);
    let leader = campaigns(&mut one, "one", first).await;
    assert_eq!(leader.key_str().expect("text"), key("main", first));
    assert_eq!((leader.name_str().expect("text"), leader.lease()), ("main", first));
    let mut seen = third.observe("main").await.expect("it observes");
    let waits = tokio::spawn(async move { (campaigns(&mut two, "two", second).await, two) });
    let looked = || servers.get(0, "/v1/elections/main").filter(|election| election["waiters"] == 1);
    let looked = until("the second waits", looked).await;
    assert_eq!((&looked["value"], &looked["fence"]), (&"one".into(), &leader.rev().to_string().into()));
    let mut next = async || {
        let answer = seen.message().await.expect("an answer").expect("it goes on");
        let kv = answer.kv().expect("a leader").clone();
        assert_eq!(kv.create_revision(), kv.mod_revision());
        (kv.value_str().expect("text").to_owned(), kv.create_revision(), kv.lease())
    };
    assert_eq!(next().await, ("one".to_owned(), leader.rev(), first));
    // It shows another value while it leads.
    proclaims(&mut one, &leader, "one, later").await.expect("it leads");
    assert_eq!(next().await, ("one, later".to_owned(), leader.rev(), first));
    let told = third.leader("main").await.expect("somebody leads");
    let kv = told.kv().expect("a leader");
    assert_eq!(
        (kv.key_str().expect("text"), kv.value_str().expect("text")),
        (&*key("main", first), "one, later")
    );
    // To campaign again is to proclaim.
    assert_eq!(campaigns(&mut one, "one, again", first).await.rev(), leader.rev());
    assert_eq!(next().await, ("one, again".to_owned(), leader.rev(), first));
    one.resign(as_leader(&leader)).await.expect("it leads");
    let (successor, mut two) = waits.await.expect("no panic");
    assert!(successor.rev() > leader.rev());
    assert_eq!(next().await, ("two".to_owned(), successor.rev(), second));
    // What is over is over: who led before changes nothing now.
    assert_eq!(refused(proclaims(&mut one, &leader, "late").await).0, 9);
    assert_eq!(refused(one.resign(as_leader(&leader)).await).0, 9);
    assert!(servers.get(0, "/v1/elections/main").is_some_and(|election| election["value"] == "two"));
    two.resign(as_leader(&successor)).await.expect("it leads");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_revision_changes_nothing() {
    let servers = Servers::new(1).await;
    let (mut one, mut two) = (servers.client(0).await, servers.client(0).await);
    let (first, second) = (lease(&one).await, lease(&two).await);
    let leader = campaigns(&mut one, "one", first).await;
    let unchanged = || {
        let election = servers.get(0, "/v1/elections/main").expect("an answer");
        assert_eq!((&election["state"], &election["value"]), (&"held".into(), &"one".into()));
    };
    // Of the future, of the past, and of another lease.
    for wrong in [leader.clone().with_rev(leader.rev() + 1), leader.clone().with_rev(leader.rev() - 1)] {
        let (code, words) = refused(one.resign(as_leader(&wrong)).await);
        assert!(code == 9 && words.starts_with("election: not leader"), "{code} {words}");
        assert_eq!(refused(proclaims(&mut one, &wrong, "wrong").await).0, 9);
        unchanged();
    }
    let others = leader.clone().with_lease(second).with_key(key("main", second));
    assert_eq!(refused(two.resign(as_leader(&others)).await).0, 9);
    unchanged();
    // A key that was given to nobody.
    for wrong in [
        leader.clone().with_key("main"),
        leader.clone().with_name("other"),
        leader.clone().with_lease(second),
    ] {
        assert_eq!(refused(one.resign(as_leader(&wrong)).await).0, 3);
        unchanged();
    }
    assert_eq!(refused(one.resign(None).await).0, 3);
    one.resign(as_leader(&leader)).await.expect("it leads");
}
