//! `ringleader sweep FILE.toml`: every combination, one row per run, and on again after a kill.

mod elsewhere;

use crate::args::{SweepArgs, quoted};
use crate::console::{Console, DIM, RED, RESET};
use crate::error::{Diagnostic, Failure};
use crate::output::{Output, unwritten};
use crate::progress::{SweepBar, duration};
use crate::watch::{Recorder, Watch};
use crate::{App, features};
use ringleader_lab::people::grouped;
use ringleader_lab::sweep::{
    Columns, Forecast, Head, Journal, JournalError, MergeError, Once, RowEnding, Shard, Sweep, SweepTally,
    is_complete, merge, work, write_rows,
};
use ringleader_lab::table::Format;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(crate) fn run(app: &App, args: &SweepArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let Some(file) = &args.file else { return put_together(app, args, console) };
    if let Some(on) = args.on {
        return elsewhere::run(file, on, args, console);
    }
    let sweep = Sweep::new(app, file, &args.replace)?;
    let output = where_to(&sweep, args)?;
    let shard = args.shard.as_ref().map_or(Shard::WHOLE, |given| given.value.0);
    let output = if args.output.is_none() { named(&output, shard) } else { output };
    let format = format(&output)?;
    features::has_format(app, format, &typed([file], &output))?;
    let threads = threads(args);
    sweep.fits(format)?;
    let head = Head { sweep: sweep.name.clone(), shard, runs: sweep.runs() };
    if args.dry_run {
        return foretell(&sweep, &head, args, (threads, &output), console);
    }
    let place = Place::new(&output)?;
    if !place.journal.exists() && output.is_file() && !args.force {
        return match finished(&head, args, &output) {
            Some(tally) => nothing_to_do(app, &sweep, (args, file), (threads, &output), &tally, console),
            // Says that it exists already.
            None => Output::claim(&output, false).map(|_| 2).map_err(Failure::from),
        };
    }
    let mut journal = open(&place.journal, &head, args.restart)?;
    let pending: Vec<u64> = shard.runs(sweep.runs()).filter(|&run| !journal.has(run)).collect();
    // Killed after the last line was written, before the journal was removed: there is the file, and it is ours.
    let ours = pending.is_empty() && journal.done() > 0;
    if output.is_file() && !args.force && !ours {
        // Says that it exists already.
        Output::claim(&output, false)?;
    }
    let before = journal.done();
    if before > 0 && !console.quiet && !console.json {
        let (before, all) = (grouped(before), grouped(before + pending.len() as u64));
        writeln!(console.err, "going on: {before} of {all} runs are done already")?;
    }
    let bar = (console.bars && !console.quiet && !console.json)
        .then(|| SweepBar::new(pending.iter().map(|&run| sweep.run(run).0.weight()), before));
    let begun = Instant::now();
    let mut bar = bar;
    let mut done = |weight| {
        if let Some(bar) = &mut bar {
            bar.done(weight);
        }
    };
    let record = |run: u64, schedule: &str, once: &Once<'_>| {
        let path = output.with_extension(format!("run-{run}.rlt"));
        // A sweep that goes on after a kill may have written it already.
        let recorder = Recorder::claim(&path, true, app.version())?.under(schedule);
        let mut watch = Watch { recorder: Some(recorder), ..Watch::default() };
        let again = once(&mut watch)?;
        if let Some(recorder) = watch.recorder.take() {
            recorder.end(again.outcome.name())?;
        }
        Ok(path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()))
    };
    work(app, &sweep, &pending, threads, &mut journal, (&record, &mut done))?;
    let elapsed = begun.elapsed();
    let mut claimed = Output::claim(&output, args.force || ours)?;
    let mut tally = SweepTally::default();
    let columns = sweep.columns();
    let mut count = |verdict| tally.add(verdict);
    write_rows(&mut journal, columns, (format, threads), &mut claimed, &RowEnding::of, &mut count)
        .map_err(|error| unwritten(&output, &error))?;
    claimed.finish()?;
    journal.remove().map_err(|error| unwritten(&place.journal, &error))?;
    let done = Done {
        schema: "ringleader.sweep/1",
        runs: before + pending.len() as u64,
        before,
        skipped: sweep.skipped,
        hold: tally.hold,
        violated: tally.violated,
        limit: tally.limit,
        output: output.display().to_string(),
        threads,
        elapsed_s: elapsed.as_secs_f64(),
        again: quoted(&app.program, &words(args, file)),
    };
    done.report(&tally, console)
}

