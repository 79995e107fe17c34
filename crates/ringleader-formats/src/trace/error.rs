//! What may be wrong with a trace file, and where.

use std::io;
use thiserror::Error;

/// Why a trace cannot be read.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file itself.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("line 1: this is not a trace: {0}")]
    NotATrace(String),
    /// A later version of the format.
    #[error("written by {by} in format {schema}; this is {this}, which reads {known}: upgrade")]
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
    #[error("line {line}, column {column}: {rule}")]
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
    #[error("line {line}: the file ends without an end record: it was cut off after {steps} steps")]
    Truncated {
        /// The last line, from 1.
        line: usize,
        /// How many whole steps there are.
        steps: usize,
    },
}
