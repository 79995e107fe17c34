//! What went wrong, and what is certain then.

use crate::api::Refusal;
use core::fmt;

/// What went wrong, in a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Code {
    /// Somebody else has it.
    Locked,
    /// It was not granted in time.
    Timeout,
    /// The session is over.
    SessionExpired,
    /// The server knows of no such session.
    SessionUnknown,
    /// Somebody holds the lock or waits for it in another way: a semaphore is no lock.
    ModeMixed,
    /// This fence does not hold now.
    NotHolder,
    /// The server may grant nothing now.
    NoLease,
    /// The lock's shard is being rebuilt.
    Recovering,
    /// The server is about to leave.
    Draining,
    /// The session is at another server.
    Moved,
    /// Too many of something.
    Limit,
    /// It is no name.
    BadName,
    /// It cannot be asked like this.
    BadRequest,
    /// The server does not know who asks.
    Unauthenticated,
    /// Who asks may not.
    Forbidden,
    /// No server answers.
    NoServer,
    /// A file, a certificate or a key is of no use.
    BadCredentials,
    /// What answers is no server of this kind, or one that is newer.
    Protocol,
    /// Another word of a newer server.
    Other(String),
}

impl Code {
    const WORDS: [(&'static str, Code); 18] = [
        ("locked", Code::Locked),
        ("timeout", Code::Timeout),
        ("session_expired", Code::SessionExpired),
        ("session_unknown", Code::SessionUnknown),
        ("mode_mixed", Code::ModeMixed),
        ("not_holder", Code::NotHolder),
        ("no_lease", Code::NoLease),
        ("recovering", Code::Recovering),
        ("draining", Code::Draining),
        ("moved", Code::Moved),
        ("limit", Code::Limit),
        ("bad_name", Code::BadName),
        ("bad_request", Code::BadRequest),
        ("unauthenticated", Code::Unauthenticated),
        ("forbidden", Code::Forbidden),
        ("no_server", Code::NoServer),
        ("bad_credentials", Code::BadCredentials),
        ("protocol", Code::Protocol),
    ];

    /// The word.
    #[must_use]
    pub fn word(&self) -> &str {
        if let Code::Other(word) = self {
            return word;
        }
        Code::WORDS.iter().find(|(_, code)| code == self).map_or("", |(word, _)| word)
    }

    /// The code of this word.
    #[must_use]
    pub fn of(word: &str) -> Code {
        let known = Code::WORDS.into_iter().find(|(known, _)| *known == word);
        known.map_or_else(|| Code::Other(word.to_owned()), |(_, code)| code)
    }
}

/// What went wrong, and what is certain then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockError {
    /// In a word.
    pub code: Code,
    /// In a sentence.
    pub message: String,
    /// What is certain.
    pub certain: String,
    /// What to do about it.
    pub help: Option<String>,
    /// When to try again, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl LockError {
    pub(crate) fn new(code: Code, message: impl Into<String>, certain: impl Into<String>) -> LockError {
        let (message, certain) = (message.into(), certain.into());
        LockError { code, message, certain, help: None, retry_after_ms: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> LockError {
        self.help = Some(help.into());
        self
    }

    /// The request was withdrawn because its time is over.
    pub(crate) fn timeout() -> LockError {
        let certain = "it is not held, and not waited for any more";
        LockError::new(Code::Timeout, "it was not granted in time", certain)
    }

    /// The session is over.
    pub(crate) fn expired(why: &str) -> LockError {
        let certain =
            "nothing of it is held; what the server may still keep is free when the session ends there";
        LockError::new(Code::SessionExpired, format!("the session is over: {why}"), certain)
    }
}

impl From<Refusal> for LockError {
    fn from(refusal: Refusal) -> LockError {
        LockError {
            code: Code::of(&refusal.code),
            message: refusal.message,
            certain: refusal.certain,
            help: refusal.help,
            retry_after_ms: refusal.retry_after_ms.map(u64::from),
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code.word())?;
        if self.certain.is_empty() { Ok(()) } else { write!(f, "; certain: {}", self.certain) }
    }
}

impl std::error::Error for LockError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_its_code_and_back() {
        for (word, code) in Code::WORDS {
            assert_eq!((Code::of(word), code.word()), (code.clone(), word));
        }
        assert_eq!(Code::of("paused").word(), "paused", "a word that is not known stays what it is");
    }
}