/// Where the rows go.
fn where_to(sweep: &Sweep, args: &SweepArgs) -> Result<PathBuf, Diagnostic> {
    match (&args.output, &sweep.file.output) {
        (Some(path), _) => Ok(path.clone()),
        (None, Some(file)) => Ok(PathBuf::from(file)),
        (None, None) => Err(Diagnostic::input("no_output", "no output file is named for the rows")
            .help("give -o ring.csv, or in the file:")
            .help("  [output]")
            .help("  file = \"ring.csv\"")),
    }
}

/// How the runs ended, if the output has all of them already. Whoever wants them again says so.
fn finished(head: &Head, args: &SweepArgs, output: &Path) -> Option<SweepTally> {
    if args.force || args.restart || !output.is_file() {
        return None;
    }
    let mut tally = SweepTally::default();
    let complete = is_complete(output, head, &mut |row| tally.add(RowEnding::of(row)));
    complete.then_some(tally)
}

/// A finished sweep or shard again: the same report, and the same exit code.
fn nothing_to_do(
    app: &App,
    sweep: &Sweep,
    (args, file): (&SweepArgs, &Path),
    (threads, output): (usize, &Path),
    tally: &SweepTally,
    console: &mut Console<'_>,
) -> Result<u8, Failure> {
    let runs = tally.hold + tally.violated + tally.limit;
    let output = output.display().to_string();
    if !console.quiet && !console.json {
        let all = grouped(runs);
        writeln!(console.err, "nothing to do: {output} has all {all} runs already; --force runs them again")?;
    }
    let done = Done {
        schema: "ringleader.sweep/1",
        runs,
        before: runs,
        skipped: sweep.skipped,
        hold: tally.hold,
        violated: tally.violated,
        limit: tally.limit,
        output,
        threads,
        elapsed_s: 0.0,
        again: quoted(&app.program, &words(args, file)),
    };
    done.report(tally, console)
}

/// The words of the command that repeats it.
fn words(args: &SweepArgs, file: &Path) -> Vec<String> {
    let mut words = vec!["sweep".to_owned(), file.display().to_string()];
    words.extend(args.replace.iter().cloned());
    if let Some(output) = &args.output {
        words.extend(["-o".to_owned(), output.display().to_string()]);
    }
    if let Some(shard) = &args.shard {
        words.extend(["--shard".to_owned(), shard.text.clone()]);
    }
    words
}

fn threads(args: &SweepArgs) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    args.threads.map_or_else(cores, |threads| threads as usize)
}

/// The format that the name asks for. A table for people has no room for so many columns.
fn format(path: &Path) -> Result<Format, Diagnostic> {
    match Format::of(path) {
        Some(format @ (Format::Csv | Format::Parquet | Format::Json | Format::Jsonl)) => Ok(format),
        // A device has no ending; what reads it reads lines.
        None if path.exists() && !path.is_file() && !path.is_dir() => Ok(Format::Jsonl),
        Some(Format::Markdown) | None => {
            let message = format!("{}: rows are written as .csv, .parquet, .json or .jsonl", path.display());
            Err(Diagnostic::input("unknown_format", message).help("such as -o ring.csv"))
        }
    }
}

/// The name that the file gives, for this shard: `ring.csv` becomes `ring.shard-1-of-4.csv`.
fn named(output: &Path, shard: Shard) -> PathBuf {
    if shard.is_whole() {
        return output.to_owned();
    }
    let ending = output.extension().map_or_else(String::new, |ending| ending.to_string_lossy().into_owned());
    let index = shard.to_string();
    let index = index.split('/').next().unwrap_or_default();
    output.with_extension(format!("shard-{index}-of-{}.{ending}", shard.count()))
}

/// Where the journal is: beside the output, or, if that is a device, where nobody looks for it.
struct Place {
    journal: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    fn new(output: &Path) -> Result<Place, Diagnostic> {
        if output.is_dir() {
            // Says so.
            Output::claim(output, false)?;
        }
        if output.exists() && !output.is_file() {
            let folder = tempfile::tempdir().map_err(|error| unwritten(output, &error))?;
            return Ok(Place { journal: folder.path().join("journal"), _folder: Some(folder) });
        }
        Ok(Place { journal: journal_of(output), _folder: None })
    }
}

