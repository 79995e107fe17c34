//! A grid of runs: each is known by its number, so that any part can be made anywhere.

use crate::app;
use crate::frame::{Frame, Rows};
use crate::refused::refused;
use crate::watch::{Work, watched};
use pyo3::exceptions::{PyIndexError, PyOSError};
use pyo3::prelude::*;
use ringleader_lab::sweep::{FlatRows, Sweep as Planned, one_row};
use ringleader_lab::table::{Cell, Column};
use ringleader_lab::{App, Diagnostic, suggest};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// So many rows are collected at once.
const BATCH: u64 = 8192;

/// A sweep that was understood: nothing has run yet.
#[pyclass(frozen, module = "ringleader._native")]
pub(crate) struct Sweep {
    app: App,
    planned: Planned,
    columns: Vec<Column>,
    flat: FlatRows,
}

/// Why there is no row.
enum Trouble {
    Refused(Diagnostic),
    Unfit(io::Error),
}

#[pymethods]
impl Sweep {
    /// From a file, or from the text of one under a name; `replace` has KEY=VALUES.
    #[new]
    #[pyo3(signature = (text, name, replace, is_file))]
    fn new(py: Python<'_>, text: &str, name: &str, replace: Vec<String>, is_file: bool) -> PyResult<Sweep> {
        let app = app();
        let planned = py.detach(|| match is_file {
            true => Planned::new(&app, &PathBuf::from(name), &replace),
            false => Planned::from_text(&app, name, text, &replace),
        });
        let planned = planned.map_err(|error| refused(&error))?;
        if planned.file.traces {
            let message = "a sweep from Python records no traces";
            let error = Diagnostic::input("no_traces_here", message).help(
                "leave out `trace = \"on-violation\"`: the column `again` has the command that repeats a run",
            );
            return Err(refused(&error));
        }
        // Columns take signed numbers, as Parquet does.
        planned.fits(ringleader_lab::table::Format::Parquet).map_err(|error| refused(&error))?;
        let columns = planned.columns().finish();
        let flat = FlatRows::new(&columns);
        Ok(Sweep { app, planned, columns, flat })
    }

    /// What identifies it: the runs in their order, and the version.
    #[getter]
    fn name(&self) -> &str {
        &self.planned.name
    }

    /// How many runs there are.
    #[getter]
    fn runs(&self) -> u64 {
        self.planned.runs()
    }

    /// How many runs each configuration has.
    #[getter]
    fn seeds(&self) -> usize {
        self.planned.grid.seeds().len()
    }

    /// How many combinations cannot be run, and are left out.
    #[getter]
    fn skipped(&self) -> u64 {
        self.planned.skipped
    }

    /// What is varied, and how much.
    #[getter]
    fn varied(&self) -> Vec<(String, usize)> {
        self.planned.varied.clone()
    }

    /// The columns of its rows.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// About how many messages each configuration sends in one run.
    #[getter]
    fn weights(&self) -> Vec<u64> {
        self.planned.configurations.iter().map(ringleader_lab::sweep::Configuration::weight).collect()
    }

    /// The command that repeats a run.
    fn command(&self, run: u64) -> PyResult<String> {
        self.has(run)?;
        let (configuration, seed) = self.planned.run(run);
        Ok(configuration.again(&self.app, seed))
    }

    /// Whether there are these columns; says which was meant.
    fn must_have(&self, columns: Vec<String>) -> PyResult<()> {
        self.places(Some(&columns)).map(|_| ())
    }

