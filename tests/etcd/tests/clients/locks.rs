//! Leases and locks, at one server.

use crate::{key, lease, refused, with};
use etcd_clients::{Servers, TOLD_S, until};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_goes_from_client_to_client() {
    let servers = Servers::new(1).await;
    let (mut one, mut two) = (servers.client(0).await, servers.client(0).await);
    let (first, second) = (lease(&one).await, lease(&two).await);
    let had = one.lock("deep/name", with(first)).await.expect("it is free");
    assert_eq!(String::from_utf8_lossy(had.key()), key("deep/name", first));
    let waits = tokio::spawn(async move { (two.lock("deep/name", with(second)).await, two) });
    let looked = || servers.get(0, "/v1/locks/deep%2Fname").filter(|lock| lock["waiters"] == 1);
    let looked = until("the second waits", looked).await;
    let fence = |header: Option<&etcd_client::ResponseHeader>| header.expect("a header").revision();
    assert_eq!(looked["fence"], fence(had.header()).to_string(), "the revision is the fence");
    assert_eq!(looked["holder"], format!("etcd lease {first:x}"));
    let gave = one.unlock(had.key()).await.expect("it held");
    assert_eq!(fence(gave.header()), fence(had.header()));
    let (next, mut two) = waits.await.expect("no panic");
    let next = next.expect("it is free");
    assert!(fence(next.header()) > fence(had.header()));
    // Whoever holds nothing under this key is told so by the same answer as from etcd.
    one.unlock(had.key()).await.expect("it is free already");
    assert!(servers.get(0, "/v1/locks/deep%2Fname").is_some_and(|lock| lock["state"] == "held"));
    two.unlock(next.key()).await.expect("it held");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_a_session() {
    let servers = Servers::new(1).await;
    let mut client = servers.client(0).await;
    let short = client.lease_grant(1, None).await.expect("a lease");
    assert_eq!(short.ttl(), 1);
    let long = client.lease_grant(600, None).await.expect("a lease");
    // The session may have been promised a little less than the lease of its class, of which whole seconds are told.
    assert!((1..=TOLD_S).contains(&long.ttl()), "{}", long.ttl());
    let (mut keeper, mut answers) = client.lease_keep_alive(long.id()).await.expect("it lives");
    keeper.keep_alive().await.expect("it is sent");
    let alive = answers.message().await.expect("an answer").expect("an answer");
    assert!(alive.id() == long.id() && (1..=long.ttl()).contains(&alive.ttl()), "{alive:?}");
    let held = client.lock("a", with(long.id())).await.expect("it is free");
    let keys = Some(etcd_client::LeaseTimeToLiveOptions::new().with_keys());
    let left = client.lease_time_to_live(long.id(), keys).await.expect("it lives");
    assert_eq!(left.granted_ttl(), long.ttl());
    assert_eq!(left.keys(), [held.key().to_vec()]);
    client.lease_revoke(long.id()).await.expect("it ends");
    until("it is free", || servers.get(0, "/v1/locks/a").filter(|lock| lock["state"] == "free")).await;
    assert_eq!(client.lease_time_to_live(long.id(), None).await.expect("an answer").ttl(), -1);
    let (code, words) = refused(client.lock("a", with(long.id())).await);
    assert_eq!((code, words.as_str()), (5, "etcdserver: requested lease not found"));
    // A lease that nobody keeps alive ends of its own accord.
    let over = || servers.get(0, "/v1/status").filter(|status| status["sessions"] == 0);
    until("the short lease is over", over).await;
    assert_eq!(refused(client.lock("a", with(short.id())).await).0, 5);
    assert_eq!(refused(client.lease_revoke(short.id()).await).0, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_holds_is_answered_again() {
    let servers = Servers::new(1).await;
    let (mut one, mut two) = (servers.client(0).await, servers.client(0).await);
    let (first, second) = (lease(&one).await, lease(&two).await);
    let had = one.lock("a", with(first)).await.expect("it is free");
    let again = one.lock("a", with(first)).await.expect("it has it");
    assert_eq!(had.header().map(|header| header.revision()), again.header().map(|header| header.revision()));
    assert_eq!(had.key(), again.key());
    // Several calls of one lease may wait for the same, and stop waiting one by one.
    let asks =
        |mut client: etcd_client::Client| tokio::spawn(async move { client.lock("a", with(second)).await });
    let (left, stays) = (asks(two.clone()), asks(two.clone()));
    let waiters = |count: u64| servers.get(0, "/v1/locks/a").filter(|lock| lock["waiters"] == count);
    until("they wait as one", || waiters(1)).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    left.abort();
    let _ = left.await;
    one.unlock(had.key()).await.expect("it held");
    let next = stays.await.expect("no panic").expect("it is free");
    two.unlock(next.key()).await.expect("it held");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_given_up_waits_no_more() {
    let servers = Servers::new(1).await;
    let (mut one, mut two) = (servers.client(0).await, servers.client(0).await);
    let (first, second) = (lease(&one).await, lease(&two).await);
    let had = one.lock("a", with(first)).await.expect("it is free");
    let waits = tokio::spawn(async move { two.lock("a", with(second)).await });
    let waiters = |count: u64| servers.get(0, "/v1/locks/a").filter(|lock| lock["waiters"] == count);
    until("it waits", || waiters(1)).await;
    waits.abort();
    until("it does not wait", || waiters(0)).await;
    one.unlock(had.key()).await.expect("it held");
    until("nobody has it", || servers.get(0, "/v1/locks/a").filter(|lock| lock["state"] == "free")).await;
}
