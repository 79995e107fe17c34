//! Replicas in one process, with a wire of memory between them that can be cut in either direction.

mod cluster;
mod contract;
mod faults;
mod members;
mod prevote;
mod restarts;
mod suite;

use super::*;
use ringleader_locks::Times;
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

/// The wire: who is there, which directions are cut, how long a message takes at most, and of whom and for whom all
/// messages wait.
#[derive(Default)]
struct Net {
    there: Mutex<BTreeMap<ServerId, RaftStore>>,
    cut: Mutex<BTreeSet<(ServerId, ServerId)>>,
    delay: Mutex<Duration>,
    held: watch::Sender<BTreeSet<ServerId>>,
}

/// One end of it.
struct End(Arc<Net>, ServerId);

impl Net {
    fn passes(&self, from: ServerId, to: ServerId) -> bool {
        !self.cut.lock().expect("nobody panics with it").contains(&(from, to))
    }

    /// As long as a message takes between these two: a time drawn anew for each.
    async fn travels(&self, one: ServerId, other: ServerId) {
        let longest = *self.delay.lock().expect("nobody panics with it");
        if !longest.is_zero() {
            sleep(drawn(longest)).await;
        }
        let mut held = self.held.subscribe();
        // The sender is this one: it is not gone.
        let _ = held.wait_for(|held| !held.contains(&one) && !held.contains(&other)).await;
    }
}

impl Wire for End {
    fn call(&self, to: ServerId, request: Bytes) -> Later<'_, Result<Bytes, StoreError>> {
        Box::pin(async move {
            let lost = || StoreError::Unavailable(format!("no answer from server {to}"));
            self.0.travels(self.1, to).await;
            let there = self.0.there.lock().expect("nobody panics with it").get(&to).cloned();
            let Some(store) = there else { return Err(lost()) };
            if self.0.passes(self.1, to) {
                let answer = store.serve(self.1, request).await;
                self.0.travels(self.1, to).await;
                if self.0.passes(to, self.1) {
                    return Ok(answer);
                }
            }
            // Nobody says that something was lost: it just does not come.
            sleep(Duration::from_millis(200)).await;
            Err(lost())
        })
    }
}

/// A few replicas.
struct Cluster {
    net: Arc<Net>,
    dir: TempDir,
    voters: BTreeSet<ServerId>,
    /// How much quicker than by default everything is.
    quicker: u32,
    snapshot_after: u64,
    epoch_floor: Option<u32>,
    rig: Rig,
}

impl Cluster {
    /// One that is not started.
    fn of(servers: ServerId) -> Cluster {
        Cluster {
            net: Arc::default(),
            // In memory, where there is such a place: how slow the disk of this machine is must decide nothing.
            dir: tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory"),
            voters: (0..servers).collect(),
            quicker: 2,
            snapshot_after: 256,
            epoch_floor: None,
            rig: Rig::default(),
        }
    }

    /// Three servers on slow links, for a paused clock: messages take up to 100 ms.
    fn slow(without: &[Rule], snapshot_after: u64) -> Cluster {
        let mut cluster = Cluster::of(3);
        (cluster.quicker, cluster.snapshot_after) = (1, snapshot_after);
        cluster.rig = Rig { without: without.to_vec(), in_place: true, ..Rig::default() };
        *cluster.net.delay.lock().expect("nobody panics with it") = Duration::from_millis(100);
        cluster
    }

    /// One of which all servers run, and that has a view.
    async fn started(servers: ServerId) -> Cluster {
        Cluster::of(servers).start_all().await
    }

    async fn start_all(self) -> Cluster {
        for server in self.voters.clone() {
            self.start(server).await;
        }
        self.agree(0).await;
        self
    }

    fn options(&self, server: ServerId) -> RaftOptions {
        let first = View::first(100 + u32::from(server), Times::default(), Vec::new());
        let mut options = RaftOptions::new(server, self.voters.clone(), self.directory(server), first);
        options.heartbeat /= self.quicker;
        options.election = options.election.start / self.quicker..options.election.end / self.quicker;
        options.snapshot_after = self.snapshot_after;
        options.epoch_floor = self.epoch_floor;
        options
    }

