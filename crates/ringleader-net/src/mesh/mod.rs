//! Connections between peers that know each other by name: one for each pair, the higher place dials the lower. Who is
//! at the other end is settled before a frame of it is heard: by its certificate, or, in plain text on one machine, by
//! its greeting. What frames mean is decided above, by a [`Protocol`]: nodes and servers have one each.
//!
//! A frame is its length in four bytes, the highest first, and its bytes. Frames arrive at most once and in order; a
//! connection that breaks loses what it carried. Nothing waits without a bound.

mod connection;
mod meet;
mod trust;

pub use connection::{Ear, Ended, Outgoing, Room, serve};
pub use trust::{Means, Renewals, Shown, Trust};

use crate::limits;
use crate::tls::Stranger;
use bytes::{Buf, Bytes, BytesMut};
use ringleader_live::{MAX_FRAME, MAX_MEMBERS, Place};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// What a peer, or a stranger, can cost at most, and how long it is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Bytes of a frame.
    pub frame: usize,
    /// Frames that wait for whoever reads them, for each connection.
    pub inbound: usize,
    /// Frames that wait for a socket, for each connection. All that a link may have to send again fits in.
    pub outbound: usize,
    /// Their bytes.
    pub outbound_bytes: usize,
    /// Frames that a peer may send in a second, for long.
    pub frames_per_second: u64,
    /// Frames that it may send at once.
    pub burst: u64,
    /// Connections of which it is not settled yet who is there.
    pub handshakes: usize,
    /// How long that may take.
    pub handshake: Duration,
    /// After so long without a byte a connection is given up; a new one may find another way.
    pub silence: Duration,
    /// The first pause before a peer is dialled again; doubled each time.
    pub pause: Duration,
    /// The longest.
    pub pause_max: Duration,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            frame: MAX_FRAME,
            inbound: 256,
            outbound: 16 * 1024,
            outbound_bytes: 8 << 20,
            frames_per_second: 200_000,
            burst: 400_000,
            handshakes: MAX_MEMBERS,
            handshake: Duration::from_secs(5),
            silence: Duration::from_secs(2),
            pause: Duration::from_millis(50),
            pause_max: Duration::from_secs(2),
        }
    }
}

/// Who the peers are.
pub struct Surroundings {
    /// The name of the cluster: it is in the names of certificates.
    pub cluster: String,
    /// Our own place.
    pub own: Place,
    /// The names of all, by place.
    pub names: Vec<String>,
    /// Where they are reached, `host:port`.
    pub addresses: Vec<String>,
    /// How they are known.
    pub trust: Trust,
    /// What they may cost.
    pub bounds: Bounds,
}

impl Surroundings {
    /// Who has this name.
    #[must_use]
    pub fn place_of(&self, name: &str) -> Option<Place> {
        self.names.iter().position(|known| known == name).and_then(|place| Place::try_from(place).ok())
    }

    /// The name of this place.
    #[must_use]
    pub fn name(&self, place: Place) -> &str {
        self.names.get(usize::from(place)).map_or("?", String::as_str)
    }
}

/// What peers say to each other.
pub trait Protocol: Send + Sync + Sized + 'static {
    /// Who hears the frames of one connection, while it lasts.
    type Ear: Ear;

    /// Who the peers are.
    fn around(&self) -> &Surroundings;

    /// What both sides of a connection say first. If there is nothing, a certificate alone says who is there; without
    /// certificates it is the first frame of whoever dials, which is heard again later.
    fn greeting(&self) -> Option<Vec<u8>>;

    /// Who is there, by the name in its certificate and by its first frame, as far as there are any.
    ///
    /// # Errors
    /// If it is none of the peers, or says what it should not.
    fn who(&self, certified: Option<&str>, first: Option<&[u8]>) -> Result<Place, Stranger>;

    /// Whether frames may begin with this byte: otherwise they are not waited for.
    ///
    /// # Errors
    /// If they may not.
    fn begins(&self, _first: u8) -> Result<(), String> {
        Ok(())
    }

    /// There is a connection. None if it is not wanted any more.
    fn connected(
        &self,
        place: Place,
        at: SocketAddr,
    ) -> impl Future<Output = Option<(Arc<Outgoing>, Self::Ear)>> + Send;

    /// Somebody was turned away before it was heard.
    fn stranger(&self, from: SocketAddr, why: Stranger);

    /// A peer is not reached.
    fn unreachable(&self, place: Place, why: Stranger);

    /// Settles who somebody is that came in.
    fn settles(&self, task: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(task);
    }
}

/// Takes connections for ever.
pub async fn listen<P: Protocol>(listener: TcpListener, protocol: Arc<P>) {
    let open = limits::Purse::new(protocol.around().bounds.handshakes);
    limits::accept(&listener, &open, |stream, from, entry| {
        protocol.settles(meet::comes_in(Arc::clone(&protocol), stream, from, entry));
    })
    .await;
}

pub use meet::dial;

/// Appends a frame whose bytes are written by `content`.
pub fn write_frame(out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    content(out);
    let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Takes a whole frame off the front; none if it is not all there yet.
///
/// # Errors
/// If it is too long, or begins as none does. That is seen before anything is kept for it: a frame that says it is huge
/// costs nothing.
pub fn take_frame(
    buffer: &mut BytesMut,
    most: usize,
    begins: impl FnOnce(u8) -> Result<(), String>,
) -> Result<Option<Bytes>, String> {
    let Some((head, _)) = buffer.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(*head) as usize;
    if length == 0 || length > most {
        return Err(format!("a frame of {length} bytes; there are 1 to {most}"));
    }
    if let Some(first) = buffer.get(4) {
        begins(*first)?;
    }
    if buffer.len() < 4 + length {
        // What comes next fits without growing again.
        buffer.reserve(4 + length - buffer.len());
        return Ok(None);
    }
    buffer.advance(4);
    Ok(Some(buffer.split_to(length).freeze()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(first: u8) -> Result<(), String> {
        if first < 9 { Ok(()) } else { Err(format!("none begins with {first}")) }
    }

    #[test]
    fn frame_comes_back_however_it_is_cut() {
        let mut all = Vec::new();
        write_frame(&mut all, |out| out.extend_from_slice(b"\x01token"));
        write_frame(&mut all, |out| out.extend_from_slice(&7_u64.to_le_bytes()));
        let (mut buffer, mut found) = (BytesMut::new(), Vec::new());
        for byte in all {
            buffer.extend_from_slice(&[byte]);
            found.extend(take_frame(&mut buffer, 100, begins).expect("they are frames"));
        }
        assert_eq!(found, [&b"\x01token"[..], &7_u64.to_le_bytes()]);
    }

    #[test]
    fn bad_frame_is_refused_before_it_is_read() {
        for bytes in [[0, 0, 0, 0, 1], [0xff, 0xff, 0xff, 0xff, 1], [0, 0, 0, 9, 77]] {
            let mut buffer = BytesMut::from(&bytes[..]);
            assert!(take_frame(&mut buffer, 1 << 20, begins).is_err(), "{bytes:?}");
        }
    }
}
