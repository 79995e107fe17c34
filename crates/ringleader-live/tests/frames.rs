//! Every frame survives its bytes, and no bytes do harm: many random frames, cut, changed and made up.
//! `RINGLEADER_FUZZ` says how many, for a long run: `RINGLEADER_FUZZ=100000000 cargo test --release -p
//! ringleader --test it frames`.

use ringleader::model::WireError;
use ringleader::rng::{Purpose, Rng};
use ringleader_live::{
    Beat, Epoch, Frame, FrameError, Greeting, GroupBeat, Hello, MAX_COUNT, MAX_FRAME, MAX_MEMBERS, MAX_NAME,
    Micros, PROTOCOL, Payload, Refused, Segment,
};

/// How many cases: about a second, unless asked for.
#[expect(clippy::disallowed_methods, reason = "how long a test runs is no input of the library")]
fn cases() -> u64 {
    match std::env::var("RINGLEADER_FUZZ") {
        Ok(count) => count.parse().expect("RINGLEADER_FUZZ is a number of cases"),
        Err(_) => 200_000,
    }
}

/// Random frames. Numbers are small as often as they are large, so that every length of them is met.
struct Source(Rng);

impl Source {
    fn number(&mut self) -> u64 {
        let bits = self.0.below(65) as u32;
        self.0.next_u64().checked_shr(64 - bits).unwrap_or(0)
    }
    /// An incarnation, or the number of an epoch.
    fn count(&mut self) -> u64 {
        self.number() % (MAX_COUNT + 1)
    }
    fn small(&mut self) -> u16 {
        let bits = self.0.below(17) as u32;
        (self.0.next_u64() as u16).checked_shr(16 - bits).unwrap_or(0)
    }
    fn flag(&mut self) -> bool {
        self.0.below(2) == 1
    }
    fn micros(&mut self) -> Micros {
        Micros(self.number())
    }
    fn epoch(&mut self) -> Epoch {
        Epoch { number: self.count(), steward: self.small() }
    }
    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..self.0.below(most + 1)).map(|_| self.0.next_u64() as u8).collect()
    }
    fn name(&mut self) -> String {
        let mut name = String::new();
        for _ in 0..self.0.below(MAX_NAME as u64 + 1) {
            let letter = ['a', '-', 'ß', '環', '🐎'][self.0.below(5) as usize];
            if name.len() + letter.len_utf8() <= MAX_NAME {
                name.push(letter);
            }
        }
        name
    }
    fn group_beat(&mut self) -> GroupBeat {
        let leader = self.flag().then(|| self.small());
        GroupBeat { epoch: self.epoch(), fit: self.flag(), leader, leads: self.flag() }
    }
    fn payload(&mut self) -> Payload {
        let (group, epoch, port) = (self.small(), self.epoch(), self.number() as u32);
        match self.0.below(6) {
            0 => {
                let count = self.0.below(MAX_MEMBERS as u64 + 1);
                let participants = (0..count).map(|_| self.small()).collect();
                Payload::Open { group, epoch, participants, resumes: self.flag() }
            }
            1 => Payload::Joined { group, epoch },
            2 => Payload::Start { group, epoch },
            3 => Payload::Message { group, epoch, port, bytes: self.bytes(40) },
            4 => Payload::Wish { group, epoch, port },
            _ => Payload::Baton { group, epoch, port },
        }
    }
    fn refused(&mut self) -> Refused {
        match self.0.below(11) {
            0 => Refused::Cluster,
            1 => Refused::Config,
            2 => Refused::Version,
            3 => Refused::Name,
            4 => Refused::Stale(self.count()),
            5 => Refused::Order,
            6 => Refused::Malformed,
            7 => Refused::Slow,
            8 => Refused::Flood,
            9 => Refused::Replaced,
            _ => Refused::Leaving,
        }
    }
    fn frame(&mut self) -> Frame {
        let (group, epoch, sent) = (self.small(), self.epoch(), self.micros());
        match self.0.below(9) {
            0 => Frame::Hello(Hello {
                cluster: self.name(),
                config: self.number(),
                versions: (self.small() as u8, self.small() as u8),
                place: self.small(),
                greeting: Greeting { mine: self.count(), yours: self.number(), next: self.number() },
            }),
            1 => {
                let (from, to, number) = (self.number(), self.number(), self.number());
                Frame::Data(Segment { from, to, number, payload: self.payload() })
            }
            2 => Frame::Ack { from: self.number(), to: self.number(), next: self.number() },
            3 => Frame::Beat(Beat {
                number: self.number(),
                sent,
                echo: self.flag().then(|| (self.micros(), self.micros())),
                hears: self.number(),
                leaving: self.flag(),
                groups: (0..self.0.below(5)).map(|_| self.group_beat()).collect(),
            }),
            4 => Frame::Ask { group, epoch, sent },
            5 => Frame::Granted { group, epoch, sent },
            6 => Frame::Denied { group, epoch, sent },
            7 => Frame::Release { group, epoch },
            _ => Frame::Refuse(self.refused()),
        }
    }
}

