//! A follower that was cut off and is back ends no term.

use super::*;
use crate::store::raft::prevote::PreVote;
use crate::store::raft::types::{LogId, Vote};
use openraft::CommittedLeaderId;
use openraft::raft::VoteRequest;

fn term(store: &RaftStore) -> u64 {
    store.inner.raft.metrics().borrow().current_term
}

/// Cuts a follower off ten times for five seconds: in both directions, only what it hears, only what it says. How many
/// terms the leader lost by that.
async fn cuts(without: &[Rule]) -> u64 {
    let cluster = Cluster::slow(without, 256).start_all().await;
    let first = cluster.leader().await;
    let before = term(&cluster.store(first));
    for round in 0..10 {
        let leader = cluster.leader().await;
        let follower = (leader + 1 + round / 3 % 2) % 3;
        for other in (0..3).filter(|other| *other != follower) {
            if round % 3 != 1 {
                cluster.cut(follower, other, true);
            }
            if round % 3 != 2 {
                cluster.cut(other, follower, true);
            }
        }
        sleep(Duration::from_secs(5)).await;
        let view = cluster.change(leader).await;
        cluster.isolate(follower, false);
        sleep(Duration::from_secs(2)).await;
        cluster.store(follower).hints().wait_for(|epoch| *epoch >= view.epoch).await.expect("it catches up");
    }
    let leader = cluster.leader().await;
    let lost = term(&cluster.store(leader)) - before;
    assert!(lost > 0 || leader == first, "another one leads in the same term");
    for server in 0..3 {
        cluster.kill(server).await;
    }
    lost
}

#[test]
fn follower_that_was_cut_off_ends_no_term() {
    for seed in 0..repetitions(5) {
        assert_eq!(in_paused_time(seed, cuts(&[])), 0, "seed {seed}");
    }
}

/// Without the question, the same cuts end terms.
#[test]
#[expect(clippy::print_stderr, reason = "what was seen is for people")]
fn term_ended_by_cut_follower_is_noticed() {
    let lost = in_paused_time(1, cuts(&[Rule::AsksFirst]));
    eprintln!("ten cuts without the question: {lost} terms later");
    assert!(lost > 0);
}

/// Heartbeats of an idle leader keep voters from electing another; and when it is gone, they elect one.
#[test]
fn voter_with_a_leader_grants_no_vote() {
    in_paused_time(1, async {
        let cluster = Cluster::slow(&[], 256).start_all().await;
        let leader = cluster.leader().await;
        let (voter, other) = ((leader + 1) % 3, (leader + 2) % 3);
        let store = cluster.store(voter);
        let parts = store.inner.clone_parts();
        let longest = Some(LogId::new(CommittedLeaderId::new(99, u64::from(other)), 99));
        for _ in 0..20 {
            sleep(drawn(Duration::from_secs(2))).await;
            assert_eq!(parts.would_vote(longest).await, Some(PreVote::Led));
            assert_eq!(
                cluster.store(leader).inner.clone_parts().would_vote(longest).await,
                Some(PreVote::Led)
            );
            let request = VoteRequest::new(Vote::new(99, u64::from(other)), longest);
            assert!(!store.inner.raft.vote(request).await.expect("it answers").vote_granted);
        }
        cluster.isolate(leader, true);
        sleep(Duration::from_millis(260)).await;
        assert_eq!(parts.would_vote(longest).await, Some(PreVote::Yes));
        assert_eq!(parts.would_vote(None).await, Some(PreVote::Longer));
        cluster.change(voter).await;
        cluster.isolate(leader, false);
        cluster.change(leader).await;
        for server in 0..3 {
            cluster.kill(server).await;
        }
    });
}
