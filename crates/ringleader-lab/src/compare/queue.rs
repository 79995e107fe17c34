//! The runs of one size, on several threads; the results in the order of the jobs.

use super::{Comparison, Place, Progress, Run, Trouble};
use core::ops::ControlFlow;
use ringleader::registry::Problem;
use ringleader::sim::{Details, Refusal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How much is done of all there is, roughly.
pub(super) struct Meter {
    all: f64,
    done: f64,
    runs: u64,
}

impl Meter {
    pub(super) fn new(comparison: &Comparison<'_>) -> Meter {
        let all = comparison.places().map(|place| weight(comparison, place) * runs(comparison, place)).sum();
        Meter { all, done: 0.0, runs: 0 }
    }

    /// What is not run is not waited for.
    pub(super) fn skip(&mut self, comparison: &Comparison<'_>, place: Place) {
        self.all -= weight(comparison, place) * runs(comparison, place);
    }

    fn progress(&self, nodes: u32) -> Progress {
        Progress { runs: self.runs, nodes, share: (self.done / self.all.max(f64::MIN_POSITIVE)).min(1.0) }
    }
}

fn runs(comparison: &Comparison<'_>, place: Place) -> f64 {
    f64::from((comparison.runs)(place))
}

/// What a run costs beside others: for a bar that somebody watches, not for a decision.
fn weight(comparison: &Comparison<'_>, place: Place) -> f64 {
    let n = f64::from(place.nodes);
    match comparison.algorithms[place.algorithm].problem {
        Problem::Election => n.powf(1.2),
        Problem::Mutex => n.powf(1.8),
        Problem::Clocks => n.powi(2),
    }
}

type Job = (Place, u32);
type Done = Result<Run, Refusal>;

/// Makes the runs.
pub(super) fn work(
    comparison: &Comparison<'_>,
    jobs: &[Job],
    meter: &mut Meter,
    progress: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
) -> Result<Vec<(Place, Run)>, Trouble> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let meter = Mutex::new(meter);
    let work = || {
        let mut done: Vec<(usize, Done)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(place, run)) = jobs.get(at).filter(|_| !stopped.load(Ordering::Relaxed)) else {
                return done;
            };
            done.push((at, one(comparison, place, run)));
            if let Ok(mut meter) = meter.lock() {
                meter.done += weight(comparison, place);
                meter.runs += 1;
                if progress(meter.progress(place.nodes)).is_break() {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
        }
    };
    let threads = (comparison.threads.max(1) as usize).min(jobs.len());
    let mut done: Vec<(usize, Done)> = if threads <= 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            // A worker that panics has found a mistake of ours: it goes on here.
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            workers.into_iter().flat_map(join).collect()
        })
    };
    if stopped.load(Ordering::Relaxed) {
        return Err(Trouble::Stopped);
    }
    done.sort_by_key(|(at, _)| *at);
    let mut runs = Vec::with_capacity(done.len());
    for (at, result) in done {
        let place = jobs[at].0;
        runs.push((place, result.map_err(|refusal| Trouble::Refused(place, refusal))?));
    }
    Ok(runs)
}

fn one(comparison: &Comparison<'_>, place: Place, run: u32) -> Done {
    let scenario = (comparison.scenario)(place, run);
    let mut report = comparison.algorithms[place.algorithm].run(&scenario, &mut ())?;
    // Nobody asks for it here, and of many runs it is much.
    report.per_round = Vec::new();
    if let Details::Exclusion(details) = &mut report.details {
        details.entry_order = Vec::new();
    }
    Ok(Run { run, seed: scenario.seed, report })
}
