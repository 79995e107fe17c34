//! The file of a story: TOML, with the place of every mistake.

use super::{BYTES_MAX, Beside, Facts, STEPS_MAX, Step, Story};
use crate::{Diagnostic, OptionValue, Options, Source};
use ringleader::sim::Edit;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// The seed of a run that names none: a story is the same each time it is told.
const SEED: &str = "1";

/// A small file to begin with.
const EXAMPLE: &str = "title = \"…\"  minutes = 3  summary = \"…\"  \
                       [[step]]  caption = \"…\"  algorithm = \"chang-roberts\"  \
                       options = { nodes = 8, seed = 1 }  at = 8";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoryFile {
    title: Spanned<String>,
    minutes: Spanned<u32>,
    summary: Spanned<String>,
    #[serde(default)]
    step: Vec<Spanned<StepFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFile {
    caption: Spanned<String>,
    algorithm: Option<Spanned<String>>,
    options: Option<BTreeMap<String, Word>>,
    counterexample: Option<bool>,
    edits: Option<Vec<Spanned<String>>>,
    at: Option<Spanned<u64>>,
    from: Option<Spanned<u64>>,
    select: Option<u32>,
    question: Option<Spanned<String>>,
    answer: Option<Spanned<String>>,
    beside: Option<BesideFile>,
    click: Option<Spanned<u32>>,
    rule: Option<Spanned<String>>,
    facts: Option<Facts>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BesideFile {
    algorithm: Option<Spanned<String>>,
    options: Option<BTreeMap<String, Word>>,
    counterexample: Option<bool>,
    edits: Option<Vec<Spanned<String>>>,
    facts: Option<Facts>,
}

/// What an option may be in the file; on the command line it is a word.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Word {
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    Several(Vec<Word>),
}

/// Where a run comes from, while the file is read.
#[derive(Clone)]
struct Origin {
    algorithm: String,
    options: Options,
    counterexample: bool,
    edits: Vec<String>,
}

impl Origin {
    fn source(&self) -> Source {
        let (algorithm, mut options) = (self.algorithm.clone(), self.options.clone());
        if self.counterexample {
            return Source::Counterexample { algorithm, options };
        }
        options.entry("seed".into()).or_insert_with(|| OptionValue::One(SEED.into()));
        Source::Run { algorithm, options }
    }
}

/// A story and where its mistakes are.
struct Reader<'t> {
    name: &'t str,
    text: &'t str,
}

pub(super) fn read(name: &str, text: &str) -> Result<Story, Diagnostic> {
    let reader = Reader { name, text };
    if text.len() > BYTES_MAX {
        let message = format!("it has {} bytes; a story has at most {BYTES_MAX}", text.len());
        return Err(reader.wrong(None, &message).help("make two stories of it"));
    }
    let file: StoryFile = toml::from_str(text)
        .map_err(|error| reader.wrong(error.span(), &error.message().replace('\n', ", ")))?;
    reader.story(file)
}

