//! Checks that are under way: each has a thread of its own, is looked at, and can be stopped. What was found is kept
//! for a while, so that a page can ask for it again.

use crate::check::{self, Checked, Look, Prepared, Progress, Started};
use crate::{Diagnostic, Stage};
use serde_json::json;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many checks run at once: a machine has other things to do.
const RUNNING_MAX: usize = 2;
/// So many are kept.
const KEPT_MAX: usize = 32;
/// A check that nobody looks at for so long is stopped: the page was closed.
const PATIENCE: Duration = Duration::from_secs(120);

/// The checks.
pub(crate) struct Jobs {
    kept: Mutex<Kept>,
    patience: Duration,
}

#[derive(Default)]
struct Kept {
    /// How many there have been.
    count: u64,
    /// The oldest first.
    jobs: VecDeque<Arc<Job>>,
}

impl Default for Jobs {
    fn default() -> Jobs {
        Jobs::with_patience(PATIENCE)
    }
}

impl Jobs {
    fn with_patience(patience: Duration) -> Jobs {
        Jobs { kept: Mutex::default(), patience }
    }

    /// Answers `check`, `look` and `stop`; other verbs are none of its business.
    pub(crate) fn call(
        &self,
        stage: &Arc<Stage>,
        verb: &str,
        question: &[u8],
    ) -> Option<Result<String, Diagnostic>> {
        let answer = match verb {
            "check" => check::prepare(stage.words(), question).and_then(|prepared| {
                let keeper = Arc::clone(stage);
                let over = move |prepared: &Prepared, checked: &Checked| prepared.remember(&keeper, checked);
                self.start(prepared, over).map(|started| json!(started))
            }),
            "look" => check::job(verb, question).and_then(|job| self.look(&job)).map(|look| json!(look)),
            "stop" => check::job(verb, question).and_then(|job| self.stop(&job)).map(|look| json!(look)),
            _ => return None,
        };
        Some(answer.map(|answer| answer.to_string()))
    }

    /// Starts a check; `over` is told of what came of it before anybody else is.
    ///
    /// # Errors
    /// If as many as may be are under way already, or if there is no thread to be had.
    pub(crate) fn start(
        &self,
        prepared: Prepared,
        over: impl FnOnce(&Prepared, &Checked) + Send + 'static,
    ) -> Result<Started, Diagnostic> {
        let mut kept = locked(&self.kept);
        if kept.jobs.iter().filter(|job| job.is_running()).count() >= RUNNING_MAX {
            let message = format!("{RUNNING_MAX} checks are under way already");
            return Err(Diagnostic::input("busy", message).help("wait for one to end, or stop it"));
        }
        kept.count += 1;
        let job = Arc::new(Job::new(kept.count.to_string(), prepared.time_limit(), self.patience));
        let started = prepared.started(&job.name);
        let worker = Arc::clone(&job);
        let spawned = std::thread::Builder::new()
            .name(format!("check {}", job.name))
            .spawn(move || worker.work(&prepared, over));
        if let Err(error) = spawned {
            let message = format!("there is no thread for a check: {error}");
            return Err(Diagnostic::input("busy", message).help("try again later"));
        }
        kept.jobs.push_back(job);
        while kept.jobs.len() > KEPT_MAX
            && let Some(over) = kept.jobs.iter().position(|job| !job.is_running())
        {
            kept.jobs.remove(over);
        }
        Ok(started)
    }

    /// How far a check is, or what came of it.
    ///
    /// # Errors
    /// If there is no such check, or if it was refused.
    pub(crate) fn look(&self, name: &str) -> Result<Look, Diagnostic> {
        self.find(name)?.look()
    }

    /// Stops a check, and waits until it has stopped; what came of it until then is kept. One that is over stays as it
    /// is.
    ///
    /// # Errors
    /// As for `look`.
    pub(crate) fn stop(&self, name: &str) -> Result<Look, Diagnostic> {
        let job = self.find(name)?;
        job.stopped.store(true, Ordering::Relaxed);
        job.wait();
        job.look()
    }

