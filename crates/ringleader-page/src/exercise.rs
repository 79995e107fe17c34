//! Exercises: what a crate that somebody hands in must do. Like a goal it is a file, TOML, with the place of every
//! mistake. What is built and run is for whoever reads it.

use crate::Diagnostic;
use crate::goal::BYTES_MAX;
use crate::story::{Word, line_and_column, options_of};
use crate::{OptionValue, Options};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path};
use toml::Spanned;

/// What is asked of everybody's crate.
#[derive(Clone, PartialEq, Debug)]
pub struct Exercise {
    /// What the exercise is called.
    pub title: String,
    /// The files and folders that are taken from what was handed in. All the others are those of the exercise.
    pub takes: Vec<String>,
    /// What is run, in order.
    pub parts: Vec<Part>,
    /// The file of the exercise in which mistakes are made that the tests have to find.
    pub mistakes_in: Option<String>,
}

/// One thing that is asked: arguments of the program that is built of the crate. It passes if the exit code is 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// In words.
    pub title: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// More messages than this are too many.
    pub messages_at_most: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExerciseFile {
    title: Spanned<String>,
    takes: Spanned<Vec<Spanned<String>>>,
    algorithm: Option<Spanned<String>>,
    #[serde(default)]
    check: Vec<Check>,
    #[serde(default)]
    run: Vec<Run>,
    mistakes_in: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    title: Spanned<String>,
    #[serde(default)]
    options: BTreeMap<String, Word>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    title: Spanned<String>,
    #[serde(default)]
    options: BTreeMap<String, Word>,
    messages_at_most: Option<u64>,
}

/// Reads an exercise.
///
/// # Errors
/// If it is no TOML, or says what an exercise does not say: with line and column.
pub fn parse(text: &str) -> Result<Exercise, Diagnostic> {
    let wrong = |place: Option<Range<usize>>, what: &str| {
        let place = place.map_or_else(String::new, |place| {
            let (line, column) = line_and_column(text, place.start);
            format!(", line {line}, column {column}")
        });
        Diagnostic::input("bad_exercise", format!("exercise.toml{place}: {what}"))
            .help("docs/teach/assignments.md says what an exercise is made of")
    };
    if text.len() > BYTES_MAX {
        return Err(wrong(
            None,
            &format!("it has {} bytes; an exercise has at most {BYTES_MAX}", text.len()),
        ));
    }
    let file: ExerciseFile =
        toml::from_str(text).map_err(|error| wrong(error.span(), &error.message().replace('\n', ", ")))?;
    if file.takes.get_ref().is_empty() {
        return Err(wrong(Some(file.takes.span()), "nothing is taken from what is handed in"));
    }
    for path in file.takes.get_ref().iter().chain(&file.mistakes_in) {
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let path_of = Path::new(path.get_ref());
        if path.get_ref().is_empty() || !path_of.components().all(is_plain) {
            return Err(wrong(
                Some(path.span()),
                "this has to be a path inside the crate, such as src/lib.rs",
            ));
        }
    }
    let taken: Vec<String> = file.takes.into_inner().into_iter().map(Spanned::into_inner).collect();
    if let Some(own) = &file.mistakes_in
        && taken.iter().any(|path| Path::new(own.get_ref()).starts_with(path))
    {
        return Err(wrong(
            Some(own.span()),
            "mistakes are made in a file of the exercise, not in one that is taken",
        ));
    }
    let asked = file.check.iter().map(|check| &check.title).chain(file.run.iter().map(|run| &run.title));
    let first = asked.clone().next().map(Spanned::span);
    let name = match (&file.algorithm, first) {
        (Some(name), _) => name.get_ref().as_str(),
        (None, Some(place)) => return Err(wrong(Some(place), "checks and runs need `algorithm`")),
        (None, None) if file.mistakes_in.is_none() => {
            return Err(wrong(None, "nothing is asked: it needs `[[check]]`, `[[run]]` or `mistakes_in`"));
        }
        (None, None) => "",
    };
    if let Some(unnamed) = asked.clone().find(|title| title.get_ref().trim().is_empty()) {
        return Err(wrong(Some(unnamed.span()), "the title is empty"));
    }
    let part = |command: &str, title: &Spanned<String>, options, messages_at_most| Part {
        title: title.get_ref().clone(),
        arguments: [command, name, "--json"].map(str::to_owned).into_iter().chain(words(options)).collect(),
        messages_at_most,
    };
    let checks = file.check.into_iter().map(|check| part("check", &check.title, check.options, None));
    let runs = file.run.into_iter().map(|run| part("run", &run.title, run.options, run.messages_at_most));
    Ok(Exercise {
        title: file.title.into_inner(),
        takes: taken,
        parts: checks.chain(runs).collect(),
        mistakes_in: file.mistakes_in.map(Spanned::into_inner),
    })
}

/// Options as they are typed.
fn words(options: BTreeMap<String, Word>) -> Vec<String> {
    let options: Options = options_of(options);
    let mut words = Vec::new();
    for (name, value) in options {
        let values = match value {
            OptionValue::Flag(_) => {
                words.push(format!("--{name}"));
                continue;
            }
            OptionValue::One(value) => vec![value],
            OptionValue::Several(values) => values,
        };
        words.extend(values.into_iter().map(|value| format!("--{name}={value}")));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "title = \"An election\"\ntakes = [\"src/lib.rs\"]\nalgorithm = \"mine\"\n\n[[check]]\n\
                        title = \"three\"\noptions = { nodes = 3, unsound = true }\n\n[[run]]\ntitle = \"fifty\"\n\
                        options = { nodes = 50, seed = 1 }\nmessages_at_most = 2500\n";

    #[test]
    fn options_become_arguments() {
        let exercise = parse(GOOD).unwrap();
        assert_eq!(exercise.parts[0].arguments, ["check", "mine", "--json", "--nodes=3", "--unsound"]);
        assert_eq!(exercise.parts[1].arguments, ["run", "mine", "--json", "--nodes=50", "--seed=1"]);
        assert_eq!(exercise.parts[1].messages_at_most, Some(2500));
    }

    #[test]
    fn mistakes_have_their_place() {
        for (old, new, said) in [
            ("title = \"An election\"\n", "", "missing field `title`"),
            ("\"src/lib.rs\"", "", "line 2, column 9: nothing is taken"),
            ("src/lib.rs", "../lib.rs", "line 2, column 10: this has to be a path inside"),
            ("src/lib.rs", "/etc/passwd", "line 2, column 10: this has to be a path inside"),
            ("algorithm = \"mine\"\n", "", "column 9: checks and runs need `algorithm`"),
            ("\"three\"", "\" \"", "line 6, column 9: the title is empty"),
            ("[[run]]", "[[walk]]", "unknown field `walk`"),
            (
                "algorithm",
                "mistakes_in = \"src/lib.rs\"\nalgorithm",
                "mistakes are made in a file of the exercise",
            ),
        ] {
            assert!(GOOD.contains(old), "{old}");
            let refused = parse(&GOOD.replacen(old, new, 1)).unwrap_err();
            assert!(refused.message.contains(said), "{old} => {new}: {}", refused.message);
        }
        let nothing = parse("title = \"t\"\ntakes = [\"src\"]\n").unwrap_err();
        assert!(nothing.message.contains("nothing is asked"), "{}", nothing.message);
    }
}
