//! `[tls]`, or `[plain]`: how members know each other.

use super::quantity::is_loopback;
use super::source::{Origin, Source, in_order};
use crate::problem::Problem;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

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
    },
    /// Not at all: whoever reaches the port is believed. On one machine only.
    Plain,
}

impl Security {
    /// The same for this member: `{name}` is replaced.
    #[must_use]
    pub fn of_member(&self, name: &str) -> Security {
        let named = |path: &Path| match path.to_str() {
            Some(text) => PathBuf::from(text.replace("{name}", name)),
            None => path.to_owned(),
        };
        self.map(named)
    }

    /// The same with paths from this folder on.
    #[must_use]
    pub fn relative_to(&self, folder: &Path) -> Security {
        self.map(|path| folder.join(path))
    }

    fn map(&self, change: impl Fn(&Path) -> PathBuf) -> Security {
        match self {
            Security::Tls { authority, certificate, key } => Security::Tls {
                authority: change(authority),
                certificate: change(certificate),
                key: change(key),
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

const TLS_KEYS: [&str; 3] = ["authority", "certificate", "key"];

/// A section of the file, and where it begins.
pub type Section<'t, 'i> = Option<(Origin, &'t DeTable<'i>)>;

/// Reads either section; none if there is neither. In plain text none of these addresses can be reached from another
/// machine.
///
/// # Errors
/// If both are there, or one of them says what it may not say.
pub fn read(
    source: &Source<'_>,
    tls: Section<'_, '_>,
    plain: Section<'_, '_>,
    addresses: &[(&str, &Origin)],
) -> Result<Option<Security>, Problem> {
    match (tls, plain) {
        (Some((first, _)), Some((second, _))) => {
            let labels = [(&first, "certificates here"), (&second, "none here")];
            Err(source.wrong("plain_text", "both [tls] and [plain] are given: one of them must go", &labels))
        }
        (Some((at, table)), None) => with_certificates(source, &at, table).map(Some),
        (None, Some((at, table))) => plainly(source, &at, table, addresses).map(Some),
        (None, None) => Ok(None),
    }
}

fn with_certificates(source: &Source<'_>, at: &Origin, table: &DeTable<'_>) -> Result<Security, Problem> {
    let mut paths = [None, None, None];
    for (key, value) in in_order(table) {
        let Some(place) = TLS_KEYS.iter().position(|known| known == key.get_ref()) else {
            return Err(source.unknown(key, TLS_KEYS.into_iter()));
        };
        paths[place] = Some(source.string(value, "a path")?);
    }
    let mut path = |place: usize| {
        let key = TLS_KEYS[place];
        let variable = source.variable(&format!("RINGLEADER_TLS_{}", key.to_uppercase()));
        match variable.or(paths[place].take()) {
            Some(given) if given.text.is_empty() => Err(source.bad(&given.origin, "expected a path")),
            Some(given) => Ok(PathBuf::from(given.text)),
            None => Err(source.bad(at, &format!("there is no `{key}` here: the path of a PEM file"))),
        }
    };
    Ok(Security::Tls { authority: path(0)?, certificate: path(1)?, key: path(2)? })
}

fn plainly(
    source: &Source<'_>,
    at: &Origin,
    table: &DeTable<'_>,
    addresses: &[(&str, &Origin)],
) -> Result<Security, Problem> {
    let mut allowed = false;
    for (key, value) in in_order(table) {
        if key.get_ref() != "allowed" {
            return Err(source.unknown(key, ["allowed"].into_iter()));
        }
        let expected = || source.kind(value, "true or false");
        allowed = value.get_ref().as_bool().ok_or_else(expected)?;
    }
    if !allowed {
        return Err(source.bad(at, "plain text is not allowed here: write allowed = true, or [tls] instead"));
    }
    for (address, origin) in addresses {
        if !is_loopback(address) {
            let message = format!("plain text is for one machine only; {address} can be reached from others");
            let label = "not a loopback address, such as 127.0.0.1";
            return Err(source
                .wrong("plain_text", &message, &[(origin, label)])
                .help("make certificates, and write [tls] instead of [plain]:")
                .command("ringleader cert init --cluster NAME", ""));
        }
    }
    Ok(Security::Plain)
}
