//! Frames: the length of what follows in four bytes, a kind in one, then the bytes.

use bytes::{Buf, Bytes, BytesMut};

/// The most bytes of a frame: a snapshot of the view store is the largest.
pub const MAX_FRAME: usize = 4 << 20;

/// What a frame carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Who is there.
    Hello,
    /// A lock message.
    Lock,
    /// A request of the view store, with its number before it.
    Request,
    /// The answer, with the same number.
    Response,
}

impl Kind {
    fn of(byte: u8) -> Option<Kind> {
        let all = [Kind::Hello, Kind::Lock, Kind::Request, Kind::Response];
        all.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Appends a frame whose bytes are written by `content`.
pub(super) fn write(out: &mut Vec<u8>, kind: Kind, content: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, kind as u8]);
    content(out);
    let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Takes a whole frame off the front; none if it is not all there yet.
pub(super) fn take(buffer: &mut BytesMut) -> Result<Option<(Kind, Bytes)>, String> {
    let Some((head, _)) = buffer.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(*head) as usize;
    if length == 0 || length > MAX_FRAME {
        return Err(format!("a frame of {length} bytes; there are 1 to {MAX_FRAME}"));
    }
    if let Some(byte) = buffer.get(4)
        && Kind::of(*byte).is_none()
    {
        return Err(format!("a frame of the unknown kind {byte}"));
    }
    if buffer.len() < 4 + length {
        // What comes next fits without growing again.
        buffer.reserve(4 + length - buffer.len());
        return Ok(None);
    }
    buffer.advance(4);
    let mut frame = buffer.split_to(length).freeze();
    let kind = Kind::of(frame.get_u8()).ok_or("a frame of an unknown kind")?;
    Ok(Some((kind, frame)))
}

/// The number before a request or an answer.
pub(super) fn numbered(bytes: &Bytes) -> Result<(u64, Bytes), String> {
    let (number, _) = bytes.split_first_chunk::<8>().ok_or("a request without a number")?;
    Ok((u64::from_le_bytes(*number), bytes.slice(8..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_however_it_is_cut() {
        let mut all = Vec::new();
        write(&mut all, Kind::Lock, |out| out.extend_from_slice(b"token"));
        write(&mut all, Kind::Request, |out| out.extend_from_slice(&7_u64.to_le_bytes()));
        let (mut buffer, mut found) = (BytesMut::new(), Vec::new());
        for byte in all {
            buffer.extend_from_slice(&[byte]);
            found.extend(take(&mut buffer).expect("they are frames"));
        }
        assert_eq!(found[0], (Kind::Lock, Bytes::from_static(b"token")));
        assert_eq!(numbered(&found[1].1), Ok((7, Bytes::new())));
    }

    #[test]
    fn what_is_no_frame_is_refused_before_it_costs_anything() {
        for bytes in [[0, 0, 0, 0, 1], [0xff, 0xff, 0xff, 0xff, 1], [0, 0, 0, 9, 77]] {
            assert!(take(&mut BytesMut::from(&bytes[..])).is_err(), "{bytes:?}");
        }
    }
}
