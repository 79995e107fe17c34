//! A second process beside one that runs a command under a lease: what the first cannot do when it is paused, killed or
//! stuck in a write, this one does. It knows the command's process group and until when it may run, hears of every
//! extension, and sends KILL when the time is over or the first process is gone.

use crate::clock;
use ringleader_live::Micros;
use rustix::process::{Pid, Signal};
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The hidden subcommand of our own program that is the warden.
pub const WARDEN: &str = "lease-warden";

/// How long nothing may be heard before it looks at the clock again: a machine may have slept meanwhile.
const LOOK_EVERY: Micros = Micros::millis(100);

/// Nothing survives KILL for so long, unless the kernel does not let go of it.
const INSIST: Micros = Micros::millis(1000);

/// The warden, as the first process sees it.
pub(crate) struct Warden {
    line: UnixStream,
    process: Child,
    told: Option<Micros>,
}

impl Warden {
    /// Starts one, which knows of nothing yet.
    pub(crate) fn start(program: &OsStr) -> io::Result<Warden> {
        let (line, theirs) = UnixStream::pair()?;
        // A warden that does not read is no reason to wait for it.
        line.set_nonblocking(true)?;
        let process = Command::new(program)
            .arg(WARDEN)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            // Whoever reads what the command writes must not wait for the warden to end.
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C is not meant for it.
            .process_group(0)
            .spawn()?;
        Ok(Warden { line, process, told: None })
    }

    /// This is what it is to kill.
    pub(crate) fn watch(&mut self, group: Pid) -> io::Result<()> {
        self.tell(&format!("group {}\n", group.as_raw_nonzero()))
    }

    /// And this is when. One that does not hear kills too early; one that is gone does nothing, and we do it alone.
    pub(crate) fn allow(&mut self, until: Micros) {
        if self.told != Some(until) {
            let _ = self.tell(&format!("until {}\n", until.0));
            self.told = Some(until);
        }
    }

    /// What it was told last.
    pub(crate) fn told(&self) -> Option<Micros> {
        self.told
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        self.line.write_all(line.as_bytes())
    }
}

impl Drop for Warden {
    /// Nothing is left of the command: the warden may go, even one that is paused itself. Who fails here leaves it
    /// what is left to do: the line ends, and it kills.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// The warden's own program. Ends when it has killed; if there is nothing to kill, it is ended.
///
/// # Errors
/// If it cannot hear anything.
pub fn run() -> io::Result<()> {
    // Whoever stops a whole service sends them to everybody, and the command may go on for a while.
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, std::sync::Arc::default())?;
    }
    let mut line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (mut order, mut rest, mut heard) = (Order::default(), Vec::new(), [0; 512]);
    loop {
        let wait = order.until.map_or(LOOK_EVERY, |until| until - clock::now()).min(LOOK_EVERY);
        line.set_read_timeout(Some(Duration::from_micros(wait.0.max(1000))))?;
        // What is there to be read comes first, however late it is: it may be an extension.
        match line.read(&mut heard) {
            Ok(0) => break,
            Ok(length) => {
                rest.extend_from_slice(&heard[..length]);
                while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                    let words: Vec<u8> = rest.drain(..=end).collect();
                    order.hear(&String::from_utf8_lossy(&words));
                }
            }
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {
                if order.until.is_some_and(|until| clock::now() >= until) {
                    break;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let Some(group) = order.group else { return Ok(()) };
    let begun = clock::now();
    // Again and again: something may be forked while a signal is on its way.
    while clock::now() < begun + INSIST && rustix::process::kill_process_group(group, Signal::KILL).is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// What the warden has been told.
#[derive(Default)]
struct Order {
    group: Option<Pid>,
    until: Option<Micros>,
}

impl Order {
    /// What makes no sense, because a line was cut off, leaves everything as it was.
    fn hear(&mut self, line: &str) {
        match line.trim_end().split_once(' ') {
            Some(("group", number)) => {
                self.group = number.parse().ok().and_then(Pid::from_raw).or(self.group);
            }
            Some(("until", time)) => self.until = time.parse().ok().map(Micros).or(self.until),
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_cut_off_takes_no_deadline_away() {
        let mut order = Order::default();
        for line in
            ["until 500\n", "group 77\n", "until 60until 700\n", "group 8group\n", "nonsense\n", "until -1\n"]
        {
            order.hear(line);
        }
        assert_eq!((order.until, order.group), (Some(Micros(500)), Pid::from_raw(77)));
        order.hear("until 900\n");
        assert_eq!(order.until, Some(Micros(900)));
    }
}
