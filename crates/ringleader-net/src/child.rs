//! Running a command as a process group of its own, which dies with us, and with everything that it started.

use crate::terminal::Terminal;
use crate::warden::Warden;
use ringleader_live::Micros;
use rustix::process::{Pid, Signal, WaitOptions};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// The hidden subcommand of our own program that becomes the command.
pub const LAUNCHER: &str = "elect-exec";

/// A command that runs.
pub struct Running {
    group: Pid,
    warden: Warden,
    terminal: Option<Terminal>,
    /// The signal that stopped the command, until it was looked at; 0 if there is none.
    stopped: Arc<AtomicI32>,
    /// It waits for the terminal.
    wants_terminal: bool,
}

/// Starts a command in a process group of its own, with these variables, which is killed at that moment unless
/// [`Running::allow`] says otherwise. It is started by way of our own program, which asks the kernel to be killed when
/// we are, and then becomes the command: so nothing here is `unsafe`. What the command starts is not killed with it by
/// the kernel; a [warden](crate::warden) does that.
///
/// # Errors
/// If no process can be started. That there is no such command is told by the launcher, with exit code 127.
pub fn start(
    program: &OsStr,
    command: &[OsString],
    variables: &[(&str, String)],
    until: Micros,
) -> io::Result<(Running, Child)> {
    let terminal = Terminal::find();
    let mut warden = Warden::start(program)?;
    warden.allow(until);
    let mut launcher = Command::new(program);
    launcher.arg(LAUNCHER).arg(std::process::id().to_string()).arg("--").args(command);
    launcher.envs(variables.iter().map(|(name, value)| (name, value)));
    let child = launcher.process_group(0).spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let group = group.ok_or_else(|| io::Error::other("the process has no number"))?;
    warden.watch(group)?;
    // The launcher needs longer to become the command; should it not, the command is stopped and continued.
    if let Some(terminal) = &terminal {
        terminal.hand_over_at_once(group);
    }
    let stopped = Arc::default();
    Ok((Running { group, warden, terminal, stopped, wants_terminal: false }, child))
}

impl Running {
    /// The number of its process group.
    #[must_use]
    pub fn group(&self) -> i32 {
        self.group.as_raw_nonzero().get()
    }

    /// From now on it may run until then, even if nothing more is heard of us.
    pub fn allow(&mut self, until: Micros) {
        self.warden.allow(until);
    }

    /// Whether its time was over before we knew of any more.
    #[must_use]
    pub fn is_overdue(&self, now: Micros) -> bool {
        self.warden.told().is_some_and(|until| now >= until)
    }

    /// Sends a signal to all of it. That nobody is left is no error. Whoever is asked to end and is stopped
    /// would never hear it: it is continued.
    pub fn signal(&self, signal: i32) {
        let Some(signal) = Signal::from_named_raw(signal) else { return };
        let _ = rustix::process::kill_process_group(self.group, signal);
        if [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT].contains(&signal) {
            let _ = rustix::process::kill_process_group(self.group, Signal::CONT);
        }
    }

    /// Waits in a thread of its own until the command ends, and tells that; notes when it is stopped.
    pub(crate) fn look_after(&self, mut child: Child, tell: Box<dyn FnOnce(io::Result<ExitStatus>) + Send>) {
        let (leader, stopped) = (self.group, Arc::clone(&self.stopped));
        std::thread::spawn(move || {
            let status = loop {
                match rustix::process::waitpid(Some(leader), WaitOptions::UNTRACED) {
                    Ok(Some((_, status))) => match status.stopping_signal() {
                        Some(signal) => stopped.store(signal, Ordering::Relaxed),
                        None => break Ok(ExitStatus::from_raw(status.as_raw())),
                    },
                    Ok(None) | Err(rustix::io::Errno::INTR) => {}
                    // Somebody else has collected it.
                    Err(_) => break child.wait(),
                }
            };
            tell(status);
        });
    }

    /// Gives a command that was stopped at the terminal what it needs to go on; whether it was suspended by
    /// Ctrl-Z. One that somebody stopped in another way stays as it is.
    pub(crate) fn attend_to_terminal(&mut self) -> bool {
        let signal = self.stopped.swap(0, Ordering::Relaxed);
        let Some(terminal) = &self.terminal else { return false };
        let is = |which: Signal| signal == which.as_raw();
        let suspended = is(Signal::TSTP);
        self.wants_terminal |= suspended || is(Signal::TTIN) || is(Signal::TTOU);
        if !(self.wants_terminal && terminal.hand_over(self.group)) {
            return false;
        }
        self.wants_terminal = false;
        let _ = rustix::process::kill_process_group(self.group, Signal::CONT);
        suspended
    }

    /// Takes the terminal back from a command that is over.
    pub(crate) fn take_terminal_back(&self, killed: bool) {
        if let Some(terminal) = &self.terminal {
            terminal.take_back(self.group, killed);
        }
    }

    /// Whether anything of it is left. What has ended and was not looked after yet counts.
    #[must_use]
    pub fn is_left(&self) -> bool {
        rustix::process::test_kill_process_group(self.group).is_ok()
    }
}

/// The launcher: becomes the command, unless its parent is gone already. Comes back only if that fails, with the exit
/// code that shells give.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of errors are many, and not ours")]
pub fn become_command(parent: u32, command: &[OsString]) -> (u8, String) {
    let Some((program, arguments)) = command.split_first() else {
        return (127, "there is no command".to_owned());
    };
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
        return (126, format!("the kernel does not watch the parent: {error}"));
    }
    // Asked after the kernel was told: whoever died before that is noticed here, whoever dies later, there.
    let now = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    if now.and_then(|pid| u32::try_from(pid).ok()) != Some(parent) {
        return (126, "the one who started this is gone".to_owned());
    }
    let error = Command::new(program).args(arguments).exec();
    let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such command".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be run".to_owned(),
        _other => error.to_string(),
    };
    (code, format!("cannot run {}: {why}", program.to_string_lossy()))
}

/// What is added to the number of a signal to make an exit code, as shells do.
pub(crate) const SIGNALLED: u8 = 128;

/// The exit code that shells give: its own, or 128 and the number of the signal that ended it.
#[must_use]
pub fn code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| i32::from(SIGNALLED) + signal));
    u8::try_from(code.unwrap_or(1)).unwrap_or(255)
}
