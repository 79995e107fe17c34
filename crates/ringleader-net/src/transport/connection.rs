//! One connection: frames in, frames out, and nothing of it without a bound.
//!
//! The node holds a [`Connection`]; a [`Pump`] moves bytes between it and the socket. What comes in waits in a
//! short channel: a peer that sends faster than the node reads is slowed by TCP, and by nothing else. What goes out
//! waits in a queue with a bound on frames and bytes: a peer that does not read is let go, since the link sends
//! everything again.

use super::Bounds;
use bytes::Bytes;
use futures_util::SinkExt;
use ringleader_live::{Frame, MAX_FRAME, Refused};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_util::codec::{Decoder, FramedWrite, LengthDelimitedCodec};

/// What comes from a connection.
#[derive(Debug)]
pub(crate) enum Inbound {
    /// A frame, and how many bytes it had.
    Frame(Frame, usize),
    /// Nothing more will come.
    Ended(Ended),
}

/// Why nothing more comes.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The other side closed it.
    Closed,
    /// It broke, or was silent for too long.
    Failed(String),
    /// What came is not acceptable: the other is told, and the connection is closed.
    Unfit(Refused, String),
}

/// The queue is full: the peer does not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Crowded;

/// The node's end of a connection.
pub(crate) struct Connection {
    frames: mpsc::Receiver<Inbound>,
    queue: mpsc::Sender<Bytes>,
    queued: Arc<AtomicUsize>,
    queued_max: usize,
    cut: oneshot::Sender<Option<Bytes>>,
}

impl Connection {
    /// A connection and its pump.
    pub(crate) fn new(bounds: &Bounds) -> (Connection, Pump) {
        let (inbound, frames) = mpsc::channel(bounds.inbound);
        let (queue, outgoing) = mpsc::channel(bounds.outbound);
        let queued = Arc::new(AtomicUsize::new(0));
        let (cut, cuts) = oneshot::channel();
        let pump =
            Pump { inbound, outgoing, queued: Arc::clone(&queued), cuts, bounds: *bounds, first: None };
        (Connection { frames, queue, queued, queued_max: bounds.outbound_bytes, cut }, pump)
    }

    /// Queues a frame; gives its bytes.
    pub(crate) fn send(&self, frame: &Frame) -> Result<usize, Crowded> {
        let bytes = Bytes::from(frame.encode());
        let length = bytes.len();
        if self.queued.load(Ordering::Relaxed) + length > self.queued_max {
            return Err(Crowded);
        }
        self.queued.fetch_add(length, Ordering::Relaxed);
        match self.queue.try_send(bytes) {
            // If the other end is gone the frame is lost, as everything is that a breaking connection carries.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(length),
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.queued.fetch_sub(length, Ordering::Relaxed);
                Err(Crowded)
            }
        }
    }

    /// Tells the other why, after what is queued if there is room, and closes.
    pub(crate) fn refuse(self, refused: Refused) {
        let frame = Frame::Refuse(refused);
        if self.send(&frame).is_err() {
            let _ = self.cut.send(Some(Bytes::from(frame.encode())));
        }
    }

    /// Closes at once; what is queued is lost.
    pub(crate) fn cut(self) {
        let _ = self.cut.send(None);
    }

    /// The next thing that comes from it.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Inbound> {
        self.frames.poll_recv(context).map(|next| next.unwrap_or(Inbound::Ended(Ended::Closed)))
    }
}

/// Moves bytes between a connection and its socket.
pub(crate) struct Pump {
    inbound: mpsc::Sender<Inbound>,
    outgoing: mpsc::Receiver<Bytes>,
    queued: Arc<AtomicUsize>,
    cuts: oneshot::Receiver<Option<Bytes>>,
    bounds: Bounds,
    first: Option<(Frame, usize)>,
}

/// After its last frame a connection is read for so long, so that the frame is not lost by a reset.
const LINGER: Duration = Duration::from_millis(300);

