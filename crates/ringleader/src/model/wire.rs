//! The wire form: a message to bytes and back, and its size in bits.
//!
//! One small codec serves messages of algorithms, frames between members and the lock service. A byte is itself; larger
//! numbers are little-endian base 128 (seven bits a byte, the top bit says that more follow); a list or text is its
//! length and its elements. A value has one form only. Decoding never trusts its input: what is malformed gives an
//! error, not a panic or a large allocation.

use super::{Edge, Id, Peer, Show, Side, Ticks};
use core::fmt;
use std::sync::Arc;

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

/// Something with one form in bytes.
pub trait Wire: Sized {
    /// Appends the wire form.
    fn put(&self, bytes: &mut Vec<u8>);
    /// Takes a value off the front of `bytes`.
    ///
    /// # Errors
    /// If the bytes are not such a value.
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError>;

    /// The value that these bytes are, all of them.
    ///
    /// # Errors
    /// If the bytes are not exactly one value.
    fn whole(mut bytes: &[u8]) -> Result<Self, WireError> {
        let value = Self::take(&mut bytes)?;
        if bytes.is_empty() { Ok(value) } else { Err(WireError::Long) }
    }
}

/// A field of a message of an algorithm: it can be shown, and the model charges bits for it.
pub trait Field: Wire + Show {
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
/// If the bytes end too early, the number has more than 64 bits, or it has a shorter form.
pub fn take_number(bytes: &mut &[u8]) -> Result<u64, WireError> {
    let mut number = 0u64;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(WireError::Short)?;
        *bytes = rest;
        if shift > 63 || (shift == 63 && byte > 1) || (shift > 0 && byte == 0) {
            return Err(WireError::Range);
        }
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    unreachable!("a number has at most ten bytes, and the tenth ends it or is out of range")
}

/// Appends bytes with their length in front.
pub fn put_bytes(what: &[u8], bytes: &mut Vec<u8>) {
    put_number(what.len() as u64, bytes);
    bytes.extend_from_slice(what);
}

/// Takes as many bytes as stand in front of them, at most `most`. A length beyond the bytes that are left is a lie, and
/// nothing is allocated.
///
/// # Errors
/// If there are more, or fewer than was said.
pub fn take_bytes<'a>(bytes: &mut &'a [u8], most: usize) -> Result<&'a [u8], WireError> {
    let length = take_number(bytes)?;
    if length > most as u64 {
        return Err(WireError::Range);
    }
    let (front, rest) = bytes.split_at_checked(length as usize).ok_or(WireError::Short)?;
    *bytes = rest;
    Ok(front)
}

/// The same, as text.
///
/// # Errors
/// Likewise, and if they are no text.
pub fn take_text<'a>(bytes: &mut &'a [u8], most: usize) -> Result<&'a str, WireError> {
    core::str::from_utf8(take_bytes(bytes, most)?).map_err(|_| WireError::Range)
}

impl Wire for u8 {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(*self);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let (&byte, rest) = bytes.split_first().ok_or(WireError::Short)?;
        *bytes = rest;
        Ok(byte)
    }
}

macro_rules! unsigned {
    ($($type:ty)*) => {$(
        impl Wire for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                put_number(u64::from(*self), bytes);
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
                take_number(bytes)?.try_into().map_err(|_| WireError::Range)
            }
        }
    )*};
}
unsigned!(u16 u32 u64);

macro_rules! unsigned_fields {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn bits(&self, _: Sizes) -> u64 {
                u64::from(bits_of(u64::from(*self)))
            }
        }
    )*};
}
unsigned_fields!(u8 u16 u32 u64);

macro_rules! signed {
    ($($type:ty)*) => {$(
        impl Wire for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                let wide = i64::from(*self);
                put_number(((wide << 1) ^ (wide >> 63)) as u64, bytes);
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
                let folded = take_number(bytes)?;
                let wide = (folded >> 1) as i64 ^ -((folded & 1) as i64);
                wide.try_into().map_err(|_| WireError::Range)
            }
        }
        impl Field for $type {
            fn bits(&self, _: Sizes) -> u64 {
                1 + u64::from(bits_of(self.unsigned_abs().into()))
            }
        }
    )*};
}
signed!(i8 i16 i32);

impl Wire for Ticks {
    fn put(&self, bytes: &mut Vec<u8>) {
        let parts = self.parts();
        put_number(((parts << 1) ^ (parts >> 63)) as u64, bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let folded = take_number(bytes)?;
        Ok(Ticks::of_parts((folded >> 1) as i64 ^ -((folded & 1) as i64)))
    }
}

impl Field for Ticks {
    fn bits(&self, _: Sizes) -> u64 {
        1 + u64::from(bits_of(self.parts().unsigned_abs()))
    }
}

impl Wire for bool {
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
}

impl Field for bool {
    fn bits(&self, _: Sizes) -> u64 {
        1
    }
}

impl Wire for Side {
    fn put(&self, bytes: &mut Vec<u8>) {
        (*self == Side::Left).put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        Ok(if bool::take(bytes)? { Side::Left } else { Side::Right })
    }
}

impl Field for Side {
    fn bits(&self, _: Sizes) -> u64 {
        1
    }
}

macro_rules! names_of_processes {
    ($($type:ty: $put:expr, $take:expr;)*) => {$(
        impl Wire for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                put_number(u64::from($put(self)), bytes);
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
                let number = u32::take(bytes)?;
                if number == u32::MAX { Err(WireError::Range) } else { Ok($take(number)) }
            }
        }
        impl Field for $type {
            fn bits(&self, sizes: Sizes) -> u64 {
                u64::from(sizes.name_bits)
            }
        }
    )*};
}
names_of_processes! {
    Id: |id: &Id| id.rank(), Id::from_rank;
    Peer: |peer: &Peer| peer.0, Peer;
    Edge: |edge: &Edge| edge.0, Edge;
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.is_some().put(bytes);
        if let Some(value) = self {
            value.put(bytes);
        }
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        if bool::take(bytes)? { T::take(bytes).map(Some) } else { Ok(None) }
    }
}

