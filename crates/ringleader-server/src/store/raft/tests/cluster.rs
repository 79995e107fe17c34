//! Reads, proposals, leaders that die, and everything from the disk again.

use super::*;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cluster_is_created_once() {
    let cluster = Cluster::started(3).await;
    let view = cluster.agree(0).await;
    assert!((100..103).contains(&view.epoch), "the first view is of one of them");
    for server in 0..3 {
        assert_eq!(cluster.agree(server).await, view);
        assert_eq!(cluster.store(server).voters(), BTreeSet::from([0, 1, 2]));
    }
    let after = cluster.change(1).await;
    assert_eq!(after.epoch, view.epoch + 1);
    let mut hints = cluster.store(2).hints();
    hints.wait_for(|epoch| *epoch == after.epoch).await.expect("it hears of it without asking");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_proposals_for_one_epoch_one_is_made() {
    let cluster = Cluster::started(3).await;
    let mut view = cluster.agree(0).await;
    for _ in 0..10 {
        let mut proposals = tokio::task::JoinSet::new();
        for number in 0..9 {
            let store = cluster.store(number % 3);
            let command = Command::SetProto(view.epoch, 100 + number);
            proposals.spawn(async move { store.propose(command).await });
        }
        let mut seen = BTreeSet::new();
        while let Some(answer) = proposals.join_next().await {
            if let Ok(next) = answer.expect("no panic") {
                seen.insert((next.epoch, next.proto));
            }
        }
        assert!(seen.len() <= 1, "{seen:?}");
        let next = cluster.change(0).await;
        assert_eq!(next.epoch, view.epoch + 2);
        view = next;
    }
}

/// Readers at every replica, proposers, and a leader that is cut off again and again: whoever begins to read after
/// somebody knew of an epoch sees that epoch, or a later one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_are_linearizable() {
    let cluster = Arc::new(Cluster::started(3).await);
    let known = Arc::new(AtomicU32::new(0));
    let (reads, changes) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let over = Arc::new(AtomicBool::new(false));
    let mut tasks = tokio::task::JoinSet::new();
    for server in 0..3 {
        // One only reads: a proposal that waits must not keep it from reading something old.
        let (reader, seen, reads, ended) =
            (cluster.store(server), known.clone(), reads.clone(), over.clone());
        tasks.spawn(async move {
            while !ended.load(Ordering::SeqCst) {
                let before = seen.load(Ordering::SeqCst);
                let Ok(view) = reader.read().await else { continue };
                assert!(view.epoch >= before, "epoch {before} was known, and then {} was read", view.epoch);
                seen.fetch_max(view.epoch, Ordering::SeqCst);
                reads.fetch_add(1, Ordering::SeqCst);
                sleep(Duration::from_millis(1)).await;
            }
        });
        let (store, known, changes, over) =
            (cluster.store(server), known.clone(), changes.clone(), over.clone());
        tasks.spawn(async move {
            while !over.load(Ordering::SeqCst) {
                let before = known.load(Ordering::SeqCst);
                let Ok(next) = store.propose(Command::SetProto(before, 1)).await else { continue };
                assert!(
                    next.epoch >= before,
                    "epoch {before} was known, and then {} was answered",
                    next.epoch
                );
                known.fetch_max(next.epoch, Ordering::SeqCst);
                changes.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    let term =
        || (0..3).flat_map(|server| cluster.store(server).figures()).find(|(name, _)| *name == "raft_term");
    let before = term();
    for round in 0..5 {
        let leader = cluster.leader().await;
        let others: Vec<ServerId> = (0..3).filter(|other| *other != leader).collect();
        match round % 3 {
            0 => cluster.isolate(leader, true),
            // Only what it says is lost; only what it hears is lost.
            1 => others.iter().for_each(|other| cluster.cut(leader, *other, true)),
            _ => others.iter().for_each(|other| cluster.cut(*other, leader, true)),
        }
        let before = changes.load(Ordering::SeqCst);
        eventually(|| async { (changes.load(Ordering::SeqCst) > before + 20).then_some(()) }).await;
        cluster.isolate(leader, false);
    }
    // However slow the machine is: there were reads enough to see something old.
    eventually(|| async { (reads.load(Ordering::SeqCst) > 100).then_some(()) }).await;
    over.store(true, Ordering::SeqCst);
    while let Some(done) = tasks.join_next().await {
        done.expect("no read was too old");
    }
    assert!(term() > before, "nobody else ever led");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn majority_answers_and_minority_does_not() {
    let cluster = Cluster::started(3).await;
    let leader = cluster.leader().await;
    let (second, third) = ((leader + 1) % 3, (leader + 2) % 3);
    cluster.isolate(leader, true);
    let after = cluster.change(second).await;
    // The old leader knows an old view, and must not say so.
    let error = cluster.store(leader).read().await.expect_err("no majority hears it");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let command = Command::SetProto(after.epoch - 1, 9);
    let error = cluster.store(leader).propose(command).await.expect_err("no majority hears it");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let mut proposes = cluster.store(leader).proposes();
    proposes.wait_for(|proposes| !proposes).await.expect("it notices that it leads nobody");
    cluster.isolate(third, true);
    let error = eventually(|| async { cluster.store(second).read().await.err() }).await;
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    cluster.isolate(leader, false);
    for server in 0..3 {
        cluster.isolate(server, false);
    }
    for server in 0..3 {
        assert!(cluster.agree(server).await.epoch >= after.epoch);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_there_after_all_were_killed() {
    let mut cluster = Cluster::started(3).await;
    for floor in [None, Some(5_000)] {
        let view = cluster.change(2).await;
        for server in 0..3 {
            cluster.kill(server).await;
        }
        cluster.epoch_floor = floor;
        for server in 0..3 {
            cluster.start(server).await;
        }
        let again = cluster.agree(1).await;
        match floor {
            None => assert_eq!(again, view),
            // A backup was put back: the epoch is raised, and everybody has to come in again.
            Some(floor) => {
                let store = cluster.store(1);
                let raised = |view: &View| view.epoch >= floor;
                eventually(|| async { store.read().await.ok().filter(|view| raised(view)) }).await;
            }
        }
    }
}

/// How often the leader is killed; more by `RINGLEADER_KILLS`.
fn kills() -> usize {
    std::env::var("RINGLEADER_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(100)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "the distribution is for people; nothing is decided by it")]
async fn new_leader_after_each_leader_death() {
    let mut cluster = Cluster::of(3);
    cluster.quicker =
        std::env::var("RINGLEADER_QUICKER").ok().and_then(|times| times.parse().ok()).unwrap_or(8);
    for server in 0..3 {
        cluster.start(server).await;
    }
    // Those of whom the other two have the whole log; and those that die while one of the two comes back without it.
    let (mut plain, mut behind) = (Vec::new(), Vec::new());
    let mut epoch = cluster.agree(0).await.epoch;
    for round in 0..kills() {
        let leader = cluster.leader().await;
        if round % 2 == 0 {
            for server in 0..3 {
                cluster.store(server).hints().wait_for(|hint| *hint == epoch).await.expect("it catches up");
            }
        }
        cluster.kill(leader).await;
        let since = Instant::now();
        let view = cluster.change((leader + 1) % 3).await;
        if round % 2 == 0 { &mut plain } else { &mut behind }.push(since.elapsed());
        assert!(view.epoch > epoch);
        epoch = view.epoch;
        cluster.start(leader).await;
    }
    for (which, mut times) in [("with the whole log", plain), ("one behind", behind)] {
        times.sort();
        let at =
            |share: usize| times.get(times.len().saturating_sub(1) * share / 1000).map(Duration::as_millis);
        eprintln!(
            "{} leaders killed, {which}, elections after {:?}: no change for p50 {:?} p90 {:?} p99 {:?} most {:?} ms",
            times.len(),
            cluster.options(0).election,
            at(500),
            at(900),
            at(990),
            at(1000)
        );
    }
}

/// Prints figures; nothing is decided by them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "figures are for people")]
async fn what_reads_and_proposals_cost() {
    let cluster = Cluster::started(3).await;
    let leader = cluster.leader().await;
    let follower = (leader + 1) % 3;
    let mut epoch = cluster.agree(follower).await.epoch;
    for (who, server) in [("leader", leader), ("follower", follower)] {
        let store = cluster.store(server);
        let mut times = Vec::new();
        for _ in 0..100 {
            let since = Instant::now();
            if store.read().await.is_ok() {
                times.push(since.elapsed());
            }
        }
        times.sort();
        let since = Instant::now();
        for _ in 0..100 {
            if let Ok(view) = store.propose(Command::SetProto(epoch, 1)).await {
                epoch = view.epoch;
            }
        }
        let proposal = since.elapsed() / 100;
        eprintln!(
            "{who}: a read p50 {:?} p99 {:?}; a proposal {proposal:?}",
            times.get(times.len() / 2),
            times.get(times.len() * 99 / 100)
        );
    }
    let figures: BTreeMap<_, _> = cluster.store(leader).figures().into_iter().collect();
    let (count, micros) = (figures["fsync_count"], figures["fsync_micros"]);
    eprintln!(
        "{count} syncs at the leader, {} us each, longest {} us",
        micros / count.max(1),
        figures["fsync_longest_micros"]
    );
    // Nothing is written as long as nothing changes: heartbeats and reads leave the disks alone.
    let idle = |server: ServerId| {
        cluster.store(server).figures().into_iter().find(|(name, _)| *name == "fsync_count")
    };
    eventually(|| async {
        let before: Vec<_> = (0..3).map(idle).collect();
        sleep(Duration::from_millis(300)).await;
        let after: Vec<_> = (0..3).map(idle).collect();
        (before == after).then_some(())
    })
    .await;
}
