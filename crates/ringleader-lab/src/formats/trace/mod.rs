//! Recorded runs: JSON Lines, one header, one line per step, one end record.

mod check;
mod error;
mod line;
mod read;
mod replay;
mod write;

pub use error::TraceError;
pub use read::{read_part, read_trace};
pub use write::TraceWriter;

pub(crate) use line::{EventLine, HeaderLine};

use ringleader::trace::Recording;
use std::sync::Arc;

/// The schema that a trace file names in its first line.
pub const TRACE_SCHEMA: &str = "ringleader.trace/1";

/// The schema of a part: what one machine has seen of a run on several. Merged, the parts are a trace.
pub const PART_SCHEMA: &str = "ringleader.part/1";

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

/// What one machine has seen of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The header and the steps of that machine.
    pub recording: Recording,
    /// The program that wrote it, and its version.
    pub by: String,
    /// Whether it has its end, or was cut off: that machine was killed.
    pub whole: bool,
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
