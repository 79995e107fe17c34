//! One question, one answer as JSON: `run`, `check`, `compare`, `worst`, `list`, `show`.

use crate::algorithm::Asked;
use crate::app;
use crate::refused::{refused, usage};
use crate::watch::{Work, watched, watched_here};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ringleader::check::Watcher;
use ringleader::model::Facts;
use ringleader::registry::Entry;
use ringleader::sim::{Observer, Progress};
use ringleader::trace::{Event, Header, Recording};
use ringleader_lab::describe::example;
use ringleader_lab::formats::{IDS_OF_RUN, TraceWriter, list_json, show_json};
use ringleader_lab::options::{
    ByName, CheckOptions, CompareOptions, Known, RunOptions, WorstOptions, quoted,
};
use ringleader_lab::people::grouped;
use ringleader_lab::plan::{self, PlannedComparison, PlannedRun, find, memory};
use ringleader_lab::report::compare::{ComparisonReport, figure, json as comparison_json};
use ringleader_lab::report::{CheckReport, RunReport, WorstReport, constants_json};
use ringleader_lab::{App, Diagnostic, suggest, worst as search};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A run that is likely to send more is not made when nobody says otherwise.
const MESSAGES_MAX: u64 = 1_000_000_000;

type Given = Vec<(String, String)>;

/// Reads options by their names, or says which was meant.
pub(crate) fn understood<O: ByName>(app: &App, given: &Given) -> PyResult<O> {
    let known = O::known();
    let is_known = |long: &str| known.iter().any(|known| known.long == long);
    if let Some((long, _)) = given.iter().find(|(long, _)| !is_known(long)) {
        let mut error = Diagnostic::input("usage", format!("unexpected argument '--{long}' found"));
        if let Some(meant) = suggest::closest(long, known.iter().map(|known| known.long)) {
            let keyword = if meant == "nodes" { "n".to_owned() } else { meant.replace('-', "_") };
            error = error.help(format!("a similar argument exists: '--{meant}', here `{keyword}=`"));
        }
        return Err(refused(&error));
    }
    let given: Vec<(&str, &str)> = given.iter().map(|(long, word)| (long.as_str(), word.as_str())).collect();
    O::of(&given, &app.usual).map_err(usage)
}

/// The options of a command: name, what help calls the value (empty for a switch), whether it may be given several
/// times.
#[pyfunction]
pub(crate) fn options(command: &str) -> PyResult<Vec<(&'static str, &'static str, bool)>> {
    let known: Vec<Known> = match command {
        "run" => RunOptions::known(),
        "check" => CheckOptions::known(),
        "compare" => CompareOptions::known(),
        "worst" => WorstOptions::known(),
        _ => return Err(PyValueError::new_err(format!("there is no command {command} with options"))),
    };
    Ok(known.into_iter().map(|known| (known.long, known.value, known.repeats)).collect())
}

/// The observer of one run: it has the clock, and asks Python from time to time.
struct Watch<'a> {
    progress: Option<&'a Py<PyAny>>,
    /// About how many messages it will send.
    expected: Option<u64>,
    begun: Option<Instant>,
    asked: Option<Instant>,
    elapsed: Duration,
    interrupted: Option<PyErr>,
    recording: Option<Recording>,
    wants_events: bool,
}

impl<'a> Watch<'a> {
    fn new(progress: Option<&'a Py<PyAny>>, wants_events: bool) -> Watch<'a> {
        Watch {
            progress,
            expected: None,
            begun: None,
            asked: None,
            elapsed: Duration::ZERO,
            interrupted: None,
            recording: None,
            wants_events,
        }
    }
}

impl Observer for Watch<'_> {
    fn wants_events(&self) -> bool {
        self.wants_events
    }

    fn begins(&mut self, header: &dyn Fn() -> Header) {
        if self.wants_events {
            self.recording = Some(Recording { header: header(), events: Vec::new() });
        }
        self.begun = Some(Instant::now());
        self.asked = self.begun;
    }

