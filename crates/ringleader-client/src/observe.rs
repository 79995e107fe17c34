//! Who holds a lock, or leads, as it changes.

use crate::api::Watched;
use crate::client::{unreadable, words};
use crate::connect::{Connector, in_path, unreached};
use crate::endpoint::Endpoint;
use crate::error::{Code, LockError};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use ringleader_locks::Kind;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// A server that says nothing for so long is left for another: it sends a comment now and then.
const SILENCE: Duration = Duration::from_secs(30);

/// So long a server may take to be reached.
const REACH: Duration = Duration::from_millis(2000);

/// More is no event of ours.
const EVENT_MAX: usize = 1 << 20;

/// Watches one lock or election: at one server, and at the next if that is lost.
pub struct Observer {
    connector: Arc<Connector>,
    servers: Vec<Endpoint>,
    kind: Kind,
    name: String,
    at: usize,
    failures: usize,
    body: Option<Incoming>,
    got: Vec<u8>,
    last: Option<Watched>,
}

impl Observer {
    pub(crate) fn new(
        connector: Arc<Connector>,
        servers: Vec<Endpoint>,
        kind: Kind,
        name: String,
    ) -> Observer {
        Observer {
            connector,
            servers,
            kind,
            name,
            at: 0,
            failures: 0,
            body: None,
            got: Vec::new(),
            last: None,
        }
    }

    /// Without a session: watches this lock or election at these servers.
    ///
    /// # Errors
    /// If no server is named, or a file that is needed is of no use.
    pub fn open(options: &crate::Options, kind: Kind, name: &str) -> Result<Observer, LockError> {
        let connector = Arc::new(Connector::new(options)?);
        Ok(Observer::new(connector, options.servers.clone(), kind, name.to_owned()))
    }

    /// The next change; the first is how it is now. It may be dropped and called again.
    ///
    /// # Errors
    /// If all servers were tried and none answers, or one refuses. Called again, it tries again.
    pub async fn next(&mut self) -> Result<Watched, LockError> {
        loop {
            while let Some(watched) = self.event()? {
                let same = |last: &Watched| {
                    (&last.event, &last.lock.fence) == (&watched.event, &watched.lock.fence)
                        && last.lock.value == watched.lock.value
                };
                if !self.last.as_ref().is_some_and(same) {
                    self.last = Some(watched.clone());
                    return Ok(watched);
                }
            }
            self.more().await?;
        }
    }

    /// Reads on, at another server if need be.
    async fn more(&mut self) -> Result<(), LockError> {
        let Some(body) = &mut self.body else { return self.reach().await };
        match timeout(SILENCE, body.frame()).await {
            Ok(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    self.got.extend_from_slice(data);
                }
                if self.got.len() > EVENT_MAX {
                    return Err(LockError::new(Code::Protocol, "the server's event has no end", "nothing"));
                }
            }
            Ok(Some(Err(_)) | None) | Err(_) => {
                self.body = None;
                self.got.clear();
                self.at += 1;
            }
        }
        Ok(())
    }

    async fn reach(&mut self) -> Result<(), LockError> {
        let Some(server) = self.servers.get(self.at % self.servers.len().max(1)).cloned() else {
            return Err(LockError::new(Code::BadRequest, "no server was named", "nothing was asked"));
        };
        let last = match self.kind {
            Kind::Lock => "watch",
            Kind::Election => "observe",
        };
        let path = format!("/v1/{}/{}/{last}", words(self.kind), in_path(&self.name));
        let reached = match timeout(REACH, self.connector.events(&server, &path)).await {
            Ok(reached) => reached,
            Err(_) => Err(unreached(&server, "it takes too long")),
        };
        match reached {
            Ok(body) => {
                (self.body, self.failures) = (Some(body), 0);
                Ok(())
            }
            Err(error) => {
                self.at += 1;
                self.failures += 1;
                if self.failures.is_multiple_of(self.servers.len()) || error.code != Code::NoServer {
                    return Err(error);
                }
                sleep(Duration::from_millis(50)).await;
                Ok(())
            }
        }
    }

    /// An event that has come completely: its `data:` lines, up to an empty one.
    fn event(&mut self) -> Result<Option<Watched>, LockError> {
        loop {
            let text = &self.got;
            let Some(end) = text.windows(2).position(|two| two == b"\n\n") else { return Ok(None) };
            let lines = text[..end].split(|byte| *byte == b'\n');
            let data: Vec<u8> = lines
                .filter_map(|line| line.strip_prefix(b"data:"))
                .flat_map(|data| data.iter().copied())
                .collect();
            self.got.drain(..end + 2);
            if !data.is_empty() {
                return serde_json::from_slice(&data).map(Some).map_err(|error| unreadable(&error));
            }
        }
    }
}
