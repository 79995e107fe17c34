//! The contract of a store, kept by replicas that are killed, cut off, held up, emptied and filled, on slow links.

use super::*;
use crate::store::tests::contract::{Clients, Draw, Finds, Seen};
use std::sync::atomic::AtomicU64;

/// What happens to a cluster.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    /// A server, or the leader, is killed and back within the shortest election timeout.
    QuickRestart,
    LeaderRestart,
    /// A server is away for a while.
    Away,
    /// All are killed at once.
    AllRestart,
    /// A server is cut off: in both directions, or only what it hears, or only what it says.
    Cut,
    CutIn,
    CutOut,
    /// All messages of a server and to it wait for a while.
    Pause,
    /// A server loses its folder, is removed, and added again.
    LostFolder,
    /// The disk of a server fills up.
    FullDisk,
}

const ALL: [Fault; 10] = [
    Fault::QuickRestart,
    Fault::LeaderRestart,
    Fault::Away,
    Fault::AllRestart,
    Fault::Cut,
    Fault::CutIn,
    Fault::CutOut,
    Fault::Pause,
    Fault::LostFolder,
    Fault::FullDisk,
];

fn millis(from: u64, to: u64, draw: &mut Draw) -> Duration {
    Duration::from_millis(from + draw.below(to - from))
}

impl Cluster {
    async fn suffers(&self, fault: Fault, draw: &mut Draw) {
        let server = draw.below(3) as ServerId;
        let others: Vec<ServerId> = (0..3).filter(|other| *other != server).collect();
        match fault {
            Fault::QuickRestart | Fault::LeaderRestart => {
                let leads = fault == Fault::LeaderRestart;
                let server = if leads { self.leader().await } else { server };
                self.kill(server).await;
                sleep(millis(0, 250, draw)).await;
                self.start(server).await;
            }
            Fault::Away => {
                self.kill(server).await;
                sleep(millis(1_000, 3_000, draw)).await;
                self.start(server).await;
            }
            Fault::AllRestart => {
                for server in 0..3 {
                    self.kill(server).await;
                }
                for server in 0..3 {
                    sleep(millis(0, 200, draw)).await;
                    self.start(server).await;
                }
            }
            Fault::Cut | Fault::CutIn | Fault::CutOut => {
                for other in others {
                    self.cut(other, server, fault != Fault::CutOut);
                    self.cut(server, other, fault != Fault::CutIn);
                }
                sleep(millis(1_000, 3_000, draw)).await;
                self.isolate(server, false);
            }
            Fault::Pause => {
                self.net.held.send_modify(|held| {
                    held.insert(server);
                });
                sleep(millis(300, 2_000, draw)).await;
                self.net.held.send_modify(BTreeSet::clear);
            }
            Fault::LostFolder => {
                self.kill(server).await;
                emptied(&self.directory(server));
                sleep(millis(0, 500, draw)).await;
                self.start(server).await;
                sleep(millis(0, 2_000, draw)).await;
                self.votes(others[0], &others.iter().copied().collect()).await;
                eventually(|| async { self.store(others[0]).add_learner(server).await.ok() }).await;
                self.votes(others[0], &BTreeSet::from([0, 1, 2])).await;
            }
            Fault::FullDisk => {
                self.kill(server).await;
                let room = Some(Arc::new(AtomicU64::new(draw.below(6_000))));
                let runs = self.start_in(server, Rig { room, ..self.rig.clone() }).await.is_ok();
                sleep(millis(500, 3_000, draw)).await;
                if runs {
                    self.kill(server).await;
                }
                self.start(server).await;
            }
        }
    }
}

/// Clients at three servers while these things happen, one after the other.
async fn judged(seed: u64, faults: &[Fault], without: &[Rule]) -> Result<Seen, String> {
    let mut draw = Draw(seed);
    // Snapshots all the time.
    let cluster = Arc::new(Cluster::slow(without, 4 + draw.below(20)).start_all().await);
    let net = cluster.net.clone();
    let finds: Finds = Arc::new(move |server| {
        let there = net.there.lock().expect("nobody panics with it");
        there.get(&server).cloned().map(|store| Arc::new(store) as Arc<dyn ViewStore>)
    });
    let clients = Clients::start(cluster.agree(0).await, 3, 2, seed, &finds);
    for fault in faults {
        sleep(millis(0, 1_500, &mut draw)).await;
        cluster.suffers(*fault, &mut draw).await;
    }
    // In the end everybody is well, and all agree.
    for server in 0..3 {
        cluster.agree(server).await;
    }
    let judged = clients.judge().await;
    for server in 0..3 {
        cluster.kill(server).await;
    }
    judged
}

/// Eight faults of all kinds, drawn.
fn drawn_faults(seed: u64) -> Vec<Fault> {
    let mut draw = Draw(!seed);
    (0..8).map(|_| ALL[draw.below(ALL.len() as u64) as usize]).collect()
}

#[test]
#[expect(clippy::print_stderr, reason = "how much was seen is for people")]
fn raft_keeps_the_contract() {
    let (mut answered, mut errors, mut epochs) = (0, 0, 0);
    for seed in 0..repetitions(20) {
        let faults = drawn_faults(seed);
        match in_paused_time(seed, judged(seed, &faults, &[])) {
            Ok(seen) => {
                answered += seen.reads + seen.proposals;
                errors += seen.errors;
                epochs += u64::from(seen.epochs);
            }
            Err(why) => panic!("seed {seed}, {faults:?}: {why}"),
        }
    }
    eprintln!("{answered} calls were answered and {errors} were not, {epochs} changes");
    assert!(answered > 0 && errors > 0 && epochs > 0);
}

/// The suite notices a leader that leads on after a restart, as openraft has it.
#[test]
fn broken_contract_is_noticed() {
    let restarts = [Fault::LeaderRestart; 8];
    let without = [Rule::StartsAsFollower, Rule::AppliesItsLog];
    let noticed = |seed: &u64| in_paused_time(*seed, judged(*seed, &restarts, &without)).is_err();
    let seed = (0..50).find(noticed).expect("nothing was noticed in fifty runs");
    let kept = in_paused_time(seed, judged(seed, &restarts, &[]));
    assert!(kept.is_ok(), "{kept:?}");
}