/// Bytes give an error, or a frame that survives.
fn harmless(bytes: &[u8]) -> bool {
    match Frame::decode(bytes) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
        Ok(frame) => {
            let again = frame.encode();
            assert!(again.len() <= bytes.len(), "{bytes:?} are longer as {frame:?}");
            assert_eq!(Frame::decode(&again).as_ref(), Ok(&frame), "{bytes:?}");
            true
        }
    }
}

#[test]
fn every_frame_survives_and_none_of_it_does() {
    let mut source = Source(Rng::new(1, Purpose::Schedule));
    for _ in 0..cases() {
        let frame = source.frame();
        let bytes = frame.encode();
        assert_eq!(Frame::decode(&bytes).as_ref(), Ok(&frame));
        let cut = source.0.below(bytes.len() as u64) as usize;
        let expected = if cut == 0 { FrameError::Empty } else { FrameError::Value(WireError::Short) };
        assert_eq!(Frame::decode(&bytes[..cut]), Err(expected), "{frame:?} cut to {cut} bytes");
    }
}

#[test]
fn changed_bytes_do_no_harm() {
    let mut source = Source(Rng::new(2, Purpose::Schedule));
    let mut survived = 0;
    for _ in 0..cases() {
        let mut bytes = source.frame().encode();
        for _ in 0..=source.0.below(3) {
            let place = source.0.below(bytes.len() as u64) as usize;
            match source.0.below(5) {
                0 => bytes[place] = source.0.next_u64() as u8,
                1 => bytes[place] ^= 1 << source.0.below(8),
                2 => bytes.insert(place, source.0.next_u64() as u8),
                3 if bytes.len() > 1 => {
                    bytes.remove(place);
                }
                // One frame goes on as another.
                _ => {
                    bytes.truncate(place + 1);
                    let other = source.frame().encode();
                    let from = source.0.below(other.len() as u64) as usize;
                    bytes.extend_from_slice(&other[from..]);
                }
            }
        }
        survived += u64::from(harmless(&bytes));
    }
    // Otherwise nothing was tried behind the first byte.
    assert!(survived > cases() / 20, "{survived} of {}", cases());
}

#[test]
fn random_bytes_do_no_harm() {
    let mut source = Source(Rng::new(3, Purpose::Schedule));
    for _ in 0..cases() {
        let mut bytes = source.bytes(80);
        harmless(&bytes);
        // A version, a kind, and mostly small numbers.
        bytes.iter_mut().for_each(|byte| *byte &= 0x83);
        bytes.splice(0..0, [PROTOCOL, source.0.below(9) as u8]);
        harmless(&bytes);
    }
    for length in [MAX_FRAME, MAX_FRAME + 1] {
        for byte in [0, PROTOCOL, 0x7f, 0x80, 0xff] {
            harmless(&vec![byte; length]);
        }
    }
}
