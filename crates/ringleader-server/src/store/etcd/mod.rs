//! The view in an etcd that is there already: one key, changed by compare-and-swap on its revision, read linearizably
//! (which is what etcd does unless it is asked not to). Nothing else of etcd is used: no leases, no watches, no locks.
//!
//! It is two calls of etcd's JSON gateway, a few times a second. The client crate for etcd brings a stack for gRPC of
//! some sixty crates for them; so this is a page of our own on the HTTP client that is there anyway.

mod http;

#[cfg(test)]
mod tests;

use crate::store::{Later, StoreError, ViewStore, raised};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Http;
use ringleader_locks::{Command, View};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// How to reach an etcd, and what to keep there.
#[derive(Clone, Debug)]
pub struct EtcdOptions {
    /// Where its servers answer clients: `http://host:2379` or `https://host:2379`. If one does not answer, the next
    /// is asked.
    pub endpoints: Vec<String>,
    /// The name of our cluster: the view is at `/ringleader/NAME/view`.
    pub cluster: String,
    /// The view if there is none yet.
    pub first: View,
    /// After a backup of etcd was put back: no epoch may be below this one.
    pub epoch_floor: Option<u32>,
    /// How long a read may take. It counts from its beginning, so a long one is worth little.
    pub read_within: Duration,
    /// How long a proposal may take.
    pub propose_within: Duration,
    /// Whom to trust, for `https`.
    pub tls: Option<EtcdTls>,
}

/// Certificates, as PEM.
#[derive(Clone)]
pub struct EtcdTls {
    /// The authority that vouches for etcd.
    pub authority: Vec<u8>,
    /// Our own certificate and its key, if etcd asks for one.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl std::fmt::Debug for EtcdTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is nobody's business.
        f.debug_struct("EtcdTls").field("identity", &self.identity.is_some()).finish_non_exhaustive()
    }
}

impl EtcdOptions {
    /// With a second for a read and two for a proposal.
    #[must_use]
    pub fn new(endpoints: Vec<String>, cluster: String, first: View) -> EtcdOptions {
        EtcdOptions {
            endpoints,
            cluster,
            first,
            epoch_floor: None,
            read_within: Duration::from_secs(1),
            propose_within: Duration::from_secs(2),
            tls: None,
        }
    }
}

/// A view that an etcd keeps. Its clones are the same store.
#[derive(Clone)]
pub struct EtcdStore {
    inner: Arc<Inner>,
    poll: Arc<Poll>,
}

struct Inner {
    http: Http,
    key: String,
    hints: watch::Sender<u32>,
    proposes: watch::Sender<bool>,
    read_within: Duration,
    propose_within: Duration,
    reads: AtomicU64,
    failures: AtomicU64,
}

/// Looks once a second whether there is something new; ends with the last store.
struct Poll(Mutex<Option<JoinHandle<()>>>);

impl Poll {
    fn end(&self) {
        if let Some(task) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }
}

impl Drop for Poll {
    fn drop(&mut self) {
        self.end();
    }
}

/// What there is at the key: the revision in which it was changed last, and the view.
type Seen = (i64, Arc<View>);

impl EtcdStore {
    /// Reaches the etcd, and puts the first view there if there is none.
    ///
    /// # Errors
    /// If no endpoint answers, or something else than a view is there.
    pub async fn open(options: EtcdOptions) -> Result<EtcdStore, StoreError> {
        let http = Http::new(&options.endpoints, options.tls.as_ref())?;
        let inner = Arc::new(Inner {
            http,
            key: format!("/ringleader/{}/view", options.cluster),
            hints: watch::Sender::new(0),
            proposes: watch::Sender::new(true),
            read_within: options.read_within,
            propose_within: options.propose_within,
            reads: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        });
        let mut first = options.first;
        let floor = options.epoch_floor.unwrap_or_default();
        first.epoch = first.epoch.max(floor);
        let deadline = Instant::now() + options.propose_within;
        loop {
            match inner.look(deadline).await? {
                None => {
                    inner.swap(deadline, 0, &first).await?;
                }
                Some((revision, view)) => match raised(&view, floor) {
                    Some(next) => {
                        inner.swap(deadline, revision, &next).await?;
                    }
                    None => break,
                },
            }
        }
        let poll = tokio::spawn(poll(inner.clone()));
        Ok(EtcdStore { inner, poll: Arc::new(Poll(Mutex::new(Some(poll)))) })
    }
}

async fn poll(inner: Arc<Inner>) {
    loop {
        sleep(Duration::from_secs(1)).await;
        // It is only a hint: whoever needs the view reads it, and hears what is wrong.
        let _ = inner.read(Instant::now() + inner.read_within).await;
    }
}

