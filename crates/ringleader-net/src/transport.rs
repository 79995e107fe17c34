//! What nodes say to each other on their [`mesh`](crate::mesh): frames of the pure member, which greets by itself.
//! Each connection has a short queue to the loop of the node; a peer that does not read what is sent to it is let go,
//! since the link sends everything again.

use crate::mesh::{self, Bounds, Ended, Outgoing, Protocol, Room, Surroundings};
use crate::tls::Stranger;
use bytes::Bytes;
use ringleader_live::{Frame, Place};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// What comes from a connection.
#[derive(Debug)]
pub(crate) enum Inbound {
    /// A frame, and how many bytes it had.
    Frame(Frame, usize),
    /// Nothing more will come.
    Ended(Ended),
}

/// The queue is full: the peer does not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Crowded;

/// The node's end of a connection.
pub(crate) struct Connection {
    frames: mpsc::Receiver<Inbound>,
    outgoing: Arc<Outgoing>,
    room: Room,
}

impl Connection {
    fn new(bounds: &Bounds, served: &Arc<AtomicUsize>) -> (Connection, Ear) {
        let (inbound, frames) = mpsc::channel(bounds.inbound);
        let room = Room { frames: bounds.outbound, bytes: bounds.outbound_bytes };
        served.fetch_add(1, Ordering::Relaxed);
        (Connection { frames, outgoing: Arc::default(), room }, Ear { inbound, served: Arc::clone(served) })
    }

    /// Queues a frame; gives its length.
    pub(crate) fn send(&self, frame: &Frame) -> Result<usize, Crowded> {
        self.outgoing.put(self.room, |out| out.extend(frame.encode())).ok_or(Crowded)
    }

    /// Tells the other why, after what is queued if there is room, and closes.
    pub(crate) fn refuse(self, refused: ringleader_live::Refused) {
        self.outgoing.end_with(self.room, &Frame::Refuse(refused).encode());
    }

    /// Closes at once; what is queued is lost.
    pub(crate) fn cut(self) {
        self.outgoing.cut();
    }

    /// The next thing that comes from it.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Inbound> {
        self.frames.poll_recv(context).map(|next| next.unwrap_or(Inbound::Ended(Ended::Closed)))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.outgoing.end();
    }
}

/// The other end of the queue to the node.
pub(crate) struct Ear {
    inbound: mpsc::Sender<Inbound>,
    served: Arc<AtomicUsize>,
}

impl mesh::Ear for Ear {
    async fn hears(&self, bytes: Bytes) -> Result<(), String> {
        let frame = Frame::decode(&bytes).map_err(|error| error.to_string())?;
        // The node may have closed it.
        let _ = self.inbound.send(Inbound::Frame(frame, bytes.len())).await;
        Ok(())
    }

