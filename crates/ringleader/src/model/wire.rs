//! The wire form: a message to bytes and back, and its size in bits.
//!
//! One small codec serves the sockets, the trace and the meter. Numbers are little-endian base 128
//! (seven bits a byte, the top bit says that more follow); a list is its length and its elements.
//! Decoding never trusts its input: what is malformed gives an error, not a panic or a large allocation.

use super::{Edge, Id, Peer, Show, Side};
use core::fmt;

/// Why bytes are not a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WireError {
    /// The bytes end inside a value.
    Short,
    /// A number does not fit its type, or a tag is unknown.
    Range,
    /// Bytes are left over after the message.
    Long,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WireError::Short => "the bytes end inside a value",
            WireError::Range => "a value is out of range",
            WireError::Long => "bytes are left over after the message",
        })
    }
}

impl std::error::Error for WireError {}

/// How many bits the model charges for values whose size depends on the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The bits of an identity or of a process name: ⌈log2 n⌉, at least 1.
    pub name_bits: u32,
}

impl Sizes {
    /// The sizes in a system of `n` processes.
    #[must_use]
    pub fn of(n: u32) -> Sizes {
        Sizes { name_bits: bits_of(u64::from(n.saturating_sub(1))) }
    }
}

/// The number of binary digits of `number`, at least 1.
#[must_use]
pub fn bits_of(number: u64) -> u32 {
    (u64::BITS - number.leading_zeros()).max(1)
}

/// A field of a message.
pub trait Field: Show + Sized {
    /// Appends the wire form.
    fn put(&self, bytes: &mut Vec<u8>);
    /// Takes a value off the front of `bytes`.
    ///
    /// # Errors
    /// If the bytes are not such a value.
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError>;
    /// The size in bits that the model charges.
    fn bits(&self, sizes: Sizes) -> u64;
}

/// Appends a number in base 128.
pub fn put_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push((number as u8 & 0x7f) | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number in base 128 off the front of `bytes`.
///
/// # Errors
/// If the bytes end too early, or the number has more than 64 bits.
pub fn take_number(bytes: &mut &[u8]) -> Result<u64, WireError> {
    let mut number = 0u64;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(WireError::Short)?;
        *bytes = rest;
        if shift > 63 || (shift == 63 && byte > 1) {
            return Err(WireError::Range);
        }
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    unreachable!("a number has at most ten bytes, and the tenth ends it or is out of range")
}

macro_rules! unsigned_fields {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                put_number(u64::from(*self), bytes);
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
                take_number(bytes)?.try_into().map_err(|_| WireError::Range)
            }
            fn bits(&self, _: Sizes) -> u64 {
                u64::from(bits_of(u64::from(*self)))
            }
        }
    )*};
}
unsigned_fields!(u8 u16 u32 u64);

macro_rules! signed_fields {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                let wide = i64::from(*self);
                put_number(((wide << 1) ^ (wide >> 63)) as u64, bytes);
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
                let folded = take_number(bytes)?;
                let wide = (folded >> 1) as i64 ^ -((folded & 1) as i64);
                wide.try_into().map_err(|_| WireError::Range)
            }
            fn bits(&self, _: Sizes) -> u64 {
                1 + u64::from(bits_of(self.unsigned_abs().into()))
            }
        }
    )*};
}
signed_fields!(i8 i16 i32);

impl Field for bool {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        match u8::take(bytes)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(WireError::Range),
        }
    }
    fn bits(&self, _: Sizes) -> u64 {
        1
    }
}

impl Field for Side {
    fn put(&self, bytes: &mut Vec<u8>) {
        (*self == Side::Left).put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        Ok(if bool::take(bytes)? { Side::Left } else { Side::Right })
    }
    fn bits(&self, _: Sizes) -> u64 {
        1
    }
}

macro_rules! name_fields {
    ($($type:ty: $put:expr, $take:expr;)*) => {$(
        impl Field for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                put_number(u64::from($put(self)), bytes);
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
                let number = u32::take(bytes)?;
                if number == u32::MAX { Err(WireError::Range) } else { Ok($take(number)) }
            }
            fn bits(&self, sizes: Sizes) -> u64 {
                u64::from(sizes.name_bits)
            }
        }
    )*};
}
name_fields! {
    Id: |id: &Id| id.rank(), Id::from_rank;
    Peer: |peer: &Peer| peer.0, Peer;
    Edge: |edge: &Edge| edge.0, Edge;
}

impl<T: Field> Field for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.is_some().put(bytes);
        if let Some(value) = self {
            value.put(bytes);
        }
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        if bool::take(bytes)? { T::take(bytes).map(Some) } else { Ok(None) }
    }
    fn bits(&self, sizes: Sizes) -> u64 {
        1 + self.as_ref().map_or(0, |value| value.bits(sizes))
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_number(self.len() as u64, bytes);
        for value in self {
            value.put(bytes);
        }
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let length = take_number(bytes)?;
        // Every element takes at least a byte, so a length beyond the bytes left is a lie.
        if length > bytes.len() as u64 {
            return Err(WireError::Short);
        }
        (0..length).map(|_| T::take(bytes)).collect()
    }
    fn bits(&self, sizes: Sizes) -> u64 {
        self.iter().map(|value| value.bits(sizes)).sum()
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
        self.1.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        Ok((A::take(bytes)?, B::take(bytes)?))
    }
    fn bits(&self, sizes: Sizes) -> u64 {
        self.0.bits(sizes) + self.1.bits(sizes)
    }
}
