//! Who is served when.
//!
//! The server's own work (heartbeats, lease reads, the mesh) are tasks of the runtime. All clients together are one
//! task among them, a [`Queue`]. Whoever has not shown who it is waits in a second queue, which is one of the clients.
//!
//! The rule: after two milliseconds of clients' work the runtime looks at sockets and timers, and the server's own work
//! has its turn. Connections are served in the order in which they became ready. One that has its turn has at least one
//! question answered, and at most 32.

use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use futures_util::task::AtomicWaker;
use ringleader_live::Micros;
use ringleader_net::clock;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use tokio::sync::mpsc;
use tokio::task::coop::has_budget_remaining;
use tokio::task::yield_now;

/// So long a turn is.
const LONG: Micros = Micros::millis(2);

/// So many questions of one connection are answered in a turn.
const MOST: usize = 32;

/// What serves one connection until it is over.
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A queue of connections. Its clones are the same.
#[derive(Clone)]
pub struct Queue {
    arrivals: mpsc::UnboundedSender<Task>,
    turn: Turn,
}

impl Queue {
    /// An empty queue, and the future that serves it, which never ends.
    ///
    /// A `LocalSet` would be shorter. But its tasks wake the future that the runtime blocks on, and each such wake is a
    /// write and a wait more in the operating system: a tenth of what a hand-over costs.
    pub fn new() -> (Queue, impl Future<Output = ()> + Send) {
        let turn = Turn::default();
        let begins = turn.clone();
        Queue::within(turn, move || begins.begins())
    }

    /// An empty queue that is served as one of this queue's tasks.
    #[must_use]
    pub fn behind(&self) -> Queue {
        let (queue, served) = Queue::within(self.turn.clone(), || {});
        self.spawn(served);
        queue
    }

    fn within(turn: Turn, begins: impl Fn() + Send) -> (Queue, impl Future<Output = ()> + Send) {
        let (arrivals, mut arrived) = mpsc::unbounded_channel::<Task>();
        let queue = Queue { arrivals, turn: turn.clone() };
        let mut tasks = FuturesUnordered::new();
        let bell = Arc::new(Bell::default());
        let served = std::future::poll_fn(move |context| {
            begins();
            bell.during(context, |context| {
                while let Poll::Ready(Some(task)) = arrived.poll_recv(context) {
                    // A task that panics ends, as one of the runtime would, and the others go on.
                    tasks.push(InTurn(AssertUnwindSafe(task).catch_unwind(), turn.clone()));
                }
                while let Poll::Ready(Some(_)) = tasks.poll_next_unpin(context) {}
            });
            Poll::Pending
        });
        (queue, served)
    }

    /// Puts a task at the end.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // The other end lives as long as the runtime.
        let _ = self.arrivals.send(Box::pin(task));
    }

    /// Whether a connection that has had so many answers waits for the next turn.
    pub fn is_over(&self, answered: usize) -> bool {
        self.turn.is_over(answered)
    }
}

/// Wakes a queue for its tasks. What wakes it during its turn counts after the runtime has looked at sockets and
/// timers: woken at once, a queue that is never empty would keep the runtime from that for many turns.
#[derive(Default)]
struct Bell {
    outside: AtomicWaker,
    has_its_turn: AtomicBool,
    again: AtomicBool,
}

impl Bell {
    fn during(self: &Arc<Bell>, context: &mut Context<'_>, serve: impl FnOnce(&mut Context<'_>)) {
        self.outside.register(context.waker());
        self.has_its_turn.store(true, Ordering::SeqCst);
        serve(&mut Context::from_waker(&Waker::from(Arc::clone(self))));
        self.has_its_turn.store(false, Ordering::SeqCst);
        if self.again.swap(false, Ordering::SeqCst) {
            let _ = std::pin::pin!(yield_now()).poll(context);
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Bell>) {
        if self.has_its_turn.load(Ordering::SeqCst) {
            self.again.store(true, Ordering::SeqCst);
        } else {
            self.outside.wake();
        }
    }
}