    fn event(&mut self, event: &Event) {
        if let Some(recording) = &mut self.recording {
            recording.events.push(event.clone());
        }
    }

    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        const EVERY: Duration = Duration::from_millis(50);
        if self.asked.is_none_or(|asked| asked.elapsed() < EVERY) {
            return ControlFlow::Continue(());
        }
        self.asked = Some(Instant::now());
        let share = self.expected.map_or(-1.0, |all| (progress.messages as f64 / all.max(1) as f64).min(1.0));
        let asked = Python::attach(|py| {
            py.check_signals()?;
            let Some(tell) = self.progress else { return Ok(()) };
            tell.call1(py, (share, format!("{} messages", grouped(progress.messages)))).map(|_| ())
        });
        match asked {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.interrupted = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn ends(&mut self) {
        self.elapsed = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    }
}

/// What these options ask for.
fn planned(app: &App, name: &str, given: &Given) -> PyResult<(&'static Entry, RunOptions, PlannedRun)> {
    let entry = find(app, name).map_err(|error| refused(&error))?;
    let options: RunOptions = understood(app, given)?;
    let plan = plan::run(entry, &options).map_err(|error| refused(&error))?;
    memory::check(entry, &plan.scenario).map_err(|error| refused(&error))?;
    Ok((entry, options, plan))
}

/// Makes it, and gives its JSON.
fn made(
    py: Python<'_>,
    app: &App,
    (entry, options, plan): (&'static Entry, &RunOptions, &PlannedRun),
    watch: &mut Watch<'_>,
) -> PyResult<String> {
    let n = u64::from(plan.scenario.n);
    watch.expected = entry
        .spec
        .cost
        .average
        .and_then(|average| (average.value)(&Facts::plain(n)))
        .map(|all| all as u64 + n);
    // A watcher has exceptions of Python with it, which stay on this thread.
    let mut waits = Waits(watch);
    let report = py.detach(|| {
        let waits = &mut waits;
        entry.run(&plan.scenario, waits.0)
    });
    if let Some(error) = watch.interrupted.take() {
        return Err(error);
    }
    let form = entry.with_settings(&plan.scenario.settings);
    let report =
        report.map_err(|why| refused(&plan::explain(app, form, &plan.asked(Some(options)), &why)))?;
    let told = RunReport {
        entry,
        report: &report,
        seed: plan.scenario.seed,
        schedule: &plan.schedule,
        elapsed_s: Some(watch.elapsed.as_secs_f64()),
        peak_bytes: None,
        again: quoted(&app.program, &plan.again),
        ids_most: IDS_OF_RUN,
    };
    Ok(told.json(app))
}

struct Waits<'w, 'a>(&'w mut Watch<'a>);

/// One run: `ringleader.run/1`.
#[pyfunction]
#[pyo3(signature = (name, given, progress=None))]
pub(crate) fn run(
    py: Python<'_>,
    name: Asked,
    given: Given,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (app, called) = name.app();
    let (entry, options, plan) = planned(&app, &called, &given)?;
    let json = made(py, &app, (entry, &options, &plan), &mut Watch::new(progress.as_ref(), false));
    name.went_well()?;
    json
}

/// The trace of a run, as `run --trace` writes it. Refused beyond so many steps.
#[pyfunction]
#[pyo3(signature = (name, given, steps_most))]
pub(crate) fn trace(py: Python<'_>, name: Asked, given: Given, steps_most: u64) -> PyResult<String> {
    let (app, called) = name.app();
    let (entry, options, mut plan) = planned(&app, &called, &given)?;
    let asked = plan.scenario.max_steps;
    plan.scenario.max_steps = Some(asked.map_or(steps_most + 1, |asked| asked.min(steps_most + 1)));
    let mut watch = Watch::new(None, true);
    let json = made(py, &app, (entry, &options, &plan), &mut watch);
    name.went_well()?;
    let json = json?;
    let Some(recording) = watch.recording else {
        return Err(PyValueError::new_err("the run was not recorded"));
    };
    if recording.events.len() as u64 > steps_most {
        let message = format!("the run has more than {} steps", grouped(steps_most));
        return Err(refused(
            &Diagnostic::input("too_large", message).help("a smaller n, or a limit: max_steps="),
        ));
    }
    let outcome: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
    let recording = Recording { header: Header { schedule: plan.schedule, ..recording.header }, ..recording };
    written(&app, &recording, outcome["outcome"].as_str().unwrap_or("done"))
}

/// A recorded run as the text of a trace.
fn written(app: &App, recording: &Recording, outcome: &str) -> PyResult<String> {
    let write = || {
        let mut writer = TraceWriter::new(Vec::new(), &app.version(), &recording.header)?;
        recording.events.iter().try_for_each(|event| writer.event(event))?;
        let bytes = writer.end(outcome)?;
        String::from_utf8(bytes).map_err(std::io::Error::other)
    };
    Ok(write()?)
}

/// Who watches a check.
struct Search<'a> {
    work: &'a Work,
    begun: Instant,
    patience: Option<Duration>,
}

impl Watcher for Search<'_> {
    fn progress(&self, progress: &ringleader::check::Progress) -> ControlFlow<()> {
        let share = progress.case.saturating_sub(1) as f64 / progress.cases.max(1) as f64;
        let words =
            || format!("case {} of {}, {} states", progress.case, progress.cases, grouped(progress.states));
        if self.patience.is_some_and(|patience| self.begun.elapsed() >= patience) {
            return ControlFlow::Break(());
        }
        self.work.tell(if progress.cases > 1 { share } else { -1.0 }, words)
    }
}

