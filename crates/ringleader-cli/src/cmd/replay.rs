//! `ringleader replay FILE`: the recorded steps again, each compared with what was recorded.

use super::find;
use super::run::bar;
use crate::args::{MeterArg, ReplayArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Excerpt, Failure, Label};
use crate::report::{Told, exit_code, text};
use crate::scenario::Plan;
use crate::watch::{Comparison, Watch};
use crate::{App, memory, refusal};
use ringleader::sim::Scenario;
use ringleader::trace::transcript;
use ringleader_lab::formats::{Recorded, TraceError, read_trace};
use std::fs::File;
use std::io::BufReader;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(app: &App, args: &ReplayArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.steps && console.json {
        let message = "--steps is for people: with --json there is one object, the report";
        return Err(Diagnostic::input("ringleader::usage", message)
            .help("the steps are in the file itself, one JSON object per line")
            .into());
    }
    let recorded = read(&args.file)?;
    let recording = &recorded.recording;
    let entry = find(app, &recording.header.algorithm)?;
    let mut again = vec!["replay".to_owned(), args.file.display().to_string()];
    if !args.meter.is_empty() {
        again.extend(["--meter".to_owned(), MeterArg::names(&args.meter)]);
    }
    let plan = Plan {
        scenario: Scenario { meters: MeterArg::all(&args.meter), ..recorded.scenario() },
        schedule: recording.header.schedule.clone(),
        ids_file: None,
        again,
    };
    memory::check(entry, &plan.scenario)?;
    let mut watch = Watch {
        bar: bar(entry, &plan, console),
        comparison: Some(Comparison::new(&recording.events)),
        ..Watch::default()
    };
    let report = entry
        .run(&plan.scenario, &mut watch)
        .map_err(|refused| refusal::explain(app, entry, &plan.asked(None), &refused))?;
    if let Some((step, why)) = watch.comparison.take().and_then(Comparison::end) {
        return Err(refusal::broken_replay(step, &why).into());
    }
    let told = Told::new(entry, &plan, &report, &watch, quoted(&app.program, &plan.again));
    if console.json {
        writeln!(console.out, "{}", told.json(app))?;
    } else {
        if args.steps {
            for line in transcript(&recording.events, recording.header.ticks_per_unit) {
                writeln!(console.out, "{line}")?;
            }
            writeln!(console.out)?;
        }
        text(&told, console.out)?;
    }
    Ok(exit_code(&report))
}

/// Reads a trace.
pub(crate) fn read(path: &Path) -> Result<Recorded, Diagnostic> {
    let file = path.display().to_string();
    let bad = |message: String| Diagnostic::input("ringleader::bad_trace", message);
    let opened = File::open(path).map_err(|error| {
        bad(format!("cannot read {file}: {error}"))
            .help("a recording is made by a run:")
            .command(format!("ringleader run peterson --trace {file}"), "")
    })?;
    read_trace(BufReader::with_capacity(1 << 16, opened)).map_err(|error| match error {
        TraceError::Broken { line, column, rule, text } if !text.is_empty() => {
            let label = Label { line, column, length: 1, text, label: rule };
            bad(format!("cannot read {file}: line {line}, column {column}"))
                .excerpt(Excerpt { file: file.clone(), labels: vec![label] })
        }
        TraceError::NotATrace(_) => bad(format!("cannot read {file}: {error}"))
            .help("a trace is what `run --trace FILE` writes; docs/reference/formats.md describes it"),
        TraceError::Io(_)
        | TraceError::Version { .. }
        | TraceError::Broken { .. }
        | TraceError::Truncated { .. } => bad(format!("cannot read {file}: {error}")),
    })
}
