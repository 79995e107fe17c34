//! Values as they are shown: the local variables of a process and the fields of a message, by name.
//!
//! Every algorithm offers its state this way, so that a table of variables needs no code of its own.

use super::{Edge, Id, Peer, Side, Ticks};
use core::fmt;
use std::collections::{BTreeSet, VecDeque};

/// One value, ready to be shown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Nothing there.
    Nothing,
    /// A truth value.
    Flag(bool),
    /// A number.
    Number(i64),
    /// An identity; whoever shows it knows the identity that the user gave.
    Identity(Id),
    /// A process, by its index.
    Process(u32),
    /// A reading of a clock, or the difference of two.
    Ticks(Ticks),
    /// A word: a role, a side.
    Word(&'static str),
    /// Several values.
    List(Vec<Value>),
}

impl Value {
    /// This value as text, with identities named by `name`.
    pub fn text(&self, name: &dyn Fn(Id) -> u64) -> String {
        match self {
            Value::Nothing => "-".into(),
            Value::Flag(flag) => (if *flag { "yes" } else { "no" }).into(),
            Value::Number(number) => number.to_string(),
            Value::Identity(id) => name(*id).to_string(),
            Value::Process(index) => format!("p{index}"),
            Value::Ticks(ticks) => ticks.to_string(),
            Value::Word(word) => (*word).into(),
            Value::List(values) => {
                let inner: Vec<String> = values.iter().map(|value| value.text(name)).collect();
                format!("[{}]", inner.join(" "))
            }
        }
    }
}

/// Named values, in the order of their declaration.
pub type Fields = Vec<(&'static str, Value)>;

/// Something that can be shown as a value.
pub trait Show {
    /// The value to show.
    fn show(&self) -> Value;
}

impl Show for Id {
    fn show(&self) -> Value {
        Value::Identity(*self)
    }
}

impl Show for bool {
    fn show(&self) -> Value {
        Value::Flag(*self)
    }
}

impl Show for Peer {
    fn show(&self) -> Value {
        Value::Process(self.0)
    }
}

impl Show for Edge {
    fn show(&self) -> Value {
        Value::Number(i64::from(self.0))
    }
}

impl Show for Side {
    fn show(&self) -> Value {
        Value::Word(match self {
            Side::Right => "right",
            Side::Left => "left",
        })
    }
}

impl Show for Ticks {
    fn show(&self) -> Value {
        Value::Ticks(*self)
    }
}

macro_rules! show_numbers {
    ($($type:ty)*) => {$(
        impl Show for $type {
            fn show(&self) -> Value {
                Value::Number(i64::from(*self))
            }
        }
    )*};
}
show_numbers!(u8 u16 u32 i8 i16 i32 i64);

impl Show for u64 {
    fn show(&self) -> Value {
        Value::Number(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> Value {
        self.as_ref().map_or(Value::Nothing, Show::show)
    }
}

impl<T: Show> Show for [T] {
    fn show(&self) -> Value {
        Value::List(self.iter().map(Show::show).collect())
    }
}

impl<T: Show> Show for Vec<T> {
    fn show(&self) -> Value {
        self.as_slice().show()
    }
}

impl<T: Show> Show for VecDeque<T> {
    fn show(&self) -> Value {
        Value::List(self.iter().map(Show::show).collect())
    }
}

impl<T: Show> Show for BTreeSet<T> {
    fn show(&self) -> Value {
        Value::List(self.iter().map(Show::show).collect())
    }
}

impl<T: Show, const N: usize> Show for [T; N] {
    fn show(&self) -> Value {
        self.as_slice().show()
    }
}

impl<A: Show, B: Show> Show for (A, B) {
    fn show(&self) -> Value {
        Value::List(vec![self.0.show(), self.1.show()])
    }
}

/// A small closed set of named things: timers, local steps.
pub trait Name: Copy + Eq + core::hash::Hash + fmt::Debug + Send + Sync + 'static {
    /// All of them, in order.
    const ALL: &'static [Self];
    /// The name as shown.
    fn name(self) -> &'static str;
    /// The place in `ALL`.
    fn index(self) -> usize {
        Self::ALL.iter().position(|&other| other == self).unwrap_or(0)
    }
}

/// The set with nothing in it: the `Timer` of an algorithm without timers, the `Local` of one without local steps, the
/// `Port` and the `Msg` of one whose processes share registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Never {}

impl Name for Never {
    const ALL: &'static [Never] = &[];
    fn name(self) -> &'static str {
        match self {}
    }
}

/// Declares an enumeration whose values have names: the roles of a process, its timers, its local steps.
///
/// ```
/// ringleader::names! {
///     /// What a process may be.
///     pub enum Role { Asleep = "asleep", Candidate = "candidate" }
/// }
/// # use ringleader::model::Name;
/// assert_eq!(Role::Candidate.name(), "candidate");
/// ```
#[macro_export]
macro_rules! names {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $name { $($(#[$inner])* #[doc = concat!("Shown as `", $word, "`.")] $variant),+ }

        impl $crate::model::Name for $name {
            const ALL: &'static [Self] = &[$($name::$variant),+];
            fn name(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
            fn index(self) -> usize {
                self as usize
            }
        }

        impl $crate::model::Show for $name {
            fn show(&self) -> $crate::model::Value {
                $crate::model::Value::Word($crate::model::Name::name(*self))
            }
        }
    };
}

/// The named fields of a struct, for `Process::fields`: `fields!(self; id, role)`.
#[macro_export]
macro_rules! fields {
    ($this:ident; $($field:ident),+ $(,)?) => {
        vec![$((stringify!($field), $crate::model::Show::show(&$this.$field))),+]
    };
}
