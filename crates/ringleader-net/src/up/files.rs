//! What nodes on this machine need before the first one starts: free ports and certificates.

use crate::{Problem, cert};
use std::fs::File;
use std::io::Write;
use std::net::{IpAddr, TcpListener};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Ports are taken from here: below those that systems hand out for outgoing connections, so that nobody else gets one
/// between the moment it was found free and the moment a node claims it.
const PORTS: std::ops::Range<u16> = 16_000..32_000;

/// For how many days the certificates are good.
const DAYS: u32 = 30;

/// Writes a file with these rights.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, text: &str, mode: u32) -> Result<(), Problem> {
    let open = File::options().write(true).create(true).truncate(true).mode(mode).open(path);
    open.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        Problem::environment("cannot_write", format!("cannot write {}: {error}", path.display()))
    })
}

/// An authority, and certificates of it for these nodes, at these addresses, and clients.
///
/// # Errors
/// If one of them cannot be made or written.
pub fn certificates(
    folder: &Path,
    cluster: &str,
    (nodes, addresses): (&[&str], &[IpAddr]),
    clients: &[&str],
) -> Result<(), Problem> {
    let validity = cert::Validity::days(DAYS);
    let put = |name: &str, pair: &cert::Pair| {
        write(&folder.join(format!("{name}.pem")), &pair.certificate, 0o644)?;
        write(&folder.join(format!("{name}.key")), &pair.key, 0o600)
    };
    let authority = cert::authority(cluster, validity)?;
    put("ca", &authority)?;
    for name in nodes {
        put(name, &cert::issue_at(&authority, cluster, (name, addresses), validity)?)?;
    }
    for name in clients {
        put(name, &cert::issue_client(&authority, cluster, name, validity)?)?;
    }
    Ok(())
}

/// Free ports of this machine, none twice.
pub struct Ports {
    next: u16,
    tried: u16,
}

impl Ports {
    /// The search begins somewhere; where depends on this.
    #[must_use]
    pub fn new(seed: u64) -> Ports {
        // Several clusters that are made at once look in different places.
        let start = seed ^ u64::from(std::process::id()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let range = u64::from(PORTS.end - PORTS.start);
        Ports { next: PORTS.start + ((start ^ start >> 29) % range) as u16, tried: 0 }
    }

    /// One that is free now.
    ///
    /// # Errors
    /// If none is.
    pub fn free(&mut self) -> Result<u16, Problem> {
        while self.tried < PORTS.end - PORTS.start {
            self.tried += 1;
            self.next = if self.next + 1 >= PORTS.end { PORTS.start } else { self.next + 1 };
            if TcpListener::bind(("127.0.0.1", self.next)).is_ok() {
                return Ok(self.next);
            }
        }
        Err(Problem::environment("no_ports", "no ports are free on this machine"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_and_differ() {
        let mut ports = Ports::new(7);
        let first = ports.free().expect("some are free");
        assert!(PORTS.contains(&first));
        assert_ne!(ports.free().expect("some are free"), first);
    }
}
