//! What another server sends, read as far as it is read before anything is believed: for fuzzing.

use super::frame::{self, Kind};
use bytes::BytesMut;
use ringleader_locks::Message;

/// The bytes of a connection, which come in pieces of this length. Gives what was in them: lock messages, and
/// requests (true) and answers of the view store.
#[must_use]
pub fn stream(bytes: &[u8], piece: usize) -> (Vec<Message>, Vec<(bool, Vec<u8>)>) {
    let (mut buffer, mut messages, mut calls) = (BytesMut::new(), Vec::new(), Vec::new());
    for piece in bytes.chunks(piece.max(1)) {
        buffer.extend_from_slice(piece);
        loop {
            let (kind, bytes) = match frame::take(&mut buffer) {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(_) => return (messages, calls),
            };
            if kind == Kind::Lock {
                messages.extend(Message::decode(&bytes));
            } else if kind == Kind::Request || kind == Kind::Response {
                let numbered = frame::numbered(&bytes).ok();
                calls.extend(numbered.map(|(_, rest)| (kind == Kind::Request, rest.to_vec())));
            }
        }
    }
    (messages, calls)
}