/// How many cases a check has.
#[pyfunction]
pub(crate) fn cases(name: &str, given: Given) -> PyResult<u64> {
    let app = app();
    let entry = find(&app, name).map_err(|error| refused(&error))?;
    let options: CheckOptions = understood(&app, &given)?;
    let plan = plan::check(&app, entry, &options).map_err(|error| refused(&error))?;
    let form = entry.with_settings(&plan.scope.settings);
    entry.cases(&plan.scope).map_err(|why| refused(&plan::explain(&app, form, &plan.asked(&options), &why)))
}

/// Every run of a few processes: `ringleader.check/1`, and the trace of a counterexample, if there is one. `only` are
/// some of the cases.
#[pyfunction]
#[pyo3(signature = (name, given, progress=None, only=None))]
pub(crate) fn check(
    py: Python<'_>,
    name: Asked,
    given: Given,
    progress: Option<Py<PyAny>>,
    only: Option<(u64, u64)>,
) -> PyResult<(String, Option<String>)> {
    let (app, called) = name.app();
    let entry = find(&app, &called).map_err(|error| refused(&error))?;
    let options: CheckOptions = understood(&app, &given)?;
    let mut plan = plan::check(&app, entry, &options).map_err(|error| refused(&error))?;
    plan.scope.cases = only.map(|(begin, end)| begin..end);
    let time_limit = options.time.as_ref().map(|time| time.value.0);
    let search = |work: &Work| {
        let begun = Instant::now();
        let findings = entry.check(&plan.scope, &[], &Search { work, begun, patience: time_limit });
        (findings, begun.elapsed())
    };
    let findings = match &name {
        Asked::Name(_) => watched(py, progress.as_ref(), search),
        Asked::Class(_) => watched_here(py, progress.as_ref(), search),
    };
    name.went_well()?;
    let (findings, elapsed) = findings?;
    let form = entry.with_settings(&plan.scope.settings);
    let findings =
        findings.map_err(|why| refused(&plan::explain(&app, form, &plan.asked(&options), &why)))?;
    let report = CheckReport {
        entry,
        findings: &findings,
        scope: &plan.scope,
        program: &app.program,
        again: &plan.again,
        trace: None,
        time_limit,
        elapsed_s: elapsed.as_secs_f64(),
        peak_bytes: memory::peak(),
    };
    let found = findings.counterexample.as_ref().map(|found| written(&app, &found.recording, "violated"));
    Ok((report.json(&app), found.transpose()?))
}

