//! Asking a member how it is, from inside its host, and the clock that all members of one machine share.

use nix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// For how long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The clock of the members (`CLOCK_BOOTTIME`), in microseconds. Hosts are namespaces of one machine: theirs
/// is this one.
#[must_use]
pub fn now_us() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_BOOTTIME).map(Duration::from).unwrap_or_default();
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// What a member answers to `GET /v1/status` on this port of its own loopback. To be called on a thread
/// inside the host.
pub(crate) fn status(port: u16) -> io::Result<Value> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let body = body(&answer).ok_or_else(|| io::Error::other("not an HTTP answer with a body"))?;
    Ok(serde_json::from_slice(body)?)
}

/// The body of an answer that says `200`, is not in chunks, and ends with the connection.
fn body(answer: &[u8]) -> Option<&[u8]> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    answer.starts_with(b"HTTP/1.1 200 ").then(|| &answer[end + 4..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_what_follows_the_blank_line() {
        assert_eq!(body(b"HTTP/1.1 200 OK\r\na: b\r\n\r\n{}"), Some(&b"{}"[..]));
        assert_eq!(body(b"HTTP/1.1 503 No\r\na: b\r\n\r\n{}"), None);
        assert_eq!(body(b"HTTP/1.1 200 OK\r\n"), None);
    }
}
