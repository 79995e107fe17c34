//! The verb `export`: a small run as a file.

use crate::question::{RunRequest, read};
use crate::run::{Made, make};
use crate::source::Alive;
use crate::{Diagnostic, Stage};
use ringleader::trace::{History, Recording, Window};
use ringleader_lab::draw::{player, spacetime};
use ringleader_lab::formats::{
    ITF_CELLS_MAX, MERMAID_MESSAGES_MAX, SHIVIZ_ENTRIES_MAX, TraceWriter, itf_cells, mermaid_messages,
    shiviz_entries, write_chrome, write_itf, write_jsonl, write_mermaid, write_shiviz,
};
use serde::Deserialize;
use std::io;

#[derive(Deserialize)]
struct ExportRequest {
    #[serde(flatten)]
    run: RunRequest,
    kind: Kind,
    nodes: Option<(u32, u32)>,
    steps: Option<(usize, usize)>,
    #[serde(default)]
    dark: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
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
    let text = if request.kind == Kind::Trace {
        whole(stage, &made, recording).map_err(|error| unwritten(&error))?
    } else {
        part(&request, &made, recording)?
    };
    let (ending, content) = request.kind.file();
    let name = format!("{}-n{}.{ending}", made.entry.spec.name.replace('@', "-"), made.report.n);
    Ok(serde_json::json!({ "name": name, "type": content, "text": text }).to_string())
}

/// The trace, which is always of the whole run: it can be replayed.
fn whole(stage: &Stage, made: &Made, recording: &Recording) -> io::Result<String> {
    let mut writer = TraceWriter::new(Vec::new(), &stage.words.version(), &recording.header)?;
    for event in &recording.events {
        writer.event(event)?;
    }
    text(writer.end(made.report.outcome.name())?)
}

fn part(request: &ExportRequest, made: &Made, recording: &Recording) -> Result<String, Diagnostic> {
    let history = History::of(recording);
    let window = window(request, &history)?;
    let (got, most, what) = match request.kind {
        Kind::Mermaid => (mermaid_messages(&history, &window), MERMAID_MESSAGES_MAX, "messages"),
        Kind::Itf => (itf_cells(&history, &window), ITF_CELLS_MAX, "values in its states"),
        Kind::Shiviz => (shiviz_entries(&history, &window), SHIVIZ_ENTRIES_MAX, "entries in its clocks"),
        Kind::Trace | Kind::Html | Kind::Svg | Kind::Chrome | Kind::Jsonl => (0, 0, ""),
    };
    if got > most {
        let message = format!("{got} {what} are too many for this format: the most is {most}");
        return Err(Diagnostic::input("too_much", message)
            .help("export a part of the run, or as a picture, or as jsonl, which has room for it"));
    }
    let again = made.command.clone();
    match request.kind {
        Kind::Svg => {
            let options = spacetime::Options {
                rightward: false,
                past: None,
                critical: false,
                dark: request.dark,
                again,
            };
            Ok(spacetime::draw(&history, &window, &options).svg)
        }
        Kind::Html => {
            let rules = made.entry.spec.rules.iter();
            let rules = rules.map(|rule| (rule.name.to_owned(), rule.text.to_owned())).collect();
            Ok(player::page(&history, &window, &player::About { again, rules }).html)
        }
        Kind::Shiviz | Kind::Chrome | Kind::Mermaid | Kind::Itf | Kind::Jsonl | Kind::Trace => {
            written(request.kind, &history, &window).map_err(|error| unwritten(&error))
        }
    }
}

fn written(kind: Kind, history: &History<'_>, window: &Window) -> io::Result<String> {
    let mut out = Vec::new();
    match kind {
        Kind::Shiviz => drop(write_shiviz(&mut out, history, window)?),
        Kind::Chrome => write_chrome(&mut out, history, window)?,
        Kind::Mermaid => write_mermaid(&mut out, history, window)?,
        Kind::Itf => write_itf(&mut out, history, window)?,
        Kind::Jsonl => write_jsonl(&mut out, history, window)?,
        // Made elsewhere.
        Kind::Trace | Kind::Html | Kind::Svg => {}
    }
    text(out)
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
