//! `check`: every run of a few processes. Here is what is pure about it: what is to be checked, and what came of it.
//! Whoever has threads and a clock runs it, shows how far it is and stops it; a server does, in its `jobs`.

use crate::question::read;
use crate::{Diagnostic, Options, PlannedCheck, Stage, Words, refusal};
use ringleader::check::{Answer, Findings, Limit, Scope, States, Watcher};
use ringleader::registry::Entry;
use ringleader::trace::Recording;
use ringleader_lab::formats::{CheckContext, check_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// A check from the page has at most so many states, unless less was asked for: some twenty seconds.
pub const STATES_MAX: u64 = 2_000_000;
/// And at most so many bytes.
pub const BYTES_MAX: u64 = 1 << 30;
/// So many states can be drawn.
const DRAWN_MAX: u32 = 600;
/// And at most so many threads: others use the machine, too.
pub const THREADS_MAX: u32 = 2;

/// What differs from time to time, and is not passed on.
const PASSING: [&str; 3] = ["elapsed_s", "states_per_s", "peak_bytes"];

/// The question.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CheckRequest {
    algorithm: String,
    #[serde(default)]
    options: Options,
}

/// The question that asks for one check among those that were started.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobRequest {
    /// Which.
    pub job: String,
}

/// Reads which check somebody asks for.
///
/// # Errors
/// If it is no such question.
pub fn job(verb: &str, question: &[u8]) -> Result<String, Diagnostic> {
    read::<JobRequest>(verb, question).map(|request| request.job)
}

/// The answer to `check`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CheckStarted"))]
pub struct Started {
    /// By which it is asked for.
    pub job: String,
    /// The command that makes the same check.
    pub command: String,
    /// About how many states it will have.
    pub expected_states: Option<u64>,
}

/// The answer to `look` and `stop`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CheckLook"))]
pub struct Look {
    /// Whether it is over, and how it ended.
    pub state: State,
    /// How long it has taken.
    pub seconds: f64,
    /// How far it is.
    pub progress: Option<Progress>,
    /// What came of it, once it is over.
    #[cfg_attr(test, schemars(with = "Option<crate::schema::CheckFindings>"))]
    pub findings: Option<Value>,
    /// Whether there is a single run that shows a violation.
    pub counterexample: bool,
    /// The states of one case, where they are few.
    pub graph: Option<StateGraph>,
}

/// States and the steps between them: of the case with the violation, or of the one that has the most. What the search
/// takes for one state is one here.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StateGraph {
    /// After how many steps each is met first, by its number.
    depths: Vec<u32>,
    /// Which state leads to which.
    steps: Vec<(u32, u32)>,
    /// Those in which a run ends.
    ends: Vec<u32>,
    /// Those along the run that shows a violation.
    way: Vec<u32>,
}

impl From<States> for StateGraph {
    fn from(States { depths, steps, ends, way }: States) -> StateGraph {
        StateGraph { depths, steps, ends, way }
    }
}

/// Whether a check is over, and how it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CheckState"))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is under way.
    Running,
    /// It came to its end, or to a limit.
    Done,
    /// Somebody stopped it.
    Stopped,
}

/// How far a check is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CheckProgress"))]
pub struct Progress {
    /// The case that is searched, from 1.
    pub cases: u64,
    /// How many there are.
    pub cases_total: Option<u64>,
    /// Distinct states so far.
    pub states: u64,
    /// Steps from the start.
    pub depth: u64,
}

/// A check that may be made.
#[derive(Clone)]
pub struct Prepared {
    /// The question, by which a counterexample is remembered.
    asked: CheckRequest,
    entry: &'static Entry,
    planned: PlannedCheck,
    version: String,
    expected_states: Option<u64>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("planned", &self.planned).finish_non_exhaustive()
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What `check --json` says, without the time it took.
    pub findings: Value,
    /// The single run that shows a violation, if there is one.
    pub recording: Option<Arc<Recording>>,
    /// Whether it was ended by whoever watched it.
    pub broken_off: bool,
    /// How far it came.
    pub progress: Progress,
    /// The states of one case, where they are few.
    pub graph: Option<StateGraph>,
}

