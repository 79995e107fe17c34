//! From options to what is run or checked: defaults, contradictions, files of identities, memory; and, where the
//! library refuses, the refusal in the words of the command line with something to type.

mod advice;
mod check;
mod compare;
mod estimate;
mod ids_file;
pub mod memory;
mod recorded;
mod refusal;
mod run;
mod worst;

pub use advice::unknown;
pub use check::{PlannedCheck, check, has_ids};
pub use compare::PlannedComparison;
pub use estimate::StateGrowth;
pub use recorded::{place_of, recorded};
pub use refusal::{Request, broken_replay, code, explain, unknown_algorithm};
pub use run::{NODES_DEFAULT, PlannedRun, asked_nodes, disagreement, drawn_seed, ids, run, set_schedule};
pub use worst::{stopped, worst_command, worst_question, worst_refusal, worst_trouble};

use crate::{App, Diagnostic};
use ringleader::registry::Entry;

/// The algorithm with this name.
///
/// # Errors
/// If there is none.
pub fn find(app: &App, name: &str) -> Result<&'static Entry, Diagnostic> {
    ringleader::registry::find(app.registry, name).ok_or_else(|| unknown_algorithm(app, name))
}
