//! The sessions that are open here, for whoever decides what their owners may do.

use super::Server;
use super::sessions::Client;
use crate::{Name, Rid, SessionId};

/// A session that is open here.
#[derive(Clone, Copy)]
pub struct OpenSession<'s>(&'s Client);

impl<'s> OpenSession<'s> {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> SessionId {
        self.0.name
    }

    /// Whose it is, as was said when it was opened.
    #[must_use]
    pub fn owner(self) -> &'s str {
        &self.0.owner
    }

    /// What it wants: the number of each request, its lock, and whether it holds it.
    pub fn wants(self) -> impl Iterator<Item = (Rid, &'s Name, bool)> {
        self.0.requests.iter().map(|(rid, request)| (*rid, &request.name, request.holds()))
    }
}

impl Server {
    /// All of them.
    pub fn open_sessions(&self) -> impl Iterator<Item = OpenSession<'_>> {
        self.sessions.values().map(OpenSession)
    }

    /// One of them.
    #[must_use]
    pub fn open_session(&self, session: SessionId) -> Option<OpenSession<'_>> {
        let key = self.client(session).ok()?;
        self.sessions.get(&key).map(OpenSession)
    }
}
