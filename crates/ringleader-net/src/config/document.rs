//! A file as it was read: what it holds, what the environment says instead, and what is wrong with it, where.

use super::node::{Fault, Key, Node, Value, Wrong, in_order};
use super::{Environment, security};
use crate::problem::{Problem, Spot};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A kind of file.
#[derive(Debug)]
pub struct Format {
    /// What its files begin with.
    pub schema: &'static str,
    /// What is said of another schema.
    pub other_schema: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// A small file to begin with.
    pub example: &'static str,
    /// Keys that must be there, with what is said of a table without them, such as `member.name`.
    pub needs: &'static [(&'static str, &'static str)],
    /// Likewise; it is said of the `name` in that table.
    pub needs_named: &'static [(&'static str, &'static str)],
}

impl Format {
    /// The text of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn load(&self, path: &Path) -> Result<String, Problem> {
        let bad = |why: String| {
            Problem::input("bad_file", format!("cannot read {}: {why}", path.display()))
                .help(format!("{} is described by a TOML file; the shortest is:", self.purpose))
                .example(self.example)
        };
        let bytes = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
        String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".into()))
    }
}

/// Variables of the environment: how they begin after `RINGLEADER_`, the table that they speak of, and the keys there.
pub type Family<'k> = (String, String, &'k [&'k str]);

/// The places of what the environment says come after those of any file.
const ENVIRONMENT: usize = usize::MAX / 2;

/// Whether this place is a variable of the environment.
pub(super) fn is_from_environment(place: &Range<usize>) -> bool {
    place.start >= ENVIRONMENT
}

/// A file as it was read. Values are found by path, such as `member.2.name`.
pub struct Document<'s> {
    name: &'s str,
    text: &'s str,
    format: &'static Format,
    root: Value<'s>,
    /// The variables of the environment that were put in place, by the places that they got.
    variables: Vec<String>,
}

impl<'s> Document<'s> {
    /// Reads the text of a file of this name.
    ///
    /// # Errors
    /// If it is no TOML.
    pub fn parse(format: &'static Format, name: &'s str, text: &'s str) -> Result<Document<'s>, Problem> {
        let root = DeTable::parse(text).map_err(|error| {
            let place = error.span().unwrap_or(0..0);
            Problem {
                file: Some(name.into()),
                spots: vec![Spot::of(text, &place, error.message().replace('\n', ", "))],
                ..Problem::input("bad_file", format!("cannot read {name}"))
            }
        })?;
        let root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
        Ok(Document { name, text, format, root, variables: Vec::new() })
    }

    /// Puts what the environment says in the place of what the file says. A variable that would be silently without
    /// effect is refused: a slip of the finger, or a member that is not there.
    ///
    /// # Errors
    /// If there is one that means nothing.
    pub fn override_by(&mut self, environment: &Environment, families: &[Family<'_>]) -> Result<(), Problem> {
        self.put("", "log", "RINGLEADER_LOG", environment);
        let mut known = Vec::new();
        for (beginning, table, keys) in families {
            for key in *keys {
                let variable = format!("RINGLEADER_{beginning}{}", key.to_uppercase());
                self.put(table, key, &variable, environment);
                known.push(variable);
            }
        }
        let stray = environment.stray(&known);
        stray.map_or(Ok(()), |name| {
            let message = format!("the environment variable {name} means nothing with {}", self.name);
            let problem = Problem::input("bad_environment", message);
            let lower: Vec<String> = known.iter().map(|name| name.to_lowercase()).collect();
            Err(match ringleader_lab::suggest::closest(name, lower.iter().map(String::as_str)) {
                Some(meant) => problem.help(format!("did you mean {}?", meant.to_uppercase())),
                None => problem.help(format!("known are {}", known.join(", "))),
            })
        })
    }

    /// A table that is not in the file is not made for a variable, but for times: all of them may be left out.
    fn put(&mut self, table: &str, key: &str, variable: &str, environment: &Environment) {
        let Some(text) = environment.get(variable) else { return };
        let place = ENVIRONMENT + self.variables.len();
        let place = place..place;
        if let (DeValue::Table(root), "timing" | "times") = (self.root.get_mut(), table) {
            let empty = || Spanned::new(place.clone(), DeValue::Table(DeTable::new()));
            root.entry(Spanned::new(place.clone(), table.to_owned().into())).or_insert_with(empty);
        }
        let mut steps = table.split('.').filter(|step| !step.is_empty());
        let found = steps.try_fold(&mut self.root, |value, step| match value.get_mut() {
            DeValue::Table(table) => table.get_mut(step),
            DeValue::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            DeValue::String(_) | DeValue::Integer(_) | DeValue::Float(_) => None,
            DeValue::Boolean(_) | DeValue::Datetime(_) => None,
        });
        if let Some(DeValue::Table(table)) = found.map(Spanned::get_mut) {
            let value = DeValue::String(text.to_owned().into());
            table.insert(Spanned::new(place.clone(), key.to_owned().into()), Spanned::new(place, value));
            self.variables.push(variable.to_owned());
        }
    }

    /// What the file says, and the environment instead.
    ///
    /// # Errors
    /// For the first mistake in it.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        T::deserialize(Node { key: None, value: &self.root, listed: false }).map_err(|wrong| self.told(wrong))
    }

    /// Whether the file is of this kind: `schema` is what it says itself.
    ///
    /// # Errors
    /// If it is not.
    pub fn is_of(&self, schema: &str) -> Result<(), Problem> {
        let format = self.format;
        if schema == format.schema { Ok(()) } else { Err(self.bad(self.at("schema"), format.other_schema)) }
    }

    /// A mistake of serde, as a problem.
    pub(super) fn told(&self, wrong: Wrong) -> Problem {
        let at = wrong.at.unwrap_or(0..0);
        match wrong.fault {
            Fault::Said(label) => self.bad(at, &label),
            Fault::Unknown { key, known } => self.unknown(at, &key, known),
            Fault::Missing { path, name } => {
                let label = |needs: &[(&str, &'static str)]| {
                    needs.iter().find(|(key, _)| *key == path).map(|(_, label)| *label)
                };
                match (label(self.format.needs).or_else(|| label(security::NEEDS)), name) {
                    (Some(label), _) if !path.contains('.') => self.lacks(label),
                    (Some(label), _) => self.bad(at, label),
                    (None, name) => {
                        let label = label(self.format.needs_named);
                        self.bad(name.unwrap_or(at), label.unwrap_or("something is missing here"))
                    }
                }
            }
        }
    }

    /// A key that means nothing here.
    pub(super) fn unknown(&self, at: Range<usize>, key: &str, known: &[&str]) -> Problem {
        let label = match ringleader_lab::suggest::closest(key, known.iter().copied()) {
            Some(meant) => format!("there is no `{key}` here; did you mean `{meant}`?"),
            None => format!("there is no `{key}` here"),
        };
        self.bad(at, &label).help(format!("known are {}", known.join(", ")))
    }

    /// Something that every file has is not there.
    #[must_use]
    pub fn lacks(&self, what: &str) -> Problem {
        Problem::input("bad_file", format!("{}: {what}", self.name))
            .help("the shortest file is:")
            .example(self.format.example)
    }

    /// A value that cannot be.
    #[must_use]
    pub fn bad(&self, at: Range<usize>, label: &str) -> Problem {
        match self.variable(&at) {
            None => self.wrong("bad_file", &format!("cannot read {}", self.name), &[(at, label)]),
            Some(name) => {
                Problem::input("bad_environment", format!("the environment variable {name}: {label}"))
                    .help("it goes before what the file says; without it:")
                    .command(format!("unset {name}"), "")
            }
        }
    }

    /// Something is wrong at these places.
    #[must_use]
    pub fn wrong(&self, code: &'static str, message: &str, places: &[(Range<usize>, &str)]) -> Problem {
        let mut problem = Problem::input(code, message);
        for (place, label) in places {
            if let Some(name) = self.variable(place) {
                problem = problem.help(format!("{name} in the environment: {label}"));
            } else {
                problem.file = Some(self.name.into());
                problem.spots.push(Spot::of(self.text, place, *label));
            }
        }
        problem.spots.sort_by_key(|spot| (spot.line, spot.column));
        problem
    }

    /// One thing is said twice.
    #[must_use]
    pub fn twice(
        &self,
        code: &'static str,
        message: &str,
        first: Range<usize>,
        again: Range<usize>,
    ) -> Problem {
        self.wrong(code, message, &[(first, "first here"), (again, "again here")])
    }

    fn variable(&self, place: &Range<usize>) -> Option<&String> {
        self.variables.get(place.start.checked_sub(ENVIRONMENT)?)
    }

    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The text at a path, if there is one.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.find(path)?.1.get_ref().as_str()
    }

    /// How many values are at a path.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        self.find(path).and_then(|(_, value)| value.get_ref().as_array()).map_or(0, |items| items.len())
    }

