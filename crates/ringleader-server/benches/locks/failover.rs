//! From kill -9 of the server that owns a held lock to the moment at which a client of another server has it.

use crate::cluster::{Cluster, SERVERS, runtime, wait};
use crate::figures::Figures;
use crate::pairs::connect;
use ringleader_client::Options;
use ringleader_locks::{Class, ServerId};
use ringleader_server::config::Pace;
use std::time::{Duration, Instant};

/// What kills cost, in seconds, by whom they hit.
pub(crate) struct Found {
    /// A server that does not lead the store of the view.
    pub(crate) follower: Option<Figures>,
    /// The one that does.
    pub(crate) leader: Option<Figures>,
    /// The holder had lost the lock before the kill: this machine was too slow for its lease.
    pub(crate) void: usize,
}

/// Kills the owner so often, every other time one that leads the store.
pub(crate) fn measure(pace: Pace, kills: usize, quick: bool) -> Found {
    let mut cluster = Cluster::new(pace);
    let (mut follower, mut leader, mut void) = (Vec::new(), Vec::new(), 0);
    for kill in 0..kills {
        let leads = wait("a leader of the store", || {
            (0..SERVERS).find(|place| cluster.status(*place).is_some_and(|status| status["proposes"] == true))
        });
        let of_leader = kill % 2 == 1;
        let owner = if of_leader { leads } else { (leads + 1) % SERVERS };
        let took = once(&mut cluster, owner, &format!("fast/{kill}"));
        match took {
            Some(took) if of_leader => leader.push(took),
            Some(took) => follower.push(took),
            None => void += 1,
        }
        // After the last one there is nothing to come back for.
        if kill + 1 == kills {
            break;
        }
        cluster.start(owner);
        (0..SERVERS).for_each(|place| cluster.wait_ready(place));
        // Everybody has been heard for a while.
        std::thread::sleep(Duration::from_millis(if quick { 100 } else { 500 }));
    }
    assert!(void * 10 <= kills, "{void} of {kills} kills did not hit a holder");
    let figures = |spans: Vec<f64>| (!spans.is_empty()).then(|| Figures::new(spans));
    Found { follower: figures(follower), leader: figures(leader), void }
}

/// Kills this server while a client of it holds a lock for which one of the next server waits.
fn once(cluster: &mut Cluster, owner: ServerId, name: &str) -> Option<f64> {
    let fast = |options: Options| Options { class: Class::Fast, ..options };
    let (here, there) = (fast(cluster.at_socket(owner)), fast(cluster.at_socket((owner + 1) % SERVERS)));
    runtime().block_on(async {
        let (holder, waiter) = (connect(&here).await, connect(&there).await);
        let guard = holder.lock(name).acquire().await.ok()?;
        let waits = tokio::spawn({
            let (mut waiter, name) = (waiter, name.to_owned());
            async move {
                loop {
                    match waiter.lock(&name).timeout(Duration::from_secs(60)).acquire().await {
                        Ok(guard) => return (guard, Instant::now()),
                        // Its own session may have ended with the view: the time goes on.
                        Err(_) => waiter = connect(&there).await,
                    }
                }
            }
        });
        // The request is in the queue of the owner by then.
        tokio::time::sleep(Duration::from_millis(100)).await;
        if !guard.is_held() || waits.is_finished() {
            return None;
        }
        let begin = Instant::now();
        cluster.kill(owner);
        let (next, at) = waits.await.expect("no panic");
        assert!(next.fence() > guard.fence(), "the next holder has a larger number");
        let _ = next.release().await;
        Some((at - begin).as_secs_f64())
    })
}
