//! The runs of a sweep on all cores: each worker takes the next run, and puts its row into the journal.

use super::journal::{Journal, JournalError};
use super::plan::{Configuration, Sweep};
use crate::formats::IDS_OF_ROW;
use crate::report::RunReport;
use crate::{App, Diagnostic};
use ringleader::sim::{Observer, Report, Scenario};
use ringleader::trace::Header;
use serde_json::json;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Keeps the trace of a run that does not hold: gets its number, its schedule in words and what makes it once more, and
/// gives the name of the file.
pub type Record<'a> = dyn Fn(u64, &str, &Once<'_>) -> Result<String, Diagnostic> + Sync + 'a;
/// Makes a run under the eyes of an observer.
pub type Once<'a> = dyn Fn(&mut dyn Observer) -> Result<Report, Diagnostic> + 'a;

/// Runs what is not in the journal yet. After each, `done` is told its weight.
///
/// # Errors
/// If a row cannot be written.
pub fn work(
    app: &App,
    sweep: &Sweep,
    pending: &[u64],
    threads: usize,
    journal: &mut Journal,
    (record, done): (&Record<'_>, &mut (dyn FnMut(u64) + Send)),
) -> Result<(), Diagnostic> {
    let next = AtomicUsize::new(0);
    let written = Mutex::new(Written { journal, done, failed: None });
    let worker = || {
        while let Some(&run) = pending.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = row(app, sweep, run, record);
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
    done: &'a mut (dyn FnMut(u64) + Send),
    /// Why no more rows are taken.
    failed: Option<Diagnostic>,
}

impl Written<'_> {
    fn add(&mut self, sweep: &Sweep, run: u64, row: Result<String, Diagnostic>) {
        match row.and_then(|row| self.journal.add(run, &row).map_err(|error| unwritten(&error))) {
            Err(failure) => self.failed = Some(failure),
            Ok(()) => (self.done)(sweep.run(run).0.weight()),
        }
    }
}

fn unwritten(error: &JournalError) -> Diagnostic {
    let why = match error {
        JournalError::Io(error) => error.to_string(),
        JournalError::Busy | JournalError::Different | JournalError::Broken { .. } => format!("{error:?}"),
    };
    Diagnostic::new("journal_unwritten", 4, format!("cannot write the journal: {why}"))
        .help("finished runs are kept; make room, and the same command resumes")
}

/// The time of a run, without what comes before and after it.
#[derive(Default)]
struct Clock {
    begun: Option<Instant>,
    elapsed: Duration,
}

impl Observer for Clock {
    fn begins(&mut self, _: &dyn Fn() -> Header) {
        self.begun = Some(Instant::now());
    }

    fn ends(&mut self) {
        self.elapsed = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    }
}

/// One run of a sweep as one line of JSON, without a journal. No trace is kept.
///
/// # Errors
/// If it cannot be arranged.
pub fn one_row(app: &App, sweep: &Sweep, run: u64) -> Result<String, Diagnostic> {
    let no_traces = |run: u64, _: &str, _: &Once<'_>| {
        let message = format!("run {run} does not hold, and its trace has no place here");
        Err(Diagnostic::input("no_traces_here", message)
            .help("leave out `trace = \"on-violation\"`; `again` of the row repeats the run"))
    };
    row(app, sweep, run, &no_traces)
}

/// One run as one line of JSON: what `run --json` says, and what the sweep knows of it.
fn row(app: &App, sweep: &Sweep, run: u64, record: &Record<'_>) -> Result<String, Diagnostic> {
    let (configuration, seed) = sweep.run(run);
    let Configuration { entry, plan, .. } = configuration;
    let scenario = Scenario { seed, ..plan.scenario.clone() };
    // It was arranged once already, with another seed.
    let once = |observer: &mut dyn Observer| {
        let refused = |_| Diagnostic::input("bad_sweep", format!("run {run} cannot be arranged"));
        entry.run(&scenario, observer).map_err(refused)
    };
    let mut clock = Clock::default();
    let report = once(&mut clock)?;
    let trace =
        if sweep.file.traces && !report.holds() { Some(record(run, &plan.schedule, &once)?) } else { None };
    let told = RunReport {
        entry,
        report: &report,
        seed,
        schedule: &plan.schedule,
        elapsed_s: sweep.file.timing.then_some(clock.elapsed.as_secs_f64()),
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
