//! One connection: frames in, frames out, and nothing of it without a bound.
//!
//! What goes out waits in an [`Outgoing`], with a bound on frames and bytes; everything that waits there is written at
//! once. What comes in goes to an [`Ear`]: while that is busy nothing is read, and a peer that sends faster than it is
//! heard is slowed by TCP.

use super::{Bounds, take_frame, write_frame};
use crate::tls::explain_io;
use bytes::{Bytes, BytesMut};
use core::fmt;
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

/// How much is read at once.
const READ: usize = 64 * 1024;

/// After its last frame a connection is read for so long, so that the frame is not lost by a reset.
const LINGER: Duration = Duration::from_millis(300);

/// For so long whoever hears may take to answer what is not acceptable.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Why nothing more comes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The other side closed it.
    Closed,
    /// It broke, or was silent for too long.
    Failed(String),
    /// What came is not acceptable.
    Malformed(String),
    /// Too much came.
    Flood(String),
    /// This side closed it.
    Ours,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Closed => write!(f, "it closed the connection"),
            Ended::Failed(why) | Ended::Malformed(why) | Ended::Flood(why) => write!(f, "{why}"),
            Ended::Ours => write!(f, "this side closed it"),
        }
    }
}

/// Who hears the frames of a connection.
pub trait Ear: Send + Sync {
    /// A frame has come.
    ///
    /// # Errors
    /// If it is none that may come.
    fn hears(&self, frame: Bytes) -> impl Future<Output = Result<(), String>> + Send;

    /// Nothing more will come. If what came is not acceptable, it may still be answered.
    fn ended(&self, ended: Ended) -> impl Future<Output = ()> + Send;
}

/// So much may wait already when something is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Frames.
    pub frames: usize,
    /// Bytes.
    pub bytes: usize,
}

/// What waits to be written to one connection.
#[derive(Default)]
pub struct Outgoing {
    waits: Mutex<Waits>,
    more: Notify,
}

#[derive(Default)]
struct Waits {
    bytes: Vec<u8>,
    frames: usize,
    closing: Option<Closing>,
}

/// How a connection is closed from this side.
#[derive(Clone, PartialEq, Eq)]
enum Closing {
    /// After what waits.
    Written,
    /// At once, but for these last bytes.
    Cut(Vec<u8>),
}

impl Outgoing {
    /// Queues a frame, if there is room; gives its length.
    pub fn put(&self, room: Room, content: impl FnOnce(&mut Vec<u8>)) -> Option<usize> {
        let mut waits = self.waits();
        if waits.closing.is_some() || waits.bytes.len() > room.bytes || waits.frames >= room.frames {
            return None;
        }
        let before = waits.bytes.len();
        write_frame(&mut waits.bytes, content);
        waits.frames += 1;
        let length = waits.bytes.len() - before - 4;
        drop(waits);
        if before == 0 {
            self.more.notify_one();
        }
        Some(length)
    }

    /// Closes after a last frame: behind what waits, or, if there is no room, instead of it.
    pub fn end_with(&self, room: Room, last: &[u8]) {
        let is_behind = self.put(room, |out| out.extend_from_slice(last)).is_some();
        self.closes(if is_behind {
            Closing::Written
        } else {
            let mut bytes = Vec::new();
            write_frame(&mut bytes, |out| out.extend_from_slice(last));
            Closing::Cut(bytes)
        });
    }

    /// Closes after what waits.
    pub fn end(&self) {
        self.closes(Closing::Written);
    }

    /// Closes at once; what waits is lost.
    pub fn cut(&self) {
        self.closes(Closing::Cut(Vec::new()));
    }

    fn closes(&self, closing: Closing) {
        self.waits().closing.get_or_insert(closing);
        self.more.notify_one();
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that waits, in exchange for an empty buffer; how to close, if nothing does any more.
    async fn next(&self, buffer: &mut Vec<u8>) -> Result<(), Closing> {
        loop {
            {
                let mut waits = self.waits();
                match &waits.closing {
                    Some(Closing::Cut(last)) => return Err(Closing::Cut(last.clone())),
                    Some(Closing::Written) if waits.bytes.is_empty() => return Err(Closing::Written),
                    Some(Closing::Written) | None => {}
                }
                if !waits.bytes.is_empty() {
                    std::mem::swap(&mut waits.bytes, buffer);
                    waits.frames = 0;
                    return Ok(());
                }
            }
            self.more.notified().await;
        }
    }

    /// The last bytes, once it is closed at once.
    async fn is_cut(&self) -> Vec<u8> {
        loop {
            if let Some(Closing::Cut(last)) = &self.waits().closing {
                return last.clone();
            }
            self.more.notified().await;
        }
    }

    /// Writes until it is closed from this side.
    async fn write<W: AsyncWrite + Unpin>(&self, writer: &mut W) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(READ);
        loop {
            buffer.clear();
            let last = match self.next(&mut buffer).await {
                Err(Closing::Written) => break,
                Err(Closing::Cut(last)) => Some(last),
                Ok(()) => {
                    let mut written = 0;
                    tokio::select! {
                        biased;
                        done = write_from(writer, &buffer, &mut written) => {
                            done?;
                            None
                        }
                        last = self.is_cut() => {
                            // The frame that is half written comes first.
                            let mut end = 0;
                            while let Some((length, _)) = buffer[end..].split_first_chunk::<4>()
                                && end < written
                            {
                                end += 4 + u32::from_be_bytes(*length) as usize;
                            }
                            buffer.truncate(end);
                            buffer.drain(..written);
                            Some([std::mem::take(&mut buffer), last].concat())
                        }
                    }
                }
            };
            if let Some(last) = last {
                // The peer reads slowly or not at all: it gets one more chance to be told.
                let _ = timeout(LINGER, write_from(writer, &last, &mut 0)).await;
                break;
            }
            if buffer.capacity() > 4 * READ {
                buffer = Vec::with_capacity(READ);
            }
        }
        // Saying so must not take long either.
        timeout(LINGER, writer.shutdown()).await.unwrap_or(Ok(()))
    }
}

