//! Long work: Python goes on meanwhile, sees how far it is, and can stop it.

use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// So often Python is asked whether somebody wants it to stop.
const EVERY: Duration = Duration::from_millis(50);

/// How far some work is, and whether anybody still wants it.
#[derive(Default)]
pub(crate) struct Work {
    stopped: AtomicBool,
    far: Mutex<(f64, String)>,
}

impl Work {
    /// It is so far, a share from 0 to 1 (or less than 0, if nobody knows), and this is to be said. `Break`: nobody
    /// wants it any more.
    pub(crate) fn tell(&self, share: f64, words: impl FnOnce() -> String) -> ControlFlow<()> {
        // Who finds it locked tells the next time.
        if let Ok(mut far) = self.far.try_lock() {
            *far = (share, words());
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
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
                let asked = Python::attach(|py| {
                    py.check_signals()?;
                    let Some(progress) = progress else { return Ok(()) };
                    let far = so_far.far.lock().map(|far| far.clone()).unwrap_or_default();
                    progress.call1(py, far).map(|_| ())
                });
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
