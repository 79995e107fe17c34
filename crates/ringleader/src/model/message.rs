//! Messages: what travels. A message has a kind with a name, fields with names, a size in bits and a wire form.

use super::{Fields, Sizes, WireError};
use core::fmt::Debug;
use core::hash::Hash;

/// What processes send each other. Written with [`messages!`](crate::messages).
pub trait Message: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The names of the kinds, as reports use them.
    const KINDS: &'static [&'static str];
    /// Which kinds only announce the result: they are left out of the *election messages*.
    const ANNOUNCES: &'static [bool];
    /// The kind of this message, an index into `KINDS`.
    fn kind(&self) -> usize;
    /// The fields by name.
    fn fields(&self) -> Fields;
    /// Whose request it serves, for counting messages per entry.
    fn charge(&self) -> Charge {
        Charge::Nobody
    }
    /// The size in bits: the tag that tells the kinds apart, and the fields.
    fn bits(&self, sizes: Sizes) -> u64;
    /// Appends the wire form.
    fn put(&self, bytes: &mut Vec<u8>);
    /// Takes a message off the front of `bytes`.
    ///
    /// # Errors
    /// If the bytes are not such a message.
    fn take(bytes: &mut &[u8]) -> Result<Self, WireError>;

    /// The wire form.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.put(&mut bytes);
        bytes
    }

    /// The message that these bytes are, all of them.
    ///
    /// # Errors
    /// If the bytes are not exactly one message.
    fn decode(mut bytes: &[u8]) -> Result<Self, WireError> {
        let message = Self::take(&mut bytes)?;
        if bytes.is_empty() { Ok(message) } else { Err(WireError::Long) }
    }
}

/// Whose request a message serves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Charge {
    /// The sender's.
    Sender,
    /// The receiver's.
    Receiver,
    /// Somebody else's.
    Process(u32),
    /// Nobody's: it circulates of its own accord.
    Nobody,
}

/// Declares the messages of an algorithm: one line per kind, with the name that reports use, `announces` where the
/// kind only announces the result, the fields, and in mutual exclusion whose request it `serves`: that of its `Sender`,
/// of its `Receiver`, or of the process named in a field (`Process(k)`); nobody's where that is not said.
///
/// ```
/// use ringleader::model::{Id, Message};
/// ringleader::messages! {
///     /// What travels on the ring.
///     pub enum Msg {
///         /// A candidate's identity.
///         "election" Election { id: Id },
///         /// The winner's identity.
///         announces "elected" Elected { id: Id },
///     }
/// }
/// let message = Msg::Election { id: Id::from_rank(4) };
/// assert_eq!(Msg::KINDS[message.kind()], "election");
/// assert_eq!(Msg::decode(&message.encode()), Ok(message));
/// ```
#[macro_export]
macro_rules! messages {
    (@announces) => { false };
    (@announces announces) => { true };
    (@charge) => { $crate::model::Charge::Nobody };
    (@charge $whose:ident) => { $crate::model::Charge::$whose };
    (@charge Process $who:ident) => { $crate::model::Charge::Process($who.0) };
    ($vis:vis enum $($rest:tt)+) => {
        $crate::messages! {
            /// What processes say to each other.
            $vis enum $($rest)+
        }
    };
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident {
            $(
                $(#[$inner:meta])*
                $($announces:ident)? $word:literal $variant:ident $({ $($field:ident: $type:ty),* $(,)? })?
                $(serves $whose:ident $(($who:ident))?)?
            ),+ $(,)?
        }
    ) => {
        $crate::messages! {
            @split $(#[$meta])* $vis enum $name {
                $(
                    $(#[$inner])* $word [$($announces)?] [$($whose $($who)?)?] $variant { $($($field: $type),*)? }
                ),+
            }
        }
    };
    (
        @split $(#[$meta:meta])* $vis:vis enum $name:ident {
            $(
                $(#[$inner:meta])* $word:literal [$($announces:ident)?] [$($whose:ident $($who:ident)?)?]
                $variant:ident { $($field:ident: $type:ty),* }
            ),+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the fields are named as in the book; the kind says what they are")]
        $vis enum $name { $($(#[$inner])* $variant { $($field: $type),* }),+ }

        impl $crate::model::Message for $name {
            const KINDS: &'static [&'static str] = &[$($word),+];
            const ANNOUNCES: &'static [bool] = &[$($crate::messages!(@announces $($announces)?)),+];

            #[inline]
            fn kind(&self) -> usize {
                #[repr(u8)]
                enum Kind { $($variant),+ }
                match self { $($name::$variant { .. } => Kind::$variant as usize),+ }
            }

            fn fields(&self) -> $crate::model::Fields {
                match self {
                    $($name::$variant { $($field),* } => {
                        vec![$((stringify!($field), $crate::model::Show::show($field))),*]
                    }),+
                }
            }

            #[inline]
            fn charge(&self) -> $crate::model::Charge {
                match self {
                    $($name::$variant { $($($who,)?)? .. } => $crate::messages!(@charge $($whose $($who)?)?)),+
                }
            }

            fn bits(&self, _sizes: $crate::model::Sizes) -> u64 {
                let last = Self::KINDS.len() as u64 - 1;
                let tag = if last == 0 { 0 } else { u64::from($crate::model::bits_of(last)) };
                match self {
                    $($name::$variant { $($field),* } => tag $(+ $crate::model::Field::bits($field, _sizes))*),+
                }
            }

            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.push(self.kind() as u8);
                match self {
                    $($name::$variant { $($field),* } => { $($crate::model::Wire::put($field, bytes);)* }),+
                }
            }

            fn take(bytes: &mut &[u8]) -> Result<Self, $crate::model::WireError> {
                let kind = <u8 as $crate::model::Wire>::take(bytes)?;
                let mut next = 0u8;
                $(
                    if kind == next {
                        return Ok($name::$variant { $($field: <$type as $crate::model::Wire>::take(bytes)?),* });
                    }
                    next += 1;
                )+
                let _ = next;
                Err($crate::model::WireError::Range)
            }
        }
    };
}
