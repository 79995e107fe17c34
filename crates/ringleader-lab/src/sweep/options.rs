//! The options of `run`, as a sweep file may name them.

use super::file::Mistake;
use super::grid::{Axis, Value, Words};
use crate::options::{ByName, Known, RunOptions};
use crate::{App, suggest};

/// An option and its value.
pub(super) type GivenOption = (String, String);

/// The options: all but the threads, which the sweep has itself.
pub(super) struct Options<'a> {
    app: &'a App,
    known: Vec<Known>,
}

impl Options<'_> {
    pub(super) fn new(app: &App) -> Options<'_> {
        let known = RunOptions::known().into_iter().filter(|known| known.long != "threads");
        Options { app, known: known.collect() }
    }

    fn find(&self, key: &str) -> Option<&Known> {
        let key = if key.starts_with("set.") { "set" } else { key };
        self.known.iter().find(|known| known.long == key)
    }

    /// Whether the axis is an option of `run`, and each of its values is one that it takes.
    pub(super) fn check(&self, axis: &Axis) -> Result<(), Mistake> {
        if axis.key == "algorithm" {
            return Ok(());
        }
        let Some(known) = self.find(&axis.key) else { return Err(self.unknown(axis)) };
        for value in &axis.values {
            let misfit = match (&value.words, known.is_switch()) {
                (Words::Flag(_), true) | (Words::One(_) | Words::Several(_), false) => None,
                (Words::One(_) | Words::Several(_), true) => Some("true or false"),
                (Words::Flag(_), false) => Some("a number or a string"),
            };
            if let Some(expected) = misfit {
                return Err(Mistake::new(format!("`{}` takes {expected}", axis.key)).at(value.place.clone()));
            }
            let mut given = Vec::new();
            self.say(&axis.key, value, &mut given);
            // Whether it goes with others is asked when they are known.
            let mut alone = RunOptions::default();
            for (long, word) in given {
                if let Some(Err(why)) = alone.put(&long, &word) {
                    return Err(Mistake::new(why).at(value.place.clone()));
                }
            }
        }
        Ok(())
    }

    fn unknown(&self, axis: &Axis) -> Mistake {
        let mut known = vec!["algorithm", "n"];
        known.extend(self.known.iter().map(|known| known.long).filter(|long| *long != "nodes"));
        let mistake = Mistake::new(format!("`run` has no option `{}`", axis.key)).at(axis.place.clone());
        match suggest::closest(&axis.key, known.iter().copied()) {
            Some(meant) => mistake.help(format!("did you mean `{meant}`?")),
            None => mistake.help(format!("it may be one of {}", known.join(", "))),
        }
    }

    /// Adds what a value of the file says.
    pub(super) fn say(&self, key: &str, value: &Value, given: &mut Vec<GivenOption>) {
        // A list of meters is one word.
        let repeats = key != "meter" && self.find(key).is_some_and(|known| known.repeats);
        let (option, prefix) = match key.strip_prefix("set.") {
            Some(name) => ("set", format!("{name}=")),
            None => (key, String::new()),
        };
        let mut add = |word: &str| given.push((option.to_owned(), format!("{prefix}{word}")));
        match &value.words {
            Words::One(word) => add(word),
            Words::Several(several) if repeats => several.iter().for_each(|word| add(word)),
            Words::Several(several) if several.is_empty() => {}
            Words::Several(several) => add(&several.join(",")),
            Words::Flag(true) => add(""),
            Words::Flag(false) => {}
        }
    }

    /// The options that these are.
    pub(super) fn parse(&self, given: &[GivenOption]) -> Result<RunOptions, String> {
        let given: Vec<(&str, &str)> =
            given.iter().map(|(long, word)| (long.as_str(), word.as_str())).collect();
        RunOptions::of(&given, &self.app.usual)
    }
}
