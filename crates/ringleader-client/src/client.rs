//! A client, and how it asks.

use crate::api::LockInfo;
use crate::connect::{Connector, in_path};
use crate::core::{Core, Key, Wait, Wish};
use crate::endpoint::Endpoint;
use crate::error::{Code, LockError};
use crate::guard::Guard;
use crate::link::{self, Shared};
use crate::observe::Observer;
use crate::options::Options;
use hyper::Method;
use ringleader_live::Micros;
use ringleader_locks::{Class, Fence, Kind, MAX_HOLDERS, MAX_VALUE, Mode, Name};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A client of the service: one connection to one server, with its sessions. It can be cloned; the sessions
/// end when the last clone and the last guard are gone.
#[derive(Clone)]
pub struct Client {
    pub(crate) handle: Arc<Handle>,
}

/// Ends everything when nobody has it any more.
pub(crate) struct Handle {
    pub(crate) shared: Arc<Shared>,
    connector: Arc<Connector>,
    options: Options,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.with(|core, now| core.close(now));
    }
}

pub(crate) fn span(span: Duration) -> Micros {
    Micros(u64::try_from(span.as_micros()).unwrap_or(u64::MAX / 4).min(u64::MAX / 4))
}

impl Client {
    /// Opens a session at the first server that gives one. The connection and the signs of life are looked
    /// after in the background, on the runtime on which this is called.
    ///
    /// # Errors
    /// If no server gives a session within the patience of the options, or one refuses.
    pub async fn connect(options: Options) -> Result<Client, LockError> {
        let connector = Arc::new(Connector::new(&options)?);
        // Who knows one server only cannot follow a session to another.
        let key = if options.servers.len() > 1 { Some(crate::tls::secret()?) } else { None };
        let core = Core::new(options.class, options.ttl.map(span), options.meta.clone(), key);
        let shared = Arc::new(Shared::new(core));
        let handle = Handle { shared, connector: Arc::clone(&connector), options };
        let client = Client { handle: Arc::new(handle) };
        let (shared, options) = (&client.handle.shared, &client.handle.options);
        tokio::spawn(link::keep(Arc::clone(shared), connector, options.servers.clone()));
        tokio::spawn(link::tick(Arc::clone(shared)));
        let until = Instant::now() + options.patience;
        loop {
            let (open, refused) =
                shared.with(|core, now| (core.is_open(now, options.class), core.refused().cloned()));
            // What a server says once will be said again.
            let said = shared.failure().filter(|error| {
                matches!(error.code, Code::Unauthenticated | Code::Forbidden | Code::Protocol)
            });
            match refused.or(said) {
                _ if open => return Ok(client),
                Some(error) => return Err(error),
                None => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(shared
                    .failure()
                    .unwrap_or_else(|| LockError::new(Code::NoServer, "no server answers", "nothing")));
            }
            shared.changed(left).await;
        }
    }

    /// A lock: first come, first served.
    pub fn lock(&self, name: &str) -> Asking {
        self.asking(Kind::Lock, name)
    }

    /// Leadership: the highest priority first, then first come.
    pub fn elect(&self, name: &str) -> Asking {
        self.asking(Kind::Election, name)
    }

    fn asking(&self, kind: Kind, name: &str) -> Asking {
        let wish = Wish {
            kind,
            name: name.to_owned(),
            value: String::new(),
            priority: 0,
            class: self.handle.options.class,
            wait: Wait::Forever,
            mode: Mode::Exclusive,
        };
        Asking { handle: Arc::clone(&self.handle), wish }
    }

    /// The server at which it is, as that calls itself.
    #[must_use]
    pub fn server(&self) -> String {
        self.handle.shared.with(|core, _| core.server().to_owned())
    }

    /// For how long the last answer of the server was good, for sessions of this class.
    #[must_use]
    pub fn valid(&self, class: Class) -> Duration {
        Duration::from_micros(self.handle.shared.with(|core, _| core.valid(class)).0)
    }

    /// Why the server cannot be reached at the moment, if it cannot.
    #[must_use]
    pub fn trouble(&self) -> Option<LockError> {
        self.handle.shared.failure()
    }

    /// Whoever holds this lock, as it changes.
    #[must_use]
    pub fn observe(&self, name: &str) -> Observer {
        self.observer(Kind::Lock, name)
    }

    /// Whoever leads, as it changes. It is the past: compare fences.
    #[must_use]
    pub fn observe_election(&self, name: &str) -> Observer {
        self.observer(Kind::Election, name)
    }

    fn observer(&self, kind: Kind, name: &str) -> Observer {
        Observer::new(
            Arc::clone(&self.handle.connector),
            self.handle.options.servers.clone(),
            kind,
            name.to_owned(),
        )
    }

    /// How a lock is, asked at the server that has its token.
    ///
    /// # Errors
    /// If no server answers, or it refuses.
    pub async fn look(&self, kind: Kind, name: &str) -> Result<LockInfo, LockError> {
        let path = format!("/v1/{}/{}?consistent=1", words(kind), in_path(name));
        let body = self.call(Method::GET, &path, None).await?;
        serde_json::from_slice(&body).map_err(|error| unreadable(&error))
    }

    /// Any call of the HTTP surface, at the first server that answers: its answer as it is.
    ///
    /// # Errors
    /// If no server answers, or it refuses.
    pub async fn call(&self, method: Method, path: &str, body: Option<String>) -> Result<Vec<u8>, LockError> {
        let options = &self.handle.options;
        call(&self.handle.connector, &options.servers, options.patience, method, path, body).await
    }

