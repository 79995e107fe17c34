//! A recording out of a file.

use crate::formats::{Recorded, TraceError, read_trace};
use crate::{Diagnostic, Spot};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads a trace.
///
/// # Errors
/// If it cannot be read: with the place where it goes wrong.
pub fn recorded(path: &Path) -> Result<Recorded, Diagnostic> {
    let file = path.display().to_string();
    let opened = File::open(path).map_err(|error| {
        Diagnostic::input("bad_trace", format!("cannot read {file}: {error}"))
            .help("a recording is made by a run:")
            .command(format!("ringleader run peterson --trace {file}"), "")
    })?;
    read_trace(BufReader::with_capacity(1 << 16, opened)).map_err(|error| {
        let is_no_trace = matches!(error, TraceError::NotATrace(_));
        let diagnostic = place_of(file, error);
        if is_no_trace {
            diagnostic
                .help("a trace is what `run --trace FILE` writes; docs/reference/formats.md describes it")
        } else {
            diagnostic
        }
    })
}

/// What is wrong with a trace, and where.
#[must_use]
pub fn place_of(file: String, error: TraceError) -> Diagnostic {
    let bad = |message: String| Diagnostic::input("bad_trace", message);
    match error {
        TraceError::Broken { line, column, rule, text } if !text.is_empty() => {
            let spot = Spot { line, column, length: 1, text, label: rule };
            bad(format!("cannot read {file}: line {line}, column {column}")).at(file, vec![spot])
        }
        TraceError::NotATrace(_)
        | TraceError::Io(_)
        | TraceError::Version { .. }
        | TraceError::Broken { .. }
        | TraceError::Truncated { .. } => bad(format!("cannot read {file}: {error}")),
    }
}
