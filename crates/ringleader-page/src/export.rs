//! The verb `export`: a small run as a file.

use crate::question::{RunRequest, read};
use crate::run::{Made, make};
use crate::source::Alive;
use crate::{Diagnostic, Stage};
use ringleader::trace::{History, Recording, Window};
use ringleader_lab::formats::TraceWriter;
use ringleader_lab::{Export, ExportOptions};
use serde::{Deserialize, Serialize};
use std::io;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ExportRequest {
    #[serde(flatten)]
    run: RunRequest,
    kind: Kind,
    nodes: Option<(u32, u32)>,
    steps: Option<(usize, usize)>,
    #[serde(default)]
    dark: bool,
}

/// A file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Exported {
    name: String,
    #[serde(rename = "type")]
    content: &'static str,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ExportKind"))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Trace,
    Html,
    Svg,
    Shiviz,
    Chrome,
    Mermaid,
    Itf,
    Jsonl,
}

impl Kind {
    /// The format, if it is not the trace itself.
    fn format(self) -> Option<Export> {
        match self {
            Kind::Trace => None,
            Kind::Html => Some(Export::Html),
            Kind::Svg => Some(Export::Svg),
            Kind::Shiviz => Some(Export::Shiviz),
            Kind::Chrome => Some(Export::Chrome),
            Kind::Mermaid => Some(Export::Mermaid),
            Kind::Itf => Some(Export::Itf),
            Kind::Jsonl => Some(Export::Jsonl),
        }
    }

    /// The end of the file's name, and the type of its content.
    fn file(self) -> (&'static str, &'static str) {
        match self {
            Kind::Trace => ("rlt", "application/jsonl"),
            Kind::Html => ("html", "text/html"),
            Kind::Svg => ("svg", "image/svg+xml"),
            Kind::Shiviz => ("shiviz.log", "text/plain"),
            Kind::Chrome => ("trace.json", "application/json"),
            Kind::Mermaid => ("mmd", "text/plain"),
            Kind::Itf => ("itf.json", "application/json"),
            Kind::Jsonl => ("jsonl", "application/jsonl"),
        }
    }
}

/// The answer.
pub(crate) fn answer(stage: &Stage, question: &[u8], alive: Alive<'_>) -> Result<String, Diagnostic> {
    let request: ExportRequest = read("export", question)?;
    let made = make(stage, &request.run, alive)?;
    let Some(recording) = &made.recording else {
        return Err(Diagnostic::input("not_small", "this run is too large to be written from the page")
            .help("on the command line:")
            .help(format!("{} --trace run.rlt", made.command)));
    };
    let text = match request.kind.format() {
        None => whole(stage, &made, recording).map_err(|error| unwritten(&error))?,
        Some(format) => part(format, &request, &made, recording)?,
    };
    let (ending, content) = request.kind.file();
    let name = format!("{}-n{}.{ending}", made.entry.spec.name.replace('@', "-"), made.report.n);
    Ok(serde_json::to_string(&Exported { name, content, text }).expect("plain data has a JSON form"))
}

/// The trace, which is always of the whole run: it can be replayed.
fn whole(stage: &Stage, made: &Made, recording: &Recording) -> io::Result<String> {
    let mut writer = TraceWriter::new(Vec::new(), &stage.words.version(), &recording.header)?;
    for event in &recording.events {
        writer.event(event)?;
    }
    text(writer.end(made.report.outcome.name())?)
}

fn part(
    format: Export,
    request: &ExportRequest,
    made: &Made,
    recording: &Recording,
) -> Result<String, Diagnostic> {
    let history = History::of(recording);
    let window = window(request, &history)?;
    if let Some((got, most, what)) = format.excess(&history, &window) {
        let message = format!("{got} {what} are too many for this format: the most is {most}");
        return Err(Diagnostic::input("too_much", message)
            .help("export a part of the run, or as a picture, or as jsonl, which has room for it"));
    }
    let options =
        ExportOptions { dark: request.dark, again: made.command.clone(), ..ExportOptions::default() };
    let mut out = Vec::new();
    let written = format.write(&history, &window, (Some(made.entry), &options), &mut out);
    written.and_then(|_| text(out)).map_err(|error| unwritten(&error))
}

/// The part of the run that is asked for.
fn window(request: &ExportRequest, history: &History<'_>) -> Result<Window, Diagnostic> {
    let mut window = Window::whole(history);
    let (n, count) = (history.recording.header.n, history.steps.len());
    if let Some((from, to)) = request.nodes {
        let (from, to) = (from, to.min(n));
        if from >= to {
            let message = format!("there are no processes from {from} to {to}: there are p0 to p{}", n - 1);
            return Err(Diagnostic::input("bad_window", message).help("choose some that there are"));
        }
        window.processes = (from..to).collect();
    }
    if let Some((from, to)) = request.steps {
        let (from, to) = (from, to.min(count));
        if from >= to {
            let message = format!("there are no steps from {from} to {to}: the run has {count}");
            return Err(Diagnostic::input("bad_window", message).help("choose some that there are"));
        }
        window.steps = from..to;
    }
    Ok(window)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn unwritten(error: &io::Error) -> Diagnostic {
    Diagnostic::input("unwritten", format!("the file cannot be made: {error}"))
}