/// For so long what is queued may take when the other side has closed already.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Pump {
    /// A frame that was read already.
    pub(crate) fn begins_with(mut self, frame: Frame, bytes: usize) -> Pump {
        self.first = Some((frame, bytes));
        self
    }

    /// Runs until the connection is over.
    pub(crate) async fn run<S>(self, stream: S, read_already: bytes::BytesMut, served: &AtomicUsize)
    where
        S: AsyncRead + AsyncWrite,
    {
        served.fetch_add(1, Ordering::Relaxed);
        self.serve(stream, read_already).await;
        served.fetch_sub(1, Ordering::Relaxed);
    }

    async fn serve<S: AsyncRead + AsyncWrite>(self, stream: S, read_already: bytes::BytesMut) {
        let (reader, writer) = tokio::io::split(stream);
        let Pump { inbound, outgoing, queued, cuts, bounds, first } = self;
        if let Some((frame, bytes)) = first
            && inbound.send(Inbound::Frame(frame, bytes)).await.is_err()
        {
            return;
        }
        let reading = read(reader, read_already, &inbound, bounds);
        let writing = write(writer, outgoing, &queued, cuts);
        let (mut reading, mut writing) = (std::pin::pin!(reading), std::pin::pin!(writing));
        tokio::select! {
            ended = &mut reading => {
                let told = matches!(&ended, Some(Ended::Unfit(..)));
                if let Some(ended) = ended {
                    let _ = inbound.send(Inbound::Ended(ended)).await;
                }
                if told {
                    // The node answers by closing; its last frame is still to be written.
                    let _ = timeout(LAST_WORDS, writing).await;
                }
            }
            written = &mut writing => match written {
                Ok(()) => {
                    let _ = timeout(LINGER, reading).await;
                }
                Err(error) => {
                    let ended = Ended::Failed(format!("writing: {error}"));
                    let _ = inbound.send(Inbound::Ended(ended)).await;
                }
            },
        }
    }
}

/// How frames are delimited.
pub(super) fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder().max_frame_length(MAX_FRAME).new_codec()
}

/// Reads one frame; none at the end of the stream.
pub(super) async fn one_frame<S: AsyncRead + Unpin>(
    reader: &mut S,
    buffer: &mut bytes::BytesMut,
    codec: &mut LengthDelimitedCodec,
) -> Result<Option<(Frame, usize)>, Ended> {
    loop {
        // The length is looked at before anything is kept for it: a frame that says it is huge costs nothing.
        let found = codec.decode(buffer).map_err(|_| {
            let why = format!("a frame that says it is longer than {MAX_FRAME} bytes");
            Ended::Unfit(Refused::Malformed, why)
        })?;
        if let Some(bytes) = found {
            let frame = Frame::decode(&bytes);
            let frame = frame.map_err(|error| Ended::Unfit(Refused::Malformed, error.to_string()))?;
            return Ok(Some((frame, bytes.len())));
        }
        let read = reader.read_buf(buffer).await.map_err(|error| Ended::Failed(error.to_string()))?;
        if read == 0 {
            return Ok(None);
        }
    }
}

/// Reads until there is nothing more; none if the node does not listen any more.
async fn read<S: AsyncRead>(
    mut reader: ReadHalf<S>,
    mut buffer: bytes::BytesMut,
    inbound: &mpsc::Sender<Inbound>,
    bounds: Bounds,
) -> Option<Ended> {
    let mut codec = codec();
    let mut bucket = Bucket::new(bounds);
    loop {
        let next = timeout(bounds.silence, one_frame(&mut reader, &mut buffer, &mut codec)).await;
        let (frame, bytes) = match next {
            Ok(Ok(Some(frame))) => frame,
            Ok(Ok(None)) => return Some(Ended::Closed),
            Ok(Err(ended)) => return Some(ended),
            Err(_) => return Some(Ended::Failed(format!("silent for {} ms", bounds.silence.as_millis()))),
        };
        if !bucket.takes() {
            let why = format!("more than {} frames a second", bounds.frames_per_second);
            return Some(Ended::Unfit(Refused::Flood, why));
        }
        if inbound.send(Inbound::Frame(frame, bytes)).await.is_err() {
            // Closed on this side: whatever still comes is thrown away until the other has read why.
            while reader.read_buf(&mut buffer).await.is_ok_and(|read| read > 0) {
                buffer.clear();
            }
            return None;
        }
    }
}

