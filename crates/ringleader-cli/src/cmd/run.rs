//! `ringleader run ALGORITHM`.

mod snapshot;

use super::find;
use crate::App;
use crate::args::{RunArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{Output, unwritten};
use crate::progress::Bar;
use crate::watch::{Recorder, Steps, Watch};
use ringleader::model::{Facts, Shape, Told as Knowledge};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Compared, Entries, Report};
use ringleader::trace::States;
use ringleader_lab::draw::clocks;
use ringleader_lab::formats::{IDS_OF_RUN, snapshot_json, snapshot_lines};
use ringleader_lab::layout::fold;
use ringleader_lab::options::RunOptions;
use ringleader_lab::plan::{self, PlannedRun, memory};
use ringleader_lab::report::{RunReport, exit_code, text};
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(app: &App, args: &RunArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.steps && console.json {
        let message = "--steps prints text: with --json there is one object, the report";
        return Err(Diagnostic::input("ringleader::usage", message)
            .help("`--trace FILE` writes the steps as JSON, one object on each line")
            .into());
    }
    let entry = find(app, &args.name)?;
    let options = RunOptions::from(args.clone());
    let plan = plan::run(entry, &options)?;
    memory::check(entry, &plan.scenario)?;
    // With its settings it may be another algorithm, whose contract it is then.
    let form = entry.with_settings(&plan.scenario.settings);
    let wires = match &args.snapshot {
        Some(asked) => Some(snapshot::wires(app, form, &plan, *asked)?),
        None => None,
    };
    let recorder = match &args.trace {
        Some(path) => Some(Recorder::claim(path, args.force, app.version())?.under(&plan.schedule)),
        None => None,
    };
    let plot = args.plot.as_deref().map(|path| ClockPlot::claim(app, entry, path, args.force)).transpose()?;
    let mut watch = Watch {
        bar: bar(entry, &plan, console),
        recorder,
        steps: (args.steps || wires.is_some())
            .then(|| Steps { states: wires.as_ref().map(|_| States::default()), ..Steps::default() }),
        clocks: plot.is_some().then(Vec::new),
        ..Watch::default()
    };
    let report = entry
        .run(&plan.scenario, &mut watch)
        .map_err(|refused| plan::explain(app, form, &plan.asked(Some(&options)), &refused))?;
    if !console.json && !console.quiet {
        let given = &args.environment;
        let given = (given.initiators.is_some(), given.range.is_some(), given.orientation.is_some());
        for note in without_effect(entry, given, "see --entries and --wants") {
            writeln!(console.err, "{}", fold("note: ", &note, 6))?;
        }
    }
    if let Some(recorder) = watch.recorder.take() {
        recorder.end(report.outcome.name())?;
    }
    if let (Some(plot), Some(seen)) = (plot, &watch.clocks) {
        let words = format!("n = {} · {} · seed {}", report.n, plan.schedule, plan.scenario.seed);
        plot.write(entry, &words, seen)?;
    }
    let told = told(entry, &plan, &report, &watch, quoted(&app.program, &plan.again));
    let cut = snapshot::of(&watch, args.snapshot.zip(wires.as_deref()));
    if console.json {
        let json = told.json(app);
        match &cut {
            None => writeln!(console.out, "{json}")?,
            Some((cut, ticks)) => {
                // Two objects become one: the field of the second is the last.
                let (json, more) = (
                    json.strip_suffix('}').unwrap_or(&json),
                    json!({ "snapshot": snapshot_json(cut, *ticks) }),
                );
                writeln!(console.out, "{json},{}", more.to_string().trim_start_matches('{'))?;
            }
        }
    } else if !console.quiet {
        if let Some(steps) = watch.steps.as_ref().filter(|_| args.steps) {
            for line in steps.lines(args.vector_clocks) {
                writeln!(console.out, "{line}")?;
            }
            writeln!(console.out)?;
        }
        if let Some((cut, ticks)) = &cut {
            for line in snapshot_lines(cut, *ticks) {
                writeln!(console.out, "{line}")?;
            }
            writeln!(console.out)?;
        }
        text(&told, console.out)?;
    }
    Ok(exit_code(&report))
}

