//! `[[token]]` and `[[permission]]`: who clients are, and what they may do.

use aws_lc_rs::{constant_time, digest};
use ringleader_net::Problem;
use ringleader_net::config::source::{Given, Origin, Source, in_order, name};
use std::ops::Range;
use toml::de::DeTable;

/// What may be allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Right {
    /// To take locks.
    Lock,
    /// To campaign in elections.
    Elect,
    /// To look and to watch.
    Observe,
    /// To drain and remove servers.
    Admin,
}

impl Right {
    /// All of them.
    pub const ALL: [Right; 4] = [Right::Lock, Right::Elect, Right::Observe, Right::Admin];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Right::Lock => "lock",
            Right::Elect => "elect",
            Right::Observe => "observe",
            Right::Admin => "admin",
        }
    }
}

/// Several rights.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rights(u8);

impl Rights {
    /// These.
    #[must_use]
    pub fn of(rights: &[Right]) -> Rights {
        Rights(rights.iter().fold(0, |bits, right| bits | 1 << *right as u8))
    }

    /// Whether this is among them.
    #[must_use]
    pub fn has(self, right: Right) -> bool {
        self.0 & 1 << right as u8 != 0
    }
}

/// Whom a permission is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Who {
    /// Whoever has said who it is.
    Anybody,
    /// Whoever shows the token of this name.
    Token(String),
    /// Whoever shows a certificate of this name.
    Certificate(String),
}

/// Somebody may do something with the names that begin like this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permission {
    /// Who.
    pub who: Who,
    /// How the names begin; empty is all.
    pub prefix: String,
    /// What.
    pub allow: Rights,
}

/// What is kept of a token: enough to know it again, too little to show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

impl Secret {
    /// Whether this is the token, in a time that says nothing about it.
    #[must_use]
    pub fn fits(&self, shown: &[u8]) -> bool {
        constant_time::verify_slices_are_equal(&self.0, &sha256(shown)).is_ok()
    }
}

/// The digest of a token.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest::digest(&digest::SHA256, bytes).as_ref());
    out
}

/// A token that a client may show.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The name of whoever shows it.
    pub name: String,
    /// What it is known by.
    pub secret: Secret,
}

const TOKEN_KEYS: [&str; 3] = ["name", "sha256", "secret"];

