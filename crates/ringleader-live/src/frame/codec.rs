//! The bytes of a frame: each kind is a tag and its parts in the order in which they are declared.
//!
//! Tags are part of the protocol: a new kind gets a new number, and none is ever used again for something
//! else.

use super::{
    Beat, Epoch, Frame, FrameError, GroupBeat, Hello, MAX_COUNT, MAX_FRAME, MAX_MEMBERS, MAX_NAME, PROTOCOL,
    Payload, Refused,
};
use crate::{Greeting, Micros, Segment};
use ringleader::model::{Wire, WireError, put_number, take_number};
use ringleader::{wire_kinds, wire_records};

impl Frame {
    /// Its bytes, the version first. What [`Frame::decode`] would refuse as too long is not cut: whoever
    /// sends it finds the connection closed, so names and messages are to be kept within bounds where they
    /// are made.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        // Most frames fit: a beat of one group in a cluster of five is about 40 bytes.
        let mut bytes = Vec::with_capacity(64);
        bytes.push(PROTOCOL);
        self.put(&mut bytes);
        bytes
    }

    /// The frame that these bytes are, all of them.
    ///
    /// # Errors
    /// If they are not exactly one frame of the version that is spoken here, or too many.
    pub fn decode(bytes: &[u8]) -> Result<Frame, FrameError> {
        if bytes.len() > MAX_FRAME {
            return Err(FrameError::TooLong(bytes.len()));
        }
        let (&version, mut rest) = bytes.split_first().ok_or(FrameError::Empty)?;
        if version != PROTOCOL {
            return Err(FrameError::Version(version));
        }
        let kind = take_number(&mut &*rest).map_err(FrameError::Value)?;
        if kind >= FRAMES {
            return Err(FrameError::Kind(kind));
        }
        let frame = Frame::take(&mut rest).map_err(FrameError::Value)?;
        if frame.incarnation() > MAX_COUNT || !frame.is_bounded() {
            return Err(FrameError::Value(WireError::Range));
        }
        if !rest.is_empty() {
            return Err(FrameError::Value(WireError::Long));
        }
        Ok(frame)
    }

    /// Whether its names and lists are no longer than anybody's.
    fn is_bounded(&self) -> bool {
        match self {
            Frame::Hello(hello) => hello.cluster.len() <= MAX_NAME,
            Frame::Data(segment) => match &segment.payload {
                Payload::Open { participants, .. } => participants.len() <= MAX_MEMBERS,
                Payload::Joined { .. }
                | Payload::Start { .. }
                | Payload::Message { .. }
                | Payload::Wish { .. }
                | Payload::Baton { .. } => true,
            },
            Frame::Beat(beat) => beat.groups.len() <= MAX_GROUPS,
            Frame::Refuse(_)
            | Frame::Ack { .. }
            | Frame::Ask { .. }
            | Frame::Granted { .. }
            | Frame::Denied { .. }
            | Frame::Release { .. } => true,
        }
    }

    /// The incarnation from which somebody goes on counting because of this frame; 0 if nobody does.
    fn incarnation(&self) -> u64 {
        match self {
            Frame::Hello(hello) => hello.greeting.mine,
            Frame::Refuse(Refused::Stale(newest)) => *newest,
            Frame::Refuse(_)
            | Frame::Data(_)
            | Frame::Ack { .. }
            | Frame::Beat(_)
            | Frame::Ask { .. }
            | Frame::Granted { .. }
            | Frame::Denied { .. }
            | Frame::Release { .. } => 0,
        }
    }
}

/// How many kinds of frames there are: their tags are the numbers below.
const FRAMES: u64 = 9;

/// Groups are numbered in sixteen bits.
const MAX_GROUPS: usize = 1 << 16;

wire_kinds! {
    Frame {
        0 Hello(hello),
        1 Data(segment),
        2 Ack { from, to, next },
        3 Beat(beat),
        4 Ask { group, epoch, sent },
        5 Granted { group, epoch, sent },
        6 Denied { group, epoch, sent },
        7 Release { group, epoch },
        8 Refuse(why),
    }
    Payload {
        0 Open { group, epoch, participants, resumes },
        1 Joined { group, epoch },
        2 Start { group, epoch },
        3 Message { group, epoch, port, bytes },
        4 Wish { group, epoch, port },
        5 Baton { group, epoch, port },
    }
    Refused {
        0 Cluster,
        1 Config,
        2 Version,
        3 Name,
        4 Stale(newest),
        5 Order,
        6 Malformed,
        7 Slow,
        8 Flood,
        9 Replaced,
        10 Leaving,
    }
}

wire_records! {
    Hello { cluster, config, versions, place, greeting }
    Greeting { mine, yours, next }
    Segment<Payload> { from, to, number, payload }
    Beat { number, sent, echo, hears, leaving, groups }
    GroupBeat { epoch, fit, leader, leads }
}

impl Wire for Epoch {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.number.put(bytes);
        self.steward.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let (number, steward) = Wire::take(bytes)?;
        if number > MAX_COUNT { Err(WireError::Range) } else { Ok(Epoch { number, steward }) }
    }
}

impl Wire for Micros {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_number(self.0, bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_number(bytes).map(Micros)
    }
}