impl Reader<'_> {
    fn story(&self, file: StoryFile) -> Result<Story, Diagnostic> {
        let minutes = *file.minutes.get_ref();
        if minutes == 0 || minutes > 600 {
            return Err(self.wrong(Some(file.minutes.span()), "`minutes` is a number from 1 to 600"));
        }
        if file.step.is_empty() {
            return Err(self.wrong(None, "it has no [[step]]").help(format!("such as: {EXAMPLE}")));
        }
        if file.step.len() > STEPS_MAX {
            let message = format!("it has {} steps; a story has at most {STEPS_MAX}", file.step.len());
            return Err(self.wrong(None, &message).help("make two stories of it"));
        }
        let mut steps = Vec::new();
        let mut before = None;
        for step in file.step {
            let place = step.span();
            let (step, origin) = self.step(step.into_inner(), place, before.as_ref())?;
            steps.push(step);
            before = Some(origin);
        }
        Ok(Story {
            name: self.name.to_owned(),
            title: self.said("title", file.title)?,
            minutes,
            summary: self.said("summary", file.summary)?,
            steps,
        })
    }

    fn step(
        &self,
        file: StepFile,
        place: Range<usize>,
        before: Option<&Origin>,
    ) -> Result<(Step, Origin), Diagnostic> {
        let origin =
            self.origin((file.algorithm, file.options, file.counterexample, file.edits), before, || {
                self.wrong(Some(place.clone()), "the first step names no algorithm")
                    .help(format!("such as: {EXAMPLE}"))
            })?;
        if let (Some(from), Some(at)) = (&file.from, &file.at)
            && from.get_ref() > at.get_ref()
        {
            let message = format!("it plays from {} to {}: backwards", from.get_ref(), at.get_ref());
            return Err(self.wrong(Some(from.span()), &message).help("`from` is at most `at`"));
        }
        if let (Some(lonely), None) | (None, Some(lonely)) = (&file.question, &file.answer) {
            let message = "a `question` comes with an `answer`, and an `answer` with a `question`";
            return Err(self.wrong(Some(lonely.span()), message).help("write both, or neither"));
        }
        let clicked = file.click.as_ref().map(Spanned::span).or(file.rule.as_ref().map(Spanned::span));
        if let (Some(place), None) = (clicked, &file.question) {
            let message = "`click` and `rule` answer a `question`, and there is none";
            return Err(self.wrong(Some(place), message).help("write the question and its answer too"));
        }
        let beside = file.beside.map(|beside| self.beside(beside, &origin)).transpose()?;
        let said =
            |name: &str, text: Option<Spanned<String>>| text.map(|text| self.said(name, text)).transpose();
        let step = Step {
            caption: self.said("caption", file.caption)?,
            source: origin.source(),
            edits: origin.edits.clone(),
            at: file.at.map(Spanned::into_inner),
            from: file.from.map(Spanned::into_inner),
            select: file.select,
            question: said("question", file.question)?,
            answer: said("answer", file.answer)?,
            beside,
            click: file.click.map(Spanned::into_inner),
            rule: said("rule", file.rule)?,
            facts: file.facts,
        };
        Ok((step, origin))
    }

    /// The second run has the options of the first, so that identities and seed are the same, unless it says otherwise;
    /// the edits, which are about messages of the first, it does not have.
    fn beside(&self, file: BesideFile, first: &Origin) -> Result<Beside, Diagnostic> {
        let first = Origin { edits: Vec::new(), ..first.clone() };
        let mut other = first.clone();
        if let Some(algorithm) = file.algorithm {
            other.algorithm = self.said("algorithm", algorithm)?;
        }
        if let Some(options) = file.options {
            other.options = options_of(options);
        }
        if let Some(counterexample) = file.counterexample {
            other.counterexample = counterexample;
        }
        if let Some(edits) = file.edits {
            other.edits = self.edits(edits)?;
        }
        Ok(Beside { source: other.source(), edits: other.edits, facts: file.facts })
    }

    /// Where the run of a step comes from: what is not said is as in the step before; but a new algorithm, or new
    /// options, begin a new run, without the edits of the old one.
    #[expect(clippy::type_complexity, reason = "four fields of the file, used here only")]
    fn origin(
        &self,
        said: (
            Option<Spanned<String>>,
            Option<BTreeMap<String, Word>>,
            Option<bool>,
            Option<Vec<Spanned<String>>>,
        ),
        before: Option<&Origin>,
        nameless: impl Fn() -> Diagnostic,
    ) -> Result<Origin, Diagnostic> {
        let (algorithm, options, counterexample, edits) = said;
        let mut origin = match (algorithm, before) {
            (Some(algorithm), _) => Origin {
                algorithm: self.said("algorithm", algorithm)?,
                options: Options::new(),
                counterexample: false,
                edits: Vec::new(),
            },
            (None, Some(before)) => before.clone(),
            (None, None) => return Err(nameless()),
        };
        if let Some(options) = options {
            origin.options = options_of(options);
            origin.edits.clear();
        }
        if let Some(counterexample) = counterexample {
            origin.counterexample = counterexample;
        }
        if let Some(edits) = edits {
            origin.edits = self.edits(edits)?;
        }
        Ok(origin)
    }

    fn edits(&self, edits: Vec<Spanned<String>>) -> Result<Vec<String>, Diagnostic> {
        let read = |edit: Spanned<String>| match edit.get_ref().parse::<Edit>() {
            Ok(_) => Ok(edit.into_inner()),
            Err(why) => Err(self.wrong(Some(edit.span()), &why)),
        };
        edits.into_iter().map(read).collect()
    }

    /// A text that is not empty, its lines joined: how it is broken is up to the page.
    fn said(&self, what: &str, text: Spanned<String>) -> Result<String, Diagnostic> {
        let words: Vec<&str> = text.get_ref().split_whitespace().collect();
        if words.is_empty() {
            return Err(self.wrong(Some(text.span()), &format!("the {what} is empty")));
        }
        Ok(words.join(" "))
    }

    fn wrong(&self, place: Option<Range<usize>>, what: &str) -> Diagnostic {
        let place = place.map_or_else(String::new, |place| {
            let (line, column) = line_and_column(self.text, place.start);
            format!(", line {line}, column {column}")
        });
        Diagnostic::input("bad_story", format!("story `{}`{place}: {what}", self.name))
    }
}

/// Both from 1; columns count characters.
pub(crate) fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    (line, column)
}

/// As the page says options: words, lists of words, and `true` for flags.
pub(crate) fn options_of(file: BTreeMap<String, Word>) -> Options {
    let mut options = Options::new();
    for (name, word) in file {
        let value = match word {
            Word::Flag(false) => continue,
            Word::Flag(true) => OptionValue::Flag(true),
            Word::Several(words) => OptionValue::Several(words.iter().map(spoken).collect()),
            Word::Integer(_) | Word::Number(_) | Word::Text(_) => OptionValue::One(spoken(&word)),
        };
        options.insert(name, value);
    }
    options
}

fn spoken(word: &Word) -> String {
    match word {
        Word::Flag(flag) => flag.to_string(),
        Word::Integer(number) => number.to_string(),
        Word::Number(number) => number.to_string(),
        Word::Text(text) => text.clone(),
        Word::Several(words) => words.iter().map(spoken).collect::<Vec<_>>().join(","),
    }
}
