//! The bytes of a frame: each kind is a tag and its parts in the order in which they are declared.
//!
//! Tags are part of the protocol: a new kind gets a new number, and none is ever used again for something
//! else.

use super::{
    Beat, Epoch, Frame, FrameError, GroupBeat, Hello, MAX_COUNT, MAX_FRAME, MAX_MEMBERS, MAX_NAME, PROTOCOL,
    Payload, Refused,
};
use crate::{Greeting, Micros, Segment};
use ringleader::model::{Field, WireError, put_number, take_number};

impl Frame {
    /// Its bytes, the version first. What [`Frame::decode`] would refuse as too long is not cut: whoever
    /// sends it finds the connection closed, so names and messages are to be kept within bounds where they
    /// are made.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        // Most frames fit: a beat of one group in a cluster of five is about 40 bytes.
        let mut bytes = Vec::with_capacity(64);
        bytes.push(PROTOCOL);
        self.write(&mut bytes);
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
        let frame = Frame::read(&mut rest).map_err(FrameError::Value)?;
        if !rest.is_empty() {
            return Err(FrameError::Value(WireError::Long));
        }
        if frame.incarnation() > MAX_COUNT {
            return Err(FrameError::Value(WireError::Range));
        }
        Ok(frame)
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

/// A part of a frame. What messages can have as a field ([`Field`]) is written in the same way; but a frame
/// has parts that nobody shows to people, and lists with bounds of their own.
trait Part: Sized {
    /// Appends the bytes.
    fn write(&self, bytes: &mut Vec<u8>);
    /// Takes a value off the front of `bytes`.
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError>;
}

/// How many kinds of each there are: their tags are the numbers below. That each number has a kind, the
/// compiler sees.
const FRAMES: u64 = 9;
const PAYLOADS: u64 = 6;
const REASONS: u64 = 11;

/// Kinds that are told apart by a tag.
macro_rules! kinds {
    ($(
        $kind:ident($count:ident) {
            $($tag:literal $variant:ident $({ $($field:ident),* })? $(( $($inner:ident),* ))?,)*
        }
    )*) => {$(
        impl Part for $kind {
            fn write(&self, bytes: &mut Vec<u8>) {
                match self {
                    $($kind::$variant $({ $($field),* })? $(( $($inner),* ))? => {
                        put_number($tag, bytes);
                        $($($field.write(bytes);)*)?
                        $($($inner.write(bytes);)*)?
                    })*
                }
            }
            fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
                match take_number(bytes)? {
                    $($tag => {
                        $($(let $field = Part::read(bytes)?;)*)?
                        $($(let $inner = Part::read(bytes)?;)*)?
                        Ok($kind::$variant $({ $($field),* })? $(( $($inner),* ))?)
                    })*
                    $count.. => Err(WireError::Range),
                }
            }
        }
    )*};
}

kinds! {
    Frame(FRAMES) {
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
    Payload(PAYLOADS) {
        0 Open { group, epoch, participants, resumes },
        1 Joined { group, epoch },
        2 Start { group, epoch },
        3 Message { group, epoch, port, bytes },
        4 Wish { group, epoch, port },
        5 Baton { group, epoch, port },
    }
    Refused(REASONS) {
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

/// Parts that follow each other.
macro_rules! records {
    ($($record:ident $(<$inner:ty>)? { $($field:ident),* })*) => {$(
        impl Part for $record $(<$inner>)? {
            fn write(&self, bytes: &mut Vec<u8>) {
                $(self.$field.write(bytes);)*
            }
            fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
                Ok($record { $($field: Part::read(bytes)?),* })
            }
        }
    )*};
}

records! {
    Hello { cluster, config, versions, place, greeting }
    Greeting { mine, yours, next }
    Segment<Payload> { from, to, number, payload }
    Beat { number, sent, echo, hears, leaving, groups }
    GroupBeat { epoch, fit, leader, leads }
}

impl Part for Epoch {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.number.write(bytes);
        self.steward.write(bytes);
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let (number, steward) = Part::read(bytes)?;
        if number > MAX_COUNT { Err(WireError::Range) } else { Ok(Epoch { number, steward }) }
    }
}

macro_rules! fields {
    ($($type:ty)*) => {$(
        impl Part for $type {
            fn write(&self, bytes: &mut Vec<u8>) {
                Field::put(self, bytes);
            }
            fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
                <$type as Field>::take(bytes)
            }
        }
    )*};
}
fields!(u8 u16 u32 u64 bool);

impl Part for Micros {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_number(self.0, bytes);
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_number(bytes).map(Micros)
    }
}

impl<A: Part, B: Part> Part for (A, B) {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
        self.1.write(bytes);
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        Ok((A::read(bytes)?, B::read(bytes)?))
    }
}

impl<T: Part> Part for Option<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.is_some().write(bytes);
        if let Some(value) = self {
            value.write(bytes);
        }
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        if bool::read(bytes)? { T::read(bytes).map(Some) } else { Ok(None) }
    }
}

/// Takes as many bytes as are announced; a length beyond the bytes that are left is a lie, and nothing is
/// allocated.
fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], WireError> {
    let length = usize::try_from(take_number(bytes)?).map_err(|_| WireError::Short)?;
    let (taken, rest) = bytes.split_at_checked(length).ok_or(WireError::Short)?;
    *bytes = rest;
    Ok(taken)
}

/// A message of an algorithm, as it is.
impl Part for Vec<u8> {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_number(self.len() as u64, bytes);
        bytes.extend_from_slice(self);
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_bytes(bytes).map(<[u8]>::to_vec)
    }
}

/// A name.
impl Part for String {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_number(self.len() as u64, bytes);
        bytes.extend_from_slice(self.as_bytes());
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let text = take_bytes(bytes)?;
        if text.len() > MAX_NAME {
            return Err(WireError::Range);
        }
        core::str::from_utf8(text).map(str::to_owned).map_err(|_| WireError::Range)
    }
}

/// Lists of records, each of which takes at least a byte. The bound keeps what is allocated near what came
/// in.
fn take_list<T: Part>(most: u64, bytes: &mut &[u8]) -> Result<Vec<T>, WireError> {
    let length = take_number(bytes)?;
    if length > bytes.len() as u64 {
        return Err(WireError::Short);
    }
    if length > most {
        return Err(WireError::Range);
    }
    (0..length).map(|_| T::read(bytes)).collect()
}

fn put_list<T: Part>(list: &[T], bytes: &mut Vec<u8>) {
    put_number(list.len() as u64, bytes);
    for value in list {
        value.write(bytes);
    }
}

/// Members that take part.
impl Part for Vec<u16> {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_list(self, bytes);
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_list(MAX_MEMBERS as u64, bytes)
    }
}

/// What a beat says of each group; groups are numbered in sixteen bits.
impl Part for Vec<GroupBeat> {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_list(self, bytes);
    }
    fn read(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_list(1 << 16, bytes)
    }
}