/// Writes what is left of a buffer; what is written is known even if this is not waited for to the end.
async fn write_from<W: AsyncWrite + Unpin>(
    writer: &mut W,
    buffer: &[u8],
    written: &mut usize,
) -> io::Result<()> {
    while *written < buffer.len() {
        match writer.write(&buffer[*written..]).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            more => *written += more,
        }
    }
    writer.flush().await
}

/// Moves bytes between a connection and those above until it is over. A frame may have been read already, and more
/// bytes.
pub async fn serve<S: AsyncRead + AsyncWrite>(
    stream: S,
    (first, mut buffer): (Option<Bytes>, BytesMut),
    outgoing: &Outgoing,
    ear: impl Ear,
    bounds: &Bounds,
    begins: impl Fn(u8) -> Result<(), String>,
) {
    let (mut reader, mut writer) = tokio::io::split(stream);
    // Whether something was heard since the last look, whether that is waited for, and whether it is still for anybody.
    let (heard, waits, wanted) = (AtomicBool::new(true), AtomicBool::new(false), AtomicBool::new(true));
    let reads = async {
        let mut bucket = Bucket::new(bounds);
        if let Some(first) = first {
            ear.hears(first).await.map_err(Ended::Malformed)?;
        }
        loop {
            while wanted.load(Ordering::Relaxed)
                && let Some(frame) =
                    take_frame(&mut buffer, bounds.frame, &begins).map_err(Ended::Malformed)?
            {
                bucket.takes()?;
                ear.hears(frame).await.map_err(Ended::Malformed)?;
            }
            buffer.reserve(READ);
            heard.store(true, Ordering::Relaxed);
            waits.store(true, Ordering::Relaxed);
            let read = reader.read_buf(&mut buffer).await;
            waits.store(false, Ordering::Relaxed);
            if read.map_err(|error| Ended::Failed(explain_io(&error).message))? == 0 {
                return Err::<(), Ended>(Ended::Closed);
            }
            if !wanted.load(Ordering::Relaxed) {
                // Whatever still comes is thrown away until the other has read why.
                buffer.clear();
            }
        }
    };
    let silence = async {
        while heard.swap(false, Ordering::Relaxed) || !waits.load(Ordering::Relaxed) {
            sleep(bounds.silence).await;
        }
        Ended::Failed(format!("silent for {} ms", bounds.silence.as_millis()))
    };
    let writes = outgoing.write(&mut writer);
    let (mut reads, mut writes, silence) = (pin!(reads), pin!(writes), pin!(silence));
    let ended = tokio::select! {
        biased;
        ended = &mut reads => ended.err().unwrap_or(Ended::Closed),
        written = &mut writes => match written {
            Ok(()) => Ended::Ours,
            Err(error) => Ended::Failed(format!("writing: {error}")),
        },
        ended = silence => ended,
    };
    let is_ours = ended == Ended::Ours;
    let is_answered = matches!(ended, Ended::Malformed(_) | Ended::Flood(_));
    ear.ended(ended).await;
    if is_ours {
        wanted.store(false, Ordering::Relaxed);
        let _ = timeout(LINGER, reads).await;
    } else if is_answered {
        let _ = timeout(LAST_WORDS, writes).await;
    }
}

/// So many frames a second, with a reserve.
struct Bucket<'a> {
    bounds: &'a Bounds,
    left: u64,
    since: Instant,
}

impl<'a> Bucket<'a> {
    fn new(bounds: &'a Bounds) -> Bucket<'a> {
        Bucket { bounds, left: bounds.burst, since: Instant::now() }
    }

    /// Whether one more frame may be taken.
    fn takes(&mut self) -> Result<(), Ended> {
        let a_second = self.bounds.frames_per_second;
        if self.left == 0 {
            let gone = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
            let more = gone.saturating_mul(a_second) / 1_000_000;
            if more == 0 {
                return Err(Ended::Flood(format!("more than {a_second} frames a second")));
            }
            self.since = Instant::now();
            self.left = more.min(self.bounds.burst);
        }
        self.left -= 1;
        Ok(())
    }
}