fn journal_of(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

fn open(path: &Path, head: &Head, restart: bool) -> Result<Journal, Diagnostic> {
    if restart && path.is_file() {
        std::fs::remove_file(path).map_err(|error| unwritten(path, &error))?;
    }
    Journal::open(path, head).map_err(|error| unusable(path, error))
}

/// What is wrong with a journal, in words.
fn unusable(path: &Path, error: JournalError) -> Diagnostic {
    let shown = path.display();
    let anew = "begin anew with --restart, or give another -o";
    match error {
        JournalError::Io(error) => unwritten(path, &error),
        JournalError::Busy => {
            let message = format!("another sweep is writing {shown}");
            Diagnostic::new("journal_busy", 4, message).help("wait for it, or give another -o")
        }
        JournalError::Different => {
            let message = format!("{shown} is the journal of another sweep, or of another version");
            Diagnostic::input("other_journal", message)
                .help("the file, its options or the program changed after it was stopped")
                .help(anew)
        }
        JournalError::Broken { line, why } => {
            let message = format!("{shown}: line {line}: {why}");
            Diagnostic::input("bad_journal", message).help(anew)
        }
    }
}

/// `--dry-run`.
fn foretell(
    sweep: &Sweep,
    head: &Head,
    args: &SweepArgs,
    (threads, output): (usize, &Path),
    console: &mut Console<'_>,
) -> Result<u8, Failure> {
    let forecast = Forecast::new(sweep);
    let shard = head.shard;
    let runs = shard.runs(sweep.runs()).count() as u64;
    let done = done_already(head, args, output)?;
    let remaining = runs - done;
    let share = forecast.computing.mul_f64(remaining as f64 / sweep.runs().max(1) as f64);
    if console.json {
        let dry = Dry {
            schema: "ringleader.sweep/1",
            dry_run: true,
            runs,
            configurations: sweep.configurations.len(),
            skipped: sweep.skipped,
            output: output.display().to_string(),
            threads,
            estimate_s: share.as_secs_f64() / threads as f64,
            done,
            remaining,
        };
        let text = serde_json::to_string(&dry).map_err(io::Error::from)?;
        writeln!(console.out, "{text}")?;
        return Ok(0);
    }
    if console.quiet {
        return Ok(0);
    }
    let varied: Vec<String> = sweep.varied.iter().map(|(key, count)| many(*count as u64, key)).collect();
    writeln!(console.out, "{} runs: {}", grouped(runs), varied.join(" × "))?;
    if sweep.skipped > 0 {
        writeln!(console.out, "  {} combinations cannot be run, and are left out", grouped(sweep.skipped))?;
    }
    if !shard.is_whole() {
        writeln!(console.out, "  shard {shard} of {} runs in all", grouped(sweep.runs()))?;
    }
    if done > 0 {
        writeln!(console.out, "  {} are done already, {} remain", grouped(done), grouped(remaining))?;
    }
    let (time, one) = (duration(share.div_f64(threads as f64)), duration(share));
    writeln!(console.out, "  about {time} on {threads} threads, {one} on one")?;
    writeln!(console.out, "  rows go to {}", output.display())?;
    writeln!(console.out, "  {DIM}the time was measured on {} small runs{RESET}", forecast.samples)?;
    Ok(0)
}

/// How many runs the same command without `--dry-run` would not make again.
fn done_already(head: &Head, args: &SweepArgs, output: &Path) -> Result<u64, Diagnostic> {
    let journal = journal_of(output);
    if args.restart || (output.exists() && !output.is_file()) {
        return Ok(0);
    }
    if journal.exists() {
        return Journal::peek(&journal, head).map_err(|error| unusable(&journal, error));
    }
    let all = finished(head, args, output);
    Ok(all.map_or(0, |tally| tally.hold + tally.violated + tally.limit))
}

/// So many of something: `3 algorithms`.
fn many(count: u64, key: &str) -> String {
    let word = if key == "nodes" { "size" } else { key };
    let end = if count == 1 || word.ends_with('s') { "" } else { "s" };
    format!("{} {word}{end}", grouped(count))
}

#[derive(Serialize)]
struct Dry {
    schema: &'static str,
    dry_run: bool,
    runs: u64,
    configurations: usize,
    skipped: u64,
    output: String,
    threads: usize,
    estimate_s: f64,
    done: u64,
    remaining: u64,
}

/// What came of it.
#[derive(Serialize)]
struct Done {
    schema: &'static str,
    runs: u64,
    before: u64,
    skipped: u64,
    hold: u64,
    violated: u64,
    limit: u64,
    output: String,
    threads: usize,
    elapsed_s: f64,
    again: String,
}

impl Done {
    fn report(&self, tally: &SweepTally, console: &mut Console<'_>) -> Result<u8, Failure> {
        if console.json {
            let text = serde_json::to_string(self).map_err(io::Error::from)?;
            writeln!(console.out, "{text}")?;
        } else if !console.quiet {
            self.text(tally, console.out)?;
        }
        Ok(tally.exit_code())
    }

    fn text(&self, tally: &SweepTally, out: &mut dyn Write) -> io::Result<()> {
        let mut parts = vec![format!("{} hold", grouped(self.hold))];
        if self.violated > 0 {
            parts.push(format!("{RED}{} do not{RESET}", grouped(self.violated)));
        }
        if self.limit > 0 {
            parts.push(format!("{RED}{} reached a limit{RESET}", grouped(self.limit)));
        }
        writeln!(out, "{} runs: {}", grouped(self.runs), parts.join(", "))?;
        for command in &tally.shown {
            writeln!(out, "  {command}")?;
        }
        if self.skipped > 0 {
            writeln!(out, "{} combinations cannot be run, and were left out", grouped(self.skipped))?;
        }
        writeln!(out, "rows in {}", self.output)?;
        writeln!(out, "{DIM}again:{RESET} {}", self.again)
    }
}

/// `--merge`.
fn put_together(app: &App, args: &SweepArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let Some(output) = &args.output else { return Ok(2) };
    let format = format(output)?;
    let parts = ["--merge".as_ref()].into_iter().chain(args.merge.iter().map(PathBuf::as_path));
    features::has_format(app, format, &typed(parts, output))?;
    let mut claimed = Output::claim(output, args.force)?;
    let file = rows_beside(output).map_err(|error| unwritten(output, &error))?;
    let mut rows = merge(&args.merge, file).map_err(|error| no_whole(output, &error))?;
    let mut tally = SweepTally::default();
    let (how, mut add) = ((format, threads(args)), |verdict| tally.add(verdict));
    write_rows(&mut rows, Columns::default(), how, &mut claimed, &RowEnding::of, &mut add)
        .map_err(|error| unwritten(output, &error))?;
    claimed.finish()?;
    let count = rows.count();
    if console.json {
        let merged = serde_json::json!({
            "schema": "ringleader.sweep/1", "merged": args.merge.len(), "runs": count, "hold": tally.hold,
            "violated": tally.violated, "limit": tally.limit, "output": output.display().to_string(),
        });
        writeln!(console.out, "{merged}")?;
    } else if !console.quiet {
        let (parts, output) = (args.merge.len(), output.display());
        writeln!(console.out, "{} runs of {parts} parts in {output}", grouped(count))?;
    }
    Ok(0)
}

/// The words of this command, for whoever has to type it again.
fn typed<'a>(
    given: impl IntoIterator<Item = &'a (impl AsRef<Path> + ?Sized + 'a)>,
    output: &Path,
) -> Vec<String> {
    let given = given.into_iter().map(|path| path.as_ref().display().to_string());
    let output = ["--output".to_owned(), output.display().to_string()];
    ["sweep".to_owned()].into_iter().chain(given).chain(output).collect()
}

