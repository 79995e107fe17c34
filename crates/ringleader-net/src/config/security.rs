//! `[tls]`, or `[plain]`: how members know each other.

use super::document::Document;
use super::quantity::is_loopback;
use super::values::FilePath;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How members know each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Security {
    /// By certificates of the cluster's own authority. `{name}` in a path stands for the name of a member.
    Tls {
        /// The certificate of the authority.
        authority: PathBuf,
        /// The certificate of the member.
        certificate: PathBuf,
        /// Its key.
        key: PathBuf,
        /// The lists of certificates that are believed no more.
        revoked: Option<PathBuf>,
    },
    /// Not at all: whoever reaches the port is believed. On one machine only.
    Plain,
}

impl Security {
    /// The same for this member: `{name}` is replaced.
    #[must_use]
    pub fn of_member(&self, name: &str) -> Security {
        self.with_paths(|path| match path.to_str() {
            Some(text) => PathBuf::from(text.replace("{name}", name)),
            None => path.to_owned(),
        })
    }

    /// The same with other paths.
    #[must_use]
    pub fn with_paths(&self, change: impl Fn(&Path) -> PathBuf) -> Security {
        match self {
            Security::Tls { authority, certificate, key, revoked } => Security::Tls {
                authority: change(authority),
                certificate: change(certificate),
                key: change(key),
                revoked: revoked.as_deref().map(change),
            },
            Security::Plain => Security::Plain,
        }
    }

    /// Whether this agrees with `--plain` on the command line: plain text needs the file and the flag.
    ///
    /// # Errors
    /// If only one of them asks for plain text.
    pub fn agrees(&self, plain: bool) -> Result<(), Problem> {
        match (self, plain) {
            (Security::Plain, true) | (Security::Tls { .. }, false) => Ok(()),
            (Security::Plain, false) => Err(Problem::input(
                "plain_text",
                "the configuration allows plain text, but the command does not",
            )
            .help("whoever reaches the ports could lead the cluster astray; if that is meant, add `--plain`;")
            .help("otherwise make certificates, and write [tls] instead of [plain]:")
            .command("ringleader cert init --cluster NAME", "")),
            (Security::Tls { .. }, true) => {
                Err(Problem::input("plain_text", "`--plain` is given, but the configuration asks for TLS")
                    .help("leave `--plain` out, or write [plain] allowed = true instead of [tls]"))
            }
        }
    }
}

/// `[tls]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    authority: FilePath,
    certificate: FilePath,
    key: FilePath,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked: Option<FilePath>,
}

/// `[plain]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plain {
    #[serde(default)]
    allowed: bool,
}

/// What the environment may say of certificates, and what `[tls]` needs.
pub const TLS_KEYS: &[&str] = &["authority", "certificate", "key", "revoked"];

pub(super) const NEEDS: &[(&str, &str)] = &[
    ("tls.authority", "there is no `authority` here: the path of a PEM file"),
    ("tls.certificate", "there is no `certificate` here: the path of a PEM file"),
    ("tls.key", "there is no `key` here: the path of a PEM file"),
];

impl Security {
    /// What the sections of a file say. In plain text none of these addresses can be reached from another machine.
    ///
    /// # Errors
    /// If both are there, or neither is, or plain text is not for these.
    pub fn read(
        document: &Document<'_>,
        tls: Option<Tls>,
        plain: Option<Plain>,
        addresses: &[(&str, Range<usize>)],
    ) -> Result<Security, Problem> {
        let place = |section| document.first_key(&[section]).unwrap_or_default();
        let allowed = match (tls, plain) {
            (None, None) => return Err(document.lacks("there is no [tls]")),
            (Some(_), Some(_)) => {
                let labels = [(place("tls"), "certificates here"), (place("plain"), "none here")];
                let message = "both [tls] and [plain] are given: one of them must go";
                return Err(document.wrong("plain_text", message, &labels));
            }
            (Some(Tls { authority, certificate, key, revoked }), None) => {
                let (authority, certificate, key) = (authority.0.into(), certificate.0.into(), key.0.into());
                let revoked = revoked.map(|path| path.0.into());
                return Ok(Security::Tls { authority, certificate, key, revoked });
            }
            (None, Some(plain)) => plain.allowed,
        };
        if !allowed {
            let label = "plain text is not allowed here: write allowed = true, or [tls] instead";
            return Err(document.bad(place("plain"), label));
        }
        let Some((address, at)) = addresses.iter().find(|(address, _)| !is_loopback(address)) else {
            return Ok(Security::Plain);
        };
        let message = format!("plain text is for one machine only; {address} can be reached from others");
        let label = "not a loopback address, such as 127.0.0.1";
        Err(document
            .wrong("plain_text", &message, &[(at.clone(), label)])
            .help("make certificates, and write [tls] instead of [plain]:")
            .command("ringleader cert init --cluster NAME", ""))
    }

    /// The sections that say this.
    #[must_use]
    pub fn sections(&self) -> (Option<Tls>, Option<Plain>) {
        let path = |path: &Path| FilePath(path.display().to_string());
        match self {
            Security::Plain => (None, Some(Plain { allowed: true })),
            Security::Tls { authority, certificate, key, revoked } => (
                Some(Tls {
                    authority: path(authority),
                    certificate: path(certificate),
                    key: path(key),
                    revoked: revoked.as_deref().map(path),
                }),
                None,
            ),
        }
    }
}
