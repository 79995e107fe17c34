//! How openraft runs on tokio: as it does of its own accord, except for its clock.
//!
//! That clock ticks three times a second, for elections and heartbeats that are not openraft's here, and to let a
//! leader go that is no voter any more. None of that is urgent; but each tick would wake a server with nothing to do,
//! twice, for tokio's timers wake a thread on the way. So it ticks when the server is awake anyway: with a heartbeat.

use openraft::{AsyncRuntime, OptionalSend, TokioRuntime};
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Where no heartbeat comes along, the clock ticks all the same after so long.
const ALONE: Duration = Duration::from_secs(1);

/// A heartbeat is sent or heard, by any replica in this process: openraft's runtimes have no state to tell them apart.
static HEARTBEAT: Notify = Notify::const_new();

/// A replica is awake for a heartbeat.
pub(super) fn beats() {
    HEARTBEAT.notify_waiters();
}

/// Waits for the first heartbeat after that moment, or for too long.
async fn heartbeat_after(heartbeat: &Notify, moment: Instant) {
    let alone = tokio::time::sleep_until(moment + ALONE);
    tokio::pin!(alone);
    loop {
        tokio::select! {
            () = heartbeat.notified() => if Instant::now() >= moment { return },
            () = &mut alone => return,
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Runtime;

impl AsyncRuntime for Runtime {
    type JoinError = <TokioRuntime as AsyncRuntime>::JoinError;
    type JoinHandle<T: OptionalSend + 'static> = <TokioRuntime as AsyncRuntime>::JoinHandle<T>;
    type Sleep = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;
    type Instant = <TokioRuntime as AsyncRuntime>::Instant;
    type TimeoutError = <TokioRuntime as AsyncRuntime>::TimeoutError;
    type Timeout<R, T: Future<Output = R> + OptionalSend> = <TokioRuntime as AsyncRuntime>::Timeout<R, T>;
    type ThreadLocalRng = <TokioRuntime as AsyncRuntime>::ThreadLocalRng;
    type OneshotSender<T: OptionalSend> = <TokioRuntime as AsyncRuntime>::OneshotSender<T>;
    type OneshotReceiverError = <TokioRuntime as AsyncRuntime>::OneshotReceiverError;
    type OneshotReceiver<T: OptionalSend> = <TokioRuntime as AsyncRuntime>::OneshotReceiver<T>;

    fn spawn<T>(future: T) -> Self::JoinHandle<T::Output>
    where
        T: Future + OptionalSend + 'static,
        T::Output: OptionalSend + 'static,
    {
        TokioRuntime::spawn(future)
    }

    fn sleep(duration: Duration) -> Self::Sleep {
        Box::pin(TokioRuntime::sleep(duration))
    }

    /// Only the clock waits in this way.
    fn sleep_until(deadline: Self::Instant) -> Self::Sleep {
        Box::pin(heartbeat_after(&HEARTBEAT, deadline))
    }

    fn timeout<R, F: Future<Output = R> + OptionalSend>(
        duration: Duration,
        future: F,
    ) -> Self::Timeout<R, F> {
        TokioRuntime::timeout(duration, future)
    }

    fn timeout_at<R, F: Future<Output = R> + OptionalSend>(
        deadline: Self::Instant,
        future: F,
    ) -> Self::Timeout<R, F> {
        TokioRuntime::timeout_at(deadline, future)
    }

    fn is_panic(join_error: &Self::JoinError) -> bool {
        TokioRuntime::is_panic(join_error)
    }

    fn thread_rng() -> Self::ThreadLocalRng {
        TokioRuntime::thread_rng()
    }

    fn oneshot<T: OptionalSend>() -> (Self::OneshotSender<T>, Self::OneshotReceiver<T>) {
        TokioRuntime::oneshot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_clock_ticks_with_a_heartbeat_and_without_one() {
        let begun = Instant::now();
        let (soon, late) = (begun + Duration::from_millis(20), begun + Duration::from_secs(3600));
        let heartbeat = Notify::new();
        let beating = async {
            loop {
                tokio::time::sleep(Duration::from_millis(1)).await;
                heartbeat.notify_waiters();
            }
        };
        tokio::select! {
            () = beating => {}
            () = heartbeat_after(&heartbeat, late) => panic!("an hour too early"),
            () = heartbeat_after(&heartbeat, soon) => assert!(Instant::now() >= soon),
        }
        heartbeat_after(&heartbeat, begun).await;
        assert!(Instant::now() >= begun + ALONE);
    }
}
