//! Every frame survives, and no bytes do harm. Many more cases: `tests/it/frames.rs`.

use super::*;
use crate::live::{Greeting, Segment};

/// One frame of each kind, each payload and each reason.
fn samples() -> Vec<Frame> {
    let epoch = Epoch { number: 300, steward: 2 };
    let (group, port, sent) = (1, 7, Micros(1 << 40));
    let payloads = [
        Payload::Open { group, epoch, participants: vec![0, 2, 63], resumes: true },
        Payload::Joined { group, epoch },
        Payload::Start { group, epoch },
        Payload::Message { group, epoch, port, bytes: vec![0, 0x7f, 0x80, 0xff] },
        Payload::Wish { group, epoch, port },
        Payload::Baton { group, epoch, port },
    ];
    let data = payloads.into_iter().enumerate().map(|(number, payload)| {
        Frame::Data(Segment { from: 5, to: u64::MAX, number: number as u64, payload })
    });
    let reasons = [
        Refused::Cluster,
        Refused::Config,
        Refused::Version,
        Refused::Name,
        Refused::Stale(u64::MAX),
        Refused::Order,
        Refused::Malformed,
        Refused::Slow,
        Refused::Flood,
        Refused::Replaced,
        Refused::Leaving,
    ];
    let group_beat = GroupBeat { epoch, fit: true, leader: Some(4), leads: false };
    let others = [
        Frame::Hello(Hello {
            cluster: "käse".into(),
            config: u64::MAX,
            versions: (1, 255),
            place: 63,
            greeting: Greeting { mine: 1, yours: 0, next: 129 },
        }),
        Frame::Ack { from: 1, to: 2, next: 3 },
        Frame::Beat(Beat {
            number: 128,
            sent,
            echo: Some((Micros(0), Micros(9))),
            hears: u64::MAX,
            leaving: false,
            groups: vec![group_beat, GroupBeat::default()],
        }),
        Frame::Ask { group, epoch, sent },
        Frame::Granted { group, epoch, sent },
        Frame::Denied { group, epoch, sent },
        Frame::Release { group, epoch },
    ];
    others.into_iter().chain(data).chain(reasons.map(Frame::Refuse)).collect()
}

#[test]
fn every_kind_survives() {
    for frame in samples() {
        assert_eq!(Frame::decode(&frame.encode()).as_ref(), Ok(&frame));
    }
}

#[test]
fn a_frame_cut_anywhere_is_refused_and_so_is_a_longer_one() {
    for frame in samples() {
        let bytes = frame.encode();
        assert_eq!(Frame::decode(&[]), Err(FrameError::Empty));
        for end in 1..bytes.len() {
            let cut = Frame::decode(&bytes[..end]);
            assert_eq!(cut, Err(FrameError::Value(WireError::Short)), "{frame:?} cut to {end} bytes");
        }
        let long = [bytes.as_slice(), &[0]].concat();
        assert_eq!(Frame::decode(&long), Err(FrameError::Value(WireError::Long)), "{frame:?} and a byte");
    }
}
