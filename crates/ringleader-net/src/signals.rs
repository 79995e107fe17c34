//! What asks a member to stop: signals, and the end of its standard input for members that another program started. And
//! what tells a service manager that it runs.

use crate::node::Handle;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{self, Read};
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{SignalKind, signal};

/// Hands TERM and INT on: the first asks the member to leave, the second ends it at once.
pub(crate) fn listen(handle: Handle) -> io::Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
            if first {
                handle.leave();
            } else {
                handle.stop();
            }
        }
    });
    Ok(())
}

/// Whether TERM or INT came since this was made. The second of them ends this program at once.
pub struct Interrupted(Arc<AtomicBool>);

impl Interrupted {
    /// From now on they are noted instead of ending this program.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> io::Result<Interrupted> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT] {
            // In this order: what comes while the flag is up already ends the program.
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))?;
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(Interrupted(flag))
    }

    /// Whether one came.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When standard input ends, whoever started this member is gone, and it leaves too.
pub(crate) fn watch_stdin(handle: Handle) -> io::Result<()> {
    when_stdin_ends(move || handle.leave())
}

/// Does this once, when standard input ends.
///
/// # Errors
/// If there is no thread for it.
pub fn when_stdin_ends(then: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("stdin".into()).spawn(move || {
        let mut bytes = [0; 64];
        let mut stdin = io::stdin().lock();
        while matches!(stdin.read(&mut bytes), Ok(read) if read > 0) {}
        then();
    })?;
    Ok(())
}

/// Tells the service manager, if there is one that wants to know.
pub fn tell_manager(state: &str) {
    let Some(name) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let Ok(socket) = UnixDatagram::unbound() else { return };
    #[cfg(target_os = "linux")]
    {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::ffi::OsStrExt;
        if let Some(hidden) = name.as_bytes().strip_prefix(b"@") {
            if let Ok(address) = std::os::unix::net::SocketAddr::from_abstract_name(hidden) {
                let _ = socket.send_to_addr(state.as_bytes(), &address);
            }
            return;
        }
    }
    let _ = socket.send_to(state.as_bytes(), name);
}