/// Writes until nothing more is to be written. Frames that wait together go out together.
async fn write<S: AsyncWrite>(
    writer: WriteHalf<S>,
    mut outgoing: mpsc::Receiver<Bytes>,
    queued: &AtomicUsize,
    mut cuts: oneshot::Receiver<Option<Bytes>>,
) -> io::Result<()> {
    let mut sink = FramedWrite::new(writer, codec());
    sink.set_backpressure_boundary(MAX_FRAME);
    let all = async {
        while let Some(bytes) = outgoing.recv().await {
            let mut next = Some(bytes);
            while let Some(bytes) = next {
                queued.fetch_sub(bytes.len(), Ordering::Relaxed);
                sink.feed(bytes).await?;
                next = outgoing.try_recv().ok();
            }
            SinkExt::<Bytes>::flush(&mut sink).await?;
        }
        SinkExt::<Bytes>::close(&mut sink).await
    };
    let cut = async {
        match (&mut cuts).await {
            Ok(last) => last,
            // The node's end is gone without a word: what is queued is still written.
            Err(_) => std::future::pending().await,
        }
    };
    let last = tokio::select! {
        biased;
        last = cut => last,
        written = all => return written,
    };
    if let Some(bytes) = last {
        // The peer reads slowly or not at all: it gets one more chance to be told.
        let _ = timeout(LINGER, sink.send(bytes)).await;
    }
    Ok(())
}

/// So many frames a second, with a reserve.
struct Bucket {
    bounds: Bounds,
    left: u64,
    since: Instant,
}

impl Bucket {
    fn new(bounds: Bounds) -> Bucket {
        Bucket { bounds, left: bounds.burst, since: Instant::now() }
    }

