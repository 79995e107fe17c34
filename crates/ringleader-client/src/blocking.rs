//! The same for programs without tokio: a thread of its own keeps the connection.

use crate::api::Watched;
use crate::connect::Connector;
use crate::error::{Code, LockError};
use crate::options::Options;
use crate::{Class, Fence, Kind, Lost, Micros};
use hyper::Method;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// A thread that runs what goes on in the background, until nobody needs it.
struct Engine {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    fn start() -> Result<Engine, LockError> {
        let no_thread = |error: std::io::Error| {
            LockError::new(Code::NoServer, format!("no thread can be started: {error}"), "nothing was asked")
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            let _ = runtime.block_on(stopped);
        };
        let thread =
            std::thread::Builder::new().name("ringleader-client".into()).spawn(run).map_err(no_thread)?;
        Ok(Engine { handle, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A client; see [`crate::Client`].
#[derive(Clone)]
pub struct Client {
    // In this order: the client says its last words before its thread ends.
    inner: crate::Client,
    engine: Arc<Engine>,
}

impl Client {
    /// Opens a session at the first server that gives one.
    ///
    /// # Errors
    /// As [`crate::Client::connect`].
    pub fn connect(options: Options) -> Result<Client, LockError> {
        let engine = Arc::new(Engine::start()?);
        let inner = engine.handle.block_on(crate::Client::connect(options))?;
        Ok(Client { inner, engine })
    }

    /// The client itself, for what is only there.
    #[must_use]
    pub fn inner(&self) -> &crate::Client {
        &self.inner
    }

    /// Waits until a lock is granted: `client.acquire(client.inner().lock("name").try_now())`.
    ///
    /// # Errors
    /// As [`crate::Asking::acquire`].
    pub fn acquire(&self, asking: crate::Asking) -> Result<Guard, LockError> {
        let inner = self.engine.handle.block_on(asking.acquire())?;
        Ok(Guard { inner, engine: Arc::clone(&self.engine) })
    }

    /// The same in the background: it is given to `then` on another thread. What comes back withdraws the
    /// request when it is dropped, unless it was answered.
    pub fn acquire_then(
        &self,
        asking: crate::Asking,
        then: impl FnOnce(Result<Guard, LockError>) + Send + 'static,
    ) -> Pending {
        let engine = Arc::downgrade(&self.engine);
        let task = self.engine.handle.spawn(async move {
            let outcome = asking.acquire().await;
            if let Some(engine) = engine.upgrade() {
                // On a thread of its own: the last one who has the engine must not be that which it runs on.
                std::thread::spawn(move || then(outcome.map(|inner| Guard { inner, engine })));
            }
        });
        Pending(task)
    }

    /// Asks in the background how a lock is, and gives the answer, if there is one, to `then`.
    pub fn look_then(
        &self,
        kind: Kind,
        name: &str,
        then: impl FnOnce(crate::api::LockInfo) + Send + 'static,
    ) {
        let (client, name) = (self.inner.clone(), name.to_owned());
        self.engine.handle.spawn(async move {
            if let Ok(lock) = client.look(kind, &name).await {
                then(lock);
            }
        });
    }

    /// For how long the last answer of the server was good, for sessions of this class.
    #[must_use]
    pub fn valid(&self, class: Class) -> Micros {
        crate::client::span(self.inner.valid(class))
    }

    /// Ends the sessions; everything held is free.
    pub fn close(self) {
        self.engine.handle.block_on(self.inner.close());
    }
}

/// A request in the background.
pub struct Pending(tokio::task::JoinHandle<()>);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A lock that is held; see [`crate::Guard`].
#[derive(Debug)]
pub struct Guard {
    inner: crate::Guard,
    engine: Arc<Engine>,
}

impl core::fmt::Debug for Engine {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Engine")
    }
}

impl Guard {
    /// The fencing number.
    #[must_use]
    pub fn fence(&self) -> Fence {
        self.inner.fence()
    }

    /// From when on it is not held.
    #[must_use]
    pub fn deadline(&self) -> Micros {
        self.inner.deadline()
    }

    /// Whether it is held now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.inner.is_held()
    }

    /// Why it is not held any more; nothing while it is.
    #[must_use]
    pub fn why_lost(&self) -> Option<Lost> {
        self.inner.why_lost()
    }

    /// The class of its session.
    #[must_use]
    pub fn class(&self) -> Class {
        self.inner.class()
    }

    /// Its session, as the server calls it.
    #[must_use]
    pub fn session(&self) -> String {
        self.inner.session()
    }

    /// Gives it back, and waits until the server has answered.
    ///
    /// # Errors
    /// As [`crate::Guard::release`].
    pub fn release(self) -> Result<(), LockError> {
        self.engine.handle.block_on(self.inner.release())
    }
}

/// One call of the HTTP surface at the first server that answers, without a session.
///
/// # Errors
/// If no server answers, or it refuses.
pub fn call(options: &Options, method: &str, path: &str, body: Option<String>) -> Result<Vec<u8>, LockError> {
    let connector = Connector::new(options)?;
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| {
        LockError::new(Code::BadRequest, format!("`{method}` is no method"), "nothing was asked")
    })?;
    let engine = Engine::start()?;
    let asked = crate::client::call(&connector, &options.servers, options.patience, method, path, body);
    engine.handle.block_on(asked)
}

/// Watches a lock or an election; see [`crate::Observer`].
pub struct Observer {
    inner: crate::Observer,
    engine: Engine,
}

impl Observer {
    /// Without a session.
    ///
    /// # Errors
    /// As [`crate::Observer::open`].
    pub fn open(options: &Options, kind: Kind, name: &str) -> Result<Observer, LockError> {
        Ok(Observer { inner: crate::Observer::open(options, kind, name)?, engine: Engine::start()? })
    }

    /// The next change; nothing if none comes in this time.
    ///
    /// # Errors
    /// As [`crate::Observer::next`].
    pub fn next(&mut self, most: Duration) -> Result<Option<Watched>, LockError> {
        let next = self.inner.next();
        let waited = self.engine.handle.block_on(async { tokio::time::timeout(most, next).await });
        waited.map_or(Ok(None), |watched| watched.map(Some))
    }
}

/// A name as a part of a path of the HTTP surface.
#[must_use]
pub fn in_path(name: &str) -> String {
    crate::connect::in_path(name)
}