    /// Ends the sessions, and waits until the server knows or a second has passed. Everything held is free.
    pub async fn close(self) {
        let shared = Arc::clone(&self.handle.shared);
        shared.with(|core, now| core.close(now));
        let until = Instant::now() + Duration::from_secs(1);
        while !shared.with(|core, _| core.is_closed()) && Instant::now() < until {
            shared.changed(Duration::from_millis(5)).await;
        }
    }
}

/// `locks` or `elections`.
pub(crate) fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Lock => "locks",
        Kind::Election => "elections",
    }
}

pub(crate) fn unreadable(error: &serde_json::Error) -> LockError {
    LockError::new(Code::Protocol, format!("what the server answers cannot be read: {error}"), "nothing")
}

/// One call at the first of these servers that answers, without a session.
///
/// # Errors
/// If no server answers, or it refuses.
pub(crate) async fn call(
    connector: &Connector,
    servers: &[Endpoint],
    patience: Duration,
    method: Method,
    path: &str,
    body: Option<String>,
) -> Result<Vec<u8>, LockError> {
    let mut last = None;
    for server in servers {
        let asked = connector.call(server, method.clone(), path, body.clone());
        match tokio::time::timeout(patience, asked).await {
            Ok(Ok(answer)) => return Ok(answer.to_vec()),
            Ok(Err(error)) if error.code == Code::NoServer => last = Some(error),
            Ok(Err(error)) => return Err(error),
            Err(_) => last = Some(crate::connect::unreached(server, "it takes too long")),
        }
    }
    Err(last.unwrap_or_else(|| LockError::new(Code::NoServer, "no server was named", "nothing")))
}

/// A lock that is to be asked for.
#[must_use]
pub struct Asking {
    handle: Arc<Handle>,
    wish: Wish,
}

impl Asking {
    /// Does not wait: if somebody else has it, that is an error.
    pub fn try_now(mut self) -> Asking {
        self.wish.wait = Wait::Try(span(self.handle.options.patience));
        self
    }

    /// Waits at most so long.
    pub fn timeout(mut self, most: Duration) -> Asking {
        self.wish.wait = Wait::Most(span(most));
        self
    }

    /// What others are shown while it is held: at most 4 KiB.
    pub fn value(mut self, value: impl Into<String>) -> Asking {
        self.wish.value = value.into();
        self
    }

    /// How much it is wanted; only elections look at it, and the highest is first.
    pub fn priority(mut self, priority: u32) -> Asking {
        self.wish.priority = priority;
        self
    }

    /// Held with others who share it, and with nobody who holds it exclusively: to read. Only locks can be shared.
    pub fn shared(mut self) -> Asking {
        self.wish.mode = Mode::Shared;
        self
    }

    /// The lock is a semaphore of so many permits, from 1 to 1000; one is taken. Whoever asks for it says the same
    /// number.
    pub fn permits(mut self, permits: u32) -> Asking {
        self.wish.mode = Mode::Permits(permits);
        self
    }

    /// The class of the session in which it is held: that of the lock, or a shorter one.
    pub fn class(mut self, class: Class) -> Asking {
        self.wish.class = class;
        self
    }

    /// Waits until it is granted. If the session is lost meanwhile, it is asked for again in a new one, here
    /// or at another server. If this future is dropped, the request is withdrawn, and a grant that comes
    /// late is given back.
    ///
    /// # Errors
    /// If it is refused, or not granted in time; the error says what is certain.
    pub async fn acquire(self) -> Result<Guard, LockError> {
        let wish = self.wish;
        Name::new(wish.kind, &wish.name)
            .map_err(|why| LockError::new(Code::BadName, why.to_string(), "nothing was asked"))?;
        if wish.value.len() > MAX_VALUE {
            let message = format!("a value has at most {MAX_VALUE} bytes, not {}", wish.value.len());
            return Err(LockError::new(Code::BadRequest, message, "nothing was asked"));
        }
        if let Mode::Permits(permits) = wish.mode
            && !(1..=MAX_HOLDERS).contains(&permits)
        {
            let message = format!("a semaphore has 1 to {MAX_HOLDERS} permits, not {permits}");
            return Err(LockError::new(Code::BadRequest, message, "nothing was asked"));
        }
        if wish.mode != Mode::Exclusive && wish.kind == Kind::Election {
            let message = "an election has one leader: it is not shared, and has no permits";
            return Err(LockError::new(Code::BadRequest, message, "nothing was asked"));
        }
        let (grants, granted) = oneshot::channel();
        let (name, class) = (wish.name.clone(), wish.class);
        let key = self.handle.shared.with(|core, now| core.acquire(now, wish, grants));
        let ticket = Ticket { handle: Some(self.handle), key };
        let fence = granted.await.unwrap_or_else(|_| Err(LockError::expired("the client was closed")))?;
        ticket.claim(name, class, fence)
    }

    /// The same in the words of elections.
    ///
    /// # Errors
    /// As [`Asking::acquire`].
    pub async fn campaign(self) -> Result<Guard, LockError> {
        self.acquire().await
    }
}

/// A request that nobody has taken over yet: dropped, it is withdrawn or given back.
struct Ticket {
    handle: Option<Arc<Handle>>,
    key: Key,
}

impl Ticket {
    fn claim(mut self, name: String, class: Class, fence: Fence) -> Result<Guard, LockError> {
        let key = self.key;
        let held =
            self.handle.as_ref().is_some_and(|each| each.shared.with(|core, now| core.holds(now, key)));
        match self.handle.take() {
            // Looked at once more: between the grant and this moment the process may have been paused.
            Some(handle) if held => Ok(Guard::new(handle, key, name, class, fence)),
            handle => {
                self.handle = handle;
                Err(LockError::expired("it was over before the grant could be used"))
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            handle.shared.with(|core, now| core.abandon(now, self.key));
        }
    }
}
