//! The runs of a sweep on all cores: each worker takes the next run, and puts its row into the journal.

use super::plan::{Configuration, Sweep};
use crate::App;
use crate::error::{Diagnostic, Failure};
use crate::progress::SweepBar;
use crate::report::{Told, version};
use crate::watch::{Recorder, Watch};
use ringleader::sim::Scenario;
use ringleader_lab::formats::IDS_OF_ROW;
use ringleader_lab::sweep::{Journal, JournalError};
use serde_json::json;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs what is not in the journal yet.
pub(crate) fn work(
    app: &App,
    sweep: &Sweep,
    pending: &[u64],
    threads: usize,
    output: &Path,
    journal: &mut Journal,
    bar: Option<SweepBar>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let written = Mutex::new(Written { journal, bar, failed: None });
    let worker = || {
        while let Some(&run) = pending.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = row(app, sweep, run, output);
            // Whoever finds it poisoned has nothing to add: another worker has given up.
            let Ok(mut written) = written.lock() else { return };
            if written.failed.is_none() {
                written.add(sweep, run, row);
            }
            if written.failed.is_some() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(pending.len()) {
            scope.spawn(worker);
        }
    });
    let written = written.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    written.failed.map_or(Ok(()), Err)
}

/// What the workers share: whoever has a row adds it. A writer of its own would be one thread too many.
struct Written<'a> {
    journal: &'a mut Journal,
    bar: Option<SweepBar>,
    /// Why no more rows are taken.
    failed: Option<Failure>,
}

impl Written<'_> {
    fn add(&mut self, sweep: &Sweep, run: u64, row: Result<String, Failure>) {
        let added = row.and_then(|row| self.journal.add(run, &row).map_err(|error| unwritten(&error).into()));
        match (added, &mut self.bar) {
            (Err(failure), _) => self.failed = Some(failure),
            (Ok(()), Some(bar)) => bar.done(sweep.run(run).0.weight()),
            (Ok(()), None) => {}
        }
    }
}

fn unwritten(error: &JournalError) -> Diagnostic {
    let why = match error {
        JournalError::Io(error) => error.to_string(),
        JournalError::Busy | JournalError::Different | JournalError::Broken { .. } => format!("{error:?}"),
    };
    Diagnostic::new("ringleader::journal_unwritten", 4, format!("cannot write the journal: {why}"))
        .help("what was finished is kept; make room, then the same command goes on from there")
}

/// One run as one line of JSON: what `run --json` says, and what the sweep knows of it.
fn row(app: &App, sweep: &Sweep, run: u64, output: &Path) -> Result<String, Failure> {
    let (configuration, seed) = sweep.run(run);
    let Configuration { entry, plan, .. } = configuration;
    let scenario = Scenario { seed, ..plan.scenario.clone() };
    let mut watch = Watch::default();
    // It was arranged once already, with another seed.
    let refused = |_| Diagnostic::input("ringleader::bad_sweep", format!("run {run} cannot be arranged"));
    let report = entry.run(&scenario, &mut watch).map_err(refused)?;
    let trace = if sweep.file.traces && !report.holds() {
        let path = output.with_extension(format!("run-{run}.rlt"));
        // A sweep that goes on after a kill may have written it already.
        let recorder = Recorder::claim(&path, true, version(app))?.under(&plan.schedule);
        let mut watch = Watch { recorder: Some(recorder), ..Watch::default() };
        let again = entry.run(&scenario, &mut watch).map_err(refused)?;
        if let Some(recorder) = watch.recorder.take() {
            recorder.end(again.outcome.name())?;
        }
        path.file_name().map(|name| name.to_string_lossy().into_owned())
    } else {
        None
    };
    let told = Told {
        entry,
        report: &report,
        seed,
        schedule: &plan.schedule,
        elapsed_s: sweep.file.timing.then(|| watch.elapsed_s()),
        peak_bytes: None,
        again: configuration.again(app, seed),
        ids_most: IDS_OF_ROW,
    };
    let mut row = told.json(app);
    let asked: serde_json::Map<String, serde_json::Value> =
        configuration.asked.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect();
    let more = json!({ "run": run, "of": sweep.runs(), "sweep": sweep.name, "asked": asked, "trace": trace });
    // Two objects become one: the fields of the second follow those of the first.
    row.truncate(row.len() - 1);
    row.push(',');
    row.push_str(more.to_string().trim_start_matches('{'));
    Ok(row)
}
