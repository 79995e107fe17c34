//! Tidy tables, written row by row: CSV, Parquet, JSON, JSON Lines, Markdown.
//!
//! ```
//! use ringleader_lab::table::{Cell, Column, Format, Kind, Writer};
//!
//! let columns = vec![Column::new("algorithm", Kind::Text), Column::new("seed", Kind::Int)];
//! let mut table = Writer::new(Format::Csv, columns, Vec::new())?;
//! table.row(&[Cell::from("franklin"), Cell::from(u64::MAX)])?;
//! assert_eq!(table.finish()?, b"algorithm,seed\nfranklin,18446744073709551615\n");
//! # Ok::<(), std::io::Error>(())
//! ```

mod columns;
mod json;
mod markdown;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(test)]
mod tests;

pub use columns::{Cell, Column, Kind};

use crate::Diagnostic;
use std::io::{self, Write};
use std::path::Path;

/// How a table is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Values with commas between, the names first. A missing value is empty, a float has a point or an exponent.
    Csv,
    /// Typed columns, compressed with zstd, in groups of 65,536 rows. Whole numbers are signed.
    Parquet,
    /// One array of objects, one for each row.
    Json,
    /// One object in each line.
    Jsonl,
    /// Aligned columns between bars, for people: all rows are held until the end.
    Markdown,
}

impl Format {
    /// The endings of file names that choose a format.
    pub const NAMES: [&'static str; 5] = ["csv", "parquet", "json", "jsonl", "md"];

    /// The format that the ending of a file's name asks for.
    #[must_use]
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            "json" => Some(Format::Json),
            "jsonl" => Some(Format::Jsonl),
            "md" => Some(Format::Markdown),
            _ => None,
        }
    }

    /// The largest whole number that a column can hold.
    #[must_use]
    pub const fn int_max(self) -> u64 {
        match self {
            Format::Parquet => i64::MAX as u64,
            Format::Csv | Format::Json | Format::Jsonl | Format::Markdown => u64::MAX,
        }
    }
}

/// What is said of a Parquet file where this crate was built without the feature.
#[cfg(not(feature = "parquet"))]
pub(crate) const NO_PARQUET: &str = "this program was built without Parquet";

/// Writes a table row by row. Except for Markdown it holds a group of rows at most, however long the table is.
pub struct Writer<W: Write + Send> {
    columns: Vec<Column>,
    body: Body<W>,
}

enum Body<W: Write + Send> {
    Csv(Box<csv::Writer<W>>),
    #[cfg(feature = "parquet")]
    Parquet(parquet::Groups<W>),
    Json(json::Rows<W>),
    Markdown(markdown::Held<W>),
}

impl<W: Write + Send> Writer<W> {
    /// Begins a table with these columns.
    ///
    /// # Errors
    /// If `out` does not take it, or two columns have the same name.
    pub fn new(format: Format, columns: Vec<Column>, out: W) -> io::Result<Writer<W>> {
        columns::distinct(&columns)?;
        let body = match format {
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(columns.iter().map(|column| &column.name)).map_err(below)?;
                Body::Csv(Box::new(writer))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => Body::Parquet(parquet::Groups::new(&columns, out)?),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(io::Error::other(NO_PARQUET)),
            Format::Json => Body::Json(json::Rows::new(&columns, json::Frame::Array, out)?),
            Format::Jsonl => Body::Json(json::Rows::new(&columns, json::Frame::Lines, out)?),
            Format::Markdown => Body::Markdown(markdown::Held::new(&columns, out)),
        };
        Ok(Writer { columns, body })
    }

    /// Adds a row: a cell for each column, of its kind or missing.
    ///
    /// # Errors
    /// If the cells do not fit the columns, or what is below does not take them.
    pub fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        columns::fit(&self.columns, cells)?;
        match &mut self.body {
            Body::Csv(writer) => csv_record(writer, cells),
            #[cfg(feature = "parquet")]
            Body::Parquet(groups) => groups.row(cells),
            Body::Json(rows) => rows.row(cells),
            Body::Markdown(held) => {
                held.row(cells);
                Ok(())
            }
        }
    }

    /// Ends the table and gives back what it was written to, everything handed over.
    ///
    /// # Errors
    /// If what is below does not take the rest.
    pub fn finish(self) -> io::Result<W> {
        match self.body {
            Body::Csv(mut writer) => {
                writer.flush()?;
                writer.into_inner().map_err(|error| io::Error::from(error.error().kind()))
            }
            #[cfg(feature = "parquet")]
            Body::Parquet(groups) => groups.finish(),
            Body::Json(rows) => rows.finish(),
            Body::Markdown(held) => held.finish(),
        }
    }
}

fn csv_record<W: Write>(writer: &mut csv::Writer<W>, cells: &[Cell]) -> io::Result<()> {
    for cell in cells {
        writer.write_field(cell.plain().as_bytes()).map_err(below)?;
    }
    writer.write_record(None::<&[u8]>).map_err(below)
}

/// Rows of a CSV without its head, for whoever makes parts of one on several threads.
///
/// # Errors
/// If a row has another number of cells than the one before.
pub fn csv_lines(rows: impl Iterator<Item = io::Result<Vec<Cell>>>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for cells in rows {
        csv_record(&mut writer, &cells?)?;
    }
    writer.into_inner().map_err(|error| io::Error::from(error.error().kind()))
}

/// The error below that of the CSV writer, where there is one: a full disk is a full disk.
fn below(error: csv::Error) -> io::Error {
    let words = error.to_string();
    if let csv::ErrorKind::Io(error) = error.into_kind() { error } else { io::Error::other(words) }
}

/// Refuses numbers that are too large for a column of this format, before anything runs.
///
/// # Errors
/// If there is one.
pub fn refuse_large(
    format: Format,
    mut numbers: impl Iterator<Item = (&'static str, u64)>,
) -> Result<(), Diagnostic> {
    let Some((what, number)) = numbers.find(|&(_, number)| number > format.int_max()) else { return Ok(()) };
    let most = format.int_max();
    let message = format!("{what} {number} does not fit into a Parquet column, which holds at most {most}");
    Err(Diagnostic::input("too_large_for_parquet", message)
        .help("write .csv or .jsonl, or take smaller numbers"))
}
