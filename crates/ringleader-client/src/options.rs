//! What a client is told at its start.

use crate::endpoint::Endpoint;
use core::fmt;
use ringleader_locks::Class;
use std::path::PathBuf;
use std::time::Duration;

/// Who asks. Over a Unix socket it may say nothing: whoever may open that may ask.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum Credentials {
    /// It does not say.
    #[default]
    None,
    /// Files in PEM form.
    Certificate {
        /// The certificate, and those between it and the authority.
        chain: PathBuf,
        /// Its key.
        key: PathBuf,
    },
    /// A bearer token.
    Token(String),
}

/// A token is not shown.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credentials::None => write!(f, "None"),
            Credentials::Certificate { chain, .. } => write!(f, "Certificate({})", chain.display()),
            Credentials::Token(_) => write!(f, "Token(…)"),
        }
    }
}

/// What a client is told at its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Servers of one cluster. The client is at one of them; if that is lost, at the next.
    pub servers: Vec<Endpoint>,
    /// The certificate of the cluster's authority, in PEM form; needed for every server over TLS.
    pub authority: Option<PathBuf>,
    /// Who asks.
    pub credentials: Credentials,
    /// What others are shown about the holder: by default the host and the number of the process.
    pub meta: String,
    /// The class of its session, unless a request says another.
    pub class: Class,
    /// How long it may be silent at most; as long as the lease of the class if it says nothing.
    pub ttl: Option<Duration>,
    /// How long it is tried to reach a server at all, and how long a try waits for its answer.
    pub patience: Duration,
}

impl Options {
    /// As usual, at these servers.
    #[must_use]
    pub fn new(servers: impl IntoIterator<Item = Endpoint>) -> Options {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Options {
            servers: servers.into_iter().collect(),
            authority: None,
            credentials: Credentials::None,
            meta: format!("{host}:{}", std::process::id()),
            class: Class::Normal,
            ttl: None,
            patience: Duration::from_secs(5),
        }
    }
}
