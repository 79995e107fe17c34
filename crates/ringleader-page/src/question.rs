//! Questions as the page asks them. `schema.rs` makes a JSON schema of them, from which the page has its types.

use crate::Diagnostic;
use ringleader::sim::Edit;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Options of the command line, by their long names.
pub type Options = BTreeMap<String, OptionValue>;

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "an option is a text, a list of texts, or true")]
pub enum OptionValue {
    /// One word.
    One(String),
    /// An option that was given several times.
    Several(Vec<String>),
    /// A flag. One that is false is as if it were not there.
    Flag(bool),
}

/// Where a run comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// The options of `run`.
    Run {
        /// The name of the algorithm.
        algorithm: String,
        /// The options.
        #[serde(default)]
        options: Options,
    },
    /// What a check finds.
    Counterexample {
        /// The name of the algorithm.
        algorithm: String,
        /// The options of `check`.
        #[serde(default)]
        options: Options,
    },
    /// A trace that was imported.
    Trace {
        /// Its key.
        key: String,
    },
}

/// A run, and where somebody reaches into it.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunRequest {
    /// Where it comes from.
    pub source: Source,
    /// The edits as they are written.
    #[serde(default)]
    pub edits: Vec<String>,
}

impl RunRequest {
    /// More edits than anybody makes by hand.
    const EDITS_MAX: usize = 10_000;

    /// The edits, in the order of their steps.
    pub(crate) fn edits(&self) -> Result<Vec<Edit>, Diagnostic> {
        if self.edits.len() > Self::EDITS_MAX {
            let message = format!("{} edits are too many: the most is {}", self.edits.len(), Self::EDITS_MAX);
            return Err(Diagnostic::input("too_large", message));
        }
        let read = |text: &String| {
            text.parse::<Edit>().map_err(|why| {
                Diagnostic::input("bad_edit", why).help("leave it out: the run is shown without it")
            })
        };
        let mut edits: Vec<Edit> = self.edits.iter().map(read).collect::<Result<_, _>>()?;
        edits.sort_by_key(|edit| edit.step);
        Ok(edits)
    }
}

/// Reads a question.
pub(crate) fn read<Question: DeserializeOwned>(verb: &str, question: &[u8]) -> Result<Question, Diagnostic> {
    let question = if question.is_empty() { b"{}" } else { question };
    serde_json::from_slice(question).map_err(|error| {
        Diagnostic::input("bad_question", format!("the question to `{verb}` cannot be read: {error}"))
            .help("web/ENGINE.md says what each verb takes")
    })
}
