//! `[[token]]` and `[[permission]]`: who clients are, and what they may do.

use aws_lc_rs::{constant_time, digest};
use ringleader_net::Problem;
use ringleader_net::config::document::Document;
use ringleader_net::config::is_name;
use ringleader_net::config::values::{Text, Word, Words, a_name};
use serde::{Deserialize, Serialize};

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
    /// Whether this is of the same token, in a time that says nothing about it.
    #[must_use]
    pub fn is(&self, other: &Secret) -> bool {
        constant_time::verify_slices_are_equal(&self.0, &other.0).is_ok()
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

/// A token as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenRow {
    name: TokenName,
    sha256: Option<Text>,
    secret: Option<Text>,
}

/// A permission as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PermissionRow {
    who: Whom,
    prefix: Option<Prefix>,
    allow: Words<Right>,
}

ringleader_net::checked_words! {
    /// The name of a token.
    TokenName("a string", a_name);
    /// Whom a permission is for.
    Whom("\"token:NAME\", \"cert:NAME\" or \"*\"", |_| Ok(()));
    /// How names begin.
    Prefix("how names begin, such as \"ci/\"", |_| Ok(()));
}

impl Word for Right {
    const EXPECTED: &'static str = "some of [\"lock\", \"elect\", \"observe\", \"admin\"]";

    fn read(text: &str) -> Result<Right, String> {
        let found = Right::ALL.into_iter().find(|right| right.name() == text);
        found.ok_or_else(|| format!("expected {}, found `{text}`", Right::EXPECTED))
    }

    fn written(&self) -> String {
        self.name().to_owned()
    }
}

ringleader_net::words!(Right);

impl From<&Token> for TokenRow {
    fn from(token: &Token) -> TokenRow {
        let digest: String = token.secret.0.iter().map(|byte| format!("{byte:02x}")).collect();
        TokenRow { name: TokenName(token.name.clone()), sha256: Some(Text(digest)), secret: None }
    }
}

impl From<&Permission> for PermissionRow {
    fn from(permission: &Permission) -> PermissionRow {
        let who = match &permission.who {
            Who::Anybody => "*".to_owned(),
            Who::Token(name) => format!("token:{name}"),
            Who::Certificate(name) => format!("cert:{name}"),
        };
        let allow = Right::ALL.into_iter().filter(|right| permission.allow.has(*right)).collect();
        PermissionRow { who: Whom(who), prefix: Some(Prefix(permission.prefix.clone())), allow: Words(allow) }
    }
}

/// Checks the tokens; and what is worth a word.
pub(super) fn tokens(
    document: &Document<'_>,
    rows: Vec<TokenRow>,
) -> Result<(Vec<Token>, Vec<String>), Problem> {
    let (mut all, mut warnings): (Vec<Token>, _) = (Vec::new(), Vec::new());
    for (place, TokenRow { name: TokenName(name), sha256, secret }) in rows.into_iter().enumerate() {
        let at = |key: &str| document.at(&format!("token.{place}{key}"));
        let secret = match (sha256, secret) {
            (Some(Text(digest)), None) => Secret(hexadecimal(&digest).ok_or_else(|| {
                document
                    .bad(at(".sha256"), "expected the SHA-256 of the token, 64 hexadecimal digits")
                    .help("it is printed by:")
                    .command("printf %s \"$TOKEN\" | sha256sum", "")
            })?),
            (None, Some(Text(secret))) if secret.len() >= 16 => {
                warnings
                    .push(format!("the token `{name}` is readable in the file: write its sha256 instead"));
                Secret(self::sha256(secret.as_bytes()))
            }
            (sha256, secret) => {
                let (key, label) = match (sha256, secret) {
                    (None, None) => {
                        ("", "this token has no `sha256`: the SHA-256 of the token, in hexadecimal")
                    }
                    (Some(_), _) => (".secret", "`sha256` is given already: one of them must go"),
                    (None, Some(_)) => (".secret", "too short to be a secret: 16 characters at least"),
                };
                return Err(document.bad(at(key), label));
            }
        };
        if let Some(first) = all.iter().position(|before| before.name == name) {
            let first = document.at(&format!("token.{first}.name"));
            let message = format!("two tokens are called `{name}`");
            return Err(document.twice("duplicate_token", &message, first, at(".name")));
        }
        all.push(Token { name, secret });
    }
    Ok((all, warnings))
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

/// Checks the permissions.
pub(super) fn permissions(
    document: &Document<'_>,
    rows: Vec<PermissionRow>,
    tokens: &[Token],
) -> Result<Vec<Permission>, Problem> {
    let one = |(place, PermissionRow { who: Whom(who), prefix, allow }): (usize, PermissionRow)| {
        let prefix = prefix.map(|prefix| prefix.0).unwrap_or_default();
        let allow = Rights::of(&allow.0);
        let bad =
            |key: &str, label: &str| document.bad(document.at(&format!("permission.{place}.{key}")), label);
        // Servers have no prefix: whoever may drain one may drain all.
        if allow.has(Right::Admin) && !prefix.is_empty() {
            let label =
                "`admin` is about the whole cluster: it cannot be limited to names that begin like this";
            return Err(bad("prefix", label)
                .help("take \"admin\" out of `allow` here; if it is meant, give it a permission of its own:")
                .example(&format!("[[permission]]\nwho = \"{who}\"\nallow = [\"admin\"]")));
        }
        whom(&who, tokens).map(|who| Permission { who, prefix, allow }).map_err(|label| bad("who", &label))
    };
    rows.into_iter().enumerate().map(one).collect()
}

fn whom(text: &str, tokens: &[Token]) -> Result<Who, String> {
    match text.split_once(':') {
        None if text == "*" => Ok(Who::Anybody),
        Some(("cert", name)) if is_name(name) => Ok(Who::Certificate(name.to_owned())),
        Some(("token", name)) if tokens.iter().any(|token| token.name == name) => {
            Ok(Who::Token(name.to_owned()))
        }
        Some(("token", name)) => {
            let names = tokens.iter().map(|token| token.name.as_str());
            Err(match ringleader_lab::suggest::closest(name, names) {
                Some(meant) => format!("no [[token]] is called `{name}`; did you mean `{meant}`?"),
                None => format!("no [[token]] is called `{name}`"),
            })
        }
        Some(_) | None => Err(format!("expected {}, found `{text}`", Whom::EXPECTED)),
    }
}
