//! What somebody hands in: an address of the page, `…#/goal?name=two-leaders&e=3.overtake.2&who=Ada&seal=…`.

use crate::Diagnostic;

/// A goal, what was done to its run, by whom, and the seal over it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The name of the goal.
    pub goal: String,
    /// The edits.
    pub edits: Vec<String>,
    /// Who made it.
    pub who: String,
    /// What ties it together.
    pub seal: String,
}

/// A longer text holds no link.
const BYTES_MAX: usize = 64 * 1024;

impl Link {
    /// The first link in a text: a line of a file, a message, an address alone.
    ///
    /// # Errors
    /// If there is none, or a part of it is missing.
    pub fn find(text: &str) -> Result<Link, Diagnostic> {
        let wrong = |what: &str| {
            Diagnostic::input("bad_link", what.to_owned()).help(
                "it looks like http://…/#/goal?name=two-leaders&e=3.overtake.2&who=Ada&seal=0123456789abcdef",
            )
        };
        if text.len() > BYTES_MAX {
            return Err(wrong(&format!("{} bytes are no link", text.len())));
        }
        let Some((_, rest)) = text.split_once("#/goal?") else {
            return Err(wrong("there is no link to a goal in it"));
        };
        let query = rest.split(|c: char| c.is_whitespace() || "\"'<>".contains(c)).next().unwrap_or_default();
        let (mut goal, mut edits, mut who, mut seal) = (None, Vec::new(), String::new(), None);
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value =
                decoded(value).ok_or_else(|| wrong(&format!("`{name}` is not written as addresses are")))?;
            match name {
                "name" => goal = Some(value),
                "e" => edits = value.split(';').filter(|edit| !edit.is_empty()).map(str::to_owned).collect(),
                "who" => who = value,
                "seal" => seal = Some(value),
                // Where the page stands is nobody's business here.
                _ => {}
            }
        }
        let goal = goal.filter(|goal| !goal.is_empty()).ok_or_else(|| wrong("it names no goal"))?;
        let seal =
            seal.ok_or_else(|| wrong("it has no seal: copy the link that the page gives under “Hand in”"))?;
        Ok(Link { goal, edits, who, seal })
    }
}

/// Takes `%41` and `+` back to what they stand for; none if that is no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                (high * 16 + low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}
