//! Disks that fill up, orders that nobody knows, logs of others.

use super::*;
use crate::store::raft::types::Order;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_stops_replica_without_loss() {
    for room in [0, 40, 400, 900, 1_500, 2_500, 4_000] {
        let cluster = Cluster::of(1);
        let left = full_after(room);
        let wire = Arc::new(End(cluster.net.clone(), 0));
        let mut known = 0;
        let why = match RaftStore::open_in(cluster.options(0), wire, left).await {
            Err(error) => error,
            Ok(store) => {
                let why = eventually(|| async {
                    match store.read().await {
                        Ok(_) => Some(None),
                        Err(error @ StoreError::Broken(_)) => Some(Some(error)),
                        Err(StoreError::Unavailable(_)) => None,
                    }
                })
                .await;
                let why = match why {
                    Some(error) => error,
                    None => loop {
                        let view = match store.read().await {
                            Ok(view) => view,
                            Err(StoreError::Unavailable(_)) => continue,
                            Err(error @ StoreError::Broken(_)) => break error,
                        };
                        known = known.max(view.epoch);
                        match store.propose(Command::SetProto(view.epoch, 5)).await {
                            Ok(view) => known = known.max(view.epoch),
                            Err(StoreError::Unavailable(_)) => {}
                            Err(error @ StoreError::Broken(_)) => break error,
                        }
                    },
                };
                assert!(store.read().await.is_err(), "it answers nothing any more");
                store.close().await;
                why
            }
        };
        assert!(matches!(why, StoreError::Broken(_)), "{room}: {why:?}");
        cluster.start(0).await;
        let again = cluster.agree(0).await.epoch;
        assert!(again >= known, "{room}: epoch {known} was known, and {again} is left");
        cluster.kill(0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_open_releases_the_directory() {
    let cluster = Cluster::of(1);
    for _ in 0..100 {
        let full = full_after(0);
        let wire = Arc::new(End(cluster.net.clone(), 0));
        assert!(RaftStore::open_in(cluster.options(0), wire, full).await.is_err(), "there is no room");
        let again = Disk::open(&cluster.directory(0), None, Arc::default()).map(|_| ());
        assert_eq!(again, Ok(()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_nobody_knows_stops_everybody() {
    let cluster = Cluster::started(3).await;
    let error = eventually(|| async {
        for server in 0..3 {
            let store = cluster.store(server);
            // From a version that is yet to come; who does not lead refuses it.
            let _ =
                tokio::time::timeout(Duration::from_secs(1), store.inner.raft.client_write(Order(vec![99])))
                    .await;
            if let Err(StoreError::Broken(why)) = store.read().await {
                return Some(why);
            }
        }
        None
    })
    .await;
    assert!(error.contains("an order that this version does not know"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_request_changes_nothing() {
    let cluster = Cluster::started(3).await;
    let before = cluster.agree(0).await;
    let mut requests = vec![Bytes::new(), Bytes::from_static(b"{}"), Bytes::from_static(&[0xFF; 70_000])];
    requests.push(Bytes::from("[".repeat(100_000)));
    for request in requests {
        let answer = cluster.store(0).serve(1, request).await;
        assert!(String::from_utf8_lossy(&answer).contains("a request that this version does not know"));
    }
    assert_eq!(cluster.agree(0).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_directory_is_refused() {
    let cluster = Cluster::started(1).await;
    cluster.kill(0).await;
    let mut options = cluster.options(0);
    options.id = 1;
    let wire = Arc::new(End(cluster.net.clone(), 1));
    let error = RaftStore::open(options, wire).await.map(|_| ()).expect_err("it is the one of server 0");
    assert!(error.to_string().contains("the directory is the one of server 0"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_another_cluster_gets_no_say() {
    let (ours, theirs) = (Cluster::started(3).await, Cluster::started(3).await);
    let view = ours.change(0).await;
    ours.kill(2).await;
    emptied(&ours.directory(2));
    theirs.kill(2).await;
    std::fs::rename(theirs.directory(2), ours.directory(2)).expect("it is there");
    let stranger = ours.start(2).await;
    let why = eventually(|| async {
        match stranger.read().await {
            Err(StoreError::Broken(why)) => Some(why),
            Ok(view) => panic!("it reads {view:?}"),
            Err(StoreError::Unavailable(_)) => None,
        }
    })
    .await;
    assert!(why.contains("the log of another cluster"), "{why}");
    assert!(ours.change(1).await.epoch > view.epoch);
}

/// A server was away for long and gets a snapshot, on a disk that is full after so many bytes: whatever was written,
/// with room again it goes on.
#[test]
fn full_disk_during_snapshot_keeps_directory_usable() {
    in_paused_time(1, async {
        let cluster = Cluster::slow(&[], 8).start_all().await;
        let leader = cluster.leader().await;
        let away = (leader + 1) % 3;
        for room in (0..6_000).step_by(400) {
            cluster.kill(away).await;
            for _ in 0..20 {
                cluster.change(leader).await;
            }
            let rig = Rig { in_place: true, ..full_after(room) };
            let started = cluster.start_in(away, rig).await;
            sleep(Duration::from_secs(2)).await;
            if started.is_ok() {
                cluster.kill(away).await;
            }
            cluster.start(away).await;
        }
        for server in 0..3 {
            cluster.agree(server).await;
        }
        for server in 0..3 {
            cluster.kill(server).await;
        }
    });
}

/// While they have no leader yet, servers that are well do not give up because a stranger refuses them.
#[test]
fn server_of_another_cluster_stops_nobody_else() {
    for seed in 0..repetitions(50) {
        in_paused_time(seed, async {
            let (ours, theirs) =
                (Cluster::slow(&[], 256).start_all().await, Cluster::slow(&[], 256).start_all().await);
            for server in 0..3 {
                ours.kill(server).await;
                theirs.kill(server).await;
            }
            emptied(&ours.directory(2));
            std::fs::rename(theirs.directory(2), ours.directory(2)).expect("it is there");
            for server in [2, 0, 1] {
                ours.start(server).await;
            }
            for server in [0, 1] {
                let store = ours.store(server);
                eventually(|| async {
                    let read = store.read().await;
                    assert!(!matches!(read, Err(StoreError::Broken(_))), "server {server}: {read:?}");
                    read.ok()
                })
                .await;
            }
            for server in 0..3 {
                ours.kill(server).await;
            }
        });
    }
}
