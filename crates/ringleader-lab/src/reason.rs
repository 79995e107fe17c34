//! What errors of the operating system mean, for whoever has to do something about them.

use std::io;

/// Why an address cannot be listened on.
#[must_use]
pub fn cannot_listen(error: &io::Error) -> String {
    let known = [
        (io::ErrorKind::AddrInUse, "already in use"),
        (io::ErrorKind::PermissionDenied, "ports below 1024 need rights that this user has not"),
        (io::ErrorKind::AddrNotAvailable, "this machine has no such address"),
    ];
    let why = known.iter().find(|(kind, _)| *kind == error.kind());
    why.map_or_else(|| error.to_string(), |(_, why)| (*why).to_owned())
}
