//! The crate `etcd-client`, which is not ours, against servers as processes of their own.

#![expect(clippy::print_stdout, reason = "how often something was held is told")]

mod doors;
mod elections;
mod locks;
mod refusals;
mod storm;

use etcd_client::{Client, Error, LockOptions};
use std::fmt::Debug;
use std::time::Duration;

/// A new lease, kept alive for as long as the test lasts.
async fn lease(client: &Client) -> i64 {
    let mut client = client.clone();
    let lease = client.lease_grant(60, None).await.expect("a lease").id();
    let (mut keeper, mut answers) = client.lease_keep_alive(lease).await.expect("it lives");
    tokio::spawn(async move {
        while keeper.keep_alive().await.is_ok() && matches!(answers.message().await, Ok(Some(_))) {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
    lease
}

/// With this lease.
fn with(lease: i64) -> Option<LockOptions> {
    Some(LockOptions::new().with_lease(lease))
}

/// The key of a lease under a name.
fn key(name: &str, lease: i64) -> String {
    format!("{name}/{lease:x}")
}

/// The code and the words of a refusal.
fn refused<T: Debug>(answer: Result<T, Error>) -> (i32, String) {
    match answer {
        Err(Error::GRpcStatus(status)) => (status.code() as i32, status.message().to_owned()),
        other => panic!("it is not refused: {other:?}"),
    }
}
