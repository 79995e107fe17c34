//! What the environment says before the file does.

use std::collections::BTreeMap;

/// The variables of the environment that are ours.
#[derive(Clone, Default, Debug)]
pub struct Environment(BTreeMap<String, String>);

/// What every variable of ours begins with.
const PREFIX: &str = "RINGLEADER_";

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

    /// A variable that is not among these, but begins like one of them: `RINGLEADER_TIMING_` and the like.
    pub(super) fn stray(&self, known: &[String]) -> Option<&str> {
        let beginning = |name: &str| {
            let rest = &name[PREFIX.len()..];
            PREFIX.len() + rest.find('_').map_or(rest.len(), |end| end + 1)
        };
        let is_ours = |name: &String| known.iter().any(|one| name.starts_with(&one[..beginning(one)]));
        self.0.keys().find(|name| is_ours(name) && !known.contains(name)).map(String::as_str)
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Environment {
        Environment(variables.into_iter().filter(|(name, _)| name.starts_with(PREFIX)).collect())
    }
}