    /// Whether one more frame may be taken.
    fn takes(&mut self) -> bool {
        if self.left == 0 {
            let gone = self.since.elapsed();
            let more = gone.as_micros() as u64 * self.bounds.frames_per_second / 1_000_000;
            if more == 0 {
                return false;
            }
            self.since = Instant::now();
            self.left = more.min(self.bounds.burst);
        }
        self.left -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::BytesMut;
    use ringleader_live::{Beat, Micros};
    use tokio::io::{AsyncWriteExt, DuplexStream};

    fn beat(number: u64) -> Frame {
        let sent = Micros(number);
        Frame::Beat(Beat { number, sent, echo: None, hears: 1, leaving: false, groups: Vec::new() })
    }

    fn bytes(frame: &Frame) -> Vec<u8> {
        let body = frame.encode();
        let length = u32::try_from(body.len()).expect("frames are short");
        [&length.to_be_bytes()[..], &body].concat()
    }

    /// A connection whose other end is in the hands of the test.
    fn connected(bounds: Bounds) -> (Connection, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(256);
        let (connection, pump) = Connection::new(&bounds);
        tokio::spawn(async move { pump.run(ours, BytesMut::new(), &AtomicUsize::new(0)).await });
        (connection, theirs)
    }

    fn alone(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(test);
    }

    async fn next(connection: &mut Connection) -> Inbound {
        std::future::poll_fn(|context| connection.poll(context)).await
    }

    async fn all_frames(stream: &mut DuplexStream) -> Vec<Frame> {
        let (mut buffer, mut codec, mut frames) = (BytesMut::new(), codec(), Vec::new());
        while let Ok(Some((frame, _))) = one_frame(stream, &mut buffer, &mut codec).await {
            frames.push(frame);
        }
        frames
    }

    #[test]
    fn frames_arrive_whole_however_they_are_cut() {
        alone(async {
            let (mut connection, mut other) = connected(Bounds::default());
            let sent: Vec<u8> = (0..20).flat_map(|number| bytes(&beat(number))).collect();
            tokio::spawn(async move {
                for byte in sent {
                    other.write_all(&[byte]).await.expect("it is read");
                }
            });
            for number in 0..20 {
                match next(&mut connection).await {
                    Inbound::Frame(frame, _) => assert_eq!(frame, beat(number)),
                    Inbound::Ended(ended) => panic!("{ended:?}"),
                }
            }
            assert!(matches!(next(&mut connection).await, Inbound::Ended(Ended::Closed)));
        });
    }

    #[test]
    fn what_is_no_frame_ends_the_connection_with_a_reason() {
        let samples: [(&[u8], &str); 3] = [
            (&[0, 0, 0, 2, 1, 99], "no frame has the kind"),
            (&[0, 0, 0, 1, 9], "version 9"),
            (&[0x7f, 0xff, 0xff, 0xff], "longer than"),
        ];
        for (sample, words) in samples {
            alone(async move {
                let (mut connection, mut other) = connected(Bounds::default());
                other.write_all(sample).await.expect("it is read");
                let ended = format!("{:?}", next(&mut connection).await);
                assert!(ended.starts_with("Ended(Unfit(Malformed,") && ended.contains(words), "{ended}");
                connection.refuse(Refused::Malformed);
                assert_eq!(all_frames(&mut other).await, [Frame::Refuse(Refused::Malformed)]);
            });
        }
    }

    #[test]
    fn a_flood_ends_the_connection_and_a_burst_does_not() {
        alone(async {
            let bounds = Bounds { burst: 50, frames_per_second: 1, ..Bounds::default() };
            let (mut connection, mut other) = connected(bounds);
            tokio::spawn(async move {
                for number in 0..200 {
                    if other.write_all(&bytes(&beat(number))).await.is_err() {
                        break;
                    }
                }
                std::future::pending::<()>().await;
            });
            for number in 0..50 {
                assert!(matches!(next(&mut connection).await, Inbound::Frame(..)), "frame {number}");
            }
            let mut more = 0;
            while let Inbound::Frame(..) = next(&mut connection).await {
                more += 1;
                // One more for every second that this machine was busy with something else.
                assert!(more < 100, "nobody stops it");
            }
        });
    }

    #[test]
    fn whoever_does_not_read_is_let_go_and_told() {
        alone(async {
            let bounds = Bounds { outbound: 16, ..Bounds::default() };
            let (connection, mut other) = connected(bounds);
            let mut queued = 0;
            while connection.send(&beat(queued)).is_ok() {
                queued += 1;
                tokio::task::yield_now().await;
                assert!(queued < 10_000, "the queue has no bound");
            }
            connection.refuse(Refused::Slow);
            let frames = all_frames(&mut other).await;
            assert_eq!(frames.last(), Some(&Frame::Refuse(Refused::Slow)), "of {} frames", frames.len());
        });
    }

    #[test]
    fn the_queue_has_a_bound_in_bytes_too() {
        alone(async {
            let (connection, _other) = connected(Bounds { outbound_bytes: 30, ..Bounds::default() });
            assert!(connection.send(&beat(1)).is_ok());
            assert!((0..30).any(|number| connection.send(&beat(number)) == Err(Crowded)));
        });
    }

    #[test]
    fn silence_ends_the_connection() {
        alone(async {
            let bounds = Bounds { silence: Duration::from_millis(20), ..Bounds::default() };
            let (mut connection, _other) = connected(bounds);
            let ended = format!("{:?}", next(&mut connection).await);
            assert!(ended.starts_with("Ended(Failed(\"silent"), "{ended}");
        });
    }
}
