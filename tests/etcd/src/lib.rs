//! Servers as processes, started as their users start them, and clients of etcd for them.

mod debian;
mod servers;

pub use debian::Debian;
pub use servers::{CLIENT, Servers, TOKEN, TOLD_S};

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// Nothing takes so long, unless it never happens.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Waits for a condition.
///
/// # Panics
/// If it never comes.
pub async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// An address of this machine that is free now; below the ports that systems hand out for outgoing connections.
fn address() -> String {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    const PORTS: u32 = 16_000;
    let start = std::process::id().wrapping_mul(97) % PORTS;
    loop {
        let port = 16_000 + (start + u32::from(NEXT.fetch_add(1, Ordering::Relaxed))) % PORTS;
        let address = format!("127.0.0.1:{port}");
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}
