//! A thread that owns the disk: nothing that answers requests ever waits for a disk itself. Jobs are done in the order
//! in which they were handed in.

use super::Disk;
use std::io;
use std::sync::mpsc;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce(&mut Disk) + Send>;

enum Task {
    Do(Job),
    Stop(oneshot::Sender<()>),
}

/// Hands jobs to the thread. Clones hand them to the same one.
#[derive(Clone)]
pub(crate) struct Writer(Jobs);

#[derive(Clone)]
enum Jobs {
    Thread(mpsc::Sender<Task>),
    /// Tests on a paused clock have no thread: the clock would run on while it works.
    #[cfg(test)]
    Here(std::sync::Arc<std::sync::Mutex<Option<Disk>>>),
}

/// The thread is gone: the store was closed.
pub(crate) struct Stopped;

impl From<Stopped> for io::Error {
    fn from(_: Stopped) -> io::Error {
        io::Error::other("the store is closed")
    }
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(mut disk: Disk) -> io::Result<Writer> {
        let (jobs, todo) = mpsc::channel::<Task>();
        std::thread::Builder::new().name("view log".into()).spawn(move || {
            let stopped = loop {
                match todo.recv() {
                    Ok(Task::Do(job)) => job(&mut disk),
                    Ok(Task::Stop(stopped)) => break Some(stopped),
                    Err(mpsc::RecvError) => break None,
                }
            };
            // In this order: who waits for the end wants the directory.
            drop(disk);
            drop(stopped);
        })?;
        Ok(Writer(Jobs::Thread(jobs)))
    }

    /// Does every job at once, where it is handed in.
    #[cfg(test)]
    pub(crate) fn in_place(disk: Disk) -> Writer {
        Writer(Jobs::Here(std::sync::Arc::new(std::sync::Mutex::new(Some(disk)))))
    }

    /// Hands in a job.
    pub(crate) fn submit(&self, job: impl FnOnce(&mut Disk) + Send + 'static) -> Result<(), Stopped> {
        match &self.0 {
            Jobs::Thread(jobs) => jobs.send(Task::Do(Box::new(job))).map_err(|_| Stopped),
            #[cfg(test)]
            Jobs::Here(disk) => disk.lock().expect("no job panics").as_mut().map(job).ok_or(Stopped),
        }
    }

    /// Does a job, and waits for it.
    pub(crate) async fn perform<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Disk) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let (done, result) = oneshot::channel();
        self.submit(move |disk| {
            // Whoever does not wait for it any more does not want to know.
            let _ = done.send(job(disk));
        })?;
        result.await.map_err(|_| io::Error::from(Stopped))?
    }

    /// Ends the thread behind all jobs, and waits until the directory is free.
    pub(crate) async fn stop(&self) {
        match &self.0 {
            Jobs::Thread(jobs) => {
                let (stopped, result) = oneshot::channel();
                // It is dropped with the directory, here or in the thread: either way `result` knows.
                let _ = jobs.send(Task::Stop(stopped));
                let _ = result.await;
            }
            #[cfg(test)]
            Jobs::Here(disk) => drop(disk.lock().expect("no job panics").take()),
        }
    }
}
