//! Long work: Python goes on meanwhile, sees how far it is, and can stop it.

use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So often Python is asked whether somebody wants it to stop.
const EVERY: Duration = Duration::from_millis(50);

/// How far some work is, and whether anybody still wants it.
#[derive(Default)]
pub(crate) struct Work {
    stopped: AtomicBool,
    far: Mutex<(f64, String)>,
    /// Where nobody looks on from another thread: whom to tell, when it was done last, and what came of it.
    here: Option<Mutex<Here>>,
}

struct Here {
    progress: Option<Py<PyAny>>,
    asked: Instant,
    interrupted: Option<PyErr>,
}

impl Work {
    /// It is so far, a share from 0 to 1 (or less than 0, if nobody knows), and this is to be said. `Break`: nobody
    /// wants it any more.
    pub(crate) fn tell(&self, share: f64, words: impl FnOnce() -> String) -> ControlFlow<()> {
        // Who finds it locked tells the next time.
        if let Some(Ok(mut here)) = self.here.as_ref().map(Mutex::try_lock) {
            if here.asked.elapsed() >= EVERY {
                here.asked = Instant::now();
                if let Err(error) = asked(here.progress.as_ref(), || (share, words())) {
                    here.interrupted.get_or_insert(error);
                    self.stopped.store(true, Ordering::Relaxed);
                }
            }
        } else if let Ok(mut far) = self.far.try_lock() {
            *far = (share, words());
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Tells Python how far it is, and asks whether somebody wants it to stop.
fn asked(progress: Option<&Py<PyAny>>, far: impl FnOnce() -> (f64, String)) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        let Some(progress) = progress else { return Ok(()) };
        progress.call1(py, far()).map(|_| ())
    })
}

/// Does the work on this thread. Signals come to the main thread: what somebody wrote in Python is then stopped by them
/// in the middle of a step.
pub(crate) fn watched_here<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Work) -> T + Send,
) -> PyResult<T> {
    let progress = progress.map(|progress| progress.clone_ref(py));
    let here = Here { progress, asked: Instant::now(), interrupted: None };
    let so_far = Work { here: Some(Mutex::new(here)), ..Work::default() };
    let made = py.detach(|| work(&so_far));
    let here = so_far.here.map(|here| here.into_inner().unwrap_or_else(PoisonError::into_inner));
    here.and_then(|here| here.interrupted).map_or(Ok(made), Err)
}

/// Does the work on another thread. Until it is done, `progress` is called with a share and words, and Ctrl-C stops it.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Work) -> T + Send,
) -> PyResult<T> {
    let so_far = Work::default();
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, waits) = channel();
            let so_far = &so_far;
            let worker = scope.spawn(move || {
                let made = work(so_far);
                // Whoever waits is there until it comes.
                let _ = done.send(());
                made
            });
            let mut interrupted = None;
            while waits.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let asked = asked(progress, || so_far.far.lock().map(|far| far.clone()).unwrap_or_default());
                if let (Err(error), None) = (asked, &interrupted) {
                    so_far.stopped.store(true, Ordering::Relaxed);
                    interrupted = Some(error);
                }
            }
            let made = match worker.join() {
                Ok(made) => made,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            interrupted.map_or(Ok(made), Err)
        })
    })
}
