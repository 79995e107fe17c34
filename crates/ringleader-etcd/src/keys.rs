//! Numbers of leases, and the keys of those who hold or wait: `NAME/LEASE`, with the lease in hexadecimal.

use crate::refusals::bad;
use ringleader_client::api::Refusal;
use ringleader_locks::{Kind, Name, ServerId};
use ringleader_server::front::named;

/// Bits of a lease's number that are drawn; the server's place is above them, and the sign is 0.
const DRAWN: u32 = 47;

/// The number of a lease at this server, of these drawn bits.
pub(crate) fn lease_id(place: ServerId, drawn: u64) -> i64 {
    i64::from(place) << DRAWN | (drawn & ((1 << DRAWN) - 1)).cast_signed()
}

/// The server at which a lease was granted; none if it is no number of a lease.
pub(crate) fn place_of(lease: i64) -> Option<ServerId> {
    ServerId::try_from(lease >> DRAWN).ok().filter(|_| lease & ((1 << DRAWN) - 1) != 0)
}

/// The key of a lease under a name.
pub(crate) fn key(name: &Name, lease: i64) -> Vec<u8> {
    format!("{name}/{lease:x}").into_bytes()
}

/// The name in bytes, as clients of etcd send it.
pub(crate) fn name(kind: Kind, bytes: &[u8]) -> Result<Name, Refusal> {
    let text = str::from_utf8(bytes).map_err(|_| bad("a name is text in UTF-8"))?;
    named(kind, text)
}

/// The name and the lease of a key.
pub(crate) fn parts(kind: Kind, bytes: &[u8]) -> Result<(Name, i64), Refusal> {
    let plain = || {
        let shown = String::from_utf8_lossy(bytes);
        bad(format!("`{shown}` is no key of a lock: it is the `key` of an answer to Lock, NAME/LEASE"))
    };
    let text = str::from_utf8(bytes).map_err(|_| plain())?;
    let (before, lease) = text.rsplit_once('/').ok_or_else(plain)?;
    let name = named(kind, before).map_err(|_| plain())?;
    let lease = i64::from_str_radix(lease, 16).ok().filter(|lease| place_of(*lease).is_some());
    let lease = lease.ok_or_else(plain)?;
    // One way to write it: another spelling was never given out.
    if key(&name, lease) == bytes { Ok((name, lease)) } else { Err(plain()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_names_its_server() {
        for place in [0, 1, 8, ServerId::MAX] {
            for drawn in [1, 0x1234_5678_9abc, u64::MAX] {
                let lease = lease_id(place, drawn);
                assert!(lease > 0, "{place} {drawn}");
                assert_eq!(place_of(lease), Some(place));
            }
        }
        for none in [0, -1, i64::MIN, 5 << DRAWN] {
            assert_eq!(place_of(none), None, "{none}");
        }
    }

    #[test]
    fn keys_are_read_as_they_are_written() {
        for text in ["a", "a/b", "/locks/é", "x/7f"] {
            let name = name(Kind::Lock, text.as_bytes()).expect("a good name");
            let lease = lease_id(2, 77);
            assert_eq!(parts(Kind::Lock, &key(&name, lease)).expect("our own"), (name, lease));
        }
    }

    #[test]
    fn plain_keys_are_refused() {
        let bytes: [&[u8]; 8] =
            [b"", b"plain", b"a/", b"/7f", b"a/xyz", b"a/-7f", b"a/0001000000000001", b"\xff/1000000000001"];
        for bad in bytes {
            let refusal = parts(Kind::Lock, bad).expect_err("it is no key");
            assert_eq!(refusal.code, "bad_request", "{bad:?}");
        }
    }
}