    fn directory(&self, server: ServerId) -> PathBuf {
        self.dir.path().join(server.to_string())
    }

    async fn start(&self, server: ServerId) -> RaftStore {
        self.start_in(server, self.rig.clone()).await.expect("it opens")
    }

    async fn start_in(&self, server: ServerId, rig: Rig) -> Result<RaftStore, StoreError> {
        let end = Arc::new(End(self.net.clone(), server));
        let store = RaftStore::open_in(self.options(server), end, rig).await?;
        self.net.there.lock().expect("nobody panics with it").insert(server, store.clone());
        Ok(store)
    }

    /// As by `kill -9`: from now on nothing is heard of it, and nothing is written any more.
    async fn kill(&self, server: ServerId) {
        let gone = self.net.there.lock().expect("nobody panics with it").remove(&server);
        let store = gone.expect("it runs");
        store.inner.end_tasks();
        store.inner.writer.stop().await;
        store.close().await;
    }

    fn store(&self, server: ServerId) -> RaftStore {
        self.net.there.lock().expect("nobody panics with it").get(&server).cloned().expect("it runs")
    }

    /// Cuts a server off from all others, or heals it.
    fn isolate(&self, server: ServerId, cut: bool) {
        for other in (0..8).filter(|other| *other != server) {
            self.cut(server, other, cut);
            self.cut(other, server, cut);
        }
    }

    fn cut(&self, from: ServerId, to: ServerId, cut: bool) {
        let mut all = self.net.cut.lock().expect("nobody panics with it");
        if cut {
            all.insert((from, to))
        } else {
            all.remove(&(from, to))
        };
    }

    /// The view by this server, as soon as it gets one.
    async fn agree(&self, server: ServerId) -> Arc<View> {
        let store = self.store(server);
        eventually(|| async { store.read().await.ok() }).await
    }

    /// A change that is made, whatever it takes.
    async fn change(&self, server: ServerId) -> Arc<View> {
        let store = self.store(server);
        eventually(|| async {
            let view = store.read().await.ok()?;
            let next = store.propose(Command::SetProto(view.epoch, view.proto + 1)).await.ok()?;
            (next.epoch > view.epoch).then_some(next)
        })
        .await
    }

    /// These vote from now on, whatever it takes: asked by way of this server.
    async fn votes(&self, asked: ServerId, voters: &BTreeSet<ServerId>) {
        eventually(|| async { self.store(asked).change_voters(voters.clone()).await.ok() }).await;
    }

    /// The one that leads and is confirmed by a majority.
    async fn leader(&self) -> ServerId {
        eventually(|| async {
            let all = self.net.there.lock().expect("nobody panics with it").clone();
            all.into_iter().find(|(_, store)| *store.proposes().borrow()).map(|(server, _)| server)
        })
        .await
    }
}

/// Asks until there is an answer; far beyond what it can take, so that a slow machine decides nothing.
async fn eventually<T, F: Future<Output = Option<T>>>(ask: impl Fn() -> F) -> T {
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "it did not happen within five minutes");
        sleep(Duration::from_millis(5)).await;
    }
}

/// A time up to this one.
fn drawn(longest: Duration) -> Duration {
    Duration::from_micros(shared::random() % (longest.as_micros() as u64 + 1))
}

/// A disk that is full after so many bytes.
fn full_after(bytes: u64) -> Rig {
    Rig { room: Some(Arc::new(std::sync::atomic::AtomicU64::new(bytes))), ..Rig::default() }
}

/// Runs something on a clock that stands still while anybody works, with random numbers of this seed.
fn in_paused_time<T>(seed: u64, work: impl Future<Output = T>) -> T {
    shared::seeded::begin(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(work)
}

/// How often a long test repeats itself: `RINGLEADER_REPEAT`, or a share that is quick.
fn repetitions(share: u64) -> u64 {
    std::env::var("RINGLEADER_REPEAT").ok().and_then(|count| count.parse().ok()).unwrap_or(share)
}

fn emptied(dir: &Path) {
    std::fs::remove_dir_all(dir).expect("it is there");
}
