//! The terminal, while a command runs in a process group of its own. A terminal is read and set by one group,
//! the foreground group; it stops whoever else tries. So it is handed to the command, and taken back at the
//! end.
//!
//! At once if standard input and output are that terminal: then nobody else can want it. Otherwise, in a
//! pipeline, only when the command was stopped because it wanted it: `ringleader lock x -- ./make | less`
//! leaves it to `less`. If this program is not in the foreground itself, a shell has put it in the background,
//! and nothing is handed over until it is brought back.
//!
//! What is in the foreground gets Ctrl-C from the terminal itself. Ctrl-Z stops the command but not us, and the
//! lock would stay held for nothing; so the command is continued.

use nix::sys::signal::{SigSet, SigmaskHow, Signal as Named};
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{Pid as Group, getpgrp, tcgetpgrp, tcsetpgrp};
use rustix::process::Pid;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, stdin, stdout};

/// The terminal of this session, and how it was found.
pub(crate) struct Terminal {
    file: File,
    /// The group of this program.
    ours: Group,
    /// How it was set before the command had it.
    modes: Option<Termios>,
    /// What this thread blocked before.
    before: SigSet,
}

impl Terminal {
    /// If the session has one. From now on this thread may write to it, and hand it over, from the background
    /// too: otherwise the terminal would stop this program, and nobody would look after the lease.
    pub(crate) fn find() -> Option<Terminal> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        let before = SigSet::from(Named::SIGTTOU).thread_swap_mask(SigmaskHow::SIG_BLOCK).ok()?;
        let modes = tcgetattr(&file).ok();
        Some(Terminal { file, ours: getpgrp(), modes, before })
    }

    /// Hands it over at once if nobody else can want it.
    pub(crate) fn hand_over_at_once(&self, group: Pid) {
        if stdin().is_terminal() && stdout().is_terminal() {
            let _ = self.hand_over(group);
        }
    }

    /// Hands it to this group, if it is ours to give; whether the group has it now.
    pub(crate) fn hand_over(&self, group: Pid) -> bool {
        let group = Group::from_raw(group.as_raw_nonzero().get());
        match tcgetpgrp(&self.file) {
            Ok(now) if now == group => true,
            Ok(now) if now == self.ours => tcsetpgrp(&self.file, group).is_ok(),
            Ok(_) | Err(_) => false,
        }
    }

    /// Takes it back from this group, or from one that is gone. How it is set stays, unless the command
    /// could not tidy up.
    pub(crate) fn take_back(&self, group: Pid, killed: bool) {
        let group = Group::from_raw(group.as_raw_nonzero().get());
        let Ok(now) = tcgetpgrp(&self.file) else { return };
        let nobody = nix::sys::signal::killpg(now, None).is_err();
        if now != self.ours && (now == group || nobody) && tcsetpgrp(&self.file, self.ours).is_err() {
            return;
        }
        let is_ours = tcgetpgrp(&self.file) == Ok(self.ours);
        if let (true, true, Some(modes)) = (killed, is_ours, &self.modes) {
            let _ = tcsetattr(&self.file, SetArg::TCSADRAIN, modes);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.before.thread_set_mask();
    }
}