    /// The entries at a path, in the order of the file.
    pub(super) fn entries(&self, path: &str) -> Vec<(&Key<'_>, &Value<'_>)> {
        self.find(path).and_then(|(_, value)| value.get_ref().as_table()).map(in_order).unwrap_or_default()
    }

    /// Where the value at a path is.
    #[must_use]
    pub fn at(&self, path: &str) -> Range<usize> {
        self.first(&[path]).unwrap_or(0..0)
    }

    /// Where the first of these values is that is there.
    #[must_use]
    pub fn first(&self, paths: &[&str]) -> Option<Range<usize>> {
        paths.iter().find_map(|path| self.find(path)).map(|(_, value)| value.span())
    }

    /// Where the first of these keys is that is there.
    #[must_use]
    pub fn first_key(&self, paths: &[&str]) -> Option<Range<usize>> {
        paths.iter().find_map(|path| self.find(path)?.0).map(Spanned::span)
    }

    fn find(&self, path: &str) -> Option<(Option<&Key<'s>>, &Value<'s>)> {
        path.split('.').try_fold((None, &self.root), |(_, value), step| {
            if let Some(table) = value.get_ref().as_table() {
                return table.get_key_value(step).map(|(key, value)| (Some(key), value));
            }
            Some((None, value.get_ref().as_array()?.get(step.parse::<usize>().ok()?)?))
        })
    }
}

/// None of these members, or servers, has this name.
#[must_use]
pub fn no_such(what: &str, file: &str, name: &str, names: &[&str]) -> Problem {
    let message = format!("no {what} of {file} is called `{name}`");
    Problem::input("unknown_member", message).help(
        match ringleader_lab::suggest::closest(name, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("its {what}s are {}", names.join(", ")),
        },
    )
}

/// What a structure is as the text of a file.
#[must_use]
pub fn written(file: &impl Serialize) -> String {
    toml::to_string(file).expect("words and numbers under names can be written")
}
