//! Who a client is, and what it may do.

use crate::config::{Config, Permission, Right, Rights, Secret, Token, Who, sha256};
use crate::owner;
use crate::words::{self, NOTHING_DONE, refuse};
use ringleader_client::api::Refusal;
use ringleader_locks::Name;
use std::sync::Arc;

/// What a connection says about who is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Caller {
    /// Somebody of the same machine, let in by the mode of the socket.
    Local,
    /// Somebody with a certificate of this name.
    Certificate(String),
    /// Somebody who has not said yet who it is.
    Stranger,
}

/// A client of which it is settled who it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Principal {
    key: Arc<str>,
    /// The token that it has shown.
    shown: Option<Secret>,
    /// What it may do, with the names that begin like this.
    rights: Arc<[(String, Rights)]>,
}

impl Principal {
    /// Who it is, in a word.
    #[must_use]
    pub fn key(&self) -> Arc<str> {
        Arc::clone(&self.key)
    }

    /// Whether it may do this, with this name or, without one, with any.
    ///
    /// # Errors
    /// If it may not.
    pub fn may(&self, right: Right, name: Option<&Name>) -> Result<(), Refusal> {
        let text = name.map_or("", Name::text);
        let covers = |(prefix, rights): &(String, Rights)| match name {
            Some(_) => rights.has(right) && text.starts_with(prefix.as_str()),
            // What is about the whole cluster is not covered by a part of the names; a file that says so is refused.
            None => rights.has(right) && (right != Right::Admin || prefix.is_empty()),
        };
        if self.rights.iter().any(covers) {
            return Ok(());
        }
        let (who, what) = (&self.key, right.name());
        let message = match name {
            Some(name) => format!("{who} may not `{what}` `{name}`"),
            None => format!("{who} may not `{what}`"),
        };
        let help =
            format!("a [[permission]] of the servers' file allows it: who = \"{who}\", allow = [\"{what}\"]");
        Err(Refusal { help: Some(help), ..refuse("forbidden", message, NOTHING_DONE) })
    }

    /// Whether it may see this name.
    #[must_use]
    pub fn sees(&self, name: &Name) -> bool {
        self.may(Right::Observe, Some(name)).is_ok()
    }
}

/// Who may do what.
pub struct Access {
    tokens: Vec<Token>,
    permissions: Vec<Permission>,
    local: Principal,
}

impl Access {
    /// As the configuration has it.
    #[must_use]
    pub fn new(config: &Config) -> Access {
        Access::of(config.tokens.clone(), config.permissions.clone())
    }

    /// Nobody who comes over a network.
    #[must_use]
    pub fn nobody() -> Access {
        Access::of(Vec::new(), Vec::new())
    }

    fn of(tokens: Vec<Token>, permissions: Vec<Permission>) -> Access {
        let everything = (String::new(), Rights::of(&Right::ALL));
        let local = Principal { key: LOCAL.into(), shown: None, rights: vec![everything].into() };
        Access { tokens, permissions, local }
    }

    /// Who is there: by the connection, or by the token that was shown (`Authorization: Bearer ...`).
    ///
    /// # Errors
    /// If nothing says who it is, or the token is none.
    pub fn principal(&self, caller: &Caller, authorization: Option<&[u8]>) -> Result<Principal, Refusal> {
        if let Some(header) = authorization {
            let shown = header.strip_prefix(b"Bearer ").unwrap_or_default();
            return self.bearer(Secret(sha256(shown)));
        }
        match caller {
            Caller::Local => Ok(self.local.clone()),
            Caller::Certificate(name) => Ok(self.certified(name)),
            Caller::Stranger => Err(unauthenticated("nothing says who you are")),
        }
    }

