//! Every frame survives, and no bytes do harm. Many more cases: `tests/it/frames.rs`.

use super::*;
use crate::{Greeting, Segment};

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
        Refused::Stale(1 << 62),
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
fn truncated_or_extended_frame_is_refused() {
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

#[test]
fn no_changed_byte_does_harm() {
    for frame in samples() {
        let bytes = frame.encode();
        for place in 0..bytes.len() {
            for value in 0..=u8::MAX {
                let mut changed = bytes.clone();
                changed[place] = value;
                if let Ok(other) = Frame::decode(&changed) {
                    assert_eq!(Frame::decode(&other.encode()).as_ref(), Ok(&other), "{changed:?}");
                }
            }
        }
    }
}

#[test]
fn bad_version_kind_or_length_is_named() {
    assert_eq!(Frame::decode(&[PROTOCOL + 1, 0]), Err(FrameError::Version(PROTOCOL + 1)));
    assert_eq!(Frame::decode(&[PROTOCOL, 9]), Err(FrameError::Kind(9)));
    assert_eq!(Frame::decode(&[PROTOCOL]), Err(FrameError::Value(WireError::Short)));
    // No matter what is in it.
    assert_eq!(Frame::decode(&vec![9; MAX_FRAME + 1]), Err(FrameError::TooLong(MAX_FRAME + 1)));
    let longest = |length| {
        let payload = Payload::Message { group: 0, epoch: Epoch::default(), port: 0, bytes: vec![7; length] };
        Frame::Data(Segment { from: 1, to: 1, number: 0, payload }).encode()
    };
    let around = longest(0).len() + 2;
    assert_eq!(longest(MAX_FRAME - around).len(), MAX_FRAME);
    assert!(Frame::decode(&longest(MAX_FRAME - around)).is_ok());
    assert_eq!(Frame::decode(&longest(MAX_FRAME - around + 1)), Err(FrameError::TooLong(MAX_FRAME + 1)));
}

/// What a frame begins with, and then a length with nothing behind it, or more behind it than there may be.
#[test]
fn a_length_that_lies_is_refused() {
    let lying = |beginning: &[u8], length: u64, follow: usize| {
        let mut bytes = beginning.to_vec();
        ringleader::model::put_number(length, &mut bytes);
        bytes.extend(vec![0; follow]);
        Frame::decode(&bytes)
    };
    // A name; the participants of an epoch; a message; the groups of a beat.
    let beginnings: [&[u8]; 4] = [
        &[PROTOCOL, 0],
        &[PROTOCOL, 1, 1, 1, 0, 0, 0, 0, 0],
        &[PROTOCOL, 1, 1, 1, 0, 3, 0, 0, 0, 0],
        &[PROTOCOL, 3, 0, 0, 0, 0, 0],
    ];
    for beginning in beginnings {
        for length in [10, 1 << 16, 1 << 32, u64::MAX] {
            let refused = lying(beginning, length, 9);
            assert_eq!(refused, Err(FrameError::Value(WireError::Short)), "{beginning:?} {length}");
        }
    }
    for (beginning, most) in [(beginnings[0], MAX_NAME), (beginnings[1], MAX_MEMBERS)] {
        let refused = lying(beginning, most as u64 + 1, 2 * most);
        assert_eq!(refused, Err(FrameError::Value(WireError::Range)), "{beginning:?}");
    }
    // A name that is no text.
    let mut bytes = vec![PROTOCOL, 0, 2, 0xc3, 0x28];
    bytes.extend([0; 12]);
    assert_eq!(Frame::decode(&bytes), Err(FrameError::Value(WireError::Range)));
}

/// The reasons are read by people, after "refused: ".
/// Whoever goes on from such a number could not count any further.
#[test]
fn largest_incarnation_and_epoch_are_refused() {
    let epoch = Epoch { number: u64::MAX, steward: 0 };
    let greeting = Greeting { mine: u64::MAX, yours: 0, next: 0 };
    let hello = Hello { cluster: "c".into(), config: 1, versions: (1, 1), place: 0, greeting };
    let payload = Payload::Joined { group: 0, epoch };
    for frame in [
        Frame::Hello(hello),
        Frame::Refuse(Refused::Stale(u64::MAX)),
        Frame::Ask { group: 0, epoch, sent: Micros(0) },
        Frame::Data(Segment { from: 1, to: 1, number: 0, payload }),
    ] {
        assert_eq!(Frame::decode(&frame.encode()), Err(FrameError::Value(WireError::Range)), "{frame:?}");
    }
}

#[test]
fn every_reason_is_said_in_words_of_its_own() {
    let reasons: std::collections::BTreeSet<String> = samples()
        .into_iter()
        .filter_map(|frame| if let Frame::Refuse(why) = frame { Some(why.to_string()) } else { None })
        .collect();
    assert_eq!(reasons.len(), 11, "{reasons:?}");
}
