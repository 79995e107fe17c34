//! A storage that clients write to through the network, with the fence of the lock that they hold. It refuses a
//! fence that is smaller than one that it has seen, which is all the protection that a lock can give to data;
//! and it notes everything.

use crate::lab::Host;
use crate::now_us;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// For how long it sleeps at most, so that it notices that it is to stop.
const NAP: Duration = Duration::from_millis(10);

/// Somebody wanted to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    /// When it arrived, in microseconds.
    pub at: u64,
    /// The lock that protects what is written.
    pub lock: String,
    /// The fence that was shown.
    pub fence: u64,
    /// Who wrote: the client, its start and its worker.
    pub who: String,
    /// Whether it was taken.
    pub accepted: bool,
}

/// What it has seen.
#[derive(Default)]
struct Shelf {
    highest: BTreeMap<String, u64>,
    writes: Vec<Write>,
}

impl Shelf {
    /// Somebody writes. The highest fence if it is refused.
    fn write(&mut self, at: u64, lock: &str, fence: u64, who: &str) -> Result<(), u64> {
        let highest = self.highest.entry(lock.to_owned()).or_default();
        let accepted = fence >= *highest;
        *highest = fence.max(*highest);
        let answer = if accepted { Ok(()) } else { Err(*highest) };
        self.writes.push(Write { at, lock: lock.to_owned(), fence, who: who.to_owned(), accepted });
        answer
    }
}

/// A storage that runs on a host, until it is dropped.
pub struct Storage {
    /// Where clients reach it.
    pub address: SocketAddr,
    shelf: Arc<Mutex<Shelf>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Storage {
    /// Starts one on this host.
    ///
    /// # Errors
    /// In words, if the host is not there or the address cannot be had.
    pub fn start(host: &Host) -> Result<Storage, String> {
        let address = SocketAddr::from((host.address, 9000));
        let bound = host.thread(move || TcpListener::bind(address))?.join();
        let bound = bound.map_err(|_| "the thread on the host has panicked".to_owned())?;
        let listener = bound.map_err(|error| format!("the storage cannot listen on {address}: {error}"))?;
        listener.set_nonblocking(true).map_err(|error| error.to_string())?;
        let (shelf, stop) = (Arc::new(Mutex::new(Shelf::default())), Arc::new(AtomicBool::new(false)));
        let thread = std::thread::Builder::new().name("storage".into()).spawn({
            let (shelf, stop) = (Arc::clone(&shelf), Arc::clone(&stop));
            move || accept(&listener, &shelf, &stop)
        });
        let thread = Some(thread.map_err(|error| error.to_string())?);
        Ok(Storage { address, shelf, stop, thread })
    }

    /// Everything that somebody wanted to write so far, in the order of arrival.
    #[must_use]
    pub fn writes(&self) -> Vec<Write> {
        self.shelf().writes.clone()
    }

    /// How many of those writes were refused that this client wanted.
    #[must_use]
    pub fn refused(&self, client: &str) -> usize {
        let of = |write: &&Write| !write.accepted && write.who.starts_with(client);
        self.shelf().writes.iter().filter(of).count()
    }

    /// The highest fence that was shown for this lock.
    #[must_use]
    pub fn highest(&self, lock: &str) -> u64 {
        self.shelf().highest.get(lock).copied().unwrap_or_default()
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(Err(reason)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(reason);
        }
    }
}

fn accept(listener: &TcpListener, shelf: &Arc<Mutex<Shelf>>, stop: &Arc<AtomicBool>) {
    let mut clients = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => {
                let (shelf, stop) = (Arc::clone(shelf), Arc::clone(stop));
                clients.push(std::thread::spawn(move || serve(stream, &shelf, &stop)));
            }
            // Nobody is there, or somebody who has gone again.
            Err(_) => std::thread::sleep(NAP),
        }
    }
    for client in clients {
        let _ = client.join();
    }
}

/// One client: a line `LOCK FENCE WHO` for each write, answered by `ok` or `refused HIGHEST`.
fn serve(stream: TcpStream, shelf: &Mutex<Shelf>, stop: &AtomicBool) {
    if stream.set_nonblocking(false).is_err() || stream.set_read_timeout(Some(10 * NAP)).is_err() {
        return;
    }
    let Ok(mut writer) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !stop.load(Ordering::Relaxed) {
        match reader.read_line(&mut line) {
            Ok(0) => return,
            Ok(_) => {}
            // What has come of the line stays in it, and the rest follows.
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                continue;
            }
            Err(_) => return,
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[lock, fence, who] = words.as_slice() else { return };
        let Ok(fence) = fence.parse() else { return };
        let written = shelf.lock().unwrap_or_else(PoisonError::into_inner).write(now_us(), lock, fence, who);
        let answer = match written {
            Ok(()) => "ok\n".to_owned(),
            Err(highest) => format!("refused {highest}\n"),
        };
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_fence_is_refused_and_noted() {
        let mut shelf = Shelf::default();
        assert_eq!(shelf.write(1, "x", 5, "a"), Ok(()));
        assert_eq!(shelf.write(2, "x", 5, "a"), Ok(()));
        assert_eq!(shelf.write(3, "x", 7, "b"), Ok(()));
        assert_eq!(shelf.write(4, "x", 5, "a"), Err(7));
        assert_eq!(shelf.write(5, "y", 1, "a"), Ok(()));
        let accepted: Vec<bool> = shelf.writes.iter().map(|write| write.accepted).collect();
        assert_eq!(accepted, [true, true, true, false, true]);
    }
}
