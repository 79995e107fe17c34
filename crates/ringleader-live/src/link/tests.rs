//! A link step by step, and over connections that are cut at every byte.

use super::*;
use crate::{Epoch, Frame, Hello, Payload};

const LIMITS: Limits = Limits { unacknowledged: 3, ack_every: 2 };

fn greeting(mine: u64, yours: u64, next: u64) -> Greeting {
    Greeting { mine, yours, next }
}

/// Incarnation 10, which has met 20.
fn met() -> Link<char> {
    let mut link = Link::new(10, LIMITS);
    assert_eq!(link.greeted(greeting(20, 0, 0)), Meeting::First);
    link
}

fn numbers(link: &Link<char>) -> Vec<(u64, char)> {
    link.again().map(|segment| (segment.number, segment.payload)).collect()
}

#[test]
fn link_accepts_only_what_fits() {
    let mut link = Link::new(10, LIMITS);
    assert_eq!((link.send('a'), link.peer()), (Err(Full), None));
    let mut link = met();
    let sent = "abcd".chars().map(|payload| link.send(payload));
    let sent: Vec<_> = sent.map(|sent| sent.map(|segment| segment.number)).collect();
    assert_eq!(sent, [Ok(0), Ok(1), Ok(2), Err(Full)]);
    assert!(link.acknowledged(20, 10, 1));
    assert_eq!(link.send('d').map(|segment| segment.number), Ok(3));
}

#[test]
fn only_the_next_of_this_pair_is_delivered() {
    let mut link = met();
    let mut receive = |from, to, number| link.receive(Segment { from, to, number, payload: 'x' });
    assert_eq!(receive(20, 10, 1), Received::Gap);
    assert_eq!(receive(19, 10, 0), Received::Stranger);
    assert_eq!(receive(21, 10, 0), Received::Stranger);
    assert_eq!(receive(20, 9, 0), Received::Stranger);
    assert_eq!(receive(20, 0, 0), Received::Stranger);
    assert_eq!(receive(20, 10, 0), Received::Deliver('x'));
    assert_eq!(receive(20, 10, 0), Received::Duplicate);
    assert_eq!(receive(20, 10, 1), Received::Deliver('x'));
    assert_eq!(link.greeting(), greeting(10, 20, 2));
    // Nobody has the incarnation 0, also if nobody was met.
    let stranger = Segment { from: 0, to: 10, number: 0, payload: 'x' };
    assert_eq!(Link::new(10, LIMITS).receive(stranger), Received::Stranger);
}

#[test]
fn acknowledgements_cover_only_sent_frames() {
    let mut link = met();
    link.send('a').unwrap();
    link.send('b').unwrap();
    for (from, to, next) in [(19, 10, 1), (20, 9, 1), (20, 10, 0), (20, 10, 3), (20, 10, u64::MAX), (0, 0, 1)]
    {
        assert!(!link.acknowledged(from, to, next), "{from} {to} {next}");
    }
    assert_eq!(numbers(&link), [(0, 'a'), (1, 'b')]);
    assert!(link.acknowledged(20, 10, 1));
    assert!(!link.acknowledged(20, 10, 1));
    assert_eq!(numbers(&link), [(1, 'b')]);
    assert!(link.acknowledged(20, 10, 2));
    assert_eq!(link.waiting(), 0);
}

#[test]
fn acknowledgements_are_batched() {
    let mut link = met();
    let segment = |number| Segment { from: 20, to: 10, number, payload: 'x' };
    assert_eq!(link.acknowledgement(true), None);
    link.receive(segment(0));
    assert_eq!(link.acknowledgement(false), None);
    assert_eq!(link.acknowledgement(true), Some((10, 20, 1)));
    link.receive(segment(1));
    link.receive(segment(2));
    assert_eq!(link.acknowledgement(false), Some((10, 20, 3)));
    assert_eq!(link.acknowledgement(true), None);
    // What comes again was acknowledged in vain.
    link.receive(segment(0));
    assert_eq!(link.acknowledgement(true), Some((10, 20, 3)));
}

#[test]
fn same_incarnation_resumes_and_new_one_restarts() {
    let mut link = met();
    for payload in "abc".chars() {
        link.send(payload).unwrap();
    }
    link.receive(Segment { from: 20, to: 10, number: 0, payload: 'x' });
    // It did not know this incarnation when it said so.
    assert_eq!(link.greeted(greeting(20, 0, 2)), Meeting::Same);
    assert_eq!(link.greeted(greeting(20, 9, 2)), Meeting::Same);
    assert_eq!(link.waiting(), 3);
    assert_eq!(link.greeted(greeting(20, 10, 2)), Meeting::Same);
    assert_eq!((numbers(&link), link.greeting()), (vec![(2, 'c')], greeting(10, 20, 1)));
    // An old one, and one that cannot be.
    let before = link.clone();
    for stale in [0, 1, 19] {
        assert_eq!(link.greeted(greeting(stale, 10, 3)), Meeting::Stale(20));
        assert_eq!(link, before);
    }
    assert_eq!(Link::<char>::new(10, LIMITS).greeted(greeting(0, 0, 0)), Meeting::Stale(0));
    // A new one.
    assert_eq!(link.greeted(greeting(21, 10, 3)), Meeting::Restarted);
    assert_eq!((link.waiting(), link.greeting(), link.peer()), (0, greeting(10, 21, 0), Some(21)));
    assert_eq!(link.acknowledgement(true), None);
    assert_eq!(link.send('d').map(|segment| (segment.to, segment.number)), Ok((21, 0)));
}

