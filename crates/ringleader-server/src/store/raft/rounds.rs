//! What a leader asks a majority: whether it still leads. Every round of questions is a heartbeat for all voters, and
//! an answer to every read that came before it began.
//!
//! (The heartbeat of openraft 0.9 is an entry of the log: every disk would write ten times a second, and reads would
//! wait for the disks.)

use super::shared::Rule;
use super::tasks::Parts;
use openraft::ServerState;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Reads that wait for the next round.
#[derive(Default)]
pub(super) struct Readers {
    waiting: Mutex<Vec<oneshot::Sender<()>>>,
    came: Notify,
}

impl Readers {
    /// Waits for a round that begins after this moment; whether it was answered.
    pub(super) async fn next_round(&self) -> bool {
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        self.came.notify_one();
        answer.await.is_ok()
    }

    fn take(&self) -> Vec<oneshot::Sender<()>> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_empty(&self) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// While this replica leads, begins a round with every heartbeat. Soon after a change, a read does not wait for the
/// next one; but two rounds are at least half a heartbeat apart, so that reads share them.
/// A round does not wait for the answers to the one before: on slow links, followers would hear the leader too seldom.
///
/// A leader that is heard but hears nothing would keep everybody from electing another, for ever: so one that no
/// majority answers falls silent for as long as an election takes.
pub(super) async fn lead(parts: Parts) {
    let mut metrics = parts.raft.metrics();
    let (beat, patience) = (parts.options.heartbeat, parts.options.election.end);
    // A little early, so that whatever else is sent once in a heartbeat goes along with it.
    let between = beat - beat / 32;
    let readers = &parts.shared.readers;
    loop {
        let leads = |state: ServerState| state == ServerState::Leader;
        // All that the log has when leadership begins may have been answered before, by this leader or another one.
        let (term, floor) = match metrics.wait_for(|metrics| leads(metrics.state)).await {
            Ok(metrics) => (metrics.current_term, metrics.last_log_index),
            Err(_) => return,
        };
        let floor = floor.filter(|_| parts.shared.holds(Rule::AppliesItsLog));
        tracing::info!(event = "leader_elected", term);
        let mut confirmed = false;
        let mut last = Instant::now();
        // The last round and the next one.
        let (mut begun, mut next) = (None, last);
        let (mut applied, mut changed) = (None, last);
        let mut asked = JoinSet::new();
        loop {
            let now_applied = {
                let metrics = metrics.borrow_and_update();
                if !leads(metrics.state) || metrics.current_term != term {
                    break;
                }
                metrics.last_applied
            };
            if now_applied != applied {
                (applied, changed) = (now_applied, Instant::now());
            }
            let restless = changed.elapsed() < parts.options.restless;
            if Instant::now() >= next {
                begun = Some(Instant::now());
                next = Instant::now() + between;
                asked.spawn(round(parts.clone(), floor, readers.take()));
            }
            tokio::select! {
                Some(answer) = asked.join_next() => {
                    if let Ok(Some(begun)) = answer {
                        (confirmed, last) = (true, last.max(begun));
                    }
                }
                () = readers.came.notified() => {
                    if restless && !readers.is_empty() {
                        next = next.min(begun.map_or_else(Instant::now, |begun| begun + beat / 2));
                    }
                }
                () = sleep_until(next) => {}
            }
            if last.elapsed() >= patience {
                tracing::warn!(
                    event = "no_majority",
                    "this leader hears no majority, and makes room for another"
                );
                confirmed = false;
                parts.proposes(false);
                asked.abort_all();
                readers.take();
                parts.shared.silent.store(true, Ordering::Relaxed);
                sleep(patience * 2).await;
                parts.shared.silent.store(false, Ordering::Relaxed);
                last = Instant::now();
            }
            parts.proposes(confirmed);
        }
        tracing::info!(event = "leadership_lost", term);
        readers.take();
        parts.proposes(false);
    }
}

/// One round; when it began, if a majority answered. Reads wait also until everything is applied that was agreed upon
/// before the round began, and everything up to `floor`.
///
/// openraft demands the first of the two only: as long as a leader has not heard from the others after its start, it
/// may not know that entries of its own term were agreed upon, and answered.
async fn round(parts: Parts, floor: Option<u64>, readers: Vec<oneshot::Sender<()>>) -> Option<Instant> {
    let (begun, within) = (Instant::now(), parts.options.election.start);
    let Ok(Ok((upto, applied))) = timeout(within, parts.raft.get_read_log_id()).await else { return None };
    let index = upto.map(|log_id| log_id.index).max(floor);
    if index > applied.map(|log_id| log_id.index) {
        let waits = parts.raft.wait(Some(within));
        if waits.applied_index_at_least(index, "a read").await.is_err() {
            // Heard they were, and that is a heartbeat.
            return Some(begun);
        }
    }
    for reader in readers {
        // Who has no time left does not wait any more.
        let _ = reader.send(());
    }
    Some(begun)
}
