//! What every store of a view must do, whatever happens to it: several clients at every server read and propose, and
//! [`history`] judges all their calls and answers. Each store brings its own faults, in its own tests.

pub(crate) mod history;

use crate::store::ViewStore;
use history::{Asked, Call, linearizable, plain};
use ringleader_locks::{Command, View};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Numbers from a seed (splitmix64).
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Where a client finds the store of its server; none while that is down.
pub(crate) type Finds = Arc<dyn Fn(u16) -> Option<Arc<dyn ViewStore>> + Send + Sync>;

/// Clients at work, and what they saw.
pub(crate) struct Clients {
    first: Arc<View>,
    calls: Arc<Mutex<Vec<Call>>>,
    over: Arc<AtomicBool>,
    tasks: JoinSet<()>,
}

/// How many calls were answered, and how many were not.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) reads: usize,
    pub(crate) proposals: usize,
    pub(crate) errors: usize,
    pub(crate) epochs: u32,
}

impl Clients {
    /// Starts so many clients at each server. The view is this one now, and nobody else changes it.
    pub(crate) fn start(first: Arc<View>, servers: u16, at_each: u64, seed: u64, finds: &Finds) -> Clients {
        let (calls, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let clock = Arc::new(AtomicU64::new(0));
        let mut tasks = JoinSet::new();
        for client in 0..u64::from(servers) * at_each {
            let at = (client % u64::from(servers)) as u16;
            let (mut draw, mut known) = (Draw(seed << 16 | client), first.clone());
            let (calls, over, clock, finds) = (calls.clone(), over.clone(), clock.clone(), finds.clone());
            tasks.spawn(async move {
                while !over.load(Ordering::SeqCst) {
                    sleep(Duration::from_millis(draw.below(20))).await;
                    let Some(store) = finds(at) else { continue };
                    let asked = if draw.below(2) == 0 {
                        Asked::Read
                    } else {
                        Asked::Propose(command(&known, servers, &mut draw))
                    };
                    let begin = clock.fetch_add(1, Ordering::SeqCst);
                    let answer = match &asked {
                        Asked::Read => store.read().await,
                        Asked::Propose(command) => store.propose(command.clone()).await,
                    };
                    let end = clock.fetch_add(1, Ordering::SeqCst);
                    let answer = answer.ok();
                    known = answer.clone().unwrap_or(known);
                    calls.lock().expect("nobody panics with it").push(Call { at, asked, begin, end, answer });
                }
            });
        }
        Clients { first, calls, over, tasks }
    }

    /// How many calls were answered so far.
    pub(crate) fn answered(&self) -> usize {
        let calls = self.calls.lock().expect("nobody panics with it");
        calls.iter().filter(|call| call.answer.is_some()).count()
    }

    /// Ends all clients, and judges what they saw.
    pub(crate) async fn judge(mut self) -> Result<Seen, String> {
        self.over.store(true, Ordering::SeqCst);
        while let Some(ended) = self.tasks.join_next().await {
            ended.expect("no client panics");
        }
        let calls = std::mem::take(&mut *self.calls.lock().expect("nobody panics with it"));
        plain(&calls)?;
        linearizable(&self.first, &calls)?;
        let answered = |read: bool| {
            let of_kind = |call: &&Call| matches!(call.asked, Asked::Read) == read && call.answer.is_some();
            calls.iter().filter(of_kind).count()
        };
        let last = calls.iter().filter_map(|call| call.answer.as_ref()).map(|view| view.epoch).max();
        Ok(Seen {
            reads: answered(true),
            proposals: answered(false),
            errors: calls.iter().filter(|call| call.answer.is_none()).count(),
            epochs: last.unwrap_or(self.first.epoch) - self.first.epoch,
        })
    }
}

/// A command for the epoch that this client knows, mostly.
fn command(known: &View, servers: u16, draw: &mut Draw) -> Command {
    let epoch = match draw.below(10) {
        0 => known.epoch.saturating_sub(1),
        1 => known.epoch + 1,
        _ => known.epoch,
    };
    let server = draw.below(u64::from(servers)) as u16;
    match draw.below(3) {
        0 => Command::SetProto(epoch, draw.below(1_000) as u16),
        1 => Command::Exclude(epoch, server),
        // Each incarnation is drawn once.
        _ => Command::Admit(epoch, server, draw.below(u64::MAX)),
    }
}

mod tests {
    use super::*;
    use crate::store::{Later, Memory, StoreError};
    use ringleader_locks::Times;
    use tokio::sync::watch;

    fn first() -> View {
        View::first(1, Times::default(), Vec::new())
    }

    async fn judged(store: Arc<dyn ViewStore>) -> Result<Seen, String> {
        let finds: Finds = Arc::new(move |_| Some(store.clone()));
        let clients = Clients::start(Arc::new(first()), 3, 3, 1, &finds);
        while clients.answered() < 1_000 {
            sleep(Duration::from_millis(1)).await;
        }
        clients.judge().await
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn memory_keeps_the_contract() {
        let seen = judged(Arc::new(Memory::new(first()))).await.expect("it is one view");
        assert!(seen.reads > 0 && seen.proposals > 0 && seen.epochs > 0 && seen.errors == 0, "{seen:?}");
    }

    /// Which mistake a store makes.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Mistake {
        /// Every tenth read is of the view before.
        OldReads,
        /// Every tenth proposal is answered and not made.
        LostProposals,
        /// Every tenth proposal is made for whatever epoch it is.
        WrongEpochs,
    }

    struct Wrong {
        memory: Memory,
        mistake: Mistake,
        count: AtomicU64,
        before: Mutex<Arc<View>>,
    }

    impl Wrong {
        fn now(&self, mistake: Mistake) -> bool {
            self.mistake == mistake && self.count.fetch_add(1, Ordering::SeqCst) % 10 == 9
        }
    }

    impl ViewStore for Wrong {
        fn read(&self) -> Later<'_, Result<Arc<View>, StoreError>> {
            Box::pin(async {
                if self.now(Mistake::OldReads) {
                    return Ok(self.before.lock().expect("nobody panics with it").clone());
                }
                self.memory.read().await
            })
        }

        fn propose(&self, command: Command) -> Later<'_, Result<Arc<View>, StoreError>> {
            Box::pin(async move {
                let view = self.memory.read().await?;
                *self.before.lock().expect("nobody panics with it") = view.clone();
                if self.now(Mistake::LostProposals)
                    && let Ok(next) = view.after(&command)
                {
                    return Ok(Arc::new(next));
                }
                if self.now(Mistake::WrongEpochs) {
                    return self.memory.propose(Command::SetProto(view.epoch, 77)).await;
                }
                self.memory.propose(command).await
            })
        }

        fn hints(&self) -> watch::Receiver<u32> {
            self.memory.hints()
        }

        fn proposes(&self) -> watch::Receiver<bool> {
            self.memory.proposes()
        }

        fn figures(&self) -> Vec<(&'static str, u64)> {
            Vec::new()
        }

        fn close(&self) -> Later<'_, ()> {
            Box::pin(async {})
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn store_that_breaks_the_contract_is_noticed() {
        for mistake in [Mistake::OldReads, Mistake::LostProposals, Mistake::WrongEpochs] {
            let memory = Memory::new(first());
            let before = Mutex::new(Arc::new(first()));
            let wrong = Wrong { memory, mistake, count: AtomicU64::new(0), before };
            assert!(judged(Arc::new(wrong)).await.is_err(), "{mistake:?}");
        }
    }
}