/// Algorithms side by side: `ringleader.compare/1`, and the plot as SVG.
#[pyfunction]
#[pyo3(signature = (names, given, progress=None))]
pub(crate) fn compare(
    py: Python<'_>,
    names: Vec<String>,
    given: Given,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let app = app();
    let options: CompareOptions = understood(&app, &given)?;
    let asked = PlannedComparison::new(&app, &names, &options).map_err(|error| refused(&error))?;
    let cells = watched(py, progress.as_ref(), |work| {
        asked.measure(options.max_messages.unwrap_or(MESSAGES_MAX), &|far| {
            work.tell(far.share, || format!("n = {}, {} runs", far.nodes, far.runs))
        })
    })?;
    let cells = cells.map_err(|error| refused(&error))?;
    let compared = ComparisonReport::new(&asked, &cells);
    let svg = figure::plot(&compared, options.per).svg();
    Ok((comparison_json(&compared, true), svg))
}

/// Who watches a search for the worst.
struct Tried<'a>(&'a Work);

impl search::Watcher for Tried<'_> {
    fn progress(&self, far: &search::Progress) -> ControlFlow<()> {
        let share = far.done as f64 / far.total.max(1) as f64;
        self.0.tell(share, || {
            format!("{} of {} tried, worst {}", grouped(far.done), grouped(far.total), grouped(far.messages))
        })
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The arrangement with which it sends most: `ringleader.worst/1`.
#[pyfunction]
#[pyo3(signature = (name, given, progress=None))]
pub(crate) fn worst(
    py: Python<'_>,
    name: &str,
    given: Given,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let app = app();
    let entry = find(&app, name).map_err(|error| refused(&error))?;
    let options: WorstOptions = understood(&app, &given)?;
    let threads = options.threads.map_or_else(processors, |threads| threads as usize);
    let question = plan::worst_question(entry, &options, threads).map_err(|error| refused(&error))?;
    memory::check(entry, &question.scenario).map_err(|error| refused(&error))?;
    let found = watched(py, progress.as_ref(), |work| search::answer(&question, &Tried(work)))?;
    let found = found.map_err(|why| refused(&plan::worst_trouble(&app, &options, &question, &why)))?;
    let run = plan::worst_command(&options, None, entry, &found).map(|words| quoted(&app.program, &words));
    let answered = WorstReport {
        entry,
        found: &found,
        best: options.best,
        with_distribution: options.distribution,
        links: question.scenario.links.unwrap_or(entry.spec.needs.links).name(),
        seed: question.scenario.seed,
        run,
        again: &quoted(&app.program, &options.again(entry.spec.name, question.scenario.n)),
    };
    Ok(answered.json(&app).to_string())
}

/// The table of message constants, measured up to so many processes: `ringleader.constants/1`.
#[pyfunction]
#[pyo3(signature = (most, progress=None))]
pub(crate) fn constants(py: Python<'_>, most: u32, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let app = app();
    let rows = watched(py, progress.as_ref(), |work| {
        search::constants(app.registry, most, processors(), &Tried(work))
    })?;
    let rows = rows.map_err(|_| refused(&plan::stopped()))?;
    let words = ["worst", "--constants", "-n", &most.to_string()].map(str::to_owned);
    Ok(constants_json(&app, &rows, most, &quoted(&app.program, &words)).to_string())
}

/// The algorithms: `ringleader.list/1`.
#[pyfunction]
pub(crate) fn algorithms(errata: bool) -> String {
    let app = app();
    list_json(app.registry.iter().filter(|entry| errata || !entry.is_literal()))
}

/// All that is known of one: `ringleader.show/1`, and its source.
#[pyfunction]
pub(crate) fn show(name: &str) -> PyResult<(String, &'static str)> {
    let app = app();
    let entry = find(&app, name).map_err(|error| refused(&error))?;
    let example = example(&app, entry).map_err(|error| refused(&error))?;
    Ok((show_json(&app, entry, &example, ringleader_errata::changes(entry)), entry.spec.file))
}
