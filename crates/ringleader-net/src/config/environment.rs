//! What the environment says before the file does.

use super::source::Source;
use super::timing;
use crate::problem::Problem;
use ringleader_live::MemberSpec;
use std::collections::BTreeMap;

/// The variables of the environment that are ours.
#[derive(Clone, Default, Debug)]
pub struct Environment(BTreeMap<String, String>);

/// What every variable of ours begins with.
const PREFIX: &str = "RINGLEADER_";

/// What may be said of a member.
const OF_MEMBER: [&str; 3] = ["ADDRESS", "LISTEN", "STATUS"];

/// What may be said of certificates.
const OF_TLS: [&str; 3] = ["AUTHORITY", "CERTIFICATE", "KEY"];

impl Environment {
    /// Nothing is said.
    #[must_use]
    pub fn empty() -> Environment {
        Environment::default()
    }

    /// The environment of this program. What is not text is none of ours.
    #[must_use]
    pub fn of_process() -> Environment {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        std::env::vars_os().filter_map(text).collect()
    }

    /// What a variable says.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Environment {
        Environment(variables.into_iter().filter(|(name, _)| name.starts_with(PREFIX)).collect())
    }
}

/// The variable that says something of a member.
pub(super) fn of_member(member: &str, what: &str) -> String {
    format!("{PREFIX}MEMBER_{}_{what}", member.to_uppercase().replace('-', "_"))
}

/// The variable that says something of the times.
pub(super) fn of_timing(key: &str) -> String {
    format!("{PREFIX}TIMING_{}", key.to_uppercase())
}

/// Refuses what would be silently without effect: a slip of the finger, or a member that is not there.
pub(super) fn refuse_unknown(source: &Source<'_>, members: &[MemberSpec]) -> Result<(), Problem> {
    let mut known: Vec<String> = timing::KEYS.iter().map(|key| of_timing(key)).collect();
    known.extend(OF_TLS.iter().map(|what| format!("{PREFIX}TLS_{what}")));
    for member in members {
        known.extend(OF_MEMBER.iter().map(|what| of_member(&member.name, what)));
    }
    refuse_others(source, &known, &["TIMING_", "MEMBER_", "TLS_"])
}

/// Refuses variables that begin with one of these words and are not known.
///
/// # Errors
/// For the first such one.
pub fn refuse_others(source: &Source<'_>, known: &[String], ours: &[&str]) -> Result<(), Problem> {
    for name in source.environment.0.keys() {
        let rest = &name[PREFIX.len()..];
        if known.contains(name) || !ours.iter().any(|start| rest.starts_with(start)) {
            continue;
        }
        let problem = Problem::input(
            "bad_environment",
            format!("the environment variable {name} means nothing with {}", source.name),
        );
        let lower: Vec<String> = known.iter().map(|name| name.to_lowercase()).collect();
        return Err(match crate::suggest::closest(name, lower.iter().map(String::as_str)) {
            Some(meant) => problem.help(format!("did you mean {}?", meant.to_uppercase())),
            None => problem.help(format!("known are {}", known.join(", "))),
        });
    }
    Ok(())
}
