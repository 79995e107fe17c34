//! What is not kept is refused, with words, and nothing is granted.

use crate::{key, lease, refused, with};
use etcd_client::LeaseGrantOptions;
use etcd_clients::Servers;

const INVALID: i32 = 3;
const NOT_FOUND: i32 = 5;
const UNIMPLEMENTED: i32 = 12;

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_not_imitated() {
    let servers = Servers::new(1).await;
    let mut client = servers.client(0).await;
    let plain = [
        refused(client.put("plain", "value", None).await),
        refused(client.get("plain", None).await),
        refused(client.delete("plain", None).await),
        refused(client.txn(etcd_client::Txn::new()).await),
        refused(client.watch("plain", None).await),
        refused(client.leases().await),
        refused(client.member_remove(1).await),
        refused(client.auth_enable().await),
    ];
    for (code, words) in plain {
        assert_eq!(code, UNIMPLEMENTED);
        assert!(words.contains("is not served here") && words.contains("v3lockpb.Lock"), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_means_nothing_grants_nothing() {
    let servers = Servers::new(1).await;
    let mut client = servers.client(0).await;
    let own = lease(&client).await;
    let number = Some(LeaseGrantOptions::new().with_id(77));
    let cases = [
        (INVALID, "the number that the server gives it", refused(client.lease_grant(5, number).await)),
        (INVALID, "too large lease TTL", refused(client.lease_grant(i64::MAX, None).await)),
        (INVALID, "needs a lease", refused(client.lock("a", None).await)),
        (INVALID, "needs a lease", refused(client.campaign("a", "me", 0).await)),
        (INVALID, "at least one character", refused(client.lock("", with(own)).await)),
        (INVALID, "at most 512 bytes", refused(client.lock("x".repeat(513), with(own)).await)),
        (INVALID, "UTF-8", refused(client.lock(vec![0xff], with(own)).await)),
        (INVALID, "UTF-8", refused(client.campaign("a", vec![0xff], own).await)),
        (INVALID, "at most 4096", refused(client.campaign("a", "x".repeat(4097), own).await)),
        (INVALID, "is of class fast", refused(client.lock("fast/a", with(own)).await)),
        (INVALID, "is no key of a lock", refused(client.unlock("plain").await)),
        (INVALID, "is no key of a lock", refused(client.unlock("a/xyz").await)),
        (NOT_FOUND, "lease not found", refused(client.unlock("a/77").await)),
        (NOT_FOUND, "lease not found", refused(client.lock("a", with(-5)).await)),
        (NOT_FOUND, "lease not found", refused(client.lock("a", with(own + 1)).await)),
        (NOT_FOUND, "lease not found", refused(client.lock("a", with(own + (1 << 47))).await)),
        (NOT_FOUND, "lease not found", refused(client.unlock(key("a", own + 1)).await)),
        (8, "more than", refused(client.campaign("a", "x".repeat(1 << 20), own).await)),
    ];
    for (expected, says, (code, words)) in cases {
        assert_eq!(code, expected, "{words}");
        assert!(words.contains(says), "{words}");
    }
    let status = servers.get(0, "/v1/status").expect("an answer");
    assert_eq!((&status["held"], &status["waiters"], &status["sessions"]), (&0.into(), &0.into(), &1.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_of_another_client_is_unknown() {
    let servers = Servers::new(1).await;
    let mut owner = servers.client(0).await;
    let own = lease(&owner).await;
    let held = owner.lock("ci/a", with(own)).await.expect("it is free");
    let mut thief = servers.connect(&[0], servers.with_token()).await.expect("it connects");
    for refused in [
        refused(thief.lock("ci/b", with(own)).await),
        refused(thief.unlock(held.key()).await),
        refused(thief.campaign("ci/main", "thief", own).await),
        refused(thief.lease_revoke(own).await),
    ] {
        assert_eq!(refused, (NOT_FOUND, "etcdserver: requested lease not found".to_owned()));
    }
    assert_eq!(thief.lease_time_to_live(own, None).await.expect("an answer").ttl(), -1);
    let told = thief.lease_keep_alive(own).await.expect_err("it has no time left");
    assert!(told.to_string().contains("lease not found"), "{told}");
    assert!(servers.get(0, "/v1/locks/ci%2Fa").is_some_and(|lock| lock["state"] == "held"));
    let held = servers.get(0, "/v1/status").expect("an answer");
    assert_eq!(held["held"], 1);
}
