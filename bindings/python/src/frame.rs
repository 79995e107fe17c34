//! Tables that other libraries take as they are, through the capsules of Arrow.

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringViewBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use ringleader_lab::table::{Cell, Column, Kind};
use std::collections::HashMap;
use std::sync::Arc;

/// A column that is being collected. Whole numbers are signed, as everywhere in our tables.
enum Collected {
    Bool(BooleanBuilder),
    Int(Int64Builder),
    Float(Float64Builder),
    // Most texts come in every row: each is kept once.
    Text(StringViewBuilder),
}

impl Collected {
    fn new(kind: Kind) -> Collected {
        match kind {
            Kind::Bool => Collected::Bool(BooleanBuilder::new()),
            Kind::Int => Collected::Int(Int64Builder::new()),
            Kind::Float => Collected::Float(Float64Builder::new()),
            Kind::Text => Collected::Text(StringViewBuilder::new().with_deduplicate_strings()),
        }
    }

    fn add(&mut self, cell: &Cell) -> Result<(), u64> {
        match (self, cell) {
            (Collected::Bool(column), Cell::Bool(yes)) => column.append_value(*yes),
            (Collected::Bool(column), _) => column.append_null(),
            (Collected::Int(column), Cell::Int(number)) => {
                column.append_value(i64::try_from(*number).map_err(|_| *number)?);
            }
            (Collected::Int(column), _) => column.append_null(),
            (Collected::Float(column), Cell::Float(number)) => column.append_value(*number),
            (Collected::Float(column), _) => column.append_null(),
            (Collected::Text(column), Cell::Text(text)) => column.append_value(text),
            (Collected::Text(column), _) => column.append_null(),
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Collected::Bool(mut column) => Arc::new(column.finish()),
            Collected::Int(mut column) => Arc::new(column.finish()),
            Collected::Float(mut column) => Arc::new(column.finish()),
            Collected::Text(mut column) => Arc::new(column.finish()),
        }
    }
}

/// Rows that become a frame.
pub(crate) struct Rows {
    columns: Vec<Collected>,
    kinds: Vec<Kind>,
    schema: Schema,
}

impl Rows {
    pub(crate) fn new(columns: &[Column]) -> Rows {
        let field = |column: &Column| {
            let kind = match column.kind {
                Kind::Bool => DataType::Boolean,
                Kind::Int => DataType::Int64,
                Kind::Float => DataType::Float64,
                Kind::Text => DataType::Utf8View,
            };
            Field::new(&column.name, kind, true)
        };
        Rows {
            columns: columns.iter().map(|column| Collected::new(column.kind)).collect(),
            kinds: columns.iter().map(|column| column.kind).collect(),
            schema: Schema::new(columns.iter().map(field).collect::<Vec<Field>>()),
        }
    }

    /// One more: the cells of these places.
    pub(crate) fn add(&mut self, cells: &[Cell], places: &[usize]) -> PyResult<()> {
        for (column, place) in self.columns.iter_mut().zip(places) {
            column.add(&cells[*place]).map_err(|number| {
                let why = format!("{number} does not fit into a column, which takes numbers up to 2^63-1");
                PyOverflowError::new_err(why)
            })?;
        }
        Ok(())
    }

    /// All of it, with these notes.
    pub(crate) fn finish(self, notes: HashMap<String, String>) -> PyResult<Frame> {
        let columns: Vec<ArrayRef> = self.columns.into_iter().map(Collected::finish).collect();
        let batch = RecordBatch::try_new(Arc::new(self.schema.with_metadata(notes)), columns);
        Ok(Frame {
            batch: batch.map_err(|error| PyValueError::new_err(error.to_string()))?,
            kinds: self.kinds,
        })
    }
}

/// A table. Whoever speaks Arrow's C interface takes it without a copy: `polars.DataFrame(frame)`,
/// `pyarrow.table(frame)`, `pandas.DataFrame.from_arrow(frame)`, or its name in a query of DuckDB.
#[pyclass(frozen, module = "ringleader")]
pub(crate) struct Frame {
    batch: RecordBatch,
    kinds: Vec<Kind>,
}

#[pymethods]
impl Frame {
    /// The names of its columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The kind of each column, by name: bool, int64, float64, text.
    #[getter]
    fn types(&self) -> Vec<(String, &'static str)> {
        let name = |kind: &Kind| match kind {
            Kind::Bool => "bool",
            Kind::Int => "int64",
            Kind::Float => "float64",
            Kind::Text => "text",
        };
        self.columns().into_iter().zip(self.kinds.iter().map(name)).collect()
    }

    /// What is noted of it.
    #[getter]
    fn notes(&self) -> HashMap<String, String> {
        let notes = self.batch.schema_ref().metadata();
        notes.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
    }

    /// Bytes in memory.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batch.get_array_memory_size()
    }

    fn __repr__(&self) -> String {
        let columns = self.columns();
        let shown = columns.iter().take(6).cloned().collect::<Vec<String>>().join(", ");
        let more = if columns.len() > 6 { ", …" } else { "" };
        let (rows, all) = (self.batch.num_rows(), columns.len());
        format!("<frame: {rows} rows, {all} columns ({shown}{more}); polars.DataFrame(frame) shows it>")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The values of a column as a list: for a look, not for a million.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Option<Vec<Py<PyAny>>>> {
        use arrow_array::cast::AsArray;
        use arrow_array::types::{Float64Type, Int64Type};
        let Ok(place) = self.batch.schema_ref().index_of(name) else { return Ok(None) };
        let (column, kind) = (self.batch.column(place), self.kinds[place]);
        let value = |row: usize| -> PyResult<Py<PyAny>> {
            if column.is_null(row) {
                return Ok(py.None());
            }
            Ok(match kind {
                Kind::Bool => {
                    column.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any().unbind()
                }
                Kind::Int => {
                    column.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any().unbind()
                }
                Kind::Float => {
                    column.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any().unbind()
                }
                Kind::Text => column.as_string_view().value(row).into_pyobject(py)?.into_any().unbind(),
            })
        };
        (0..column.len()).map(value).collect::<PyResult<Vec<_>>>().map(Some)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema_ref().as_ref());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows, once more each time. What type somebody would rather have is not looked at: they convert it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let rows = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(rows)), c"arrow_array_stream")
    }
}
