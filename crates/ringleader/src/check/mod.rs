//! All runs, of a few processes: every schedule, every arrangement of identities, every random choice.
//!
//! A [`Scope`] says what is to be checked, [`Findings`] what came of it. A search (`search`) goes breadth first through
//! all states of a system (`system`), which are rows of numbers. There are two kinds. One is a network of processes in
//! one case (`cases`, `ground`, `network`, `expand`): the states of single processes, what links carry and what they do
//! are met once and remembered (`space`, `locals`, `contents`, `memo`). The other is a [`Model`] of one's own.
//!
//! ```
//! use ringleader::{check::{self, Scope}, election::Peterson};
//! let findings = check::election::<Peterson>(&Scope::new(4), &[], &()).unwrap();
//! assert!(findings.holds());
//! ```

mod batch;
mod case;
mod cases;
mod chance;
mod contained;
mod contents;
mod driver;
mod expand;
mod fairness;
mod findings;
mod graph;
mod ground;
mod locals;
mod machines;
mod memo;
mod model;
mod network;
mod path;
mod property;
mod scope;
mod search;
mod space;
mod stimulus;
mod system;
mod threads;
mod visited;
mod worker;

pub(crate) use driver::{cases, check};
pub use findings::{
    Answer, Convergence, Counterexample, Finding, Findings, Limit, Probability, Progress, Range, States,
    Watcher,
};
pub use model::{Effort, Model, ModelFindings, ModelRun, Properties, model};
pub use property::{Property, Step, View, Watch};
pub use scope::{Arrangements, Budget, Extreme, Reduce, Scope, Starts};

use crate::model::{Election, Exclusion};
use crate::population::Nature;
use crate::scenario::Refusal;

/// Checks an election: what its contract promises, and these properties as well.
///
/// # Errors
/// If the scope is impossible, or outside the contract and not declared unsound.
pub fn election<P: Election>(
    scope: &Scope,
    own: &[&dyn Property],
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    check(Nature::election::<P>(), scope, own, watcher)
}

/// Checks mutual exclusion: what its contract promises, and these properties as well.
///
/// # Errors
/// If the scope is impossible, or outside the contract and not declared unsound.
pub fn exclusion<P: Exclusion>(
    scope: &Scope,
    own: &[&dyn Property],
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    check(Nature::exclusion::<P>(), scope, own, watcher)
}
