//! Work that is shared out among threads.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Does something with each of these, on so many threads, of which this one is the first. One that the system refuses
/// is done without: the work is the same.
pub(super) fn share_out<T>(threads: usize, tasks: impl Iterator<Item = T> + Send, act: impl Fn(T) + Sync) {
    // A small case has hundreds of layers, each too small to pay for locks.
    if threads <= 1 {
        return tasks.for_each(act);
    }
    let tasks = Mutex::new(tasks);
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some(task) = next() {
            act(task);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}
