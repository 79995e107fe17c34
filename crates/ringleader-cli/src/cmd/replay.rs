//! `ringleader replay FILE`: the recorded steps again, each compared with what was recorded.

use super::find;
use super::run::{bar, told};
use crate::App;
use crate::args::{ReplayArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::watch::{Comparison, Watch};
use ringleader::sim::Scenario;
use ringleader::trace::{transcript, transcript_with_clocks};
use ringleader_lab::options::Meter;
use ringleader_lab::plan::{self, PlannedRun, memory, recorded};
use ringleader_lab::report::{exit_code, text};
use std::io::Write;

pub(crate) fn run(app: &App, args: &ReplayArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.steps && console.json {
        let message = "--steps is for people: with --json there is one object, the report";
        return Err(Diagnostic::input("ringleader::usage", message)
            .help("the steps are in the file itself, one JSON object per line")
            .into());
    }
    let recorded = recorded(&args.file)?;
    let recording = &recorded.recording;
    let entry = find(app, &recording.header.algorithm)?;
    let meters: Vec<Meter> = args.meter.iter().map(|&meter| meter.into()).collect();
    let mut again = vec!["replay".to_owned(), args.file.display().to_string()];
    if !args.meter.is_empty() {
        again.extend(["--meter".to_owned(), Meter::names(&meters)]);
    }
    let plan = PlannedRun {
        scenario: Scenario { meters: Meter::all(&meters), ..recorded.scenario() },
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
        .map_err(|refused| plan::explain(app, entry, &plan.asked(None), &refused))?;
    if let Some((step, why)) = watch.comparison.take().and_then(Comparison::end) {
        return Err(plan::broken_replay(step, &why).into());
    }
    let told = told(entry, &plan, &report, &watch, quoted(&app.program, &plan.again));
    if console.json {
        writeln!(console.out, "{}", told.json(app))?;
    } else if !console.quiet {
        if args.steps {
            let lines = if args.vector_clocks {
                transcript_with_clocks(recording)
            } else {
                transcript(&recording.events, recording.header.ticks_per_unit)
            };
            for line in lines {
                writeln!(console.out, "{line}")?;
            }
            writeln!(console.out)?;
        }
        text(&told, console.out)?;
    }
    Ok(exit_code(&report))
}
