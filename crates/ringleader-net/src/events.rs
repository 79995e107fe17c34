//! A file of events: one JSON object per line, unbuffered, for whoever holds the promises against what was reported.
//!
//! A regular file takes every line. A pipe takes what its reader reads: a process never waits for it. What finds no
//! room is left out, and a line `left_out` says how many lines are missing, as soon as there is room again.

use serde::Serialize;
use serde_json::json;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where events are written to.
pub struct Events {
    file: File,
    left_out: AtomicU64,
}

impl Events {
    /// Opens a file; what is in it stays: a process that was restarted goes on with the same history.
    ///
    /// # Errors
    /// If it cannot be opened, or is a pipe that nobody reads.
    pub fn open(path: &Path) -> io::Result<Events> {
        let mut options = File::options();
        options.create(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // Of no effect on regular files. With a pipe, neither opening nor writing waits for its reader.
            let flags = rustix::fs::OFlags::NONBLOCK.bits();
            options.custom_flags(i32::try_from(flags).map_err(io::Error::other)?);
        }
        Ok(Events { file: options.open(path)?, left_out: AtomicU64::new(0) })
    }

    /// Writes a line, or leaves it out if there is no room.
    ///
    /// # Errors
    /// If the file cannot be written to.
    pub fn write(&self, line: &impl Serialize) -> io::Result<()> {
        let missing = self.left_out.load(Ordering::Relaxed);
        if missing > 0 {
            match self.puts(&json!({ "event": "left_out", "lines": missing })) {
                Ok(()) => {
                    self.left_out.fetch_sub(missing, Ordering::Relaxed);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        match self.puts(line) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.left_out.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            done => done,
        }
    }

    /// A pipe takes a line of this length as a whole or not at all.
    fn puts(&self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        (&self.file).write_all(&text)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    #[test]
    fn blocked_log_pipe_drops_lines_and_says_so() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("it is installed");
        assert!(made.success());
        assert!(Events::open(&path).is_err(), "nobody reads it");
        let reader = File::options().read(true).write(true).open(&path).expect("it is there");
        let events = Events::open(&path).expect("somebody reads it");
        let line = |number: u64| json!({ "number": number, "text": "x".repeat(100) });
        // A pipe holds 64 KiB.
        for number in 0..5000 {
            events.write(&line(number)).expect("it is left out");
        }
        let left_out = events.left_out.load(Ordering::Relaxed);
        assert!(left_out > 1000, "{left_out}");
        let mut lines = BufReader::new(reader).lines().map(|line| line.expect("a line"));
        // Whoever counts what is there and what is said to be missing misses nothing.
        let (mut next, mut written) = (0, false);
        while !written {
            let found: serde_json::Value =
                serde_json::from_str(&lines.next().expect("a line")).expect("JSON");
            match found["lines"].as_u64() {
                Some(missing) => next += missing,
                None => {
                    assert_eq!(found["number"], next);
                    next += 1;
                }
            }
            if next == 5000 - left_out {
                events.write(&line(5000)).expect("there is room");
            }
            written = next == 5001;
        }
    }
}