/// Reads the tokens; and what is worth a word.
pub(super) fn tokens(
    source: &Source<'_>,
    tables: &[(Range<usize>, &DeTable<'_>)],
) -> Result<(Vec<Token>, Vec<String>), Problem> {
    let (mut all, mut warnings): (Vec<(Token, Origin)>, _) = (Vec::new(), Vec::new());
    for (at, table) in tables {
        let mut said: [Option<Given>; 3] = [None, None, None];
        for (key, value) in in_order(table) {
            let Some(place) = TOKEN_KEYS.iter().position(|known| known == key.get_ref()) else {
                return Err(source.unknown(key, TOKEN_KEYS.into_iter()));
            };
            said[place] = Some(source.string(value, "a string")?);
        }
        let whole = Origin::At(at.clone());
        let [named, digest, secret] = said;
        let named = named.ok_or_else(|| source.bad(&whole, "this token has no name: name = \"ci\""))?;
        let token = name(source, &named)?;
        let secret = match (digest, secret) {
            (Some(given), None) => Secret(hexadecimal(&given.text).ok_or_else(|| {
                let label = "expected the SHA-256 of the token, 64 hexadecimal digits";
                source
                    .bad(&given.origin, label)
                    .help("it is printed by:")
                    .command("printf %s \"$TOKEN\" | sha256sum", "")
            })?),
            (None, Some(given)) if given.text.len() >= 16 => {
                warnings
                    .push(format!("the token `{token}` is readable in the file: write its sha256 instead"));
                Secret(sha256(given.text.as_bytes()))
            }
            (None, Some(given)) => {
                return Err(source.bad(&given.origin, "too short to be a secret: 16 characters at least"));
            }
            (Some(_), Some(given)) => {
                return Err(source.bad(&given.origin, "`sha256` is given already: one of them must go"));
            }
            (None, None) => {
                let label = "this token has no `sha256`: the SHA-256 of the token, in hexadecimal";
                return Err(source.bad(&whole, label));
            }
        };
        if let Some((_, first)) = all.iter().find(|(before, _)| before.name == token) {
            let labels = [(first, "first here"), (&named.origin, "again here")];
            return Err(source.wrong(
                "duplicate_token",
                &format!("two tokens are called `{token}`"),
                &labels,
            ));
        }
        all.push((Token { name: token, secret }, named.origin));
    }
    Ok((all.into_iter().map(|(token, _)| token).collect(), warnings))
}

fn hexadecimal(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(bytes)
}

const PERMISSION_KEYS: [&str; 3] = ["who", "prefix", "allow"];

/// Reads the permissions.
pub(super) fn permissions(
    source: &Source<'_>,
    tables: &[(Range<usize>, &DeTable<'_>)],
    tokens: &[Token],
) -> Result<Vec<Permission>, Problem> {
    let mut all = Vec::new();
    for (at, table) in tables {
        let (mut who, mut prefix, mut allow) = (None, None, None);
        for (key, value) in in_order(table) {
            match key.get_ref().as_ref() {
                "who" => who = Some(source.string(value, WHO)?),
                "prefix" => prefix = Some(source.string(value, "how names begin, such as \"ci/\"")?),
                "allow" => {
                    let items = value.get_ref().as_array().ok_or_else(|| source.kind(value, ALLOW))?;
                    let rights: Result<Vec<Right>, Problem> =
                        items.iter().map(|item| right(source, &source.string(item, ALLOW)?)).collect();
                    allow = Some(Rights::of(&rights?));
                }
                _ => return Err(source.unknown(key, PERMISSION_KEYS.into_iter())),
            }
        }
        let whole = Origin::At(at.clone());
        let who = who.ok_or_else(|| source.bad(&whole, "there is no `who`: who = \"token:ci\""))?;
        let allow = allow.ok_or_else(|| source.bad(&whole, "there is no `allow`: allow = [\"lock\"]"))?;
        if let Some(given) = prefix.as_ref().filter(|given| allow.has(Right::Admin) && !given.text.is_empty())
        {
            return Err(admin_with_prefix(source, given, &who.text));
        }
        let prefix = prefix.map(|given| given.text).unwrap_or_default();
        all.push(Permission { who: whom(source, &who, tokens)?, prefix, allow });
    }
    Ok(all)
}

/// Servers have no prefix: whoever may drain one may drain all.
fn admin_with_prefix(source: &Source<'_>, prefix: &Given, who: &str) -> Problem {
    let label = "`admin` is about the whole cluster: it cannot be limited to names that begin like this";
    source
        .bad(&prefix.origin, label)
        .help("take \"admin\" out of `allow` here; if it is meant, give it a permission of its own:")
        .example(&format!("[[permission]]\nwho = \"{who}\"\nallow = [\"admin\"]"))
}

const WHO: &str = "\"token:NAME\", \"cert:NAME\" or \"*\"";
const ALLOW: &str = "some of [\"lock\", \"elect\", \"observe\", \"admin\"]";

fn right(source: &Source<'_>, given: &Given) -> Result<Right, Problem> {
    let found = Right::ALL.into_iter().find(|right| right.name() == given.text);
    found.ok_or_else(|| source.bad(&given.origin, &format!("expected {ALLOW}, found `{}`", given.text)))
}

fn whom(source: &Source<'_>, given: &Given, tokens: &[Token]) -> Result<Who, Problem> {
    match given.text.split_once(':') {
        None if given.text == "*" => Ok(Who::Anybody),
        Some(("cert", name)) if ringleader_net::config::is_name(name) => {
            Ok(Who::Certificate(name.to_owned()))
        }
        Some(("token", name)) => {
            if tokens.iter().any(|token| token.name == name) {
                return Ok(Who::Token(name.to_owned()));
            }
            let names = tokens.iter().map(|token| token.name.as_str());
            let label = match ringleader_net::suggest::closest(name, names) {
                Some(meant) => format!("no [[token]] is called `{name}`; did you mean `{meant}`?"),
                None => format!("no [[token]] is called `{name}`"),
            };
            Err(source.bad(&given.origin, &label))
        }
        Some(_) | None => Err(source.bad(&given.origin, &format!("expected {WHO}, found `{}`", given.text))),
    }
}
