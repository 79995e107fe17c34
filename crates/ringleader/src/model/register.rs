//! Registers: variables that processes share. An algorithm that has them sends no messages; its local steps read and
//! write.

use super::{Charge, Fields, Message, Never, Port, Settings, Shape, Sizes, WireError};
use core::fmt::Debug;
use core::hash::Hash;
use core::ops::Range;

/// The registers of an algorithm. Written with [`registers!`](crate::registers).
pub trait Register: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The kinds of them, in order.
    const KINDS: &'static [RegisterKind];
    /// The place of its kind in `KINDS`, and its number among those of that kind.
    fn place(self) -> (usize, u32);
}

/// Registers of one name.
#[derive(Clone, Copy, Debug)]
pub struct RegisterKind {
    /// The name as shown.
    pub name: &'static str,
    /// Whether there is one for each process, or one for all.
    pub each: bool,
    /// Whether it holds numbers that grow without end, and that are only compared: 0 stands for none.
    pub grows: bool,
    /// Whether everything stays as it is if all of them are raised by the same number, in a circle of their values.
    pub cyclic: bool,
    /// Its values, of the number of processes, its own number and the settings: what a read that overlaps a write of
    /// a safe register may be answered with, and what a run of a self-stabilising algorithm may begin with. The first
    /// one is what it holds at first.
    pub values: fn(u32, u32, &Settings) -> Range<u32>,
}

impl RegisterKind {
    /// How many there are of this kind.
    #[must_use]
    pub const fn count(&self, n: u32) -> u32 {
        if self.each { n } else { 1 }
    }
}

impl Register for Never {
    const KINDS: &'static [RegisterKind] = &[];
    fn place(self) -> (usize, u32) {
        match self {}
    }
}

/// The port of a process that has no links: there is none, so it cannot send.
impl Port for Never {
    const SHAPE: Shape = Shape::Memory;
    fn index(self) -> u32 {
        match self {}
    }
    fn from_index(index: u32) -> Never {
        unreachable!("a process without links has no port {index}")
    }
}

/// The message of an algorithm that sends none.
impl Message for Never {
    const KINDS: &'static [&'static str] = &[];
    const ANNOUNCES: &'static [bool] = &[];
    fn kind(&self) -> usize {
        match *self {}
    }
    fn fields(&self) -> Fields {
        match *self {}
    }
    fn charge(&self) -> Charge {
        match *self {}
    }
    fn bits(&self, _: Sizes) -> u64 {
        match *self {}
    }
    fn put(&self, _: &mut Vec<u8>) {
        match *self {}
    }
    fn take(_: &mut &[u8]) -> Result<Never, WireError> {
        Err(WireError::Range)
    }
}

/// Declares the registers of an algorithm: the name as shown, the variant, `each` where there is one for each process
/// (`each grows` if its numbers grow without end, `each cyclic` if raising all of them changes nothing), and its
/// values, of the number of processes, its own number and the settings.
///
/// ```
/// use ringleader::model::Register as _;
/// ringleader::registers! {
///     /// Whether a process wants in.
///     "flag" Flag each: |_, _, _| 0..2,
///     /// Who has to wait.
///     "turn" Turn: |n, _, _| 0..n,
/// }
/// assert_eq!(Register::Flag(3).place(), (0, 3));
/// assert_eq!(Register::Turn.place(), (1, 0));
/// ```
#[macro_export]
macro_rules! registers {
    ($($(#[$inner:meta])* $word:literal $variant:ident $($each:ident $($how:ident)?)?: $values:expr),+ $(,)?) => {
        /// The registers that processes share.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Register { $($(#[$inner])* $variant $(($crate::registers!(@number $each)))?),+ }

        impl $crate::model::Register for Register {
            const KINDS: &'static [$crate::model::RegisterKind] = &[$($crate::model::RegisterKind {
                name: $word,
                each: $crate::registers!(@each $($each)?),
                grows: $crate::registers!(@grows $($($how)?)?),
                cyclic: $crate::registers!(@cyclic $($($how)?)?),
                values: $values,
            }),+];

            fn place(self) -> (usize, u32) {
                #[repr(u8)]
                enum Kind { $($variant),+ }
                match self {
                    $(Register::$variant { .. } => {
                        (Kind::$variant as usize, $crate::registers!(@index self $variant $($each)?))
                    }),+
                }
            }
        }
    };
    (@number each) => { u32 };
    (@index $this:ident $variant:ident) => { 0 };
    (@index $this:ident $variant:ident each) => {{
        #[allow(irrefutable_let_patterns, reason = "there may be one kind of registers")]
        if let Register::$variant(index) = $this { index } else { 0 }
    }};
    (@grows) => { false };
    (@grows grows) => { true };
    (@grows cyclic) => { false };
    (@cyclic) => { false };
    (@cyclic grows) => { false };
    (@cyclic cyclic) => { true };
    (@each) => { false };
    (@each each) => { true };
}
