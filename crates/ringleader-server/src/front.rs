//! A front: another protocol for clients, on a port of its own. Connections, trust, permissions and limits are those
//! of HTTP; what is said on a connection is the front's affair.

use crate::access::{Caller, Principal};
use crate::core::{Context, Core};
use crate::http::{Busy, Guest, Limits, Surface};
use crate::store::Later;
use crate::words;
use ringleader_client::api::Refusal;
use ringleader_locks::{Denial, Kind, LockState, Name};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

/// What a front serves connections with.
pub trait Front: Send + Sync + 'static {
    /// What is spoken under TLS on its connections, as clients ask for it there (ALPN).
    fn protocol(&self) -> &'static [u8];

    /// Serves one connection until it is over.
    fn serve(self: Arc<Self>, connection: Connection, visitor: Visitor) -> Later<'static, ()>;
}

/// Bytes to and from a client.
pub trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Bytes for S {}

/// A connection. A write that makes no progress for too long ends it.
pub type Connection = Box<dyn Bytes>;

/// Who is at the other end of a connection. Its clones are the same.
#[derive(Clone)]
pub struct Visitor {
    pub(crate) surface: Surface,
    pub(crate) caller: Caller,
    pub(crate) guest: Arc<Guest>,
    /// Another server of this cluster, by its certificate.
    pub(crate) is_server: bool,
}

impl Visitor {
    /// The server that is asked.
    #[must_use]
    pub fn core(&self) -> &Core {
        self.surface.core()
    }

    /// What clients may cost.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.surface.limits()
    }

    /// Does something in the queue of those that have shown who they are.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.surface.clients().spawn(task);
    }

    /// Who asks: by the connection, or by the token that was shown (`Bearer ...`). From the first time on the
    /// connection is no stranger's.
    ///
    /// # Errors
    /// If nothing says who it is, or there is no room.
    pub fn principal(&self, shown: Option<&[u8]>) -> Result<Principal, Refusal> {
        self.core().metrics().asked();
        let who = self.core().access().borrow().principal(&self.caller, shown)?;
        self.admitted()?;
        Ok(who)
    }

    /// For whom another server asks: it has looked at who that is.
    ///
    /// # Errors
    /// If this is no server of this cluster, or that is nobody.
    pub fn on_behalf_of(&self, key: &str) -> Result<Principal, Refusal> {
        self.core().metrics().asked();
        let known = self.core().access().borrow().known(key).filter(|_| self.is_server);
        let who = known.ok_or_else(|| {
            let message = format!("only a server of this cluster may ask for `{key}`");
            words::refuse("forbidden", message, words::NOTHING_DONE)
        })?;
        self.admitted()?;
        Ok(who)
    }

    fn admitted(&self) -> Result<(), Refusal> {
        self.guest.admit()?;
        self.surface.watches_queue();
        Ok(())
    }

    /// Whether it has shown who it is.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.guest.is_admitted()
    }

    /// A call begins, and lasts as long as what is given back.
    ///
    /// # Errors
    /// If too many wait for their answer.
    pub fn begins(&self) -> Result<Busy, Refusal> {
        self.surface.begins()
    }

    /// Something was refused.
    pub fn refuses(&self, code: &str) {
        self.core().metrics().refused(code);
    }

    /// How a lock is, now and whenever that changes: looked at five times a second, once for all who watch it.
    #[must_use]
    pub fn watches(&self, name: &Name) -> watch::Receiver<Option<LockState>> {
        self.surface.watches(name)
    }

    /// How a lock is, from its owner.
    ///
    /// # Errors
    /// If the owner does not answer in time.
    pub async fn look(&self, name: &Name) -> Result<LockState, Refusal> {
        self.surface.look(name).await
    }
}

/// A name, or why it is none.
///
/// # Errors
/// If it is empty, too long, or has control characters.
pub fn named(kind: Kind, text: &str) -> Result<Name, Refusal> {
    words::named(kind, text)
}

/// A refusal of the server in words; of a request for this name, if there is one.
#[must_use]
pub fn refusal(core: &Core, name: Option<&Name>, denial: Denial) -> Refusal {
    let context = name.map_or(Context::NOTHING, |name| Context::Acquire(name.clone()));
    words::denied(core.facts(), &context, denial)
}

/// A refusal with this code and these words: nothing was done.
#[must_use]
pub fn refuse(code: &str, message: impl Into<String>) -> Refusal {
    words::refuse(code, message, words::NOTHING_DONE)
}
