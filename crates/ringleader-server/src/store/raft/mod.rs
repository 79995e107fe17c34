//! The view in an embedded Raft (openraft 0.9): a few servers keep it together, a majority of them is enough, and
//! nothing else has to be installed.
//!
//! `types` has what the log says and what it makes, `keeper` and `machine` are log and state as openraft wants them,
//! `network` what replicas say to each other, `tasks` what a replica does of its own accord, `prevote` what it asks
//! before an election, `rounds` what a leader asks. Reads are never answered from what a replica happens to know: the
//! leader asks a majority first, every time.

mod keeper;
mod machine;
mod members;
mod network;
mod patience;
mod prevote;
mod rounds;
mod shared;
mod tasks;
mod types;

pub(crate) mod fuzz;

#[cfg(test)]
mod tests;

use crate::store::log::{Disk, Found, Kept, Room, Syncs, Writer};
use crate::store::{Later, StoreError, ViewStore, Wire};
use bytes::Bytes;
use keeper::Keeper;
use machine::Machine;
use network::{Body, Envelope, Network, Reply};
use openraft::SnapshotPolicy;
use ringleader_locks::{Command, ServerId, View};
use shared::{Rule, Shared};
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tasks::Parts;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};
use types::{Change, Order, Raft, Text, view_bytes, view_of};

/// What a replica is told at its start.
#[derive(Clone, Debug)]
pub struct RaftOptions {
    /// Which server this is.
    pub id: ServerId,
    /// The servers that vote in a new cluster. In one that has begun, its log says who votes.
    pub voters: BTreeSet<ServerId>,
    /// Where the log is. One directory for each server, on a disk that keeps what it says it keeps.
    pub dir: PathBuf,
    /// The view of a new cluster. In one that has begun it means nothing.
    pub first: View,
    /// After a backup was put back: no epoch may be below this one.
    pub epoch_floor: Option<u32>,
    /// How often the leader shows that it is there.
    pub heartbeat: Duration,
    /// For how long nothing must have been heard of a leader before this server stands for election; drawn anew each
    /// time. Nobody votes against a leader of which it heard within the shortest of these times.
    pub election: Range<Duration>,
    /// How long a read may take. It counts from its beginning, so a long one is worth little.
    pub read_within: Duration,
    /// How long a proposal may take.
    pub propose_within: Duration,
    /// After how many entries of the log a snapshot takes their place.
    pub snapshot_after: u64,
    /// For so long after a change a read does not wait for the next heartbeat.
    pub restless: Duration,
}

impl RaftOptions {
    /// With the times of the design: heartbeats every 100 ms, elections after 250 to 500 ms.
    #[must_use]
    pub fn new(id: ServerId, voters: BTreeSet<ServerId>, dir: PathBuf, first: View) -> RaftOptions {
        RaftOptions::paced(Duration::from_millis(100), id, voters, dir, first)
    }

    /// With another time between two heartbeats, and everything else in proportion.
    #[must_use]
    pub fn paced(
        heartbeat: Duration,
        id: ServerId,
        voters: BTreeSet<ServerId>,
        dir: PathBuf,
        first: View,
    ) -> RaftOptions {
        RaftOptions {
            id,
            voters,
            dir,
            first,
            epoch_floor: None,
            heartbeat,
            election: heartbeat * 5 / 2..heartbeat * 5,
            read_within: heartbeat * 4,
            propose_within: heartbeat * 10,
            snapshot_after: 256,
            restless: Duration::from_secs(2),
        }
    }

    fn config(&self) -> Result<openraft::Config, StoreError> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        if self.heartbeat < Duration::from_millis(1)
            || self.election.start < self.heartbeat * 2
            || self.election.end <= self.election.start
        {
            return Err(StoreError::Broken(format!(
                "elections after {} to {} ms with heartbeats every {} ms: the first must be at least twice the last, \
                 and below the second",
                millis(self.election.start),
                millis(self.election.end),
                millis(self.heartbeat)
            )));
        }
        Ok(openraft::Config {
            cluster_name: "ringleader".to_owned(),
            // Timer and heartbeats are our own, in `tasks` and `rounds`: the first only says how long an answer may
            // take, and the others how long voters stand by a leader.
            heartbeat_interval: millis(self.election.start) - 2,
            election_timeout_min: millis(self.election.start) - 1,
            election_timeout_max: millis(self.election.start),
            enable_elect: false,
            enable_heartbeat: false,
            // A message between servers has at most 64 KiB, and JSON makes four of a byte.
            max_payload_entries: 16,
            snapshot_max_chunk_size: 8 * 1024,
            install_snapshot_timeout: millis(self.propose_within),
            snapshot_policy: SnapshotPolicy::LogsSinceLast(self.snapshot_after.max(1)),
            max_in_snapshot_log_to_keep: self.snapshot_after / 8,
            replication_lag_threshold: self.snapshot_after.saturating_mul(2),
            ..openraft::Config::default()
        })
    }
}

