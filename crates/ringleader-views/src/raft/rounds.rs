//! What a leader asks a majority: whether it still leads. Every round of questions is a heartbeat for all voters, and
//! an answer to every read that came before it began. While nothing happens, most rounds are [`calm`].
//!
//! (The heartbeat of openraft 0.9 is an entry of the log: every disk would write ten times a second, and reads would
//! wait for the disks.)

use super::calm;
use super::runtime::beats;
use super::tasks::Parts;
use crate::Alarm;
use openraft::ServerState;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

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

/// So often Raft itself is asked at least, however calm it is.
const SELDOM: Duration = Duration::from_secs(5);

/// While this replica leads, begins a round with every heartbeat. When there is something new to be read, who reads
/// does not wait for the next one; but there are not two within half a heartbeat, so that those who read share them.
/// Nobody waits for the answer to one before the next: where answers take long, followers would hear too little.
///
/// A leader that is heard but hears nothing would keep everybody from electing another, for ever: so one that no
/// majority answers falls silent for as long as an election takes.
pub(super) async fn lead(parts: Parts) {
    let mut metrics = parts.raft.metrics();
    let (beat, patience) = (parts.options.heartbeat, parts.options.election.end);
    // A little early, so that whatever else is said once in a heartbeat goes along with it: a wake-up costs more than
    // what is done in it.
    let between = beat - beat / 32;
    let readers = &parts.shared.readers;
    let mut alarm = Alarm::new();
    loop {
        let leads = |state: ServerState| state == ServerState::Leader;
        if metrics.wait_for(|metrics| leads(metrics.state)).await.is_err() {
            return;
        }
        tracing::info!(event = "leads", term = metrics.borrow().current_term);
        let mut confirmed = false;
        let mut last = Instant::now();
        // The last round, the last one of Raft, and the next one.
        let (mut begun, mut thorough, mut next) = (None, last, last);
        let (mut applied, mut changed) = (None, last);
        let (mut asked, mut calm) = (JoinSet::new(), calm::Rounds::new());
        loop {
            let (now_applied, term) = {
                let metrics = metrics.borrow_and_update();
                if !leads(metrics.state) {
                    break;
                }
                (metrics.last_applied, metrics.current_term)
            };
            if now_applied != applied {
                (applied, changed) = (now_applied, Instant::now());
            }
            let restless = changed.elapsed() < parts.options.restless;
            if Instant::now() >= next {
                begun = Some(Instant::now());
                beats();
                next = Instant::now() + between;
                let is_calm = confirmed
                    && !restless
                    && !parts.doubts()
                    && thorough.elapsed() < SELDOM
                    && applied.is_some_and(|applied| applied.leader_id.term == term);
                match parts.shared.cluster_number().filter(|_| is_calm) {
                    Some(cluster) => calm.asks(&parts, (cluster, term), readers.take()),
                    None => {
                        thorough = Instant::now();
                        asked.spawn(round(parts.clone(), readers.take()));
                    }
                }
            }
            tokio::select! {
                Some(answer) = asked.join_next() => {
                    if let Ok(Some(begun)) = answer {
                        (confirmed, last) = (true, last.max(begun));
                    }
                }
                () = parts.shared.answered.notified() => {
                    // Raft may wait for the disk; the next heartbeat does not wait for Raft.
                    let answered = tokio::select! {
                        answered = calm.answered(&parts, term) => answered,
                        () = alarm.until(next) => None,
                    };
                    last = answered.map_or(last, |begun| last.max(begun));
                }
                () = readers.came.notified() => {
                    if restless && !readers.is_empty() {
                        next = next.min(begun.map_or_else(Instant::now, |begun| begun + beat / 2));
                    }
                }
                () = alarm.until(next) => {}
            }
            if last.elapsed() >= patience {
                tracing::warn!(
                    event = "no_majority",
                    "this leader hears no majority, and makes room for another"
                );
                confirmed = false;
                parts.proposes(false);
                asked.abort_all();
                calm.clear();
                readers.take();
                parts.shared.silent.store(true, Ordering::Relaxed);
                sleep(patience * 2).await;
                parts.shared.silent.store(false, Ordering::Relaxed);
                last = Instant::now();
            }
            parts.proposes(confirmed);
        }
        tracing::info!(event = "leads_no_more");
        readers.take();
        parts.proposes(false);
    }
}

/// One round; when it began, if a majority answered. Who reads waits also until everything is applied that was agreed
/// upon before.
async fn round(parts: Parts, readers: Vec<oneshot::Sender<()>>) -> Option<Instant> {
    let (begun, within) = (Instant::now(), parts.options.election.start);
    let Ok(Ok((upto, applied))) = timeout(within, parts.raft.get_read_log_id()).await else { return None };
    if upto > applied {
        let index = upto.map(|log_id| log_id.index);
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