/// A file without a name for the rows of all parts: where the output goes, for there is room, or in the folder for
/// temporary files if the output is a device.
fn rows_beside(output: &Path) -> io::Result<std::fs::File> {
    if output.exists() && !output.is_file() {
        return tempfile::tempfile();
    }
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))
}

fn no_whole(output: &Path, error: &MergeError) -> Diagnostic {
    let input = |message: String| Diagnostic::input("bad_parts", message);
    match error {
        MergeError::Unwritten(error) => unwritten(output, error),
        MergeError::Io(path, error) => input(format!("cannot read {}: {error}", path.display())),
        MergeError::NoPart { path, why } => input(format!("{} is no part of a sweep: {why}", path.display())),
        MergeError::Different(first, second) => {
            input(format!("{} and {} are of different sweeps", first.display(), second.display()))
                .help("all parts must come from the same sweep file and the same version")
        }
        MergeError::Twice { run, first, second } => {
            let (first, second) = (first.display(), second.display());
            input(format!("run {run} is in {first} and in {second}")).help("give each part once")
        }
        MergeError::Missing { count, of, first } => {
            let (count, of) = (grouped(*count), grouped(*of));
            input(format!("{count} of {of} runs are missing, run {first} for one"))
                .help("a shard is missing or was not finished: run it again, and it resumes where it stopped")
        }
    }
}