impl<T: Field> Field for Option<T> {
    fn bits(&self, sizes: Sizes) -> u64 {
        1 + self.as_ref().map_or(0, |value| value.bits(sizes))
    }
}

impl<T: Wire> Wire for Vec<T> {
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
}

impl<T: Field> Field for Vec<T> {
    fn bits(&self, sizes: Sizes) -> u64 {
        self.iter().map(|value| value.bits(sizes)).sum()
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
        self.1.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        Ok((A::take(bytes)?, B::take(bytes)?))
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn bits(&self, sizes: Sizes) -> u64 {
        self.0.bits(sizes) + self.1.bits(sizes)
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(bytes));
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let values = (0..N).map(|_| T::take(bytes)).collect::<Result<Vec<T>, WireError>>()?;
        values.try_into().map_err(|_| WireError::Range)
    }
}

impl Wire for String {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_bytes(self.as_bytes(), bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_text(bytes, usize::MAX).map(str::to_owned)
    }
}

impl Wire for Arc<str> {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_bytes(self.as_bytes(), bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_text(bytes, usize::MAX).map(Arc::from)
    }
}

impl Wire for Arc<[u8]> {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_bytes(self, bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        take_bytes(bytes, usize::MAX).map(Arc::from)
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        (**self).put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        T::take(bytes).map(Box::new)
    }
}

/// Gives structs a wire form: their fields, in the order in which they are listed.
///
/// ```
/// # use ringleader::model::Wire;
/// #[derive(PartialEq, Debug)]
/// struct Place { row: u32, seat: Option<u8> }
/// ringleader::wire_records! { Place { row, seat } }
/// let mut bytes = Vec::new();
/// Place { row: 300, seat: Some(7) }.put(&mut bytes);
/// assert_eq!(Place::whole(&bytes), Ok(Place { row: 300, seat: Some(7) }));
/// ```
#[macro_export]
macro_rules! wire_records {
    ($($record:ident $(<$inner:ty>)? { $($field:ident),* $(,)? })*) => {$(
        impl $crate::model::Wire for $record $(<$inner>)? {
            fn put(&self, bytes: &mut Vec<u8>) {
                $($crate::model::Wire::put(&self.$field, bytes);)*
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, $crate::model::WireError> {
                Ok($record { $($field: $crate::model::Wire::take(bytes)?),* })
            }
        }
    )*};
}

/// Gives enums a wire form: a tag, and the fields of the variant in the order in which they are listed. Tags are part
/// of a protocol: a new variant gets a new one, and none is ever used again for something else.
///
/// ```
/// # use ringleader::model::Wire;
/// #[derive(PartialEq, Debug)]
/// enum Shape { Dot, Circle { radius: u32 }, Line(u32, u32) }
/// ringleader::wire_kinds! { Shape { 0 Dot, 1 Circle { radius }, 2 Line(from, to) } }
/// let mut bytes = Vec::new();
/// Shape::Line(3, 300).put(&mut bytes);
/// assert_eq!(Shape::whole(&bytes), Ok(Shape::Line(3, 300)));
/// assert!(Shape::whole(&[3]).is_err());
/// ```
#[macro_export]
macro_rules! wire_kinds {
    ($(
        $kind:ident {
            $($tag:literal $variant:ident $({ $($field:ident),* })? $(( $($inner:ident),* ))?),* $(,)?
        }
    )*) => {$(
        impl $crate::model::Wire for $kind {
            fn put(&self, bytes: &mut Vec<u8>) {
                match self {
                    $($kind::$variant $({ $($field),* })? $(( $($inner),* ))? => {
                        $crate::model::put_number($tag, bytes);
                        $($($crate::model::Wire::put($field, bytes);)*)?
                        $($($crate::model::Wire::put($inner, bytes);)*)?
                    })*
                }
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, $crate::model::WireError> {
                match $crate::model::take_number(bytes)? {
                    $($tag => {
                        $($(let $field = $crate::model::Wire::take(bytes)?;)*)?
                        $($(let $inner = $crate::model::Wire::take(bytes)?;)*)?
                        Ok($kind::$variant $({ $($field),* })? $(( $($inner),* ))?)
                    })*
                    _ => Err($crate::model::WireError::Range),
                }
            }
        }
    )*};
}