    /// The rows from this run up to before that one, or fewer: after so many seconds no further run is begun.
    #[pyo3(signature = (begin, end, threads, notes, columns=None, seconds=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn rows(
        &self,
        py: Python<'_>,
        begin: u64,
        end: u64,
        threads: usize,
        notes: HashMap<String, String>,
        columns: Option<Vec<String>>,
        seconds: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Frame, Option<Py<PyAny>>)> {
        if end > begin {
            self.has(end - 1)?;
        }
        let places = self.places(columns.as_ref())?;
        let wanted: Vec<Column> = places.iter().map(|place| self.columns[*place].clone()).collect();
        let until = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
        let mut rows = Rows::new(&wanted);
        let kept = &mut rows;
        let mut failed = Ok(());
        let said = &mut failed;
        // What was made before somebody stopped it is there.
        let interrupted = watched(py, progress.as_ref(), |work| {
            let mut at = begin;
            while at < end
                && !work.is_stopped()
                && until.is_none_or(|until| Instant::now() < until || at == begin)
            {
                let (to, batch) = self.batch(at, end.min(at + BATCH), threads, (until, work, begin, end));
                let added =
                    batch.and_then(|batch| batch.iter().try_for_each(|cells| kept.add(cells, &places)));
                if let Err(error) = added {
                    *said = Err(error);
                    return;
                }
                let all = at + BATCH;
                at = to;
                if to < all.min(end) {
                    return;
                }
            }
        });
        failed?;
        let interrupted = match interrupted {
            Ok(()) => None,
            Err(error) => Some(error.into_value(py).into_any()),
        };
        Ok((rows.finish(notes)?, interrupted))
    }
}

type Batch = PyResult<Vec<Vec<Cell>>>;

impl Sweep {
    fn has(&self, run: u64) -> PyResult<()> {
        let runs = self.planned.runs();
        if run < runs {
            Ok(())
        } else {
            Err(PyIndexError::new_err(format!("there are runs 0 to {}", runs - 1)))
        }
    }

    /// Where the columns are that somebody wants.
    fn places(&self, wanted: Option<&Vec<String>>) -> PyResult<Vec<usize>> {
        let Some(wanted) = wanted else { return Ok((0..self.columns.len()).collect()) };
        let place = |name: &String| {
            self.columns.iter().position(|column| column.name == *name).ok_or_else(|| {
                let mut error = Diagnostic::input("no_column", format!("there is no column `{name}`"));
                let names = self.columns.iter().map(|column| column.name.as_str());
                if let Some(meant) = suggest::closest(name, names.clone()) {
                    error = error.help(format!("did you mean `{meant}`?"));
                }
                refused(&error.help(format!("the columns are {}", names.collect::<Vec<_>>().join(", "))))
            })
        };
        wanted.iter().map(place).collect()
    }

    /// The rows from `begin` on, as far as there is time; where it ends.
    fn batch(
        &self,
        begin: u64,
        end: u64,
        threads: usize,
        (until, work, first, last): (Option<Instant>, &Work, u64, u64),
    ) -> (u64, Batch) {
        let next = AtomicU64::new(begin);
        let worker = || {
            let mut made = Vec::new();
            loop {
                // One run at least: there must be an end.
                let late = until.is_some_and(|until| Instant::now() >= until)
                    && next.load(Ordering::Relaxed) > begin;
                if late || work.is_stopped() {
                    return made;
                }
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= end {
                    return made;
                }
                made.push((run, self.cells(run)));
                let share = (run - first) as f64 / (last - first) as f64;
                // Whether it is to stop is looked at above.
                let _ = work.tell(share, || format!("{} of {} runs", run - first, last - first));
            }
        };
        let mut made: Vec<(u64, Result<Vec<Cell>, Trouble>)> = if threads <= 1 {
            worker()
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
                let joined = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
                    Ok(made) => made,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                workers.into_iter().flat_map(joined).collect()
            })
        };
        made.sort_unstable_by_key(|(run, _)| *run);
        let to = begin + made.len() as u64;
        let cells = |(_, cells): (u64, Result<Vec<Cell>, Trouble>)| {
            cells.map_err(|trouble| match trouble {
                Trouble::Refused(error) => refused(&error),
                Trouble::Unfit(error) => PyOSError::new_err(error.to_string()),
            })
        };
        (to, made.into_iter().map(cells).collect())
    }

    fn cells(&self, run: u64) -> Result<Vec<Cell>, Trouble> {
        let line = one_row(&self.app, &self.planned, run).map_err(Trouble::Refused)?;
        self.flat.cells(&line).map_err(Trouble::Unfit)
    }
}
