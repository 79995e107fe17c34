//! Who a client is, and what it may do.

use crate::config::{Config, Permission, Right, Rights, Token, Who};
use crate::words::{NOTHING_DONE, refuse};
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Principal {
    key: Arc<str>,
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
        let everything = (String::new(), Rights::of(&Right::ALL));
        Access {
            tokens: config.tokens.clone(),
            permissions: config.permissions.clone(),
            local: Principal { key: "local".into(), rights: vec![everything].into() },
        }
    }

    /// Who is there: by the connection, or by the token that was shown (`Authorization: Bearer ...`).
    ///
    /// # Errors
    /// If nothing says who it is, or the token is none.
    pub fn principal(&self, caller: &Caller, authorization: Option<&[u8]>) -> Result<Principal, Refusal> {
        if let Some(header) = authorization {
            let shown = header.strip_prefix(b"Bearer ").unwrap_or_default();
            // Every token is compared, so that the time says nothing about which.
            let fits = self
                .tokens
                .iter()
                .fold(None, |found, token| if token.secret.fits(shown) { Some(token) } else { found });
            let token = fits.ok_or_else(|| unauthenticated("the token is not known here"))?;
            return Ok(self.with_rights(format!("token:{}", token.name), &Who::Token(token.name.clone())));
        }
        match caller {
            Caller::Local => Ok(self.local.clone()),
            Caller::Certificate(name) => {
                Ok(self.with_rights(format!("cert:{name}"), &Who::Certificate(name.clone())))
            }
            Caller::Stranger => Err(unauthenticated("nothing says who you are")),
        }
    }

    /// Who is meant by this word, as [`Principal::key`] gives it: `cert:NAME` or `token:NAME`.
    #[must_use]
    pub fn known(&self, key: &str) -> Option<Principal> {
        let who = match key.split_once(':')? {
            ("cert", name) => Who::Certificate(name.to_owned()),
            ("token", name) if self.tokens.iter().any(|token| token.name == name) => {
                Who::Token(name.to_owned())
            }
            _nobody => return None,
        };
        Some(self.with_rights(key.to_owned(), &who))
    }

    fn with_rights(&self, key: String, who: &Who) -> Principal {
        let fitting = self.permissions.iter().filter(|one| one.who == *who || one.who == Who::Anybody);
        let rights: Vec<_> = fitting.map(|one| (one.prefix.clone(), one.allow)).collect();
        Principal { key: key.into(), rights: rights.into() }
    }
}

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
            rights: vec![(prefix.to_owned(), Rights::of(&Right::ALL))].into(),
        };
        assert!(who("").may(Right::Admin, None).is_ok());
        assert_eq!(who("ci/").may(Right::Admin, None).expect_err("refused").code, "forbidden");
        assert!(who("ci/").may(Right::Observe, None).is_ok());
    }
}
