//! Recorded runs: JSON Lines, one header, one line per step, one end record.

mod check;
mod error;
mod line;
mod read;
mod replay;
mod write;

pub use error::TraceError;
pub use read::read_trace;
pub use write::TraceWriter;

pub(crate) use line::{EventLine, HeaderLine};

use ringleader::trace::Recording;
use std::sync::Arc;

/// The schema that a trace file names in its first line.
pub const TRACE_SCHEMA: &str = "ringleader.trace/1";

/// What comes before the version in the schema of every trace.
const SCHEMA_STEM: &str = "ringleader.trace/";

/// A recorded run, with what the file says about itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    /// The header and the steps.
    pub recording: Arc<Recording>,
    /// The program that wrote it, and its version.
    pub by: String,
    /// How it ended.
    pub end: End,
}

/// The last line of a trace, without which it was cut off.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct End {
    /// How many steps there are.
    pub steps: u64,
    /// The result in one word.
    pub outcome: String,
}

#[cfg(test)]
mod tests;
