//! The rows of a file that a sweep has written, one after the other: only the row at hand is held.

use super::fields::declared_kind;
use super::journal::Head;
use super::rows::Row;
use crate::table::{Format, Kind};
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Why the rows of a file cannot be read.
#[derive(Debug)]
pub enum PartError {
    /// It cannot be opened.
    Io(io::Error),
    /// It is not a file of rows, with the reason.
    NoRows(String),
}

/// Which run of which sweep a row is of.
pub(super) struct Numbered {
    pub(super) run: u64,
    pub(super) of: u64,
    pub(super) sweep: String,
}

impl Numbered {
    pub(super) fn of(row: &Row) -> Option<Numbered> {
        let number = |name: &str| row.get(name).and_then(Value::as_u64);
        let sweep = row.get("sweep").and_then(Value::as_str)?.to_owned();
        Some(Numbered { run: number("run")?, of: number("of")?, sweep })
    }
}

/// Whether the file has exactly the rows of this sweep, or of this shard of it, in the order of the runs. Each row is
/// shown to `seen`.
#[must_use]
pub fn is_complete(path: &Path, head: &Head, seen: &mut dyn FnMut(&Row)) -> bool {
    let mut runs = head.shard.runs(head.runs);
    let all = each_row(path, &mut |row| {
        let ours = Numbered::of(&row).is_some_and(|numbered| {
            numbered.of == head.runs && numbered.sweep == head.sweep && runs.next() == Some(numbered.run)
        });
        seen(&row);
        if ours { Ok(()) } else { Err(PartError::NoRows("it is of another sweep".into())) }
    });
    all.is_ok() && runs.next().is_none()
}

/// Gives the rows of a file, whose ending says how it is written.
pub(super) fn each_row<E: From<PartError>>(
    path: &Path,
    give: &mut dyn FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let format = Format::of(path);
    let file = File::open(path).map_err(PartError::Io)?;
    // What a reader in between cannot pass on.
    let mut stopped = None;
    let mut take = |row: Row| match give(row) {
        Ok(()) => true,
        Err(error) => {
            stopped = Some(error);
            false
        }
    };
    let read: Result<(), String> = match format {
        Some(Format::Csv) => csv_rows(file, &mut take).map_err(|error| error.to_string()),
        Some(Format::Jsonl) => json_lines(file, &mut take).map_err(|error| error.to_string()),
        Some(Format::Json) => json_array(file, &mut take).map_err(|error| error.to_string()),
        #[cfg(not(feature = "parquet"))]
        Some(Format::Parquet) => Err(crate::table::NO_PARQUET.into()),
        #[cfg(feature = "parquet")]
        Some(Format::Parquet) => parquet_rows(file, &mut take).map_err(|error| error.to_string()),
        Some(Format::Markdown) | None => Err("parts end in .csv, .parquet, .json or .jsonl".into()),
    };
    match (stopped, read) {
        (Some(error), _) => Err(error),
        (None, Err(why)) => Err(PartError::NoRows(why).into()),
        (None, Ok(())) => Ok(()),
    }
}

/// Takes a row; false if no more are wanted.
type Take<'a> = &'a mut dyn FnMut(Row) -> bool;

fn json_lines(file: File, take: Take<'_>) -> serde_json::Result<()> {
    for row in serde_json::Deserializer::from_reader(BufReader::new(file)).into_iter::<Row>() {
        if !take(row?) {
            break;
        }
    }
    Ok(())
}

fn json_array(file: File, take: Take<'_>) -> serde_json::Result<()> {
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(file));
    Elements(take).deserialize(&mut reader)?;
    reader.end()
}

/// The elements of an array, taken as they are read.
struct Elements<'a>(Take<'a>);

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(row) = elements.next_element::<Row>()? {
            if !(self.0)(row) {
                return Err(A::Error::custom("no more rows are wanted"));
            }
        }
        Ok(())
    }
}

/// A CSV has no types: they are those that are declared, or what the text looks like.
fn csv_rows(file: File, take: Take<'_>) -> Result<(), csv::Error> {
    let mut reader = csv::Reader::from_reader(BufReader::new(file));
    let names = reader.headers()?.clone();
    let kinds: Vec<Option<Kind>> = names.iter().map(declared_kind).collect();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record)? {
        let fields = names.iter().zip(&kinds).zip(record.iter());
        let row = fields.map(|((name, kind), text)| (name.to_owned(), value(*kind, text))).collect();
        if !take(row) {
            break;
        }
    }
    Ok(())
}

fn value(kind: Option<Kind>, text: &str) -> Value {
    match (kind, text) {
        (_, "") => Value::Null,
        (Some(Kind::Text), text) => text.into(),
        (_, "true") => Value::Bool(true),
        (_, "false") => Value::Bool(false),
        (_, text) => {
            let float = || text.parse().ok().and_then(Number::from_f64);
            let number = text.parse::<u64>().ok().map(Number::from).or_else(float);
            number.map_or_else(|| text.into(), Value::Number)
        }
    }
}

#[cfg(feature = "parquet")]
#[expect(clippy::wildcard_enum_match_arm, reason = "we write no other kinds of fields; they keep their text")]
fn parquet_rows(file: File, take: Take<'_>) -> Result<(), parquet::errors::ParquetError> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(file)?;
    for row in reader.get_row_iter(None)? {
        let mut object = Row::new();
        for (name, field) in row?.get_column_iter() {
            use parquet::record::Field;
            let value = match field {
                Field::Null => Value::Null,
                Field::Bool(yes) => Value::Bool(*yes),
                Field::Long(number) => (*number).into(),
                // Earlier versions wrote unsigned columns.
                Field::ULong(number) => (*number).into(),
                Field::Double(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
                Field::Str(text) => text.clone().into(),
                other => other.to_string().into(),
            };
            object.insert(name.clone(), value);
        }
        if !take(object) {
            break;
        }
    }
    Ok(())
}