/// What tests change about a replica.
#[derive(Clone, Default)]
struct Rig {
    room: Room,
    without: Vec<Rule>,
    /// Whether there is no thread for the disk.
    #[cfg(test)]
    in_place: bool,
}

impl Rig {
    fn writer(&self, disk: Disk) -> io::Result<Writer> {
        #[cfg(test)]
        if self.in_place {
            return Ok(Writer::in_place(disk));
        }
        Writer::start(disk)
    }
}

/// One replica of the view. Its clones are the same one.
#[derive(Clone)]
pub struct RaftStore {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    raft: Raft,
    shared: Arc<Shared>,
    network: Network,
    options: Arc<RaftOptions>,
    writer: Writer,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Inner {
    fn clone_parts(&self) -> Parts {
        Parts {
            raft: self.raft.clone(),
            shared: self.shared.clone(),
            network: self.network.clone(),
            options: self.options.clone(),
        }
    }

    fn end_tasks(&self) {
        for task in self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.end_tasks();
    }
}

impl RaftStore {
    /// Opens the directory and takes part from then on. Whoever has the other end of the wire hands what comes in to
    /// [`RaftStore::serve`].
    ///
    /// # Errors
    /// [`StoreError::Broken`], if the directory cannot be read or written, is broken, or is somebody else's.
    pub async fn open(options: RaftOptions, wire: Arc<dyn Wire>) -> Result<RaftStore, StoreError> {
        RaftStore::open_in(options, wire, Rig::default()).await
    }

    async fn open_in(options: RaftOptions, wire: Arc<dyn Wire>, rig: Rig) -> Result<RaftStore, StoreError> {
        let config = options.config()?;
        let syncs = Arc::new(Syncs::default());
        let (disk, found) = {
            let (dir, room, syncs) = (options.dir.clone(), rig.room.clone(), syncs.clone());
            let opened = tokio::task::spawn_blocking(move || Disk::open(&dir, room, syncs)).await;
            opened.map_err(|error| StoreError::Broken(error.to_string()))??
        };
        if found.identity.is_none() && (found.vote.is_some() || !found.entries.is_empty()) {
            return Err(StoreError::Broken(format!(
                "{}: there is a log but no identity: put the directory back as it was, or remove this server from the \
                 cluster, empty its directory and add it again",
                options.dir.display()
            )));
        }
        let shared =
            Arc::new(Shared::new(options.id, found.identity.as_deref(), syncs, rig.without.clone())?);
        let writer = rig.writer(disk).map_err(|error| StoreError::Broken(error.to_string()))?;
        let opened = RaftStore::open_with(options, config, wire, &found, shared, &writer).await;
        if opened.is_err() {
            // Whoever tries again at once must find the directory free.
            writer.stop().await;
        }
        opened
    }

    async fn open_with(
        options: RaftOptions,
        config: openraft::Config,
        wire: Arc<dyn Wire>,
        found: &Found,
        shared: Arc<Shared>,
        writer: &Writer,
    ) -> Result<RaftStore, StoreError> {
        if found.identity.is_none() {
            let identity = shared.identity(&shared.state());
            let kept = writer.perform(move |disk| disk.keep(Kept::Identity, &identity)).await;
            kept.map_err(|error| StoreError::Broken(error.to_string()))?;
        }
        let keeper = Keeper::new(found, writer.clone(), shared.clone())?;
        let machine = Machine::new(found, writer.clone(), shared.clone())?;
        let network = Network { shared: shared.clone(), wire };
        let raft = Raft::new(u64::from(options.id), Arc::new(config), network.clone(), keeper, machine).await;
        let raft = raft.map_err(|error| StoreError::Broken(format!("{}: {error}", options.dir.display())))?;
        let options = Arc::new(options);
        let writer = writer.clone();
        let inner = Arc::new(Inner { raft, shared, network, options, writer, tasks: Mutex::default() });
        *inner.tasks.lock().unwrap_or_else(PoisonError::into_inner) = tasks::start(&inner);
        Ok(RaftStore { inner })
    }