/// When the turn of clients ends.
#[derive(Clone, Default)]
struct Turn(Arc<AtomicU64>);

impl Turn {
    /// It is the turn of clients, from now on.
    fn begins(&self) {
        self.0.store((clock::now() + LONG).0, Ordering::Relaxed);
    }

    fn has_passed(&self) -> bool {
        clock::now().0 >= self.0.load(Ordering::Relaxed)
    }

    fn is_over(&self, answered: usize) -> bool {
        answered >= MOST || answered > 0 && self.has_passed()
    }
}

/// A task that is not begun after the end of a turn, and not if the runtime would give it no more input and output.
struct InTurn<F>(F, Turn);

impl<F: Future + Unpin> Future for InTurn<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if self.1.has_passed() || !has_budget_remaining() {
            // After two of these the set gives up its turn. The others keep their places.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.0.poll_unpin(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;
    use tokio::time::sleep;

    #[test]
    fn one_question_is_answered_in_any_turn() {
        let turn = Turn::default();
        assert!(!turn.is_over(0), "also when the turn is over");
        assert!(turn.is_over(1));
    }

    #[test]
    fn connections_share_a_turn_fairly() {
        let turn = Turn::default();
        turn.0.store(u64::MAX, Ordering::Relaxed);
        assert!(!turn.is_over(MOST - 1));
        assert!(turn.is_over(MOST));
    }

    /// How often the server's own work has its turn, if it waits like this in between, while so many clients have one
    /// question each that takes a millisecond: with a queue, or with every client as a task of the runtime.
    async fn own_turns<W: Future + Send>(
        clients: usize,
        queue: Option<&Queue>,
        waits: impl Fn() -> W + Send + 'static,
    ) -> usize {
        let answered = Arc::new(AtomicUsize::new(0));
        for _ in 0..clients {
            let answered = Arc::clone(&answered);
            let client = async move {
                std::thread::sleep(Duration::from_millis(1));
                answered.fetch_add(1, Ordering::Relaxed);
            };
            match queue {
                Some(queue) => queue.spawn(client),
                None => drop(tokio::spawn(client)),
            }
        }
        let own = tokio::spawn(async move {
            let mut turns = 0;
            while answered.load(Ordering::Relaxed) < clients {
                waits().await;
                turns += 1;
            }
            turns
        });
        own.await.expect("it ends")
    }

    /// Goes to the end of the tasks that are ready.
    async fn again() {
        let mut waited = false;
        std::future::poll_fn(|context| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Two milliseconds are three questions at most.
    const TURNS: usize = 100 / 3;

    #[tokio::test]
    async fn server_has_its_turn_between_those_of_clients() {
        let (queue, served) = Queue::new();
        tokio::spawn(served);
        let turns = own_turns(100, Some(&queue), again).await;
        assert!(turns >= TURNS, "{turns} turns");
        let control = own_turns(100, None, again).await;
        assert!(control < TURNS, "one queue for all: {control} turns");
    }

    #[tokio::test]
    async fn timers_ring_between_the_turns_of_clients() {
        let (queue, served) = Queue::new();
        tokio::spawn(served);
        let millisecond = || sleep(Duration::from_millis(1));
        let turns = own_turns(100, Some(&queue), millisecond).await;
        assert!(turns >= TURNS / 3, "a timer may be late by a turn or two: {turns} turns");
        let control = own_turns(100, None, millisecond).await;
        assert!(control < TURNS / 3, "one queue for all: {control} turns");
    }

    #[tokio::test]
    async fn task_that_panics_leaves_the_others() {
        let (queue, served) = Queue::new();
        tokio::spawn(served);
        let strangers = queue.behind();
        let (says, mut said) = mpsc::unbounded_channel();
        for queue in [&queue, &strangers] {
            queue.spawn(async { panic!("as a defect would") });
            let says = says.clone();
            queue.spawn(async move {
                yield_now().await;
                says.send(()).expect("somebody listens");
            });
        }
        assert_eq!((said.recv().await, said.recv().await), (Some(()), Some(())));
    }
}
