//! The verb `import`: a trace file is handed over, and gets a key.

use crate::question::{Source, read};
use crate::source::{entry, too_large};
use crate::store::Trace;
use crate::{Diagnostic, Stage, limits};
use ringleader_lab::formats::{TraceError, read_trace};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ImportRequest {
    name: String,
    text: String,
}

/// The trace, by its key.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Imported {
    source: Source,
}

/// The answer.
pub(crate) fn answer(stage: &Stage, question: &[u8]) -> Result<String, Diagnostic> {
    let request: ImportRequest = read("import", question)?;
    let recorded = read_trace(request.text.as_bytes()).map_err(|error| broken(&request.name, &error))?;
    let header = &recorded.recording.header;
    if header.n > limits::NODES {
        return Err(too_large(header.n));
    }
    entry(stage, &header.algorithm)?;
    let key = key(request.text.as_bytes());
    let trace = Trace { name: name(&request.name), recorded: Arc::new(recorded) };
    stage.store.keep_trace(key.clone(), trace, request.text.len());
    let imported = Imported { source: Source::Trace { key } };
    Ok(serde_json::to_string(&imported).expect("plain data has a JSON form"))
}

fn broken(name: &str, error: &TraceError) -> Diagnostic {
    let complaint = Diagnostic::input("bad_trace", format!("cannot read {name}: {error}"));
    match error {
        TraceError::NotATrace(_) => {
            complaint.help("a trace is what `ringleader run --trace FILE` writes, or `export` of this page")
        }
        TraceError::Truncated { .. } => complaint.help("the file was cut off: copy it again"),
        TraceError::Io(_) | TraceError::Version { .. } | TraceError::Broken { .. } => {
            complaint.help("docs/reference/formats.md describes the format line by line")
        }
    }
}

/// The last part of a name of a file; a name is shown, and goes into a command.
fn name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(100).collect();
    if name.is_empty() { "run.rlt".to_owned() } else { name }
}

/// A short name for a content: FNV-1a, twice, from different beginnings. Whoever makes two traces with one key on
/// purpose fools nobody but themselves.
fn key(content: &[u8]) -> String {
    let hash = |basis: u64| {
        content.iter().fold(basis, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    format!("{:08x}{:08x}", hash(0xcbf2_9ce4_8422_2325) as u32, (hash(0x9e37_79b9_7f4a_7c15) >> 32) as u32)
}
