//! What may be wrong with a trace file, and where.

use std::{fmt, io};

/// Why a trace cannot be read.
#[derive(Debug)]
pub enum TraceError {
    /// The file itself.
    Io(io::Error),
    /// It is something else.
    NotATrace(String),
    /// A later version of the format.
    Version {
        /// The program that wrote it.
        by: String,
        /// The schema it names.
        schema: String,
        /// This library.
        this: String,
        /// The schema that is understood.
        known: &'static str,
    },
    /// A line breaks a rule of the format.
    Broken {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong.
        rule: String,
        /// The line itself.
        text: String,
    },
    /// There is no end record.
    Truncated {
        /// The last line, from 1.
        line: usize,
        /// How many whole steps there are.
        steps: usize,
    },
}

impl std::error::Error for TraceError {}

impl From<io::Error> for TraceError {
    fn from(error: io::Error) -> TraceError {
        TraceError::Io(error)
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Io(error) => error.fmt(f),
            TraceError::NotATrace(why) => write!(f, "line 1: this is not a trace: {why}"),
            TraceError::Version { by, schema, this, known } => {
                write!(f, "written by {by} in format {schema}; this is {this}, which reads {known}: upgrade")
            }
            TraceError::Broken { line, column, rule, .. } => {
                write!(f, "line {line}, column {column}: {rule}")
            }
            TraceError::Truncated { line, steps } => {
                write!(
                    f,
                    "line {line}: the file ends without an end record: it was cut off after {steps} steps"
                )
            }
        }
    }
}
