//! Stories: a few steps, each a run at some moment, with a caption. A story is a TOML file, so that lecturers write
//! their own; `stories/README.md` says how. Those that come with the program are in [`BUILT_IN`].

mod file;

pub(crate) use file::{Word, line_and_column, options_of};

use crate::question::read;
use crate::{Diagnostic, Source};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The stories that come with the program: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("eight-steps", include_str!("../../../stories/eight-steps.story.toml")),
    ("two-leaders", include_str!("../../../stories/two-leaders.story.toml")),
    ("square-or-log", include_str!("../../../stories/square-or-log.story.toml")),
    ("lost-token", include_str!("../../../stories/lost-token.story.toml")),
    ("deadlock", include_str!("../../../stories/deadlock.story.toml")),
    ("as-printed", include_str!("../../../stories/as-printed.story.toml")),
    ("peterson-rounds", include_str!("../../../stories/peterson-rounds.story.toml")),
    ("never-ends", include_str!("../../../stories/never-ends.story.toml")),
    ("franklin", include_str!("../../../stories/franklin.story.toml")),
    ("chase", include_str!("../../../stories/chase.story.toml")),
    ("anonymous", include_str!("../../../stories/anonymous.story.toml")),
    ("tie", include_str!("../../../stories/tie.story.toml")),
    ("bully-crash", include_str!("../../../stories/bully-crash.story.toml")),
    ("any-state", include_str!("../../../stories/any-state.story.toml")),
    ("drift", include_str!("../../../stories/drift.story.toml")),
    ("token-on-a-tree", include_str!("../../../stories/token-on-a-tree.story.toml")),
];

/// A longer text is no story.
pub const BYTES_MAX: usize = 256 * 1024;
/// Nobody shows more steps.
pub const STEPS_MAX: usize = 200;

/// A story.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Story {
    /// By which it is asked for: the name of the file without `.story.toml`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// How long it takes to tell.
    pub minutes: u32,
    /// What it is about, in a sentence.
    pub summary: String,
    /// At least one.
    pub steps: Vec<Step>,
}

/// A run at some moment, and what is said about it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StoryStep"))]
pub struct Step {
    /// What is said; between backquotes it is code.
    pub caption: String,
    /// Where the run comes from.
    pub source: Source,
    /// Who reaches into it.
    pub edits: Vec<String>,
    /// How many steps of the run have been taken; none: all.
    pub at: Option<u64>,
    /// It is played from here.
    pub from: Option<u64>,
    /// The process that is looked at.
    pub select: Option<u32>,
    /// To be thought about before going on.
    pub question: Option<String>,
    /// What comes of it.
    pub answer: Option<String>,
    /// A second run beside it.
    pub beside: Option<Beside>,
    /// The process whose click answers the question.
    pub click: Option<u32>,
    /// The rule whose choice answers the question.
    pub rule: Option<String>,
    /// What the caption says that can be checked.
    #[serde(skip)]
    pub facts: Option<Facts>,
}

/// A second run.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Beside {
    /// Where it comes from.
    pub source: Source,
    /// Who reaches into it.
    pub edits: Vec<String>,
    /// What the caption says of it that can be checked, at its end.
    #[serde(skip)]
    pub facts: Option<Facts>,
}

/// What a caption says that can be checked against the run: not for the page, but for whoever tests stories.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The last step that was taken, in words, without the rules.
    pub last: Option<String>,
    /// Who leads.
    pub leads: Option<Vec<u32>>,
    /// Who is inside.
    pub inside: Option<Vec<u32>>,
    /// Who waits.
    pub waiting: Option<Vec<u32>>,
    /// How many messages have been sent.
    pub sent: Option<u64>,
    /// How many of them are under way.
    pub transit: Option<u64>,
    /// How many steps the run has in all.
    pub steps: Option<u64>,
    /// The properties that do not hold at the end of the run.
    pub violated: Option<Vec<String>>,
}

/// What a list of stories says of one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StoryTitle"))]
pub struct Title {
    /// By which it is asked for.
    pub name: String,
    /// Its title.
    pub title: String,
    /// How long it takes to tell.
    pub minutes: u32,
    /// What it is about, in a sentence.
    pub summary: String,
}

#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct StoryRequest {
    name: String,
}

/// Answers `story`.
pub(crate) fn answer(shelf: &Shelf, question: &[u8]) -> Result<String, Diagnostic> {
    let StoryRequest { name } = read("story", question)?;
    shelf.find(&name).map(|story| json!(story).to_string())
}

/// Reads a story.
///
/// # Errors
/// If it is no TOML, or says what a story does not say: with line and column.
pub fn parse(name: &str, text: &str) -> Result<Story, Diagnostic> {
    file::read(name, text)
}

/// The stories that a stage has: its own, then those that were added, in that order.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    stories: Vec<Story>,
}

impl Shelf {
    /// Those that come with the program.
    #[must_use]
    pub fn built_in() -> Shelf {
        // The tests read every one of them: here none can be wrong.
        let stories = BUILT_IN.iter().filter_map(|(name, text)| parse(name, text).ok()).collect();
        Shelf { stories }
    }

    /// Adds one. It takes the place of one with the same name, so that a lecturer can tell a story better.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), Diagnostic> {
        let story = parse(name, text)?;
        match self.stories.iter_mut().find(|known| known.name == story.name) {
            Some(known) => *known = story,
            None => self.stories.push(story),
        }
        Ok(())
    }

    /// What there is.
    #[must_use]
    pub fn titles(&self) -> Vec<Title> {
        let title = |story: &Story| Title {
            name: story.name.clone(),
            title: story.title.clone(),
            minutes: story.minutes,
            summary: story.summary.clone(),
        };
        self.stories.iter().map(title).collect()
    }

    /// The story with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> Result<&Story, Diagnostic> {
        self.stories.iter().find(|story| story.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.stories.iter().map(|story| story.name.as_str()).collect();
            let shown: String = name.chars().take(60).collect();
            Diagnostic::input("no_such_story", format!("there is no story `{shown}`"))
                .help(format!("there are {}", known.join(", ")))
                .help("your own are read from the folder that `serve --stories` names")
        })
    }
}

#[cfg(test)]
mod tests;
