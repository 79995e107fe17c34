//! The values of configuration files: how each is read from a word, how it is written, and what is said of another.

use super::quantity::{ADDRESS, DURATION, PART, duration, host_and_port, is_name, part, written};
use core::fmt::{self, Display, Formatter};
use core::marker::PhantomData;
use ringleader_live::Micros;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// A value that a word of the file stands for.
pub trait Word: Sized {
    /// What is said to be expected where something else than a word stands.
    const EXPECTED: &'static str;

    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with the word.
    fn read(text: &str) -> Result<Self, String>;

    /// Writes it.
    fn written(&self) -> String;
}

/// Reads a word, or a list of words.
#[derive(Debug)]
pub struct Reader<T>(pub PhantomData<T>);

impl<T: Word> Visitor<'_> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::read(text).map_err(E::custom)
    }
}

/// Lets serde read and write [`Word`]s.
#[macro_export]
#[doc(hidden)]
macro_rules! words {
    ($($type:ty $(where $(const $bound:ident)+)?),* $(,)?) => {$(
        impl<'de $($(, const $bound: u64)+)?> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_str($crate::config::values::Reader(core::marker::PhantomData))
            }
        }

        impl<$($(const $bound: u64),+)?> serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&$crate::config::values::Word::written(self))
            }
        }
    )*};
}

/// Words that stay words once they are checked: the type, what is expected, what a good one is.
#[macro_export]
#[doc(hidden)]
macro_rules! checked_words {
    ($($(#[$doc:meta])* $face:vis $name:ident($expected:expr, $check:expr);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        $face struct $name($face String);

        impl $crate::config::values::Word for $name {
            const EXPECTED: &'static str = $expected;

            fn read(text: &str) -> Result<Self, String> {
                let check: fn(&str) -> Result<(), String> = $check;
                check(text).map(|()| $name(text.to_owned()))
            }

            fn written(&self) -> String {
                self.0.clone()
            }
        }

        $crate::words!($name);
    )*};
}

checked_words! {
    /// Any text.
    pub Text("a string", |_| Ok(()));
    /// The name of a cluster.
    pub ClusterName("the name of the cluster", a_name);
    /// The name of a member or a server.
    pub Name("a name such as \"b\"", a_name);
    /// The name of a group.
    pub GroupName("a name such as \"main\"", a_name);
    /// A host and a port.
    pub HostPort(ADDRESS, |text| host_and_port(text).map(drop).map_err(|expected| format!("expected {expected}")));
    /// The path of a file.
    pub FilePath("a path", |text| if text.is_empty() { Err("expected a path".into()) } else { Ok(()) });
}

/// Whether this is a name.
///
/// # Errors
/// What names look like, if it is none.
pub fn a_name(text: &str) -> Result<(), String> {
    if is_name(text) {
        return Ok(());
    }
    Err(format!(
        "a name of lower-case letters, digits and hyphens (none at the ends), 63 at most, such as \"b\" or \"db-2\", \
         found `{text}`"
    ))
}

/// A value that has this name.
///
/// # Errors
/// What is expected instead, if none has it.
pub fn one_of<T: Clone>(all: &[(&str, T)], text: &str) -> Result<T, String> {
    all.iter().find(|(name, _)| *name == text).map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        format!("expected one of {}, found `{text}`", names.join(", "))
    })
}

/// A duration of at least so many microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span<const LEAST: u64>(pub Micros);

impl<const LEAST: u64> Word for Span<LEAST> {
    const EXPECTED: &'static str = DURATION;

    fn read(text: &str) -> Result<Self, String> {
        let span = duration(text).map_err(|expected| format!("expected {expected}"))?;
        if span.0 < LEAST {
            Err(format!("too short: at least {}", written(Micros(LEAST))))
        } else {
            Ok(Span(span))
        }
    }

    fn written(&self) -> String {
        written(self.0)
    }
}

/// A part of a whole, in parts per million.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part(pub u32);

impl Word for Part {
    const EXPECTED: &'static str = PART;

    fn read(text: &str) -> Result<Self, String> {
        part(text).map(Part).map_err(|expected| format!("expected {expected}"))
    }

    fn written(&self) -> String {
        format!("{}ppm", self.0)
    }
}

words!(Span<LEAST> where const LEAST, Part);

/// A whole number between bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Whole<T, const LEAST: u64, const MOST: u64>(pub T);

impl<T: TryFrom<u64> + Display, const LEAST: u64, const MOST: u64> Word for Whole<T, LEAST, MOST> {
    const EXPECTED: &'static str = "a whole number";

    fn read(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number
            .map(Whole)
            .ok_or_else(|| format!("expected a whole number from {LEAST} to {MOST}, found `{text}`"))
    }

    fn written(&self) -> String {
        self.0.to_string()
    }
}

impl<'de, T: TryFrom<u64> + Display, const LEAST: u64, const MOST: u64> Deserialize<'de>
    for Whole<T, LEAST, MOST>
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_u64(Reader(PhantomData))
    }
}

/// A list of words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Words<T>(pub Vec<T>);

impl<'de, T: Word + Deserialize<'de>> Deserialize<'de> for Words<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_tuple(0, List(PhantomData)).map(Words)
    }
}

struct List<T>(PhantomData<T>);

impl<'de, T: Word + Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        core::iter::from_fn(|| items.next_element().transpose()).collect()
    }
}
