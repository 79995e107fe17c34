//! A server in the same process: its locks without a socket, without a message while the token is here, and without a
//! copy of anything but a name.

use crate::core::Core;
use ringleader_live::Micros;
use ringleader_locks::{Answer, Ask, Class, Denial, Fence, Mode, Name, Rid, Session, SessionId, Standing};
use ringleader_net::clock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A server that runs in this process, in a thread of its own.
#[derive(Clone)]
pub struct Embedded {
    core: Core,
}

impl Embedded {
    pub(crate) fn new(core: Core) -> Embedded {
        Embedded { core }
    }

    /// The server itself.
    #[must_use]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// A session of this process. It is kept alive until it is dropped.
    ///
    /// # Errors
    /// If the server gives none now.
    pub fn open(&self, class: Class, meta: &str) -> Result<EmbeddedSession, Denial> {
        let times = self.core.facts().times;
        let sent = clock::now();
        // Nobody else can use it, whoever learns its number; and it cannot leave this process.
        let (meta, owner) = (meta.into(), "embedded".into());
        let ask = Ask::Open { ttl: times.lease(class), class, meta, owner, follows: false };
        let nothing = Denial::NoLease { retry: Micros::millis(100) };
        let Some(Answer::Opened { session, valid }) = self.core.at_once(ask)? else { return Err(nothing) };
        let inner = Arc::new(Inner {
            core: self.core.clone(),
            id: session,
            session: Mutex::new(Session::opened(session, times, sent, valid)),
            rids: AtomicU64::new(1),
            over: AtomicBool::new(false),
            nothing: Arc::from([]),
        });
        let kept = Arc::downgrade(&inner);
        let rhythm = Duration::from_micros(times.lease(class).0 / 4);
        self.core.spawn(async move {
            loop {
                tokio::time::sleep(rhythm).await;
                let Some(inner) = kept.upgrade() else { return };
                if inner.over.load(Ordering::Relaxed) || !inner.keeps_alive().await {
                    return;
                }
            }
        });
        Ok(EmbeddedSession { inner })
    }
}

struct Inner {
    core: Core,
    id: SessionId,
    session: Mutex<Session>,
    rids: AtomicU64,
    over: AtomicBool,
    nothing: Arc<[u8]>,
}

impl Inner {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn keeps_alive(&self) -> bool {
        let sent = clock::now();
        let beliefs = self.session().beliefs();
        match self.core.ask(Ask::KeepAlive { session: self.id, beliefs }).await {
            Ok(Answer::Alive { valid, .. }) => self.session().kept_alive(clock::now(), sent, valid),
            Ok(Answer::Denied(Denial::NoLease { .. } | Denial::Recovering { .. })) => {
                self.session().is_alive(clock::now())
            }
            Ok(
                Answer::Denied(_)
                | Answer::Opened { .. }
                | Answer::Closed
                | Answer::Granted { .. }
                | Answer::Cancelled
                | Answer::Released
                | Answer::State(_),
            )
            | Err(_) => {
                self.session().ended();
                false
            }
        }
    }
}

/// A lock that a session of this process holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Held {
    /// Its fence.
    pub fence: Fence,
    rid: Rid,
}

/// A session of this process.
pub struct EmbeddedSession {
    inner: Arc<Inner>,
}

impl EmbeddedSession {
    /// Until when everything that it holds is held, on the clock of promises.
    #[must_use]
    pub fn deadline(&self) -> Micros {
        self.inner.session().deadline()
    }

    /// Takes a lock, if it can be had without waiting for another server or another holder; none if it cannot.
    ///
    /// # Errors
    /// If it is refused for another reason than that.
    pub fn try_here(&self, name: &Name) -> Result<Option<Held>, Denial> {
        let rid = self.begins()?;
        match self.inner.core.at_once(self.wants(rid, name, Some(Micros(0)))) {
            Ok(Some(Answer::Granted { fence, .. })) => self.takes(rid, name, fence).map(Some),
            Ok(_) | Err(Denial::Locked) => {
                self.withdraws(rid);
                Ok(None)
            }
            Err(denial) => {
                self.inner.session().withdraws(rid);
                Err(denial)
            }
        }
    }

    /// Takes a lock, and waits for it.
    ///
    /// # Errors
    /// If it is refused, or not granted in time.
    pub async fn acquire(&self, name: &Name, wait: Option<Micros>) -> Result<Held, Denial> {
        let rid = self.begins()?;
        match self.inner.core.ask(self.wants(rid, name, wait)).await {
            Ok(Answer::Granted { fence, .. }) => self.takes(rid, name, fence),
            Ok(Answer::Denied(denial)) => {
                self.inner.session().withdraws(rid);
                Err(denial)
            }
            Ok(
                Answer::Opened { .. }
                | Answer::Alive { .. }
                | Answer::Closed
                | Answer::Cancelled
                | Answer::Released
                | Answer::State(_),
            )
            | Err(_) => Err(Denial::SessionUnknown),
        }
    }

    /// Gives a lock back.
    ///
    /// # Errors
    /// If it was not held any more.
    pub fn release(&self, name: &Name, held: Held) -> Result<(), Denial> {
        self.inner.session().lets_go(held.rid);
        let ask = Ask::Release { session: self.inner.id, name: name.clone(), fence: held.fence };
        self.inner.core.at_once(ask).map(|_| ())
    }

    /// Whether this grant holds now.
    #[must_use]
    pub fn holds(&self, held: Held) -> bool {
        self.inner.session().is_held(clock::now(), held.rid)
    }

    fn begins(&self) -> Result<Rid, Denial> {
        let rid = self.inner.rids.fetch_add(1, Ordering::Relaxed);
        self.inner.session().waits(rid);
        Ok(rid)
    }

    fn wants(&self, rid: Rid, name: &Name, wait: Option<Micros>) -> Ask {
        let (session, value) = (self.inner.id, Arc::clone(&self.inner.nothing));
        Ask::Acquire { session, rid, name: name.clone(), wait, priority: 0, value, mode: Mode::Exclusive }
    }

    fn withdraws(&self, rid: Rid) {
        self.inner.session().withdraws(rid);
        let _ = self.inner.core.at_once(Ask::Cancel { session: self.inner.id, rid });
    }

    /// The check that carries safety: a grant counts only while the session lives by this process's own clock.
    fn takes(&self, rid: Rid, name: &Name, fence: Fence) -> Result<Held, Denial> {
        let held = Held { fence, rid };
        let standing = self.inner.session().granted(clock::now(), self.inner.id, rid, fence);
        match standing {
            Standing::Held => Ok(held),
            Standing::GiveBack => {
                let _ = self.release(name, held);
                Err(Denial::SessionExpired)
            }
        }
    }
}

impl Drop for EmbeddedSession {
    fn drop(&mut self) {
        self.inner.over.store(true, Ordering::Relaxed);
        self.inner.session().ended();
        let _ = self.inner.core.at_once(Ask::Close { session: self.inner.id });
    }
}
