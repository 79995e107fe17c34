//! Who understands options: the stage does not parse them itself, so that they mean the same on the page and on the
//! command line, and so that the command which repeats a run is the one that the command line would print.

use crate::{Diagnostic, Options};
use ringleader::check::Scope;
use ringleader::registry::Entry;
use ringleader::sim::{Edit, Scenario};
use serde::Serialize;
use std::time::Duration;

/// Turns options into what is to be run. The command line implements it with its own declarations. None of the
/// methods may read or write a file: a page must not reach the files of the machine that serves it.
pub trait Words: Send + Sync {
    /// The algorithms.
    fn registry(&self) -> &'static [Entry];

    /// The program and its version, as reports name them.
    fn version(&self) -> String;

    /// The options of `run`.
    ///
    /// # Errors
    /// If there is no such algorithm or option, if a value is wrong, if it would not fit into memory.
    fn run(&self, algorithm: &str, options: &Options, edits: &[Edit]) -> Result<Planned, Diagnostic>;

    /// The options of `check`.
    ///
    /// # Errors
    /// As for a run.
    fn check(&self, algorithm: &str, options: &Options) -> Result<PlannedCheck, Diagnostic>;

    /// About how many states a check will have, where that can be told at once.
    fn expected_states(&self, check: &PlannedCheck) -> Option<u64>;

    /// The options of `compare`; the comparison is made at once.
    ///
    /// # Errors
    /// As for a run.
    fn compare(&self, algorithms: &[String], options: &Options) -> Result<Compared, Diagnostic>;
}

/// A run that may be made.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The name of the algorithm, as the registry has it.
    pub algorithm: &'static str,
    /// What is to be run.
    pub scenario: Scenario,
    /// The schedule, as it is shown.
    pub schedule: String,
    /// The command that gives the same run.
    pub command: String,
}

/// A check that may be made.
#[derive(Clone, Debug)]
pub struct PlannedCheck {
    /// The name of the algorithm, as the registry has it.
    pub algorithm: &'static str,
    /// What is to be checked.
    pub scope: Scope,
    /// The command that makes the same check.
    pub command: String,
    /// How long it may take, if that was said.
    pub time_limit: Option<Duration>,
}

/// What came of a comparison.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Compared {
    /// The command that makes the same comparison.
    pub command: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows: words, numbers or nothing.
    #[cfg_attr(test, schemars(with = "Vec<Vec<crate::schema::Cell>>"))]
    pub rows: Vec<Vec<serde_json::Value>>,
    /// The plot.
    pub svg: String,
    /// What a reader should know.
    pub notes: Vec<String>,
}