/// Makes a plan of a question. What is refused is refused here, before anything is searched.
///
/// # Errors
/// If the question, the algorithm or an option is wrong, or if the contract excludes it.
pub fn prepare(words: &dyn Words, question: &[u8]) -> Result<Prepared, Diagnostic> {
    let asked: CheckRequest = read("check", question)?;
    let mut planned = words.check(&asked.algorithm, &asked.options)?;
    let entry =
        words.registry().iter().find(|entry| entry.spec.name == planned.algorithm).ok_or_else(|| {
            Diagnostic::input("unknown_algorithm", format!("there is no algorithm `{}`", asked.algorithm))
        })?;
    let scope = &mut planned.scope;
    scope.max_states = Some(scope.max_states.map_or(STATES_MAX, |most| most.min(STATES_MAX)));
    scope.max_bytes = Some(scope.max_bytes.map_or(BYTES_MAX, |most| most.min(BYTES_MAX)));
    scope.threads = scope.threads.min(THREADS_MAX);
    scope.keep_states = Some(DRAWN_MAX);
    // A search that ends at once is refused for the same reasons as a long one.
    let glance = Scope { max_states: Some(1), ..scope.clone() };
    let form = entry.with_settings(&scope.settings);
    entry
        .check(&glance, &[], &Watching(&|_| ControlFlow::Break(())))
        .map_err(|why| refusal::complain(form, &why))?;
    let expected_states = words.expected_states(&planned);
    Ok(Prepared { asked, entry, planned, version: words.version(), expected_states })
}

impl Prepared {
    /// The answer to `check`, once there is a name to ask for it by.
    #[must_use]
    pub fn started(&self, job: &str) -> Started {
        Started {
            job: job.to_owned(),
            command: self.planned.command.clone(),
            expected_states: self.expected_states,
        }
    }

    /// Has the stage remember the counterexample, if there is one: whoever opens it next need not search again.
    pub fn remember(&self, stage: &Stage, checked: &Checked) {
        if let Some(recording) = &checked.recording {
            stage.found(&self.asked.algorithm, &self.asked.options, Arc::clone(recording));
        }
    }

    /// How long it may take, if that was said. Whoever watches has the clock.
    #[must_use]
    pub fn time_limit(&self) -> Option<Duration> {
        self.planned.time_limit
    }

    /// Makes the check. `watch` is called from time to time, by any thread, and may end it.
    ///
    /// # Errors
    /// If it is refused; what can be known of that before, [`prepare`] has said.
    pub fn run(&self, watch: &(dyn Fn(Progress) -> ControlFlow<()> + Sync)) -> Result<Checked, Diagnostic> {
        let scope = &self.planned.scope;
        let findings = self.entry.check(scope, &[], &Watching(watch));
        let findings =
            findings.map_err(|why| refusal::complain(self.entry.with_settings(&scope.settings), &why))?;
        Ok(Checked {
            findings: self.json(&findings)?,
            broken_off: matches!(findings.limit, Some(Limit::Stopped)) && findings.answer == Answer::Unknown,
            progress: Progress {
                cases: findings.cases,
                cases_total: Some(findings.cases),
                states: findings.states,
                depth: findings.depth,
            },
            recording: findings.counterexample.map(|found| Arc::new(found.recording)),
            graph: findings.graph.map(StateGraph::from),
        })
    }

    fn json(&self, findings: &Findings) -> Result<Value, Diagnostic> {
        let context = CheckContext {
            problem: self.entry.problem,
            reduce: self.planned.scope.reduce.name(),
            elapsed_s: 0.0,
            peak_bytes: None,
            time_limit_s: self.planned.time_limit.map(|time| time.as_secs_f64()),
            trace: None,
            again: &self.planned.command,
            version: &self.version,
        };
        let text = check_json(findings, &context);
        let mut value: Value = serde_json::from_str(&text)
            .map_err(|error| Diagnostic::input("internal", format!("findings are no JSON: {error}")))?;
        if let Value::Object(fields) = &mut value {
            fields.retain(|name, _| !PASSING.contains(&name.as_str()));
        }
        Ok(value)
    }
}

/// Passes on how far it is.
struct Watching<'w>(&'w (dyn Fn(Progress) -> ControlFlow<()> + Sync));

impl Watcher for Watching<'_> {
    fn progress(&self, progress: &ringleader::check::Progress) -> ControlFlow<()> {
        self.0(Progress {
            cases: progress.case,
            cases_total: Some(progress.cases),
            states: progress.states,
            depth: progress.depth,
        })
    }
}

#[cfg(test)]
mod tests;
