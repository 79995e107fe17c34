//! `ringleader trace --merge`: one run from what the members of a cluster have recorded.

use crate::App;
use crate::args::{TraceArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::Output;
use ringleader::model::Shape;
use ringleader::registry;
#[cfg(feature = "cluster")]
use ringleader::trace::of_one_run;
use ringleader::trace::{Merged, Outcome, Recording, merge};
use ringleader_lab::formats::{TraceWriter, read_part};
use ringleader_lab::plan::place_of;
use serde_json::json;
use std::fs::File;
use std::io::BufReader;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) fn run(app: &App, args: &TraceArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let Some(output) = &args.output else {
        return Err(Diagnostic::input("usage", "--merge needs the file to write: -o FILE").into());
    };
    let merged = merged(app, &args.merge)?;
    write(&app.version(), output, args.force, &merged)?;
    let steps = merged.recording.events.len();
    let again = quoted(&app.program, &["replay".into(), output.display().to_string()]);
    if console.json {
        let object = json!({
            "schema": "ringleader.merge/1",
            "file": output.display().to_string(),
            "parts": args.merge.len(),
            "algorithm": merged.recording.header.algorithm,
            "steps": steps,
            "left_out": merged.left_out,
            "again": again,
        });
        writeln!(console.out, "{object}")?;
    } else if !console.quiet {
        if merged.left_out > 0 {
            writeln!(
                console.err,
                "note: {} steps depend on what nobody has recorded (a member was killed, or its part is not here), and \
                 are left out",
                merged.left_out
            )?;
        }
        writeln!(console.err, "{}: {steps} steps of {} parts", output.display(), args.merge.len())?;
        writeln!(console.err, "see it:  {again}")?;
    }
    Ok(0)
}

/// Puts the parts of each epoch together, in files of this name; gives their names, and how many steps are left out.
#[cfg(feature = "cluster")]
pub(crate) fn merge_epochs(
    app: &App,
    base: &Path,
    parts: impl Fn(u64) -> Vec<PathBuf>,
) -> Result<Vec<(PathBuf, usize)>, Diagnostic> {
    /// Epochs in a row of which there may be nothing: they were opened, and nobody joined.
    const GAP: u64 = 1000;
    let by = concat!("ringleader ", env!("CARGO_PKG_VERSION"));
    let (mut written, mut last) = (Vec::new(), 0);
    for epoch in 1.. {
        if epoch > last + GAP {
            break;
        }
        let files = parts(epoch);
        if files.is_empty() {
            continue;
        }
        last = epoch;
        let recordings = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, Diagnostic>>()?;
        let kept = of_one_run(&recordings);
        let whole = recordings.into_iter().zip(files).zip(kept);
        let (ours, others): (Vec<_>, Vec<_>) = whole.partition(|(_, ours)| *ours);
        let of_others: usize = others.iter().map(|((recording, _), _)| recording.events.len()).sum();
        let (ours, files): (Vec<_>, Vec<_>) = ours.into_iter().map(|(part, _)| part).unzip();
        let merged = together(app, &ours, &files)?;
        let path = ringleader_net::record::part_path(base, None, epoch, 1);
        write(by, &path, true, &merged)?;
        written.push((path, merged.left_out + of_others));
    }
    Ok(written)
}

fn merged(app: &App, files: &[PathBuf]) -> Result<Merged, Diagnostic> {
    let parts = files.iter().map(|path| read(path)).collect::<Result<Vec<Recording>, Diagnostic>>()?;
    together(app, &parts, files)
}

fn together(app: &App, parts: &[Recording], files: &[PathBuf]) -> Result<Merged, Diagnostic> {
    let entry = parts.first().and_then(|part| registry::find(app.registry, &part.header.algorithm));
    let bypass = entry.is_some_and(|entry| entry.spec.needs.bypass && entry.shape == Shape::OneWayRing);
    merge(parts, bypass).map_err(|error| {
        let diagnostic = Diagnostic::input("not_one_run", error.to_string());
        let named =
            files.iter().enumerate().map(|(place, path)| format!("part {}: {}", place + 1, path.display()));
        named.fold(diagnostic.help("the parts of one epoch, one of each member:"), Diagnostic::help)
    })
}

fn read(path: &Path) -> Result<Recording, Diagnostic> {
    let file = path.display().to_string();
    let bad = |message: String| Diagnostic::input("bad_trace", message);
    let opened = File::open(path).map_err(|error| {
        bad(format!("cannot read {file}: {error}"))
            .help("a part is recorded by a member:")
            .command(format!("ringleader node --config cluster.toml --name b --record {file}"), "")
    })?;
    let part = read_part(BufReader::with_capacity(1 << 16, opened)).map_err(|error| place_of(file, error))?;
    Ok(part.recording)
}

fn write(by: &str, path: &Path, force: bool, merged: &Merged) -> Result<(), Diagnostic> {
    let output = Output::claim(path, force)?;
    let unwritten = |error: std::io::Error| crate::output::unwritten(path, &error);
    let Recording { header, events } = &merged.recording;
    let mut writer = TraceWriter::new(output, by, header).map_err(unwritten)?;
    for event in events {
        writer.event(event).map_err(unwritten)?;
    }
    let leaders = |outcome| events.iter().any(|event| event.outcome == Some(outcome));
    let outcome = if leaders(Outcome::Leads) {
        "elected"
    } else if leaders(Outcome::Enters) {
        "done"
    } else {
        "limit"
    };
    writer.end(outcome).map_err(unwritten)?.finish()
}
