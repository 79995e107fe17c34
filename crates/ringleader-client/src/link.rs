//! Carries what the core says to a server and back, on one connection: to the same server while anything
//! there lives, then to the next.

use crate::clock;
use crate::connect::{Connector, unreached};
use crate::core::Core;
use crate::endpoint::Endpoint;
use crate::error::{Code, LockError};
use crate::http::Stream;
use ringleader_live::Micros;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

/// The longest sleep: timers stand still while a machine sleeps, and the deadline does not.
const SLEEP_MAX: Micros = Micros::millis(100);

/// A longer line is none of ours.
const LINE_MAX: usize = 1 << 20;

/// So long a server may take to be reached, and to take what is written.
const REACH: Duration = Duration::from_millis(2000);

/// Between two attempts at the same server, and after all were tried in vain.
const AGAIN: Duration = Duration::from_millis(50);
const ROUND: Duration = Duration::from_millis(200);

/// What the tasks and the guards of a client share. The lock is never held while anything is waited for.
pub(crate) struct Shared {
    core: Mutex<Core>,
    /// There is something to send, or to look at.
    out: Notify,
    /// Something is due earlier.
    timer: Notify,
    /// Something about what is held may be different.
    changed: Notify,
    /// Why no server could be reached, the last time that it was tried.
    failure: Mutex<Option<LockError>>,
}

impl Shared {
    pub(crate) fn new(core: Core) -> Shared {
        Shared {
            core: Mutex::new(core),
            out: Notify::new(),
            timer: Notify::new(),
            changed: Notify::new(),
            failure: Mutex::new(None),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the core now, and wakes whomever that concerns.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Core, Micros) -> T) -> T {
        let mut core = self.lock();
        let wake = core.wake();
        let done = act(&mut core, clock::now());
        let out = core.has_out() || core.wants_to_move();
        let (changed, earlier) = (core.take_changed(), core.wake() < wake);
        drop(core);
        if out {
            self.out.notify_one();
        }
        if earlier {
            self.timer.notify_one();
        }
        if changed {
            self.changed.notify_waiters();
        }
        done
    }

    /// Until something about what is held may be different, or a while has passed.
    pub(crate) async fn changed(&self, most: Duration) {
        let _ = timeout(most.min(micros(SLEEP_MAX)), self.changed.notified()).await;
    }

    pub(crate) fn failure(&self) -> Option<LockError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn failed(&self, error: Option<LockError>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = error;
        self.changed.notify_waiters();
    }
}

fn micros(span: Micros) -> Duration {
    Duration::from_micros(span.0)
}

/// Looks at the clock for the core, until it is closed.
pub(crate) async fn tick(shared: Arc<Shared>) {
    loop {
        let (wake, closed) = shared.with(|core, now| {
            core.tick(now);
            (core.wake() - now, core.is_closed())
        });
        if closed {
            return;
        }
        // Timers count in milliseconds and round up; nothing is due twice in one.
        let pause = wake.clamp(Micros::millis(1), SLEEP_MAX);
        let _ = timeout(micros(pause), shared.timer.notified()).await;
    }
}