/// One end of a connection: what it has written on this one, and how much of what the other wrote it has
/// read.
struct End {
    link: Link<Payload>,
    to_send: Vec<Payload>,
    got: Vec<Payload>,
    written: Vec<u8>,
    read: usize,
}

impl End {
    fn new(incarnation: u64, to_send: Vec<Payload>) -> End {
        let link = Link::new(incarnation, Limits { unacknowledged: 8, ack_every: 1 });
        End { link, to_send, got: Vec::new(), written: Vec::new(), read: 0 }
    }

    fn connect(&mut self) {
        (self.written, self.read) = (Vec::new(), 0);
        let greeting = self.link.greeting();
        self.write(&Frame::Hello(Hello {
            cluster: "test".into(),
            config: 1,
            versions: (1, 1),
            place: 0,
            greeting,
        }));
    }

    fn write(&mut self, frame: &Frame) {
        let bytes = frame.encode();
        self.written.extend((bytes.len() as u32).to_be_bytes());
        self.written.extend(bytes);
    }

    /// Reads the next whole frame of what has come in; whether there was one.
    fn read(&mut self, incoming: &[u8]) -> bool {
        let rest = &incoming[self.read..];
        let Some((length, rest)) = rest.split_first_chunk() else { return false };
        let length = u32::from_be_bytes(*length) as usize;
        let Some(bytes) = rest.get(..length) else { return false };
        self.read += 4 + length;
        match Frame::decode(bytes).unwrap() {
            Frame::Hello(hello) => {
                let meeting = self.link.greeted(hello.greeting);
                let again: Vec<_> = self.link.again().collect();
                again.into_iter().for_each(|segment| self.write(&Frame::Data(segment)));
                if meeting == Meeting::First {
                    for payload in core::mem::take(&mut self.to_send) {
                        let segment = self.link.send(payload).unwrap();
                        self.write(&Frame::Data(segment));
                    }
                }
            }
            Frame::Data(segment) => {
                match self.link.receive(segment) {
                    Received::Deliver(payload) => self.got.push(payload),
                    Received::Duplicate => {}
                    Received::Gap | Received::Stranger => panic!("connections keep the order"),
                }
                let (from, to, next) = self.link.acknowledgement(true).unwrap();
                self.write(&Frame::Ack { from, to, next });
            }
            Frame::Ack { from, to, next } => {
                self.link.acknowledged(from, to, next);
            }
            Frame::Beat(_) | Frame::Ask { .. } | Frame::Granted { .. } => unreachable!("nobody sends it"),
            Frame::Denied { .. } | Frame::Release { .. } | Frame::Refuse(_) => {
                unreachable!("nobody sends it")
            }
        }
        true
    }
}

/// A connection on which only so many bytes arrive in each direction. Gives how many there would have been.
fn connection(ends: &mut [End; 2], cuts: [usize; 2]) -> [usize; 2] {
    ends.iter_mut().for_each(End::connect);
    loop {
        let moved = [0, 1].map(|reader| {
            let arrived = ends[1 - reader].written.clone();
            ends[reader].read(&arrived[..arrived.len().min(cuts[1 - reader])])
        });
        if moved == [false, false] {
            return [ends[0].written.len(), ends[1].written.len()];
        }
    }
}

/// Wherever a connection is cut in each direction, on the next one everything is there, once and in order.
#[test]
fn cut_links_deliver_exactly_once() {
    let epoch = Epoch { number: 200, steward: 1 };
    let payloads = [
        Payload::Open { group: 0, epoch, participants: vec![0, 1, 2], resumes: false },
        Payload::Message { group: 0, epoch, port: 1, bytes: vec![0xff; 5] },
        Payload::Start { group: 0, epoch },
    ];
    let fresh = || [End::new(1 << 50, payloads.to_vec()), End::new(1 << 51, payloads[..2].to_vec())];
    let [there, back] = connection(&mut fresh(), [usize::MAX; 2]);
    assert!(there > 100 && back > 80, "{there} {back}");
    for cuts in (0..=there).flat_map(|there| (0..=back).map(move |back| [there, back])) {
        let mut ends = fresh();
        connection(&mut ends, cuts);
        connection(&mut ends, [usize::MAX; 2]);
        assert_eq!(ends[1].got, payloads, "cut at {cuts:?}");
        assert_eq!(ends[0].got, payloads[..2], "cut at {cuts:?}");
        assert_eq!(ends.map(|end| end.link.waiting()), [0, 0], "cut at {cuts:?}");
    }
}
