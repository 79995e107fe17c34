//! The text of a configuration, and what is wrong with it, where.

use super::Environment;
use crate::problem::{Problem, Spot};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A key with its place.
pub type Key<'i> = Spanned<DeString<'i>>;

/// A value with its place.
pub type Value<'i> = Spanned<DeValue<'i>>;

/// Where something was said.
#[derive(Clone, Debug)]
pub enum Origin {
    /// In the file.
    At(Range<usize>),
    /// In the environment.
    Variable(String),
}

/// A word, and where it was said.
#[derive(Clone, Debug)]
pub struct Given {
    /// The word.
    pub text: String,
    /// Where it was said.
    pub origin: Origin,
}

/// The file as it was read, and the environment that goes before it.
pub struct Source<'s> {
    /// The name of the file, for messages.
    pub name: &'s str,
    /// What it holds.
    pub text: &'s str,
    /// The environment.
    pub environment: &'s Environment,
}

impl Source<'_> {
    /// Something is wrong at these places.
    #[must_use]
    pub fn wrong(&self, code: &'static str, message: &str, places: &[(&Origin, &str)]) -> Problem {
        let mut problem = Problem::input(code, message);
        for (origin, label) in places {
            match origin {
                Origin::At(place) => {
                    problem.file = Some(self.name.to_owned());
                    problem.spots.push(Spot::of(self.text, place, *label));
                }
                Origin::Variable(name) => {
                    problem = problem.help(format!("{name} in the environment: {label}"))
                }
            }
        }
        problem.spots.sort_by_key(|spot| (spot.line, spot.column));
        problem
    }

    /// A value that cannot be.
    #[must_use]
    pub fn bad(&self, origin: &Origin, label: &str) -> Problem {
        match origin {
            Origin::At(_) => {
                self.wrong("bad_file", &format!("cannot read {}", self.name), &[(origin, label)])
            }
            Origin::Variable(name) => {
                Problem::input("bad_environment", format!("the environment variable {name}: {label}"))
                    .help("it goes before what the file says; without it:")
                    .command(format!("unset {name}"), "")
            }
        }
    }

    /// A value of another kind than it should be.
    #[must_use]
    pub fn kind(&self, value: &Value<'_>, expected: &str) -> Problem {
        let found = value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i', 'o', 'u']) { "an" } else { "a" };
        self.bad(&Origin::At(value.span()), &format!("expected {expected}, found {article} {found}"))
    }

    /// A key that means nothing here.
    #[must_use]
    pub fn unknown<'k>(&self, key: &Key<'_>, known: impl Iterator<Item = &'k str> + Clone) -> Problem {
        let given = key.get_ref().as_ref();
        let meant = match crate::suggest::closest(given, known.clone()) {
            Some(meant) => format!("there is no `{given}` here; did you mean `{meant}`?"),
            None => format!("there is no `{given}` here"),
        };
        let known: Vec<&str> = known.collect();
        self.bad(&Origin::At(key.span()), &meant).help(format!("known are {}", known.join(", ")))
    }

    /// A string.
    ///
    /// # Errors
    /// If it is of another kind.
    pub fn string(&self, value: &Value<'_>, expected: &str) -> Result<Given, Problem> {
        match value.get_ref().as_str() {
            Some(text) => Ok(Given { text: text.to_owned(), origin: Origin::At(value.span()) }),
            None => Err(self.kind(value, expected)),
        }
    }

    /// A whole number in decimal.
    ///
    /// # Errors
    /// If it is of another kind.
    pub fn number(&self, value: &Value<'_>, expected: &str) -> Result<Given, Problem> {
        match value.get_ref().as_integer() {
            Some(number) if number.radix() == 10 => {
                Ok(Given { text: number.as_str().replace('_', ""), origin: Origin::At(value.span()) })
            }
            Some(_) | None => Err(self.kind(value, expected)),
        }
    }

    /// `[key]`.
    ///
    /// # Errors
    /// If it is of another kind.
    pub fn table<'v, 'i>(&self, key: &Key<'i>, value: &'v Value<'i>) -> Result<&'v DeTable<'i>, Problem> {
        let key = key.get_ref();
        value.get_ref().as_table().ok_or_else(|| self.kind(value, &format!("a table: [{key}]")))
    }

    /// `[[key]]`, several times.
    ///
    /// # Errors
    /// If it is of another kind.
    pub fn tables<'v, 'i>(
        &self,
        key: &Key<'i>,
        value: &'v Value<'i>,
    ) -> Result<Vec<(Range<usize>, &'v DeTable<'i>)>, Problem> {
        let expected = format!("tables: [[{}]]", key.get_ref());
        let items = value.get_ref().as_array().ok_or_else(|| self.kind(value, &expected))?;
        let one = |item: &'v Value<'i>| {
            let table = item.get_ref().as_table().ok_or_else(|| self.kind(item, &expected))?;
            Ok((item.span(), table))
        };
        items.iter().map(one).collect()
    }

    /// What the environment says instead, if anything.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<Given> {
        let text = self.environment.get(name)?;
        Some(Given { text: text.to_owned(), origin: Origin::Variable(name.to_owned()) })
    }
}

/// The entries of a table in the order of the file.
#[must_use]
pub fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(&'t Key<'i>, &'t Value<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// A name that can stand in certificates, environment variables and addresses of pages: lower-case letters, digits and
/// hyphens inside.
///
/// # Errors
/// If it is none.
pub fn name(source: &Source<'_>, given: &Given) -> Result<String, Problem> {
    if is_name(&given.text) {
        return Ok(given.text.clone());
    }
    let label = format!("{NAME}, found `{}`", given.text);
    Err(source.bad(&given.origin, &label))
}

/// What a name looks like.
const NAME: &str = "a name of lower-case letters, digits and hyphens (none at the ends), 63 at most, such as \"b\" or \
                    \"db-2\"";

/// Whether this can be the name of a cluster, a member or a group.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(fits) && !text.starts_with('-') && !text.ends_with('-')
}
