//! What a table consists of: columns of a kind, and cells.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

/// What is in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// Whole numbers from 0 to 2^64 - 1.
    Int,
    /// Numbers with a fraction.
    Float,
    /// Words.
    Text,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name, which no other column has.
    pub name: String,
    /// What is in it.
    pub kind: Kind,
}

impl Column {
    /// A column of this name and kind.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: Kind) -> Column {
        Column { name: name.into(), kind }
    }
}

/// What is in one column of one row.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Nothing: unknown, or without meaning here.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(u64),
    /// A number with a fraction. Where JSON has no word for it (NaN, infinity) it is written as null.
    Float(f64),
    /// Words.
    Text(String),
}

impl Cell {
    /// The kind of column it belongs in; a missing value belongs in any.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Cell::Null => None,
            Cell::Bool(_) => Some(Kind::Bool),
            Cell::Int(_) => Some(Kind::Int),
            Cell::Float(_) => Some(Kind::Float),
            Cell::Text(_) => Some(Kind::Text),
        }
    }

    /// As plain text, nothing where it is missing. A float keeps a point or an exponent, so that readers who guess the
    /// type of a column guess the right one; reading it gives the same bits.
    pub(super) fn plain(&self) -> Cow<'_, str> {
        match self {
            Cell::Null => Cow::Borrowed(""),
            Cell::Bool(yes) => Cow::Borrowed(if *yes { "true" } else { "false" }),
            Cell::Int(number) => Cow::Owned(number.to_string()),
            Cell::Float(number) => Cow::Owned(format!("{number:?}")),
            Cell::Text(text) => Cow::Borrowed(text),
        }
    }
}

impl From<bool> for Cell {
    fn from(yes: bool) -> Cell {
        Cell::Bool(yes)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Int(number)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Cell {
        Cell::Int(u64::from(number))
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        Cell::Float(number)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
}

/// An error if two columns have the same name: no reader would know which is meant.
pub(super) fn distinct(columns: &[Column]) -> io::Result<()> {
    let mut seen = BTreeSet::new();
    match columns.iter().find(|column| !seen.insert(&column.name)) {
        Some(twice) => Err(unfit(format!("two columns are called `{}`", twice.name))),
        None => Ok(()),
    }
}

/// An error if a row is not one cell for each column, of its kind or missing.
pub(super) fn fit(columns: &[Column], cells: &[Cell]) -> io::Result<()> {
    if columns.len() != cells.len() {
        return Err(unfit(format!("{} cells for {} columns", cells.len(), columns.len())));
    }
    for (column, cell) in columns.iter().zip(cells) {
        if cell.kind().is_some_and(|kind| kind != column.kind) {
            return Err(unfit(format!("{cell:?} in column `{}` of {:?}", column.name, column.kind)));
        }
    }
    Ok(())
}

fn unfit(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
