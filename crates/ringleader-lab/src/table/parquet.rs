//! Rows as typed columns in a Parquet file, group after group.

use super::{Cell, Column, Kind};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::io::{self, Write};
use std::sync::Arc;

/// Large enough to compress well, small enough to be held.
pub(super) const GROUP_ROWS: usize = 1 << 16;

/// Collects rows and writes them in groups.
pub(super) struct Groups<W: Write + Send> {
    file: SerializedFileWriter<Lent<W>>,
    columns: Vec<Held>,
    rows: usize,
}

/// A column of the group that is being collected: the values that are there, and for each row whether there is one.
struct Held {
    values: Values,
    present: Vec<i16>,
}

enum Values {
    Bool(Vec<bool>),
    /// Signed, though nothing we write is negative: the difference of unsigned columns wraps in pandas.
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl<W: Write + Send> Groups<W> {
    pub(super) fn new(columns: &[Column], out: W) -> io::Result<Groups<W>> {
        let fields = columns.iter().map(field).collect::<Result<_, _>>().map_err(broken)?;
        let schema = Type::group_type_builder("table").with_fields(fields).build().map_err(broken)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("ringleader {}", env!("CARGO_PKG_VERSION")))
            .build();
        let file = SerializedFileWriter::new(Lent(Some(out)), Arc::new(schema), Arc::new(properties))
            .map_err(broken)?;
        let columns = columns.iter().map(|column| Held::new(column.kind)).collect();
        Ok(Groups { file, columns, rows: 0 })
    }

    pub(super) fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        for (held, cell) in self.columns.iter_mut().zip(cells) {
            held.push(cell)?;
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.write_group().map_err(broken) } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for held in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            let present = Some(held.present.as_slice());
            match &mut held.values {
                Values::Bool(values) => {
                    column.typed::<BoolType>().write_batch(values, present, None)?;
                    values.clear();
                }
                Values::Int(values) => {
                    column.typed::<Int64Type>().write_batch(values, present, None)?;
                    values.clear();
                }
                Values::Float(values) => {
                    column.typed::<DoubleType>().write_batch(values, present, None)?;
                    values.clear();
                }
                Values::Text(values) => {
                    column.typed::<ByteArrayType>().write_batch(values, present, None)?;
                    values.clear();
                }
            }
            held.present.clear();
            column.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write_group().map_err(broken)?;
        }
        // Its own `into_inner` would make a text of the error below.
        self.file.finish().map_err(broken)?;
        self.file.inner_mut().0.take().ok_or_else(|| io::Error::other("the table is finished already"))
    }
}

/// What is written to, until it is given back.
struct Lent<W>(Option<W>);

impl<W: Write> Write for Lent<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Some(out) => out.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Held {
    fn new(kind: Kind) -> Held {
        let values = match kind {
            Kind::Bool => Values::Bool(Vec::new()),
            Kind::Int => Values::Int(Vec::new()),
            Kind::Float => Values::Float(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
        };
        Held { values, present: Vec::new() }
    }

    /// Adds a cell, whose kind the caller has checked.
    fn push(&mut self, cell: &Cell) -> io::Result<()> {
        match (&mut self.values, cell) {
            (Values::Bool(values), Cell::Bool(yes)) => values.push(*yes),
            (Values::Int(values), Cell::Int(number)) => values.push(signed(*number)?),
            (Values::Float(values), Cell::Float(number)) => values.push(*number),
            (Values::Text(values), Cell::Text(text)) => values.push(text.as_str().into()),
            (_, Cell::Null | Cell::Bool(_) | Cell::Int(_) | Cell::Float(_) | Cell::Text(_)) => {}
        }
        self.present.push(i16::from(cell.kind().is_some()));
        Ok(())
    }
}

fn signed(number: u64) -> io::Result<i64> {
    i64::try_from(number).map_err(|_| {
        let what =
            format!("{number} does not fit into a column of Parquet, which takes numbers up to 2^63-1");
        io::Error::new(io::ErrorKind::InvalidInput, what)
    })
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Bool => (Physical::BOOLEAN, None),
        Kind::Int => (Physical::INT64, None),
        Kind::Float => (Physical::DOUBLE, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
        .map(Arc::new)
}

/// The error below, where there is one: a full disk is a full disk.
fn broken(error: ParquetError) -> io::Error {
    if let ParquetError::External(below) = error {
        return match below.downcast::<io::Error>() {
            Ok(below) => *below,
            Err(other) => io::Error::other(other),
        };
    }
    io::Error::other(error.to_string())
}
