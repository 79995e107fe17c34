//! A lock that is held, as long as it is.

use crate::client::Handle;
use crate::core::Key;
use crate::error::LockError;
use core::fmt;
use ringleader_live::Micros;
use ringleader_locks::{Class, Fence};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// A lock, or leadership, that is held until its deadline, which moves as long as the server is heard.
///
/// Give it back by [`Guard::release`], and wait for that. Dropping it is the last resort: it is given back
/// in the background then, and nobody learns whether that was heard; at the latest it is free when the
/// session ends.
pub struct Guard {
    handle: Arc<Handle>,
    key: Key,
    name: String,
    class: Class,
    fence: Fence,
    over: bool,
}

/// Why a lock is not held any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The reason.
    pub why: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the lock is lost: {}", self.why)
    }
}

impl Guard {
    pub(crate) fn new(handle: Arc<Handle>, key: Key, name: String, class: Class, fence: Fence) -> Guard {
        Guard { handle, key, name, class, fence, over: false }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fencing number: larger than that of every earlier holder. A storage that refuses smaller ones is
    /// protected.
    #[must_use]
    pub fn fence(&self) -> Fence {
        self.fence
    }

    /// Whether it is held now, by the clock of this machine.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.handle.shared.with(|core, now| core.holds(now, self.key))
    }

    /// From when on it is not held, on [`crate::clock`], as far as is known now; this moment if it is lost.
    #[must_use]
    pub fn deadline(&self) -> Micros {
        self.handle.shared.with(|core, now| core.deadline(now, self.key).unwrap_or(now))
    }

    /// For how long it is held at least; nothing if it is lost.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        let left = self
            .handle
            .shared
            .with(|core, now| core.deadline(now, self.key).map_or(Micros(0), |deadline| deadline - now));
        Duration::from_micros(left.0)
    }

    /// The class of its session.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
    }

    /// Its session, as the server calls it.
    #[must_use]
    pub fn session(&self) -> String {
        self.handle.shared.with(|core, _| core.session_text(self.key)).unwrap_or_default()
    }

    /// Why it is not held any more; nothing while it is.
    #[must_use]
    pub fn why_lost(&self) -> Option<Lost> {
        self.handle.shared.with(|core, now| {
            (!core.holds(now, self.key)).then(|| Lost {
                why: core.why_lost(self.key).unwrap_or_else(|| "its deadline has passed".to_owned()),
            })
        })
    }

    /// Waits until it is not held any more.
    pub async fn lost(&self) -> Lost {
        loop {
            if let Some(lost) = self.why_lost() {
                return lost;
            }
            self.handle.shared.changed(self.remaining().max(Duration::from_millis(1))).await;
        }
    }

    /// Gives it back, and waits until the server has answered. From the first moment on it is not held here.
    ///
    /// # Errors
    /// If it was lost before, or the session ends before the server answers: then it is free at the latest
    /// when the session ends there.
    pub async fn release(mut self) -> Result<(), LockError> {
        let (releases, released) = oneshot::channel();
        self.over = true;
        self.handle.shared.with(|core, now| core.release(now, self.key, releases));
        released.await.unwrap_or_else(|_| Err(LockError::expired("the client was closed")))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.over {
            self.handle.shared.with(|core, now| core.abandon(now, self.key));
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guard({}, {})", self.name, self.fence)
    }
}