/// A file for how far clocks are off.
struct ClockPlot<'a> {
    path: &'a Path,
    file: Output,
    draws: bool,
}

impl<'a> ClockPlot<'a> {
    /// Claims it before the run.
    fn claim(app: &App, entry: &Entry, path: &'a Path, force: bool) -> Result<ClockPlot<'a>, Diagnostic> {
        if entry.problem != Problem::Clocks {
            let message =
                format!("--plot shows clocks, and the processes of `{}` have none", entry.spec.name);
            return Err(Diagnostic::input("ringleader::no_clocks", message)
                .help(
                    "see which algorithms bring clocks together; `trace` and `compare` draw other pictures:",
                )
                .command(format!("{} list --problem clocks", app.program), ""));
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
        let draws = match ending.as_str() {
            "svg" => true,
            "csv" => false,
            _ => {
                let what =
                    format!("--plot {}: the ending of the name does not say what to write", path.display());
                return Err(
                    Diagnostic::input("ringleader::unknown_format", what).help("it is one of svg, csv")
                );
            }
        };
        Ok(ClockPlot { path, file: Output::claim(path, force)?, draws })
    }

    fn write(mut self, entry: &Entry, words: &str, seen: &[Compared]) -> Result<(), Diagnostic> {
        let file = if self.draws {
            let title = format!("{}: how far clocks are off", entry.spec.name);
            let svg = clocks::plot(&title, words, seen).svg();
            self.file.write_all(svg.as_bytes()).map(|()| self.file)
        } else {
            clocks::table(seen, self.file)
        };
        file.map_err(|error| unwritten(self.path, &error))?.finish()
    }
}

/// The report and what belongs to it.
pub(super) fn told<'a>(
    entry: &'a Entry,
    plan: &'a PlannedRun,
    report: &'a Report,
    watch: &Watch<'_>,
    again: String,
) -> RunReport<'a> {
    RunReport {
        entry,
        report,
        seed: plan.scenario.seed,
        schedule: &plan.schedule,
        elapsed_s: Some(watch.elapsed_s()),
        peak_bytes: memory::peak(),
        again,
        ids_most: IDS_OF_RUN,
    }
}

/// What was asked for and means nothing to this algorithm: who starts, the range, the orientation. It does no harm, but
/// whoever asked should know.
pub(super) fn without_effect(
    entry: &Entry,
    (initiators, range, orientation): (bool, bool, bool),
    instead: &str,
) -> Vec<String> {
    let name = entry.spec.name;
    let mut notes = Vec::new();
    if initiators && entry.problem != Problem::Election {
        notes.push(format!("--initiators has no effect: `{name}` is no election; {instead}"));
    }
    if range && !entry.told.has(Knowledge::Range) {
        notes.push(format!("--range has no effect: the processes of `{name}` draw no identities"));
    }
    if orientation && matches!(entry.shape, Shape::OneWayRing | Shape::Named) {
        notes.push(format!("--orientation has no effect: the ports of `{name}` have no numbers"));
    }
    notes
}

/// The progress bar, if somebody is there to see it.
pub(crate) fn bar(entry: &Entry, plan: &PlannedRun, console: &Console<'_>) -> Option<Bar> {
    if !console.bars || console.quiet || console.json {
        return None;
    }
    let n = u64::from(plan.scenario.n);
    let workload = &plan.scenario.workload;
    let expected = match entry.problem {
        Problem::Mutex => match (&workload.load, &workload.entries) {
            (Some(_), _) => workload.total,
            (None, _) if !workload.wants.is_empty() => Some(workload.wants.len() as u64),
            (None, Entries::Each(each)) => Some(n * u64::from(*each)),
            (None, Entries::Forever) => None,
            (None, Entries::Listed(listed)) => Some(listed.iter().map(|&count| u64::from(count)).sum()),
        },
        Problem::Clocks => None,
        // What the messages should come to on average, announcement included.
        Problem::Election => entry
            .spec
            .cost
            .average
            .and_then(|average| (average.value)(&Facts::plain(n)).map(|value| value as u64 + n)),
    };
    Some(Bar::new(plan.scenario.n, expected, entry.problem == Problem::Mutex))
}
