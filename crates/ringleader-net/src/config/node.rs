//! A value of a file, handed to serde. Unlike the deserializer of `toml` it reads tables from tables only, in the order
//! of the file, and its mistakes are data with a place, not sentences to take apart.

use super::document::is_from_environment;
use core::fmt::Display;
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, Visitor,
    value::SeqDeserializer,
};
use serde::forward_to_deserialize_any;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A key with its place.
pub(super) type Key<'i> = Spanned<DeString<'i>>;

/// A value with its place.
pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// What is wrong with a value, and where as soon as that is known.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) at: Option<Range<usize>>,
    pub(super) fault: Fault,
}

#[derive(Debug)]
pub(super) enum Fault {
    /// The words for it.
    Said(String),
    /// A key that means nothing here, and those that do.
    Unknown { key: String, known: &'static [&'static str] },
    /// What is at this path must be there, and is not; the name of the table is here.
    Missing { path: String, name: Option<Range<usize>> },
}

impl Error for Wrong {
    fn custom<T: Display>(message: T) -> Wrong {
        Wrong { at: None, fault: Fault::Said(message.to_string()) }
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Wrong {
        Wrong { at: None, fault: Fault::Unknown { key: key.to_owned(), known } }
    }

    fn missing_field(key: &'static str) -> Wrong {
        Wrong { at: None, fault: Fault::Missing { path: key.to_owned(), name: None } }
    }
}

impl Display for Wrong {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?}", self.fault)
    }
}

impl std::error::Error for Wrong {}

impl Wrong {
    fn at(self, place: Range<usize>) -> Wrong {
        Wrong { at: Some(self.at.unwrap_or(place)), ..self }
    }
}

/// A value, and the key under which it stands; the file itself has none.
#[derive(Clone, Copy)]
pub(super) struct Node<'n> {
    pub(super) key: Option<&'n Key<'n>>,
    pub(super) value: &'n Value<'n>,
    /// Whether it is one of several under that key.
    pub(super) listed: bool,
}

impl<'n> Node<'n> {
    /// It is of another kind than it should be.
    pub(super) fn kind(self, expected: impl Display) -> Wrong {
        let found = self.value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i', 'o', 'u']) { "an" } else { "a" };
        Wrong::custom(format!("expected {expected}, found {article} {found}")).at(self.value.span())
    }

    /// The digits of a whole number in decimal. The environment has no kinds: there any text may be one.
    pub(super) fn digits(self) -> Option<String> {
        let value = self.value.get_ref();
        if let Some(number) = value.as_integer() {
            return (number.radix() == 10).then(|| number.as_str().replace('_', ""));
        }
        value.as_str().filter(|_| is_from_environment(&self.value.span())).map(str::to_owned)
    }

    fn name(self) -> &'n str {
        self.key.map_or("", |key| key.get_ref())
    }

    fn items(self) -> Option<impl Iterator<Item = Node<'n>>> {
        let items = self.value.get_ref().as_array()?;
        Some(items.iter().map(move |value| Node { value, listed: true, ..self }))
    }
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        Err(self.kind(&visitor as &dyn Expected))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let Some(text) = self.value.get_ref().as_str() else { return self.deserialize_any(visitor) };
        visitor.visit_str(text).map_err(|wrong: Wrong| wrong.at(self.value.span()))
    }

    /// Digits, for the visitor to read: it knows the bounds.
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let Some(digits) = self.digits() else { return self.deserialize_any(visitor) };
        visitor.visit_string(digits).map_err(|wrong: Wrong| wrong.at(self.value.span()))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let value = self.value.get_ref().as_bool();
        visitor.visit_bool(value.ok_or_else(|| self.kind("true or false"))?)
    }

    /// A list of words.
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        let Some(items) = self.items() else { return self.deserialize_any(visitor) };
        visitor.visit_seq(SeqDeserializer::new(items))
    }

    /// `[[key]]`, several times.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let items = self.items().ok_or_else(|| self.kind(format!("tables: [[{}]]", self.name())))?;
        visitor.visit_seq(SeqDeserializer::new(items))
    }

    /// `[key]`, or one of several.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let name = self.name();
        let expected =
            || if self.listed { format!("tables: [[{name}]]") } else { format!("a table: [{name}]") };
        let table = self.value.get_ref().as_table().ok_or_else(|| self.kind(expected()))?;
        let entries = Entries { left: in_order(table).into_iter(), value: None };
        visitor.visit_map(entries).map_err(|mut wrong: Wrong| {
            if let (None, Fault::Missing { path, name: called }, Some(key)) =
                (&wrong.at, &mut wrong.fault, self.key)
            {
                *path = format!("{}.{path}", key.get_ref());
                *called = table.get("name").map(Spanned::span);
            }
            let at = self.key.filter(|_| !self.listed).map_or(self.value.span(), Spanned::span);
            wrong.at(at)
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 f32 f64 char string bytes byte_buf unit unit_struct newtype_struct tuple_struct map
        enum identifier
    }
}

impl<'de> IntoDeserializer<'de, Wrong> for Node<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The entries of a table.
struct Entries<'n> {
    left: std::vec::IntoIter<(&'n Key<'n>, &'n Value<'n>)>,
    value: Option<Node<'n>>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        let Some((key, value)) = self.left.next() else { return Ok(None) };
        self.value = Some(Node { key: Some(key), value, listed: false });
        let name: serde::de::value::StrDeserializer<'_, Wrong> = key.get_ref().as_ref().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|wrong| wrong.at(key.span()))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Wrong> {
        seed.deserialize(self.value.take().ok_or_else(|| Wrong::custom("a key goes before its value"))?)
    }
}

/// The entries of a table in the order of the file.
pub(super) fn in_order<'n>(table: &'n DeTable<'n>) -> Vec<(&'n Key<'n>, &'n Value<'n>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}
