//! What another member sends, read as far as it is read before anything is believed: for fuzzing.

use super::connection::{codec, one_frame};
use ringleader_live::Frame;

/// The frames in the bytes of a connection, up to the first that is none.
#[must_use]
pub fn stream(bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else { return frames };
    runtime.block_on(async {
        let (mut reader, mut buffer, mut codec) = (bytes, bytes::BytesMut::new(), codec());
        while let Ok(Some((frame, _))) = one_frame(&mut reader, &mut buffer, &mut codec).await {
            frames.push(frame);
        }
    });
    frames
}