/// Keeps a connection, until the core is closed.
pub(crate) async fn keep(shared: Arc<Shared>, connector: Arc<Connector>, servers: Vec<Endpoint>) {
    let mut at = 0;
    loop {
        let Some(server) = servers.get(at % servers.len().max(1)) else { return };
        let lives = shared.with(|core, now| core.lives_until(now).map(|until| until - now));
        // Who has something to save there does not wait for long, and tries again.
        let most = lives.map_or(REACH, |left| micros(left).min(REACH / 2));
        let reached = match timeout(most, connector.stream(server)).await {
            Ok(reached) => reached,
            Err(_) => Err(unreached(server, "it takes too long")),
        };
        let (connected, over) = match reached {
            Ok((stream, first)) => {
                shared.failed(None);
                shared.with(|core, now| core.connected(now));
                let over = carry(&shared, stream, first.to_vec()).await;
                shared.with(|core, _| core.disconnected());
                (true, over)
            }
            Err(error) => {
                shared.failed(Some(error));
                (false, Over::Broken)
            }
        };
        let (closing, lives, seeking, may_have_moved) = shared.with(|core, now| {
            let lives = core.lives_until(now).is_some();
            (core.is_closing(), lives, core.is_seeking(), core.may_have_moved())
        });
        if closing {
            return;
        }
        match over {
            // Its sessions are at another server: there, or somewhere.
            Over::Seeks(there) if lives => {
                shared.with(|core, _| core.seeks());
                let is_there =
                    |server: &Endpoint| there.as_ref().is_some_and(|there| server.to_string() == *there);
                let known = servers.iter().position(is_there);
                at = known.unwrap_or(at + 1);
                if known.is_none() {
                    sleep(AGAIN).await;
                }
                continue;
            }
            Over::Broken if lives && (seeking || may_have_moved && !connected) => {
                shared.with(|core, _| core.seeks());
                at += 1;
                sleep(AGAIN).await;
                continue;
            }
            Over::Broken if lives => {
                sleep(AGAIN).await;
                continue;
            }
            Over::Leaves(why) => shared.failed(Some(why)),
            Over::Broken | Over::Seeks(_) => {}
        }
        shared.with(|core, _| {
            // What it wanted to leave, it leaves.
            let _ = core.take_move_on();
            core.moved("its server is lost");
        });
        at += 1;
        sleep(if at.is_multiple_of(servers.len()) { ROUND } else { AGAIN }).await;
    }
}

/// How a connection is over.
enum Over {
    /// It is of no use any more.
    Broken,
    /// Another server is better, for this reason.
    Leaves(LockError),
    /// The sessions are at another server; perhaps this one.
    Seeks(Option<String>),
}

/// One connection, until it breaks or another server is better.
async fn carry(shared: &Shared, mut stream: Box<dyn Stream>, mut got: Vec<u8>) -> Over {
    loop {
        let (out, over, stalled, closed) = shared.with(|core, now| {
            let over = match (core.take_seek(), core.take_move_on()) {
                (Some(there), _) => Some(Over::Seeks(there)),
                (None, Some(why)) => {
                    core.part();
                    Some(Over::Leaves(why))
                }
                (None, None) => None,
            };
            (core.take_out(), over, core.is_stalled(now), core.is_closed())
        });
        let written = out.is_empty() || matches!(timeout(REACH, write(&mut stream, &out)).await, Ok(Ok(())));
        if let Some(over) = over {
            return over;
        }
        if !written || stalled || closed {
            return Over::Broken;
        }
        // A pause, so that a connection that says nothing is noticed.
        tokio::select! {
            biased;
            read = stream.read_buf(&mut got) => match read {
                Ok(count) if count > 0 => {}
                Ok(_) | Err(_) => return Over::Broken,
            },
            () = shared.out.notified() => {}
            () = sleep(micros(SLEEP_MAX)) => {}
        }
        if let Err(error) = lines(shared, &mut got) {
            return Over::Leaves(error);
        }
    }
}

async fn write(stream: &mut Box<dyn Stream>, out: &[u8]) -> std::io::Result<()> {
    stream.write_all(out).await?;
    stream.flush().await
}

/// Hands on all lines that are complete.
fn lines(shared: &Shared, got: &mut Vec<u8>) -> Result<(), LockError> {
    let Some(end) = got.iter().rposition(|byte| *byte == b'\n') else {
        if got.len() > LINE_MAX {
            return Err(LockError::new(Code::Protocol, "the server's answer has no end", "nothing"));
        }
        return Ok(());
    };
    let done = shared.with(|core, now| {
        let whole = got[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        whole.into_iter().try_for_each(|line| core.line(now, line))
    });
    got.drain(..=end);
    done
}
