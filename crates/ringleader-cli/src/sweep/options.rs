//! The options of `run`, as a sweep file may name them: read off the declaration of the command line, so that there is
//! one list of them.

use crate::args::RunArgs;
use crate::suggest;
use clap::{Arg, ArgAction, Args, Command, FromArgMatches};
use ringleader_lab::sweep::{Axis, Mistake, Value, Words};

/// What a sweep decides itself.
const OWN: [&str; 4] = ["trace", "force", "steps", "threads"];

/// The options.
pub(super) struct Options {
    command: Command,
}

impl Options {
    pub(super) fn new() -> Options {
        let command = RunArgs::augment_args(Command::new("run").no_binary_name(true).disable_help_flag(true));
        Options { command }
    }

    fn find(&self, key: &str) -> Option<&Arg> {
        let key = if key.starts_with("set.") { "set" } else { key };
        if OWN.contains(&key) {
            return None;
        }
        self.command.get_arguments().find(|arg| arg.get_long() == Some(key))
    }

    /// Whether the axis is an option of `run`, and each of its values is one that it takes.
    pub(super) fn check(&mut self, axis: &Axis) -> Result<(), Mistake> {
        if axis.key == "algorithm" {
            return Ok(());
        }
        let Some(arg) = self.find(&axis.key) else { return Err(self.unknown(axis)) };
        let switch = matches!(arg.get_action(), ArgAction::SetTrue);
        for value in &axis.values {
            let misfit = match (&value.words, switch) {
                (Words::Flag(_), true) | (Words::One(_) | Words::Several(_), false) => None,
                (Words::One(_) | Words::Several(_), true) => Some("true or false"),
                (Words::Flag(_), false) => Some("a number or a string"),
            };
            if let Some(expected) = misfit {
                return Err(Mistake::new(format!("`{}` takes {expected}", axis.key)).at(value.place.clone()));
            }
            let mut words = vec!["any".to_owned()];
            self.say(&axis.key, value, &mut words);
            // What depends on other options is not asked yet.
            if let Err(error) = self.parse(&words)
                && error.kind() != clap::error::ErrorKind::MissingRequiredArgument
            {
                return Err(Mistake::new(said(&error)).at(value.place.clone()));
            }
        }
        Ok(())
    }

    fn unknown(&self, axis: &Axis) -> Mistake {
        let longs = self.command.get_arguments().filter_map(Arg::get_long);
        let mut known = vec!["algorithm", "n"];
        known.extend(longs.filter(|long| !OWN.contains(long) && *long != "nodes"));
        let mistake = Mistake::new(format!("`run` has no option `{}`", axis.key)).at(axis.place.clone());
        match suggest::closest(&axis.key, known.iter().copied()) {
            Some(meant) => mistake.help(format!("did you mean `{meant}`?")),
            None => mistake.help(format!("it may be one of {}", known.join(", "))),
        }
    }

    /// Adds the words that say it on the command line.
    pub(super) fn say(&self, key: &str, value: &Value, words: &mut Vec<String>) {
        let repeats = self.find(key).is_some_and(|arg| {
            matches!(arg.get_action(), ArgAction::Append) && arg.get_value_delimiter().is_none()
        });
        let (option, prefix) = match key.strip_prefix("set.") {
            Some(name) => ("--set".to_owned(), format!("{name}=")),
            None => (format!("--{key}"), String::new()),
        };
        // With `=`, so that a word that begins with a dash is a value too.
        let mut add = |word: &str| words.push(format!("{option}={prefix}{word}"));
        match &value.words {
            Words::One(word) => add(word),
            Words::Several(several) if repeats => several.iter().for_each(|word| add(word)),
            Words::Several(several) if several.is_empty() => {}
            Words::Several(several) => add(&several.join(",")),
            Words::Flag(true) => words.push(option),
            Words::Flag(false) => {}
        }
    }

    /// The arguments that these words are.
    pub(super) fn parse(&mut self, words: &[String]) -> Result<RunArgs, clap::Error> {
        let matches = self.command.try_get_matches_from_mut(words)?;
        RunArgs::from_arg_matches(&matches)
    }
}

/// What clap has to say, in one line.
pub(super) fn said(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.split("\n\n").next().unwrap_or(&text);
    let text = text.strip_prefix("error: ").unwrap_or(text);
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
