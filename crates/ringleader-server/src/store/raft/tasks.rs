//! What a replica does of its own accord: it stands for election when it hears no leader, keeps others from doing so
//! while it leads, and sees to it that there is a cluster at all.

use super::network::{Body, Reply};
use super::patience::{Lost, Patience};
use super::shared::{Rule, random};
use super::types::{Change, Member, Raft};
use super::{Inner, RaftOptions, rounds};
use openraft::ServerState;
use ringleader_locks::ServerId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Starts all of them.
pub(super) fn start(inner: &Arc<Inner>) -> Vec<JoinHandle<()>> {
    // They hold the parts and not the whole: who drops a store without closing it ends them.
    vec![
        tokio::spawn(elections(inner.clone_parts())),
        tokio::spawn(rounds::lead(inner.clone_parts())),
        tokio::spawn(chores(inner.clone_parts())),
    ]
}

/// Stands for election when nothing was heard of a leader for long enough, and enough others would vote for it.
async fn elections(parts: Parts) {
    let (raft, range) = (&parts.raft, &parts.options.election);
    let (behind, outbid) = (&parts.shared.behind, &parts.shared.outbid);
    let mut patience = Patience::new(Instant::now(), range.clone(), parts.options.heartbeat);
    let mut metrics = raft.server_metrics();
    loop {
        let seen = raft.with_raft_state(|state| {
            let begun = state.membership_state.effective().voter_ids().next().is_some();
            (state.server_state, begun, state.vote_last_modified(), state.vote_ref().is_committed())
        });
        let Ok((role, begun, heard, committed)) = seen.await else { return };
        let led = heard.filter(|_| committed);
        if role == ServerState::Leader || role == ServerState::Learner || !begun {
            // Who leads is told when that is over, and looks itself only now and then.
            let leads = metrics.borrow_and_update().state == ServerState::Leader;
            let longest = if leads { range.end * 10 } else { range.start };
            let over = metrics.wait_for(|metrics| leads && metrics.state != ServerState::Leader);
            tokio::select! {
                _ = over => {}
                () = sleep(longest) => {}
            }
            patience.rests(Instant::now());
            continue;
        }
        let due = patience.due(Instant::now(), heard, led);
        if Instant::now() < due {
            sleep_until(due).await;
            continue;
        }
        if parts.shared.holds(Rule::AsksFirst) {
            let asked = Instant::now();
            if let Err(how) = parts.canvass().await {
                patience.lost(asked, Instant::now(), how);
                continue;
            }
            // A leader that was heard meanwhile, or a vote for somebody else, comes before this.
            match raft.with_raft_state(|state| state.vote_last_modified()).await {
                Ok(now) if now == heard => {}
                Ok(_) => continue,
                Err(_) => return,
            }
        }
        let silent = heard.map(|heard| u64::try_from(heard.elapsed().as_millis()).unwrap_or(u64::MAX));
        tracing::info!(event = "election_started", silent_ms = silent, "no leader of the view is heard");
        behind.store(false, Ordering::Relaxed);
        outbid.store(false, Ordering::Relaxed);
        // Asked behind it, Raft answers when the vote is on the disk and the others are being asked.
        if raft.trigger().elect().await.is_err() || raft.with_raft_state(|_| ()).await.is_err() {
            return;
        }
        let asked = Instant::now();
        sleep(range.start / 2).await;
        let how = match (behind.load(Ordering::Relaxed), outbid.load(Ordering::Relaxed)) {
            (true, _) => Lost::Behind,
            (false, true) => Lost::Outbid,
            (false, false) => Lost::Silence,
        };
        patience.lost(asked, Instant::now(), how);
    }
}

/// What the tasks need of a store.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) raft: Raft,
    pub(super) shared: Arc<super::shared::Shared>,
    pub(super) network: super::network::Network,
    pub(super) options: Arc<RaftOptions>,
}

impl Parts {
    pub(super) fn proposes(&self, now: bool) {
        self.shared.proposes.send_if_modified(|before| std::mem::replace(before, now) != now);
    }
}

/// Brings a cluster about, once, and keeps its epoch above the floor.
async fn chores(parts: Parts) {
    let pause = parts.options.heartbeat.max(Duration::from_millis(20));
    let mut missing = BTreeSet::new();
    loop {
        match parts.raft.is_initialized().await {
            Ok(true) => {}
            Ok(false) => {
                let now = found(&parts).await;
                if now != missing && !now.is_empty() {
                    tracing::info!(
                        event = "waiting_for_voters",
                        missing = ?now,
                        "a new cluster begins when all its voters are there"
                    );
                }
                missing = now;
                sleep(pause).await;
                continue;
            }
            Err(_) => return,
        }
        let state = parts.shared.state();
        let leads = parts.raft.metrics().borrow().current_leader == Some(u64::from(parts.shared.id));
        let floor = parts.options.epoch_floor.unwrap_or_default();
        let low = state.view.as_ref().is_some_and(|view| view.epoch < floor);
        let wanted = if leads && parts.shared.cluster().is_none() {
            let mut first = parts.options.first.clone();
            first.epoch = first.epoch.max(floor);
            Some(Change::Begin(random(), Box::new(first)))
        } else if leads && low {
            Some(Change::Floor(floor))
        } else {
            None
        };
        let settled = state.view.is_some() && wanted.is_none();
        if let Some(change) = wanted {
            // Whatever goes wrong here is tried again in a moment.
            let _ = timeout(parts.options.propose_within, parts.attempt(change.order())).await;
        }
        sleep(if settled { parts.options.election.end * 4 } else { pause }).await;
    }
}

/// Begins a cluster if all its voters are there, have no log yet, and agree on who they are. Returns who is missing.
///
/// Only the first of the voters does so. It writes the directory numbers of all into the first entry of the log, so
/// every vote is given with a directory that the candidate knows. If the first voter lost its directory, the others
/// have a log, or have promised nothing yet. If another one lost its own, the first entry has another number for it.
/// So a cluster begins once, and a server that lost its log does not begin another one. The price: a new cluster needs
/// all of its voters once.
async fn found(parts: &Parts) -> BTreeSet<ServerId> {
    let (own, voters) = (parts.shared.id, &parts.options.voters);
    if !voters.contains(&own) {
        return BTreeSet::new();
    }
    let mut asked = JoinSet::new();
    for server in voters.iter().copied().filter(|server| *server != own) {
        let (network, voters) = (parts.network.clone(), voters.clone());
        let patience = parts.options.election.end;
        asked.spawn(
            async move { (server, timeout(patience, network.ask(server, Body::Hello(voters))).await) },
        );
    }
    let mut members = BTreeMap::from([(u64::from(own), Member { disk: parts.shared.disk })]);
    let mut missing: BTreeSet<ServerId> = voters.iter().copied().filter(|server| *server != own).collect();
    while let Some(answer) = asked.join_next().await {
        let Ok((server, Ok(Ok(Reply::Hello(has_log, theirs, disk))))) = answer else { continue };
        if has_log {
            // There is a cluster already, and this server waits to hear from it.
            return BTreeSet::new();
        }
        if theirs == *voters {
            members.insert(u64::from(server), Member { disk });
            missing.remove(&server);
        } else {
            tracing::warn!(
                event = "voters_disagree",
                ?voters,
                ?theirs,
                "servers disagree on who the voters are: give all of them the same configuration"
            );
        }
    }
    if missing.is_empty() && voters.first() == Some(&own) {
        // The only refusal is that there is something already, and then that is as well.
        let _ = parts.raft.initialize(members).await;
    }
    missing
}
