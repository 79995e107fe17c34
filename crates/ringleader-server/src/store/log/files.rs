//! Files and directories, and what to say when there is something wrong with them.

use super::record::{framed, scan};
use crate::store::StoreError;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Keeps everybody else out of a directory.
pub(super) struct Guard {
    _file: File,
}

impl Guard {
    /// Makes the directory if need be, and locks it.
    pub(super) fn lock(dir: &Path) -> Result<Guard, StoreError> {
        std::fs::create_dir_all(dir).map_err(|error| broken(dir, &error))?;
        let path = dir.join("in-use");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| broken(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Guard { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Broken(format!(
                "{} is in use by another server: stop that one, or give this one a directory of its own",
                dir.display()
            ))),
            Err(TryLockError::Error(error)) => Err(broken(&path, &error)),
        }
    }
}

/// All of a file; none if it is not there.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(broken(path, &error)),
    }
}

/// The content of a small file that was replaced as a whole: it is there as a whole, or not at all.
pub(super) fn read_kept(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    match scan(&bytes, 0) {
        Ok(scan) if scan.contents.len() == 1 && framed(scan.contents[0]) == bytes => {
            Ok(Some(scan.contents[0].to_vec()))
        }
        Ok(_) | Err(_) => Err(wrong(path, "it is not what was written")),
    }
}

/// Makes safe which files there are in a directory.
pub(super) fn sync_directory(dir: &Path) -> io::Result<()> {
    patiently(|| File::open(dir))?.sync_all()
}

/// How long is waited before a file is opened again.
const PAUSE: Duration = Duration::from_millis(20);

/// Opens a file. That too many are open in this process, or on this machine, says nothing about the disk: it is tried
/// again until there are fewer.
pub(super) fn patiently(mut open: impl FnMut() -> io::Result<File>) -> io::Result<File> {
    let mut told = false;
    loop {
        match open() {
            Err(error) if is_crowded(&error) => {
                if !told {
                    tracing::error!(event = "too_many_files", why = %error, "the log waits for a file");
                    told = true;
                }
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

/// `EMFILE` or `ENFILE`.
fn is_crowded(error: &io::Error) -> bool {
    let crowded = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE];
    crowded.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// How many of these bytes there is room for.
pub(super) fn fitting(room: Option<&Arc<AtomicU64>>, length: usize) -> usize {
    let Some(room) = room else { return length };
    let length = length as u64;
    let before =
        room.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| Some(left.saturating_sub(length)));
    usize::try_from(before.unwrap_or_default().min(length)).unwrap_or_default()
}

/// The operating system says no.
pub(super) fn broken(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Broken(format!("{}: {error}", path.display()))
}

/// A file says what it cannot say. It is never skipped: somebody may have been promised what it said.
pub(super) fn wrong(path: &Path, what: &str) -> StoreError {
    StoreError::Broken(format!(
        "{}: {what}. Nothing was changed. Do not delete it while this server votes: first remove this server from the \
         cluster at another one (`ringleader members remove`), then empty the directory and add the server again, or \
         put the directory back as it was when the server last ran",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_file_limit_errors_are_retried() {
        let dir = tempfile::tempdir().expect("there is room");
        let mut tries = 0;
        let opened = patiently(|| {
            tries += 1;
            let crowded = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE][tries % 2];
            if tries < 4 { Err(crowded.into()) } else { File::open(dir.path()) }
        });
        assert!(opened.is_ok() && tries == 4);
        let mut tries = 0;
        let denied = patiently(|| {
            tries += 1;
            Err(io::ErrorKind::PermissionDenied.into())
        });
        assert!(denied.is_err() && tries == 1);
    }
}