    fn find(&self, name: &str) -> Result<Arc<Job>, Diagnostic> {
        let found = locked(&self.kept).jobs.iter().find(|job| job.name == name).cloned();
        found.ok_or_else(|| {
            let shown: String = name.chars().take(40).collect();
            Diagnostic::input("no_such_job", format!("there is no check `{shown}` here"))
                .help(format!("the last {KEPT_MAX} are kept while the server runs; start it again"))
        })
    }
}

/// Nobody can look any more: whatever is under way ends.
impl Drop for Jobs {
    fn drop(&mut self) {
        for job in &locked(&self.kept).jobs {
            job.stopped.store(true, Ordering::Relaxed);
        }
    }
}

/// One check.
struct Job {
    name: String,
    begun: Instant,
    time_limit: Option<Duration>,
    patience: Duration,
    /// Somebody wants it to end.
    stopped: AtomicBool,
    state: Mutex<State>,
    ended: Condvar,
}

struct State {
    progress: Option<Progress>,
    looked: Instant,
    /// After how long it ended, and with what.
    end: Option<(Duration, Result<Checked, Diagnostic>)>,
}

impl Job {
    fn new(name: String, time_limit: Option<Duration>, patience: Duration) -> Job {
        let begun = Instant::now();
        let state = Mutex::new(State { progress: None, looked: begun, end: None });
        Job {
            name,
            begun,
            time_limit,
            patience,
            stopped: AtomicBool::new(false),
            state,
            ended: Condvar::new(),
        }
    }

    /// Makes the check; runs in its thread.
    fn work(&self, prepared: &Prepared, over: impl FnOnce(&Prepared, &Checked)) {
        // Whoever waits must hear that it is over, whatever happens.
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let checked = prepared.run(&|progress| self.goes_on(progress))?;
            over(prepared, &checked);
            Ok(checked)
        }));
        let checked = checked.unwrap_or_else(|_| {
            let message = "the check broke off: that is a mistake in the program";
            Err(Diagnostic::input("internal", message)
                .help("please report it, with the command of this check"))
        });
        locked(&self.state).end = Some((self.begun.elapsed(), checked));
        self.ended.notify_all();
    }

    fn goes_on(&self, progress: Progress) -> ControlFlow<()> {
        let mut state = locked(&self.state);
        state.progress = Some(progress);
        if state.looked.elapsed() >= self.patience {
            self.stopped.store(true, Ordering::Relaxed);
        }
        let late = self.time_limit.is_some_and(|limit| self.begun.elapsed() >= limit);
        if late || self.stopped.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn is_running(&self) -> bool {
        locked(&self.state).end.is_none()
    }

    fn wait(&self) {
        let mut state = locked(&self.state);
        while state.end.is_none() {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn look(&self) -> Result<Look, Diagnostic> {
        let mut state = locked(&self.state);
        state.looked = Instant::now();
        match &state.end {
            None => Ok(Look {
                state: check::State::Running,
                seconds: self.begun.elapsed().as_secs_f64(),
                progress: state.progress,
                findings: None,
                counterexample: false,
                graph: None,
            }),
            Some((_, Err(complaint))) => Err(complaint.clone()),
            Some((took, Ok(checked))) => Ok(Look {
                state: if checked.broken_off && self.stopped.load(Ordering::Relaxed) {
                    check::State::Stopped
                } else {
                    check::State::Done
                },
                seconds: took.as_secs_f64(),
                progress: Some(checked.progress),
                findings: Some(checked.findings.clone()),
                counterexample: checked.recording.is_some(),
                graph: checked.graph.clone(),
            }),
        }
    }
}

/// A lock that was held by a thread that panicked is taken all the same: what it protects is whole at every moment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