    /// Who is meant by this word, as [`Principal::key`] gives it: `cert:NAME` or `token:NAME`.
    #[must_use]
    pub fn known(&self, key: &str) -> Option<Principal> {
        match (key.strip_prefix(CERTIFICATE), key.strip_prefix(TOKEN)) {
            (Some(name), _) => Some(self.certified(name)),
            (None, Some(name)) if self.tokens.iter().any(|token| token.name == name) => {
                Some(self.with_rights(key.to_owned(), None, &Who::Token(name.to_owned())))
            }
            (None, _) => None,
        }
    }

    /// The same one, as it is known now: on a connection that lasts longer than what was permitted when it began.
    ///
    /// # Errors
    /// If its token is none any more.
    pub fn again(&self, known: &Principal) -> Result<Principal, Refusal> {
        match (known.shown, known.key.strip_prefix(CERTIFICATE)) {
            (Some(shown), _) => self.bearer(shown),
            (None, Some(name)) => Ok(self.certified(name)),
            (None, None) => Ok(self.local.clone()),
        }
    }

    /// Why a session of this owner is not to go on, which holds these names or waits for them; none if it is.
    pub(crate) fn forbids<'n>(
        &self,
        owner: &str,
        mut names: impl Iterator<Item = &'n Name>,
    ) -> Option<Refusal> {
        let key = owner::principal(owner);
        let who = match (self.known(key), key.strip_prefix(TOKEN)) {
            (Some(who), _) => who,
            (None, Some(name)) => {
                let message = format!("the token `{name}` is not known here any more");
                return Some(refuse("forbidden", message, NOT_KEPT));
            }
            // Of this machine, or of this process.
            (None, None) => return None,
        };
        let refused = names.find_map(|name| who.may(words::right(name.kind()), Some(name)).err())?;
        Some(Refusal { certain: NOT_KEPT.to_owned(), ..refused })
    }

    fn bearer(&self, shown: Secret) -> Result<Principal, Refusal> {
        // Every token is compared, so that the time says nothing about which.
        let fits = self
            .tokens
            .iter()
            .fold(None, |found, token| if token.secret.is(&shown) { Some(token) } else { found });
        let Token { name, .. } = fits.ok_or_else(|| unauthenticated("the token is not known here"))?;
        Ok(self.with_rights(format!("{TOKEN}{name}"), Some(shown), &Who::Token(name.clone())))
    }

    fn certified(&self, name: &str) -> Principal {
        self.with_rights(format!("{CERTIFICATE}{name}"), None, &Who::Certificate(name.to_owned()))
    }

    fn with_rights(&self, key: String, shown: Option<Secret>, who: &Who) -> Principal {
        let fitting = self.permissions.iter().filter(|one| one.who == *who || one.who == Who::Anybody);
        let rights: Vec<_> = fitting.map(|one| (one.prefix.clone(), one.allow)).collect();
        Principal { key: key.into(), shown, rights: rights.into() }
    }
}

/// Whoever uses the Unix socket; and how others are called.
const LOCAL: &str = "local";
const TOKEN: &str = "token:";
const CERTIFICATE: &str = "cert:";

/// What is certain when a session may not go on.
const NOT_KEPT: &str = "the session is not kept alive: what it holds it holds until the deadline that was told \
                        last, and no longer; nothing more is granted to it";

fn unauthenticated(message: &str) -> Refusal {
    Refusal {
        help: Some(
            "show a client certificate of the cluster's authority, or `Authorization: Bearer TOKEN`"
                .to_owned(),
        ),
        ..refuse("unauthenticated", message, NOTHING_DONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admin_with_a_prefix_is_no_permission() {
        let who = |prefix: &str| Principal {
            key: "token:ci".into(),
            shown: None,
            rights: vec![(prefix.to_owned(), Rights::of(&Right::ALL))].into(),
        };
        assert!(who("").may(Right::Admin, None).is_ok());
        assert_eq!(who("ci/").may(Right::Admin, None).expect_err("refused").code, "forbidden");
        assert!(who("ci/").may(Right::Observe, None).is_ok());
    }
}