/// What etcd says about the key.
fn understood(answer: &Value, key: &str) -> Result<Option<Seen>, StoreError> {
    let Some(found) = answer.pointer("/kvs/0") else {
        // An answer always has a head; without one it is none, and says nothing about the key.
        return match answer.pointer("/header/revision") {
            Some(_) => Ok(None),
            None => Err(StoreError::Unavailable(format!("etcd answers what nobody asked: {answer}"))),
        };
    };
    let revision = found.get("mod_revision").and_then(Value::as_str).and_then(|text| text.parse().ok());
    let value = found.get("value").and_then(Value::as_str).and_then(|text| STANDARD.decode(text).ok());
    let view = value.and_then(|bytes| View::decode(&bytes).ok());
    match (revision, view) {
        (Some(revision), Some(view)) => Ok(Some((revision, Arc::new(view)))),
        (Some(_) | None, Some(_) | None) => Err(StoreError::Broken(format!(
            "the key {key} in etcd is not a view that this version can read: use a newer one, or another name for the \
             cluster"
        ))),
    }
}

/// What etcd answers, for fuzzing.
#[doc(hidden)]
pub fn fuzz(bytes: &[u8]) {
    if let Ok(answer) = serde_json::from_slice(bytes) {
        let _ = understood(&answer, "key");
    }
}

impl Inner {
    /// What there is at the key, if there is something.
    async fn look(&self, deadline: Instant) -> Result<Option<Seen>, StoreError> {
        let answer =
            self.http.call("/v3/kv/range", json!({ "key": encoded(self.key.as_bytes()) }), deadline).await;
        self.reads.fetch_add(1, Ordering::Relaxed);
        let answer = answer.inspect_err(|_| {
            self.failures.fetch_add(1, Ordering::Relaxed);
        })?;
        understood(&answer, &self.key)
    }

    async fn seen(&self, deadline: Instant) -> Result<Seen, StoreError> {
        let known = *self.hints.borrow();
        let Some((revision, view)) = self.look(deadline).await? else {
            return Err(StoreError::Broken(format!(
                "the key {} is gone from etcd: put it back from a backup, and start with --epoch-floor {}",
                self.key,
                known.saturating_add(1)
            )));
        };
        // Taken before the read began: whatever was known then, a linearizable read knows.
        if view.epoch < known {
            return Err(StoreError::Broken(format!(
                "etcd went back from epoch {known} to {}: after a backup was put back, start with --epoch-floor {}",
                view.epoch,
                known.saturating_add(1)
            )));
        }
        self.hint(view.epoch);
        Ok((revision, view))
    }

    async fn read(&self, deadline: Instant) -> Result<Arc<View>, StoreError> {
        self.seen(deadline).await.map(|(_, view)| view)
    }

    /// Puts a view in the place of the one of this revision (of none, if that is 0); whether it was still there.
    async fn swap(&self, deadline: Instant, revision: i64, view: &View) -> Result<bool, StoreError> {
        let key = encoded(self.key.as_bytes());
        let mut bytes = Vec::new();
        view.encode(&mut bytes);
        let question = json!({
            "compare": [
                { "key": key, "target": "MOD", "result": "EQUAL", "mod_revision": revision.to_string() }
            ],
            "success": [ { "request_put": { "key": key, "value": encoded(&bytes) } } ],
        });
        let answer = self.http.call("/v3/kv/txn", question, deadline).await?;
        // The gateway leaves out what is false.
        Ok(answer.get("succeeded").and_then(Value::as_bool).unwrap_or(false))
    }

    async fn propose(&self, command: &Command) -> Result<Arc<View>, StoreError> {
        let deadline = Instant::now() + self.propose_within;
        loop {
            let (revision, view) = self.seen(deadline).await?;
            let Ok(next) = view.after(command) else { return Ok(view) };
            if self.swap(deadline, revision, &next).await? {
                self.hint(next.epoch);
                return Ok(Arc::new(next));
            }
        }
    }

    fn hint(&self, epoch: u32) {
        self.hints.send_if_modified(|hint| {
            let newer = epoch > *hint;
            *hint = epoch.max(*hint);
            newer
        });
    }
}

fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

impl ViewStore for EtcdStore {
    fn read(&self) -> Later<'_, Result<Arc<View>, StoreError>> {
        Box::pin(self.inner.read(Instant::now() + self.inner.read_within))
    }

    fn propose(&self, command: Command) -> Later<'_, Result<Arc<View>, StoreError>> {
        Box::pin(async move { self.inner.propose(&command).await })
    }

    fn hints(&self) -> watch::Receiver<u32> {
        self.inner.hints.subscribe()
    }

    fn proposes(&self) -> watch::Receiver<bool> {
        self.inner.proposes.subscribe()
    }

    fn figures(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("etcd_reads", self.inner.reads.load(Ordering::Relaxed)),
            ("etcd_failures", self.inner.failures.load(Ordering::Relaxed)),
        ]
    }

    fn close(&self) -> Later<'_, ()> {
        Box::pin(async { self.poll.end() })
    }
}
