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

use ringleader::trace::{Event, Header};

/// The schema that a trace file names in its first line.
pub const TRACE_SCHEMA: &str = "ringleader.trace/1";

/// What comes before the version in the schema of every trace.
const SCHEMA_STEM: &str = "ringleader.trace/";

/// A recorded run.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// Everything about the run that is not an event.
    pub header: Header,
    /// The program that wrote it, and its version.
    pub by: String,
    /// The steps.
    pub events: Vec<Event>,
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