    /// Answers what the replica on another server asks. Whether it is that server is for the caller to know.
    pub async fn serve(&self, from: ServerId, request: Bytes) -> Bytes {
        let parts = self.inner.clone_parts();
        match serde_json::from_slice::<Envelope>(&request) {
            Ok(envelope) => parts.answer(from, envelope).await.bytes(),
            Err(error) => {
                Reply::Failed(format!("a request that this version does not know: {error}")).bytes()
            }
        }
    }

    /// Who leads, as far as this replica knows.
    #[must_use]
    pub fn leader(&self) -> Option<ServerId> {
        self.inner.clone_parts().leader()
    }
}

impl Parts {
    fn leader(&self) -> Option<ServerId> {
        self.raft.metrics().borrow().current_leader.and_then(|id| ServerId::try_from(id).ok())
    }

    /// Why this replica does not work any more.
    fn broken(&self) -> Option<StoreError> {
        if let Some(why) = self.shared.failure() {
            return Some(StoreError::Broken(why));
        }
        let stopped = self.raft.metrics().borrow().running_state.clone();
        match stopped {
            Ok(()) | Err(openraft::error::Fatal::Stopped) => None,
            Err(fatal) => Some(StoreError::Broken(fatal.to_string())),
        }
    }

    /// Answers another replica.
    async fn answer(&self, from: ServerId, envelope: Envelope) -> Reply {
        let known =
            self.raft.metrics().borrow().membership_config.membership().get_node(&from.into()).copied();
        let known = known.map(|member| member.disk);
        if let Some(refusal) = network::objection(&self.shared, from, known, &envelope) {
            if let Reply::Refused(why) | Reply::Failed(why) = &refusal {
                tracing::warn!(event = "peer_rejected", from, why, "another replica was refused");
            }
            return refusal;
        }
        if let Some(error) = self.broken() {
            return Reply::Failed(format!("server {} has stopped: {error}", self.shared.id));
        }
        let of_leader = match envelope.body {
            Body::Hello(_) => {
                let has_log =
                    self.raft.is_initialized().await.unwrap_or(true) || self.shared.cluster().is_some();
                return Reply::Hello(has_log, self.options.voters.clone(), self.shared.disk);
            }
            Body::Append(request) => {
                self.shared.accepted();
                return match self.raft.append_entries(request).await {
                    Ok(answer) => Reply::Append(answer),
                    Err(error) => Reply::Failed(error.to_string()),
                };
            }
            Body::PreVote(last) => {
                return match self.would_vote(last).await {
                    Some(answer) => Reply::PreVote(answer),
                    None => Reply::Failed(format!("server {} has stopped", self.shared.id)),
                };
            }
            Body::Vote(request) => {
                return match self.raft.vote(request).await {
                    Ok(answer) => Reply::Vote(answer),
                    Err(error) => Reply::Failed(error.to_string()),
                };
            }
            Body::Snapshot(request) => {
                return match self.raft.install_snapshot(request).await {
                    Ok(answer) => Reply::Snapshot(Ok(answer)),
                    Err(openraft::error::RaftError::APIError(error)) => Reply::Snapshot(Err(error)),
                    Err(openraft::error::RaftError::Fatal(error)) => Reply::Failed(error.to_string()),
                };
            }
            of_leader @ (Body::Read | Body::Propose(_) | Body::Learner(_) | Body::Voters(_)) => of_leader,
        };
        if self.leader() != Some(self.shared.id) {
            return Reply::NotLeader;
        }
        self.lead(of_leader).await
    }

    /// Does what only a leader can.
    async fn lead(&self, body: Body) -> Reply {
        let done = match body {
            Body::Read => {
                let why = || "no majority says that this server still leads".to_owned();
                self.shared.readers.next_round().await.then_some(()).ok_or_else(why)
            }
            Body::Propose(order) => {
                self.raft.client_write(order).await.map(|_| ()).map_err(|error| error.to_string())
            }
            Body::Learner(server) => self.admit_learner(server).await,
            Body::Voters(voters) => self.install_voters(voters).await,
            Body::Hello(_) | Body::Append(_) | Body::PreVote(_) | Body::Vote(_) | Body::Snapshot(_) => {
                Err("not a question to a leader".to_owned())
            }
        };
        match done {
            // Nobody else changes it meanwhile: what is applied here was agreed upon.
            Ok(()) => match self.shared.state().view {
                Some(view) => Reply::View(Text(view_bytes(&view))),
                None => Reply::Failed("the cluster has not begun yet".to_owned()),
            },
            Err(why) => Reply::Failed(why),
        }
    }

