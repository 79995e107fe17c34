//! A process on a host, as this test started it: paused, killed, asked to end, and found out if it has ended by itself.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// A process that runs. It is killed when it is dropped.
pub struct Process {
    child: Child,
    paused: bool,
}

impl Process {
    /// Of a child that was just started.
    #[must_use]
    pub fn new(child: Child) -> Process {
        Process { child, paused: false }
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// If it is not there any more.
    pub fn signal(&mut self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("a number of a process"));
        kill(pid, signal).unwrap_or_else(|error| panic!("process {pid} takes no {signal}: {error}"));
        self.paused = signal == Signal::SIGSTOP || self.paused && signal != Signal::SIGCONT;
    }

    /// Whether it has ended, without having been waited for.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        is_gone(self.child.id())
    }

    /// Kills it, and makes sure that it is gone.
    ///
    /// # Panics
    /// If it had ended by itself.
    pub fn kill(mut self) {
        let pid = self.child.id();
        let ended = self.child.try_wait().expect("it can be waited for");
        assert_eq!(ended, None, "process {pid} had ended by itself");
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it is gone");
        assert!(!Path::new(&format!("/proc/{pid}")).exists(), "{pid} is still there");
    }

    /// Closes its standard input.
    pub fn hang_up(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Waits until it has ended; none if that takes longer than this.
    pub fn ends(&mut self, patience: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return Some(status);
            }
            if begin.elapsed() > patience {
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Whether there is no such process, or nothing is left of it but what its parent has yet to ask for.
#[must_use]
pub fn is_gone(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
}

impl Drop for Process {
    fn drop(&mut self) {
        // Whether it had ended by itself does not matter any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
