//! What asks a member to stop, or to read its files again: signals. To stop, also the end of its standard input, for
//! members that another program started. And what tells a service manager that it runs.

use crate::node::Handle;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, Read};
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};

/// So soon after the first, another signal is the same wish: `timeout` sends each to a program and to its whole group.
const SAME_WISH: Duration = Duration::from_millis(500);

/// What came so far.
#[derive(Default)]
struct Wishes(Option<Instant>);

/// What a signal asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wish {
    Leave,
    Same,
    Stop,
}

impl Wishes {
    fn signal(&mut self, now: Instant) -> Wish {
        match self.0 {
            None => {
                self.0 = Some(now);
                Wish::Leave
            }
            Some(first) if now.saturating_duration_since(first) < SAME_WISH => Wish::Same,
            Some(_) => Wish::Stop,
        }
    }
}

/// Hands TERM and INT on: the first asks to leave, a later one to stop at once.
///
/// # Errors
/// If the system refuses.
pub fn listen(leave: impl Fn() + Send + 'static, stop: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        let mut wishes = Wishes::default();
        loop {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
            match wishes.signal(Instant::now()) {
                Wish::Leave => leave(),
                Wish::Same => {}
                Wish::Stop => stop(),
            }
        }
    });
    Ok(())
}

/// Does this whenever HUP comes, instead of ending this program.
///
/// # Errors
/// If the system refuses.
pub fn on_hangup(mut then: impl FnMut() + Send + 'static) -> io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            then();
        }
    });
    Ok(())
}

/// Whether TERM or INT came since this was made. A later one ends this program at once.
pub struct Interrupted(Arc<AtomicBool>);

impl Interrupted {
    /// From now on they are noted instead of ending this program.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> io::Result<Interrupted> {
        let flag = Arc::new(AtomicBool::new(false));
        let (raised, mut signals) = (Arc::clone(&flag), Signals::new([SIGTERM, SIGINT])?);
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            let mut wishes = Wishes::default();
            for _ in signals.forever() {
                match wishes.signal(Instant::now()) {
                    Wish::Leave => raised.store(true, Ordering::Relaxed),
                    Wish::Same => {}
                    Wish::Stop => signal_hook::low_level::exit(130),
                }
            }
        })?;
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

/// What a service manager is told before files are read again, and `READY=1` after it.
#[must_use]
pub fn reloading() -> String {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let micros = now.tv_sec * 1_000_000 + now.tv_nsec / 1000;
    format!("RELOADING=1\nMONOTONIC_USEC={micros}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_is_sent_twice_is_one_wish() {
        let (mut wishes, now) = (Wishes::default(), Instant::now());
        assert_eq!(wishes.signal(now), Wish::Leave);
        assert_eq!(wishes.signal(now), Wish::Same);
        assert_eq!(wishes.signal(now + Duration::from_millis(499)), Wish::Same);
        assert_eq!(wishes.signal(now + Duration::from_millis(500)), Wish::Stop);
    }
}
