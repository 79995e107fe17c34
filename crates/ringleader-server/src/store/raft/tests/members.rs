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
async fn voter_without_log_has_no_vote_until_readded() {
    let cluster = Cluster::started(3).await;
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

/// The leader may die between the two entries of a removal: the next try completes it, and the server may come back
/// with another directory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn removed_voter_returns_with_new_directory() {
    let cluster = Cluster::started(3).await;
    let lost = (cluster.leader().await + 1) % 3;
    let rest: BTreeSet<ServerId> = (0..3).filter(|server| *server != lost).collect();
    cluster.kill(lost).await;
    emptied(&cluster.directory(lost));
    let asked = *rest.first().expect("two");
    cluster.start(lost).await;
    // As long as it has a vote, nobody takes it for a new one.
    let error = eventually(|| async { cluster.store(asked).add_learner(lost).await.err() }).await;
    assert!(error.to_string().contains("is not the one with which it joined"), "{error}");
    cluster.votes(asked, &rest).await;
    eventually(|| async { cluster.store(asked).add_learner(lost).await.ok() }).await;
    // A learner that loses its directory has promised nothing: it comes in again.
    cluster.kill(lost).await;
    emptied(&cluster.directory(lost));
    cluster.start(lost).await;
    eventually(|| async { cluster.store(asked).add_learner(lost).await.ok() }).await;
    cluster.votes(asked, &BTreeSet::from([0, 1, 2])).await;
    cluster.agree(lost).await;
}

/// A server gives its first votes and loses its directory at once; the leader that has them is cut off, and a third one
/// that missed what they acknowledged asks the one that lost everything for its vote. Whether that third one was
/// elected then, and reads an old view.
async fn voter_loses_its_directory(joined: bool, without: &[Rule]) -> bool {
    let mut cluster = Cluster::slow(without, 256);
    if joined {
        cluster.voters.remove(&2);
    }
    let mut cluster = cluster.start_all().await;
    if joined {
        cluster.voters.insert(2);
        cluster.start(2).await;
        eventually(|| async { cluster.store(0).add_learner(2).await.ok() }).await;
        cluster.votes(0, &BTreeSet::from([0, 1, 2])).await;
    }
    // The one that loses its directory is the one that has just got its vote.
    let leader = cluster.leader().await;
    let lost = if leader == 2 { 0 } else { 2 };
    let third = 3 - leader - lost;
    // It knows that there are three of them, and nothing of what comes now.
    let voters = |server: ServerId| cluster.store(server).voters().len();
    eventually(|| async { (voters(third) == 3).then_some(()) }).await;
    cluster.isolate(third, true);
    let known = cluster.change(leader).await.epoch;
    cluster.kill(lost).await;
    emptied(&cluster.directory(lost));
    cluster.isolate(leader, true);
    cluster.start(lost).await;
    cluster.cut(third, lost, false);
    cluster.cut(lost, third, false);
    let end = Instant::now() + Duration::from_secs(10);
    let mut stale = false;
    while Instant::now() < end && !stale {
        stale = cluster.store(third).read().await.is_ok_and(|view| view.epoch < known);
    }
    for server in 0..3 {
        cluster.kill(server).await;
    }
    stale
}

#[test]
fn voter_without_directory_grants_no_vote() {
    for seed in 0..repetitions(5) {
        for joined in [false, true] {
            let stale = in_paused_time(seed, voter_loses_its_directory(joined, &[]));
            assert!(!stale, "seed {seed}, joined {joined}");
        }
    }
}

/// Without the directories in the requests of Raft, such a vote elects a leader that misses what was acknowledged.
#[test]
fn vote_of_lost_directory_is_noticed() {
    for joined in [false, true] {
        let without = [Rule::NamesDirectory];
        assert!(
            (0..50).any(|seed| in_paused_time(seed, voter_loses_its_directory(joined, &without))),
            "{joined}"
        );
    }
}

/// A server that is well goes on asking while another one has lost its folder and the third is down.
#[test]
fn lost_directory_stops_nobody_else() {
    in_paused_time(1, async {
        let cluster = Cluster::slow(&[], 256).start_all().await;
        for server in 0..3 {
            cluster.kill(server).await;
        }
        emptied(&cluster.directory(1));
        cluster.start(0).await;
        cluster.start(1).await;
        for _ in 0..20 {
            let error = cluster.store(0).read().await.expect_err("one of three");
            assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        }
        cluster.start(2).await;
        cluster.agree(0).await;
        let lost = cluster.store(1);
        eventually(|| async {
            let error = lost.read().await.expect_err("it lost its folder");
            matches!(error, StoreError::Broken(why) if why.contains("server 1")).then_some(())
        })
        .await;
        for server in 0..3 {
            cluster.kill(server).await;
        }
    });
}

/// All voters must be there once: two of three that begin without the third could be one that lost its directory and
/// one that never had any.
#[test]
fn cluster_begins_when_all_voters_are_there() {
    in_paused_time(1, async {
        let cluster = Cluster::slow(&[], 256);
        cluster.start(0).await;
        cluster.start(1).await;
        sleep(Duration::from_secs(10)).await;
        let error = cluster.store(0).read().await.expect_err("one is missing");
        assert!(error.to_string().contains("begins when all its voters are there"), "{error}");
        cluster.start(2).await;
        for server in 0..3 {
            cluster.agree(server).await;
        }
        // From then on two are enough, and a lost directory begins nothing.
        for server in 0..3 {
            cluster.kill(server).await;
        }
        emptied(&cluster.directory(0));
        cluster.start(0).await;
        cluster.start(1).await;
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.store(0).read().await.is_err() && cluster.store(1).read().await.is_err());
        cluster.start(2).await;
        cluster.agree(1).await;
        cluster.agree(2).await;
        assert!(cluster.store(0).read().await.is_err());
        for server in 0..3 {
            cluster.kill(server).await;
        }
    });
}
