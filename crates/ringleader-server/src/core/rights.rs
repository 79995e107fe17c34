//! What becomes of sessions when less is permitted than before. Whoever waits for a lock that it may not have any more
//! is told so at once. A session that holds such a lock, or whose token is gone, is not kept alive: its locks are free
//! when its deadline is past, as if its client were gone, for until then the client may believe that it holds them. It
//! may give them back earlier, if it may still speak.

use super::{Core, State};
use crate::access::Access;
use ringleader_client::api::Refusal;
use ringleader_live::Micros;
use ringleader_locks::{Answer, Ask, Denial, Event, Input, SessionId};
use ringleader_net::clock;
use ringleader_net::journal::{Level, Line};
use std::sync::Arc;
use tokio::sync::watch;

impl Core {
    /// From now on this is who may do what. Gives how many sessions may not go on.
    pub fn permits(&self, access: Access) -> usize {
        self.0.access.send_replace(Arc::new(access));
        self.with(|state| {
            let now = clock::now();
            // What was forbidden may be permitted again, while the session lasts.
            let before = std::mem::take(&mut state.forbidden);
            let sessions: Vec<_> = state.server.open_sessions().map(|session| session.name()).collect();
            for session in sessions {
                self.judges(state, now, session, !before.contains_key(&session));
            }
            state.forbidden.len()
        })
    }

    /// Who may do what, now and later.
    #[must_use]
    pub fn access(&self) -> watch::Receiver<Arc<Access>> {
        self.0.access.subscribe()
    }

    /// Whether this session may be kept alive, and ask for more.
    ///
    /// # Errors
    /// If it may not.
    pub fn may_go_on(&self, session: SessionId) -> Result<(), Refusal> {
        self.with(|state| state.forbidden.get(&session).cloned().map_or(Ok(()), Err))
    }

    /// Tells this observer of everything that happens from now on. It must not wait: a server does. There is one.
    pub fn observed_by(&self, observer: impl Fn(&Event) + Send + Sync + 'static) {
        let _ = self.0.observer.set(Box::new(observer));
    }

    /// The files were read again, and are used; with what in them needs a restart.
    pub(crate) fn tells_reloaded(&self, why: &str, forbidden: usize, needs_restart: &str) {
        let restart = Some(needs_restart).filter(|keys| !keys.is_empty());
        let level = if restart.is_some() { Level::Warn } else { Level::Info };
        self.with(|state| {
            let line = state.journal.line("reloaded", clock::now(), level);
            let (why, forbidden) = (Some(why), Some(forbidden));
            state.journal.write(&Line { why, forbidden, needs_restart: restart, ..line });
        });
    }

    /// The files were read again, and are not used.
    pub(crate) fn tells_reload_failed(&self, reason: &'static str, why: &str) {
        self.with(|state| {
            let line = state.journal.line("reload_failed", clock::now(), Level::Error);
            state.journal.write(&Line { reason: Some(reason), why: Some(why), ..line });
        });
    }

    /// Whether a session may go on; if not, nothing more is granted to it. It is told if that is new.
    pub(super) fn judges(&self, state: &mut State, now: Micros, session: SessionId, is_new: bool) {
        let access = Arc::clone(&self.0.access.borrow());
        let Some(open) = state.server.open_session(session) else { return };
        let Some(refusal) = access.forbids(open.owner(), open.wants().map(|(_, name, _)| name)) else {
            return;
        };
        let waits: Vec<_> = open.wants().filter(|(_, _, holds)| !holds).map(|(rid, ..)| rid).collect();
        if is_new {
            self.0.metrics.forbade();
            state.journal.write(&Line {
                session: Some(format!("{:032x}", session.0)),
                why: Some(&refusal.message),
                ..state.journal.line("session_forbidden", now, Level::Warn)
            });
        }
        state.withdrawn = Some(refusal.clone());
        for rid in waits {
            state.askers += 1;
            let asker = state.askers;
            self.handle(state, now, Input::Client(asker, Ask::Cancel { session, rid }), Some(asker));
        }
        state.withdrawn = None;
        state.forbidden.insert(session, refusal);
    }
}

impl State {
    /// What a client is told instead, whose wait is withdrawn because it is forbidden.
    pub(super) fn instead_of(&self, answer: &Answer) -> Option<Refusal> {
        self.withdrawn.clone().filter(|_| *answer == Answer::Denied(Denial::Timeout))
    }
}
