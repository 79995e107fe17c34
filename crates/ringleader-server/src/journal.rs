//! What happens at a server, one JSON object per line: in the log, as far as its level lets it through, and all
//! of it in the file of events, unbuffered, for whoever holds the promises against what was done.

use ringleader_live::Micros;
use ringleader_locks::{Event, Fence, Kind, Name, Path as Way, SessionId};
use ringleader_net::events::Events;
use serde::Serialize;
use std::io;
use std::path::Path;

/// One line. Times are microseconds on the clock that promises are counted on.
#[derive(Clone, Serialize, Debug, Default)]
pub struct Line<'a> {
    /// What happened.
    pub event: &'static str,
    /// When.
    pub at_us: u64,
    /// At which server.
    pub server: &'a str,
    /// In which run of it.
    pub incarnation: String,
    /// The lock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    /// `lock` or `election`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The fence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<String>,
    /// The class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// How a grant came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<&'static str>,
    /// After how long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_us: Option<u64>,
    /// The epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u32>,
    /// Whether the server is a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined: Option<bool>,
    /// How many tokens it kept, or came with a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<usize>,
}

/// Writes lines about one server.
pub struct Journal {
    server: String,
    incarnation: String,
    events: Option<Events>,
}

/// How a grant came about, in a word.
#[must_use]
pub const fn way(path: Way) -> &'static str {
    match path {
        Way::Local => "local",
        Way::Home => "home",
        Way::Third => "third",
        Way::Queued => "queued",
    }
}

impl Journal {
    /// Lines about this run of this server; to this file too, if there is one.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn new(server: &str, incarnation: u64, file: Option<&Path>) -> io::Result<Journal> {
        Ok(Journal {
            server: server.to_owned(),
            incarnation: format!("{incarnation:016x}"),
            events: file.map(Events::open).transpose()?,
        })
    }

    /// Something happened to the server as a whole.
    pub fn tells(&mut self, event: &'static str, now: Micros) {
        tracing::info!(event, at_us = now.0, server = %self.server, incarnation = %self.incarnation);
        let line = self.line(event, now);
        self.writes(&line);
    }

    fn line(&self, event: &'static str, now: Micros) -> Line<'_> {
        Line {
            event,
            at_us: now.0,
            server: &self.server,
            incarnation: self.incarnation.clone(),
            ..Line::default()
        }
    }

    /// What the server has to tell.
    pub fn event(&self, now: Micros, event: &Event) {
        log(&self.server, now, event);
        if self.events.is_some() {
            self.writes(&self.of(now, event));
        }
    }

    fn of<'a>(&'a self, now: Micros, event: &'a Event) -> Line<'a> {
        let about = |what, name: &'a Name, fence: Fence| Line {
            name: Some(name.text()),
            kind: Some(match name.kind() {
                Kind::Lock => "lock",
                Kind::Election => "election",
            }),
            fence: Some(fence.to_string()),
            ..self.line(what, now)
        };
        match event {
            Event::Granted { name, session, fence, class, path, waited } => Line {
                session: Some(hexadecimal(*session)),
                class: Some(class.name()),
                path: Some(way(*path)),
                waited_us: Some(waited.0),
                ..about("granted", name, *fence)
            },
            Event::Released { name, fence } => about("released", name, *fence),
            Event::Lost { name, fence } => about("lost", name, *fence),
            Event::Expired(session) => {
                Line { session: Some(hexadecimal(*session)), ..self.line("expired", now) }
            }
            Event::Left { session, .. } => {
                Line { session: Some(hexadecimal(*session)), ..self.line("left", now) }
            }
            Event::Arrived { session, held, .. } => {
                Line { session: Some(hexadecimal(*session)), kept: Some(*held), ..self.line("arrived", now) }
            }
            Event::Installed { epoch, joined, kept } => Line {
                epoch: Some(*epoch),
                joined: Some(*joined),
                kept: Some(*kept),
                ..self.line("installed", now)
            },
            Event::Recovered { epoch, after } => {
                Line { epoch: Some(*epoch), waited_us: Some(after.0), ..self.line("recovered", now) }
            }
            Event::Drained => self.line("drained", now),
        }
    }

    /// A file that cannot be written to is given up with a word in the log: the server is worth more than its history.
    fn writes(&self, line: &Line<'_>) {
        let Some(events) = &self.events else { return };
        if let Err(error) = events.write(line) {
            tracing::error!(event = "events_failed", server = %self.server, why = %error);
        }
    }
}

fn hexadecimal(session: SessionId) -> String {
    format!("{:032x}", session.0)
}

/// Grants are many: they are for whoever looks for something. What concerns the whole server is not.
fn log(server: &str, now: Micros, event: &Event) {
    let at_us = now.0;
    match event {
        Event::Granted { name, fence, path, waited, .. } => {
            let (path, waited_us) = (way(*path), waited.0);
            tracing::debug!(event = "granted", at_us, server, name = %name, fence = %fence, path, waited_us);
        }
        Event::Released { name, fence } => {
            tracing::debug!(event = "released", at_us, server, name = %name, fence = %fence);
        }
        Event::Lost { name, fence } => {
            tracing::warn!(event = "lost", at_us, server, name = %name, fence = %fence);
        }
        Event::Expired(session) => {
            tracing::info!(event = "expired", at_us, server, session = %hexadecimal(*session));
        }
        Event::Left { session, to } => {
            tracing::info!(event = "left", at_us, server, session = %hexadecimal(*session), to);
        }
        Event::Arrived { session, from, held } => {
            tracing::info!(event = "arrived", at_us, server, session = %hexadecimal(*session), from, held);
        }
        Event::Installed { epoch, joined, kept } => {
            tracing::info!(event = "installed", at_us, server, epoch, joined, kept);
        }
        Event::Recovered { epoch, after } => {
            tracing::info!(event = "recovered", at_us, server, epoch, after_us = after.0);
        }
        Event::Drained => tracing::info!(event = "drained", at_us, server),
    }
}