    async fn ended(&self, ended: Ended) {
        let _ = self.inbound.send(Inbound::Ended(ended)).await;
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.served.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the mesh tells the node.
pub(crate) enum Call {
    /// There is a connection, and who is there.
    Connected(Place, Connection, SocketAddr),
    /// Somebody was turned away before it was heard.
    Stranger(SocketAddr, Stranger),
    /// A member cannot be reached.
    Unreachable(Place, Stranger),
}

/// The members of a cluster, as the mesh of one of them knows them.
pub(crate) struct Members {
    pub(crate) around: Surroundings,
    pub(crate) calls: mpsc::Sender<Call>,
    /// How many connections are being served.
    pub(crate) served: Arc<AtomicUsize>,
}

impl Protocol for Members {
    type Ear = Ear;

    fn around(&self) -> &Surroundings {
        &self.around
    }

    fn greeting(&self) -> Option<Vec<u8>> {
        None
    }

    fn who(&self, certified: Option<&str>, first: Option<&[u8]>) -> Result<Place, Stranger> {
        let (place, name) = match (certified, first.map(Frame::decode)) {
            (Some(name), _) => (self.around.place_of(name), name.to_owned()),
            (None, Some(Ok(Frame::Hello(hello)))) => {
                let known = usize::from(hello.place) < self.around.names.len();
                (known.then_some(hello.place), format!("place {}", hello.place))
            }
            (None, Some(Err(error))) => return Err(Stranger::new("malformed", error.to_string())),
            (None, Some(Ok(_)) | None) => {
                return Err(Stranger::new("order", "its first frame is not a greeting"));
            }
        };
        let unknown = || Stranger::new("unknown_member", format!("`{name}` is no member of this cluster"));
        place.ok_or_else(unknown)
    }

    async fn connected(&self, place: Place, at: SocketAddr) -> Option<(Arc<Outgoing>, Ear)> {
        let (connection, ear) = Connection::new(&self.around.bounds, &self.served);
        let outgoing = Arc::clone(&connection.outgoing);
        self.calls.send(Call::Connected(place, connection, at)).await.ok()?;
        Some((outgoing, ear))
    }

    fn stranger(&self, from: SocketAddr, why: Stranger) {
        let _ = self.calls.try_send(Call::Stranger(from, why));
    }

    fn unreachable(&self, place: Place, why: Stranger) {
        let _ = self.calls.try_send(Call::Unreachable(place, why));
    }
}

/// What another member sends, read as far as it is read before anything is believed: for fuzzing.
#[doc(hidden)]
pub mod fuzz {
    use crate::mesh::take_frame;
    use bytes::BytesMut;
    use ringleader_live::{Frame, MAX_FRAME};

    /// The frames in the bytes of a connection, up to the first that is none.
    #[must_use]
    pub fn stream(bytes: &[u8]) -> Vec<Frame> {
        let (mut buffer, mut frames) = (BytesMut::from(bytes), Vec::new());
        while let Ok(Some(bytes)) = take_frame(&mut buffer, MAX_FRAME, |_| Ok(()))
            && let Ok(frame) = Frame::decode(&bytes)
        {
            frames.push(frame);
        }
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{serve, take_frame, write_frame};
    use bytes::BytesMut;
    use ringleader_live::{Beat, Micros, Refused};
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    fn beat(number: u64) -> Frame {
        let sent = Micros(number);
        Frame::Beat(Beat { number, sent, echo: None, hears: 1, leaving: false, groups: Vec::new() })
    }

    fn bytes(frame: &Frame) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, |out| out.extend(frame.encode()));
        bytes
    }

    /// A connection whose other end is in the hands of the test.
    fn connected(bounds: Bounds) -> (Connection, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(256);
        let (connection, ear) = Connection::new(&bounds, &Arc::default());
        let outgoing = Arc::clone(&connection.outgoing);
        tokio::spawn(async move {
            serve(ours, (None, BytesMut::new()), &outgoing, ear, &bounds, |_| Ok(())).await;
        });
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
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.expect("it is closed");
        let (mut buffer, mut frames) = (BytesMut::from(&bytes[..]), Vec::new());
        while let Some(bytes) = take_frame(&mut buffer, 1 << 20, |_| Ok(())).expect("frames") {
            frames.push(Frame::decode(&bytes).expect("a frame"));
        }
        assert!(buffer.is_empty(), "half a frame is at the end");
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
    fn bad_frame_closes_connection_with_reason() {
        let samples: [(&[u8], &str); 3] = [
            (&[0, 0, 0, 2, 1, 99], "no frame has the kind"),
            (&[0, 0, 0, 1, 9], "version 9"),
            (&[0x7f, 0xff, 0xff, 0xff], "there are 1 to 65536"),
        ];
        for (sample, words) in samples {
            alone(async move {
                let (mut connection, mut other) = connected(Bounds::default());
                other.write_all(sample).await.expect("it is read");
                let ended = format!("{:?}", next(&mut connection).await);
                assert!(ended.starts_with("Ended(Malformed(") && ended.contains(words), "{ended}");
                connection.refuse(Refused::Malformed);
                assert_eq!(all_frames(&mut other).await, [Frame::Refuse(Refused::Malformed)]);
            });
        }
    }

    #[test]
    fn flood_closes_connection_but_burst_does_not() {
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
