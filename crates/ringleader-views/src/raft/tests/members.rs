//! Who votes, changed while it runs; who was away for long; who lost everything.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn voters_come_and_go_one_at_a_time() {
    let mut cluster = Cluster::started(3).await;
    let before = cluster.change(0).await;
    // The configuration has four servers now; the cluster has begun long ago, and a new one must not begin another.
    cluster.voters.insert(3);
    let fourth = cluster.start(3).await;
    eventually(|| async {
        let error =
            cluster.store(1).change_voters(BTreeSet::from([1, 2, 3])).await.expect_err("two at a time");
        error.to_string().contains("voters change one at a time").then_some(())
    })
    .await;
    eventually(|| async { cluster.store(1).add_learner(3).await.ok() }).await;
    assert_eq!(cluster.agree(3).await, before);
    assert_eq!(cluster.store(0).voters(), BTreeSet::from([0, 1, 2]));
    cluster.votes(2, &BTreeSet::from([0, 1, 2, 3])).await;
    eventually(|| async { (fourth.voters().len() == 4).then_some(()) }).await;
    // The one that leads goes, too.
    let leader = cluster.leader().await;
    let rest: BTreeSet<ServerId> = (0..4).filter(|server| *server != leader).collect();
    let asked = *rest.first().expect("three");
    cluster.votes(asked, &rest).await;
    // It lets go of its own accord.
    eventually(|| async { (!*cluster.store(leader).proposes().borrow()).then_some(()) }).await;
    cluster.kill(leader).await;
    let after = cluster.change(asked).await;
    assert_eq!(after.epoch, before.epoch + 1);
    let second = cluster.leader().await;
    assert!(rest.contains(&second));
    // Two of the three that are left are enough: the one that went is not missed.
    cluster.kill(second).await;
    let asked = *rest.iter().find(|server| **server != second).expect("two");
    assert!(cluster.change(asked).await.epoch > after.epoch);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_away_for_long_gets_a_snapshot() {
    let mut cluster = Cluster::of(3);
    cluster.snapshot_after = 16;
    for server in 0..3 {
        cluster.start(server).await;
    }
    let leader = cluster.leader().await;
    let away = (leader + 1) % 3;
    cluster.kill(away).await;
    let mut view = cluster.agree(leader).await;
    for _ in 0..100 {
        view = cluster.change(leader).await;
    }
    let figure = |server: ServerId, name: &str| {
        let figures = cluster.store(server).figures();
        figures.into_iter().find(|(figure, _)| *figure == name).map_or(0, |(_, value)| value)
    };
    eventually(|| async { (figure(leader, "raft_snapshot_entry") > 60).then_some(()) }).await;
    let length = std::fs::metadata(cluster.directory(leader).join("log")).expect("a log").len();
    assert!(length < 20_000, "a log of {length} bytes was never cut");
    let store = cluster.start(away).await;
    store.hints().wait_for(|epoch| *epoch == view.epoch).await.expect("it catches up");
    eventually(|| async { (figure(away, "raft_snapshot_entry") > 60).then_some(()) }).await;
    assert!(cluster.directory(away).join("snapshot").exists());
    // It has it for good: alone with one other it knows everything.
    cluster.kill(away).await;
    cluster.start(away).await;
    cluster.kill((leader + 2) % 3).await;
    assert_eq!(cluster.agree(away).await.epoch, view.epoch);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_lost_its_log_gets_no_say_until_it_is_added_again() {
    let cluster = Cluster::started(3).await;
    // All of them have said by then which directory they have.
    for server in 0..3 {
        let store = cluster.store(server);
        eventually(|| async { (store.inner.shared.state().disks.len() == 3).then_some(()) }).await;
    }
    let leader = cluster.leader().await;
    let (lost, kept) = ((leader + 1) % 3, (leader + 2) % 3);
    let view = cluster.change(leader).await;
    cluster.kill(lost).await;
    emptied(&cluster.directory(lost));
    let store = cluster.start(lost).await;
    let why = eventually(|| async {
        match store.read().await {
            Err(StoreError::Broken(why)) => Some(why),
            Ok(_) | Err(StoreError::Unavailable(_)) => None,
        }
    })
    .await;
    assert!(why.contains(&format!("the data directory of server {lost} is not the one")), "{why}");
    // With the leader gone, the one that is left and the one that lost everything are no majority.
    cluster.isolate(leader, true);
    sleep(cluster.options(0).election.end * 4).await;
    assert!(cluster.store(kept).read().await.is_err());
    cluster.isolate(leader, false);
    assert!(cluster.change(kept).await.epoch > view.epoch);
    // Taken out and added again, it is as good as new.
    cluster.votes(kept, &BTreeSet::from([leader, kept])).await;
    eventually(|| async { cluster.store(kept).add_learner(lost).await.ok() }).await;
    cluster.votes(kept, &BTreeSet::from([0, 1, 2])).await;
    cluster.agree(lost).await;
    let leader = cluster.leader().await;
    if leader != lost {
        cluster.kill(leader).await;
        assert!(cluster.change(lost).await.epoch > view.epoch);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removal_that_was_cut_short_is_completed_by_the_next_try() {
    let cluster = Cluster::started(3).await;
    let known = |server: ServerId| cluster.store(server).inner.shared.state().disks;
    eventually(|| async { (known(0).len() == 3).then_some(()) }).await;
    let lost = (cluster.leader().await + 1) % 3;
    let rest: BTreeSet<ServerId> = (0..3).filter(|server| *server != lost).collect();
    cluster.kill(lost).await;
    // The leader dies after the first of two changes: who votes is agreed upon, and nothing else.
    let ids: BTreeSet<u64> = rest.iter().map(|server| u64::from(*server)).collect();
    eventually(|| async {
        let leader = cluster.store(cluster.leader().await);
        leader.inner.raft.change_membership(ids.clone(), false).await.ok()
    })
    .await;
    assert!(known(cluster.leader().await).contains_key(&lost));
    let asked = *rest.first().expect("two");
    cluster.votes(asked, &rest).await;
    eventually(|| async { (!known(asked).contains_key(&lost)).then_some(()) }).await;
    // So it comes back with another directory.
    emptied(&cluster.directory(lost));
    cluster.start(lost).await;
    eventually(|| async { cluster.store(asked).add_learner(lost).await.ok() }).await;
    cluster.agree(lost).await;
}
