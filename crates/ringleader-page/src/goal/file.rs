//! The file of a goal: TOML, with the place of every mistake.

use super::{BYTES_MAX, Goal, Reach};
use crate::story::{Word, line_and_column, options_of};
use crate::{Diagnostic, OptionValue, Source};
use ringleader::sim::Action;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalFile {
    title: Spanned<String>,
    text: Spanned<String>,
    hint: Option<Spanned<String>>,
    algorithm: Spanned<String>,
    #[serde(default)]
    options: BTreeMap<String, Word>,
    #[serde(default)]
    actions: Vec<Spanned<String>>,
    edits_at_most: Option<usize>,
    reach: Spanned<Reach>,
}

/// Reads a goal.
///
/// # Errors
/// If it is no TOML, or says what a goal does not say: with line and column.
pub fn parse(name: &str, text: &str) -> Result<Goal, Diagnostic> {
    let wrong = |place: Option<Range<usize>>, what: &str| {
        let place = place.map_or_else(String::new, |place| {
            let (line, column) = line_and_column(text, place.start);
            format!(", line {line}, column {column}")
        });
        Diagnostic::input("bad_goal", format!("goal `{name}`{place}: {what}"))
            .help("goals/README.md says what a goal is made of")
    };
    if text.len() > BYTES_MAX {
        return Err(wrong(None, &format!("it has {} bytes; a goal has at most {BYTES_MAX}", text.len())));
    }
    let file: GoalFile =
        toml::from_str(text).map_err(|error| wrong(error.span(), &error.message().replace('\n', ", ")))?;
    let said = |what: &str, text: Spanned<String>| {
        let words: Vec<&str> = text.get_ref().split_whitespace().collect();
        match words.is_empty() {
            true => Err(wrong(Some(text.span()), &format!("the {what} is empty"))),
            false => Ok(words.join(" ")),
        }
    };
    for action in &file.actions {
        if !Action::NAMES.contains(&action.get_ref().as_str()) {
            let what = format!("`{}` is no action; there are {}", action.get_ref(), Action::NAMES.join(", "));
            return Err(wrong(Some(action.span()), &what));
        }
    }
    if *file.reach.get_ref() == (Reach { within: file.reach.get_ref().within, ..Reach::default() }) {
        let what = "nothing is to be reached: `[reach]` needs `leaders`, `inside`, `stuck`, `violated`, \
                    `messages_at_least` or `rule`";
        return Err(wrong(Some(file.reach.span()), what));
    }
    let mut options = options_of(file.options);
    options.entry("seed".into()).or_insert_with(|| OptionValue::One("1".into()));
    Ok(Goal {
        name: name.to_owned(),
        title: said("title", file.title)?,
        text: said("text", file.text)?,
        hint: file.hint.map(|hint| said("hint", hint)).transpose()?,
        source: Source::Run { algorithm: said("algorithm", file.algorithm)?, options },
        actions: file.actions.into_iter().map(Spanned::into_inner).collect(),
        edits_at_most: file.edits_at_most,
        reach: file.reach.into_inner(),
    })
}