    /// Gives an order to whoever leads, once.
    async fn attempt(&self, order: Order) -> Result<Reply, StoreError> {
        self.ask_leader(Body::Propose(order)).await
    }

    async fn ask_leader(&self, body: Body) -> Result<Reply, StoreError> {
        let nobody = || {
            let begun = !self.voters().is_empty();
            let why =
                if begun { "no leader is known" } else { "the cluster begins when all its voters are there" };
            StoreError::Unavailable(why.to_owned())
        };
        let leader = self.leader().ok_or_else(nobody)?;
        if leader == self.shared.id {
            return Ok(self.lead(body).await);
        }
        let answer = self.network.ask(leader, body).await;
        answer.map_err(|error| StoreError::Unavailable(format!("server {leader}, which leads: {error}")))
    }

    /// Asks whoever leads until there is an answer, or no time left. What may be asked twice may be asked again after
    /// an error: reads, and commands, which apply once.
    async fn view(&self, within: Duration, ask: impl Fn() -> Body) -> Result<Arc<View>, StoreError> {
        let deadline = Instant::now() + within;
        loop {
            if let Some(error) = self.broken() {
                return Err(error);
            }
            // A leader that is gone is asked once more in vain, and not until the end.
            let until = deadline.min(Instant::now() + self.options.election.start);
            let why = match timeout_at(until, self.ask_leader(ask())).await {
                Ok(Ok(Reply::View(bytes))) => return view_of(&bytes.0),
                Ok(Err(error @ StoreError::Broken(_))) => return Err(error),
                Ok(Ok(Reply::Failed(why) | Reply::Refused(why)) | Err(StoreError::Unavailable(why))) => why,
                Ok(Ok(Reply::NotLeader)) => "the leader has just changed".to_owned(),
                Ok(Ok(
                    Reply::Hello(..)
                    | Reply::Append(_)
                    | Reply::PreVote(_)
                    | Reply::Vote(_)
                    | Reply::Snapshot(_)
                    | Reply::Done,
                )) => "an answer to another question".to_owned(),
                Err(_) => "no answer from a majority in time".to_owned(),
            };
            let pause = Duration::from_millis(10);
            if Instant::now() + pause >= deadline {
                let refusal = self.shared.refusal(&self.options.voters).map(StoreError::Broken);
                return Err(self.broken().or(refusal).unwrap_or(StoreError::Unavailable(why)));
            }
            sleep(pause).await;
        }
    }
}

impl ViewStore for RaftStore {
    fn read(&self) -> Later<'_, Result<Arc<View>, StoreError>> {
        let parts = self.inner.clone_parts();
        Box::pin(async move { parts.view(parts.options.read_within, || Body::Read).await })
    }

    fn propose(&self, command: Command) -> Later<'_, Result<Arc<View>, StoreError>> {
        let parts = self.inner.clone_parts();
        let order = Change::View(command).order();
        Box::pin(
            async move { parts.view(parts.options.propose_within, || Body::Propose(order.clone())).await },
        )
    }

    fn hints(&self) -> watch::Receiver<u32> {
        self.inner.shared.hints.subscribe()
    }

    fn proposes(&self) -> watch::Receiver<bool> {
        self.inner.shared.proposes.subscribe()
    }

    fn figures(&self) -> Vec<(&'static str, u64)> {
        let metrics = self.inner.raft.metrics().borrow().clone();
        let syncs = &self.inner.shared.syncs;
        vec![
            ("raft_term", metrics.current_term),
            ("raft_leads", u64::from(metrics.state.is_leader())),
            ("raft_last_entry", metrics.last_log_index.unwrap_or_default()),
            ("raft_applied_entry", metrics.last_applied.map_or(0, |log_id| log_id.index)),
            ("raft_snapshot_entry", metrics.snapshot.map_or(0, |log_id| log_id.index)),
            ("raft_voters", metrics.membership_config.voter_ids().count() as u64),
            ("fsync_count", syncs.count.load(Ordering::Relaxed)),
            ("fsync_micros", syncs.micros.load(Ordering::Relaxed)),
            ("fsync_longest_micros", syncs.longest_micros.load(Ordering::Relaxed)),
            // One more than its place, for 0 is nobody.
            ("raft_leader", metrics.current_leader.map_or(0, |leader| leader + 1)),
        ]
    }

    fn close(&self) -> Later<'_, ()> {
        Box::pin(async {
            self.inner.end_tasks();
            // An error is a panic of the task, and then it has stopped too.
            let _ = self.inner.raft.shutdown().await;
            self.inner.shared.proposes.send_replace(false);
            self.inner.writer.stop().await;
        })
    }
}
