//! What a leader asks a majority: whether it still leads. Every round of questions is a heartbeat for all voters, and
//! an answer to every read that came before it began. While nothing happens and nobody reads, most heartbeats are a
//! word without an answer: a round is most of what an idle cluster costs.
//!
//! (The heartbeat of openraft 0.9 is an entry of the log: every disk would write ten times a second, and reads would
//! wait for the disks.)

use super::network::Beat;
use super::tasks::Parts;
use crate::Alarm;
use openraft::raft::VoteResponse;
use openraft::{EmptyNode, RaftMetrics, ServerState};
use ringleader::lock::ServerId;
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

/// So long after a change those who read are in a hurry.
const RESTLESS: Duration = Duration::from_secs(2);

/// While this replica leads, begins a round with every heartbeat for which there is a reason. When there is something
/// new to be read, who reads does not wait for the next one; but there are not two within half a heartbeat, so that
/// those who read share them.
/// Nobody waits for the answer to one before the next: where answers take long, followers would hear too little.
///
/// A leader that is heard but hears nothing would keep everybody from electing another, for ever: so one that no
/// majority answers falls silent for as long as an election takes.
pub(super) async fn lead(parts: Parts) {
    let mut metrics = parts.raft.metrics();
    let (beat, patience) = (parts.options.heartbeat, parts.options.election.end);
    // A little early, so that whatever else is said once in a heartbeat goes along with it: a wake-up costs more than
    // what is done in it.
    let between = beat - beat / 16;
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
        // The last round, and the next one.
        let (mut begun, mut next) = (None, last);
        let (mut applied, mut changed) = (None, last);
        let mut asked = JoinSet::new();
        loop {
            let now_applied = {
                let metrics = metrics.borrow_and_update();
                if !leads(metrics.state) {
                    break;
                }
                metrics.last_applied
            };
            if now_applied != applied {
                (applied, changed) = (now_applied, Instant::now());
            }
            let now = Instant::now();
            if now >= next {
                next = now + between;
                // Whoever does not answer is asked again at once: it has until its patience is over, and no longer.
                let answered = begun.is_some_and(|begun| begun <= last && now < begun + between * 7 / 2);
                if answered && confirmed && readers.is_empty() && changed.elapsed() >= RESTLESS {
                    parts.beats(&metrics.borrow());
                } else {
                    begun = Some(now);
                    asked.spawn(round(parts.clone(), now, readers.take()));
                }
            }
            tokio::select! {
                Some(answer) = asked.join_next() => {
                    if let Ok(Some(begun)) = answer {
                        (confirmed, last) = (true, last.max(begun));
                    }
                }
                () = readers.came.notified() => {
                    if changed.elapsed() < RESTLESS && !readers.is_empty() {
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

impl Parts {
    /// Says to all voters that their leader is there.
    fn beats(&self, metrics: &RaftMetrics<u64, EmptyNode>) {
        let Some(cluster) = self.shared.cluster().0 else { return };
        let beat = Beat { cluster, term: metrics.current_term }.bytes();
        let voters = metrics.membership_config.voter_ids().filter_map(|voter| ServerId::try_from(voter).ok());
        for voter in voters.filter(|voter| *voter != self.shared.id) {
            self.network.wire.tell(voter, beat.clone());
        }
    }

    /// What another replica says: that it is there, and leads.
    pub(super) fn hears(&self, from: ServerId, word: &[u8]) {
        let Some(beat) = Beat::of(word) else { return };
        let led = {
            let metrics = self.raft.metrics();
            let metrics = metrics.borrow();
            metrics.current_leader == Some(u64::from(from)) && metrics.current_term == beat.term
        };
        if led && self.shared.cluster().0 == Some(beat.cluster) {
            self.shared.beats();
        }
    }

    /// A voter that hears its leader votes for nobody else; as Raft itself has it for those that hear of the log.
    pub(super) fn stands_by_leader(&self) -> Option<VoteResponse<u64>> {
        let heard = self.shared.beat()?;
        let vote = self.raft.metrics().borrow().vote;
        let stands_by = vote.is_committed() && heard.elapsed() <= self.options.election.start;
        stands_by.then(|| VoteResponse::new(vote, None, false))
    }
}

/// One round; when it began, if a majority answered. Who reads waits also until everything is applied that was agreed
/// upon before.
async fn round(parts: Parts, begun: Instant, readers: Vec<oneshot::Sender<()>>) -> Option<Instant> {
    let within = parts.options.election.start;
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
