//! Rows as JSON objects, and the tables that they make: nested fields become columns with a dot in their name.

use super::fields::{Field, columns_of, columns_of_row, declared, declared_kind};
use crate::table::{Cell, Column, Format, Kind, Writer, csv_lines};
use ringleader::registry::Problem;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// One run.
pub type Row = Map<String, Value>;

/// Rows that can be gone through more than once, in the order of their runs, each as a line of JSON.
pub trait Rows {
    /// Gives one row after the other.
    ///
    /// # Errors
    /// If they cannot be read, or `give` says so.
    fn each(&mut self, give: &mut dyn FnMut(String) -> io::Result<()>) -> io::Result<()>;
}

impl Rows for Vec<Row> {
    fn each(&mut self, give: &mut dyn FnMut(String) -> io::Result<()>) -> io::Result<()> {
        self.iter().try_for_each(|row| give(serde_json::to_string(row)?))
    }
}

/// Writes rows in this format: as they are where it can hold them (JSON), flat where it has columns: those that are
/// known, and what the rows have besides. `look` sees each row once, on one of the threads; what it makes of it goes to
/// `seen`, in the order of the runs.
///
/// # Errors
/// If they cannot be read or written, or a field is not what it is declared to be.
pub fn write_rows<W: Write + Send, L: Send>(
    rows: &mut dyn Rows,
    known: Columns,
    (format, threads): (Format, usize),
    mut out: W,
    look: &(dyn Fn(&Row) -> L + Sync),
    seen: &mut dyn FnMut(L),
) -> io::Result<W> {
    match format {
        Format::Jsonl | Format::Json => {
            let (open, between, close) =
                if format == Format::Json { ("[\n", ",\n", "\n]\n") } else { ("", "\n", "\n") };
            let mut before = open;
            let looked = |lines: Vec<String>| {
                let made =
                    lines.iter().map(|line| Ok(look(&parse(line)?))).collect::<io::Result<Vec<L>>>()?;
                Ok((lines, made))
            };
            in_batches(rows, threads, &looked, &mut |(lines, made)| {
                made.into_iter().for_each(&mut *seen);
                lines.iter().try_for_each(|line| {
                    out.write_all(before.as_bytes())?;
                    before = between;
                    out.write_all(line.as_bytes())
                })
            })?;
            let empty = if format == Format::Json { "[]\n" } else { "" };
            out.write_all(if before == open { empty } else { close }.as_bytes())?;
            Ok(out)
        }
        Format::Csv | Format::Parquet | Format::Markdown => {
            let columns = columns(rows, known, threads, look, seen)?;
            let flat = FlatRows::new(&columns);
            let cells = |line: &String| flat.cells(line);
            let mut writer = Writer::new(format, columns, out)?;
            if format == Format::Csv {
                let mut out = writer.finish()?;
                let encoded = |lines: Vec<String>| csv_lines(lines.iter().map(cells));
                in_batches(rows, threads, &encoded, &mut |bytes| out.write_all(&bytes))?;
                return Ok(out);
            }
            let flat = |lines: Vec<String>| lines.iter().map(cells).collect::<io::Result<Vec<Vec<Cell>>>>();
            in_batches(rows, threads, &flat, &mut |all| all.iter().try_for_each(|cells| writer.row(cells)))?;
            writer.finish()
        }
    }
}

/// Rows as cells of known columns.
pub struct FlatRows {
    places: BTreeMap<String, usize>,
    kinds: Vec<Kind>,
}

impl FlatRows {
    /// For these columns.
    #[must_use]
    pub fn new(columns: &[Column]) -> FlatRows {
        let places = columns.iter().enumerate().map(|(place, column)| (column.name.clone(), place));
        FlatRows { places: places.collect(), kinds: columns.iter().map(|column| column.kind).collect() }
    }

    /// A row that is a line of JSON: a cell for each column. Fields that have no column are left out.
    ///
    /// # Errors
    /// If it is no such line, or a field is not what its column takes.
    pub fn cells(&self, line: &str) -> io::Result<Vec<Cell>> {
        let mut cells = vec![Cell::Null; self.kinds.len()];
        let mut unfit = None;
        flatten(&parse(line)?, &mut |name, value| {
            if let Some(&place) = self.places.get(name) {
                match cell(value, self.kinds[place]) {
                    Some(cell) => cells[place] = cell,
                    None => unfit = Some(format!("`{name}` is {value}")),
                }
            }
        });
        unfit.map_or(Ok(cells), |what| Err(io::Error::new(io::ErrorKind::InvalidData, what)))
    }
}

/// The columns that these rows make.
fn columns<L: Send>(
    rows: &mut dyn Rows,
    mut columns: Columns,
    threads: usize,
    look: &(dyn Fn(&Row) -> L + Sync),
    seen: &mut dyn FnMut(L),
) -> io::Result<Vec<Column>> {
    let shapes = |lines: Vec<String>| {
        let (mut shapes, mut made): (Vec<Shape>, Vec<L>) = (Vec::new(), Vec::new());
        for line in &lines {
            let row = parse(line)?;
            let shape = shape(&row);
            // Most rows look like the one before.
            if shapes.last() != Some(&shape) {
                shapes.push(shape);
            }
            made.push(look(&row));
        }
        Ok((shapes, made))
    };
    in_batches(rows, threads, &shapes, &mut |(shapes, made)| {
        shapes.iter().for_each(|shape| columns.add(shape));
        made.into_iter().for_each(&mut *seen);
        Ok(())
    })?;
    Ok(columns.finish())
}

/// So many rows at a time are read, parted among the threads, and taken in again.
const BATCH: usize = 2048;

/// Makes something of the rows, so many at a time on each of several threads; `take` gets it in the order of the runs.
fn in_batches<T: Send>(
    rows: &mut dyn Rows,
    threads: usize,
    make: &(dyn Fn(Vec<String>) -> io::Result<T> + Sync),
    take: &mut dyn FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    let mut work = |batch: &mut Vec<String>| -> io::Result<()> {
        let share = batch.len().div_ceil(threads.max(1)).max(1);
        let mut parts: Vec<Vec<String>> = Vec::new();
        while !batch.is_empty() {
            let rest = batch.split_off(share.min(batch.len()));
            parts.push(std::mem::replace(batch, rest));
        }
        let made: Vec<io::Result<T>> = std::thread::scope(|scope| {
            let workers: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || make(part))).collect();
            let joined = |worker: std::thread::ScopedJoinHandle<'_, io::Result<T>>| {
                worker.join().unwrap_or_else(|_| Err(io::Error::other("a thread gave up")))
            };
            workers.into_iter().map(joined).collect()
        });
        made.into_iter().try_for_each(|part| take(part?))
    };
    let mut batch = Vec::with_capacity(BATCH);
    rows.each(&mut |line| {
        batch.push(line);
        if batch.len() == BATCH { work(&mut batch) } else { Ok(()) }
    })?;
    work(&mut batch)
}

fn parse(line: &str) -> io::Result<Row> {
    serde_json::from_str(line).map_err(io::Error::other)
}

/// The fields of a row, flat, and what kind each is of.
type Shape = Vec<(String, Option<Kind>)>;

/// An object that is null has the columns that it would have.
fn shape(row: &Row) -> Shape {
    let mut shape = Vec::new();
    flatten(row, &mut |name, value| match declared(name) {
        Some(field @ (Field::Object(_) | Field::Open(_))) if value.is_null() => {
            columns_of(name, field, &|_| Vec::new(), &mut |name, kind| shape.push((name, Some(kind))));
        }
        Some(_) | None => shape.push((name.to_owned(), declared_kind(name).or_else(|| kind(value)))),
    });
    shape
}

/// The columns of rows: the number of the run, then the fields in their order. A field that only some rows have stands
/// where it stands in them.
#[derive(Default)]
pub struct Columns {
    names: Vec<String>,
    kinds: BTreeMap<String, Option<Kind>>,
}

impl Columns {
    /// Adds the columns of every row of this problem, given the kinds of messages and the names of what a sweep varies:
    /// so all shards have the same, whichever runs are in them.
    pub fn expect(&mut self, (problem, machines): (Problem, bool), kinds: &[&str], asked: &[&str]) {
        let mut shape = Vec::new();
        columns_of_row(problem, machines, kinds, asked, &mut |name, kind| shape.push((name, Some(kind))));
        self.add(&shape);
    }

    fn add(&mut self, shape: &Shape) {
        let mut after = 0;
        for (name, kind) in shape {
            match self.kinds.get_mut(name) {
                Some(known) => *known = together(*known, *kind),
                None => {
                    self.kinds.insert(name.clone(), *kind);
                    self.names.insert(after, name.clone());
                }
            }
            after = 1 + self.names.iter().position(|known| known == name).unwrap_or(after);
        }
    }

    /// The columns, in their order.
    #[must_use]
    pub fn finish(self) -> Vec<Column> {
        let Columns { mut names, kinds } = self;
        // Where some rows have an object and others none, the columns are those of the object.
        let objects: BTreeSet<&str> =
            names.iter().filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
        let is_absent = |name: &String| kinds[name].is_none() && objects.contains(name.as_str());
        let absent: BTreeSet<String> = names.iter().filter(|name| is_absent(name)).cloned().collect();
        names.retain(|name| !absent.contains(name));
        if let Some(run) = names.iter().position(|name| name == "run") {
            names[..=run].rotate_right(1);
        }
        let column = |name: String| {
            // Nothing but nulls may be anything.
            let kind = kinds[&name].unwrap_or(Kind::Text);
            Column { name, kind }
        };
        names.into_iter().map(column).collect()
    }
}

/// Gives every field that is no object, with the names of those around it.
fn flatten(row: &Row, give: &mut dyn FnMut(&str, &Value)) {
    fn inside(prefix: &mut String, object: &Row, give: &mut dyn FnMut(&str, &Value)) {
        let length = prefix.len();
        for (name, value) in object {
            prefix.push_str(name);
            if let Value::Object(object) = value {
                prefix.push('.');
                inside(prefix, object, give);
            } else {
                give(prefix, value);
            }
            prefix.truncate(length);
        }
    }
    inside(&mut String::new(), row, give);
}

fn kind(value: &Value) -> Option<Kind> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some(Kind::Bool),
        Value::Number(number) if number.is_u64() => Some(Kind::Int),
        Value::Number(_) => Some(Kind::Float),
        Value::String(_) | Value::Array(_) | Value::Object(_) => Some(Kind::Text),
    }
}

fn together(one: Option<Kind>, other: Option<Kind>) -> Option<Kind> {
    match (one, other) {
        (kind, None) | (None, kind) => kind,
        (Some(one), Some(other)) if one == other => Some(one),
        (Some(Kind::Int | Kind::Float), Some(Kind::Int | Kind::Float)) => Some(Kind::Float),
        (Some(_), Some(_)) => Some(Kind::Text),
    }
}

/// The value in a column of this kind; none if it does not belong there.
fn cell(value: &Value, kind: Kind) -> Option<Cell> {
    match (kind, value) {
        (_, Value::Null) => Some(Cell::Null),
        (Kind::Bool, Value::Bool(yes)) => Some(Cell::Bool(*yes)),
        (Kind::Int, Value::Number(number)) => number.as_u64().map(Cell::Int),
        (Kind::Float, Value::Number(number)) => number.as_f64().map(Cell::Float),
        (Kind::Text, Value::String(text)) => Some(Cell::Text(text.clone())),
        // A list is one value to a table.
        (Kind::Text, Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Some(Cell::Text(value.to_string()))
        }
        (Kind::Bool | Kind::Int | Kind::Float, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(rows: &mut Vec<Row>, format: Format) -> io::Result<Vec<u8>> {
        let write = |rows: &mut Vec<Row>, threads| {
            write_rows(rows, Columns::default(), (format, threads), Vec::new(), &|_| (), &mut |()| ())
        };
        let (one, three) = (write(rows, 1)?, write(rows, 3)?);
        assert_eq!(one, three, "the number of threads changes nothing");
        Ok(one)
    }

    #[test]
    fn nested_fields_become_columns_where_they_stand() {
        let rows = [
            r#"{"a":"x","by":{"tid":1},"last":[1,2],"run":0}"#,
            r#"{"a":null,"by":{"probe":2,"tid":0.5},"last":null,"limit":{"value":3},"run":1}"#,
            r#"{"a":null,"by":{},"last":null,"limit":null,"run":2}"#,
        ];
        let mut rows: Vec<Row> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
        let csv = written(&mut rows, Format::Csv).unwrap();
        let text = String::from_utf8(csv).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "run,a,by.probe,by.tid,last,limit.value");
        assert_eq!(lines[2], "1,,2,0.5,,3");
        let jsonl = written(&mut rows, Format::Jsonl).unwrap();
        assert!(jsonl.starts_with(br#"{"a":"x","by":{"tid":1},"last":[1,2],"run":0}"#));
        let json = written(&mut rows, Format::Json).unwrap();
        assert_eq!(serde_json::from_slice::<Vec<Row>>(&json).unwrap(), rows);
        assert_eq!(written(&mut Vec::new(), Format::Json).unwrap(), b"[]\n");
    }
    fn head(row: &str) -> String {
        let mut rows = vec![serde_json::from_str::<Row>(row).unwrap()];
        let csv = String::from_utf8(written(&mut rows, Format::Csv).unwrap()).unwrap();
        csv.lines().next().unwrap().to_owned()
    }

    #[test]
    fn columns_do_not_depend_on_which_values_are_null() {
        let full = r#"{"leader":{"index":0,"id":3},"time":1.5,"bound":{"formula":"n","counts":"all","value":9,
            "holds":true,"basis":"proved","by":"x"},"load":{"min":1,"mean":2,"max":3},"run":0}"#;
        let none = r#"{"leader":null,"time":null,"bound":null,"load":null,"run":0}"#;
        assert_eq!(head(full), head(none));
        assert!(head(none).starts_with("run,leader.index,leader.id,time,bound.formula,"), "{}", head(none));
        let kinds = |row: &str| {
            let mut columns = Columns::default();
            columns.add(&shape(&serde_json::from_str(row).unwrap()));
            columns.finish()
        };
        assert_eq!(kinds(full), kinds(none));
    }

    #[test]
    fn value_of_undeclared_type_is_an_error() {
        for row in [r#"{"run":0.5}"#, r#"{"run":"x"}"#, r#"{"run":-1}"#, r#"{"time":"x"}"#] {
            let mut rows = vec![serde_json::from_str::<Row>(row).unwrap()];
            let error = written(&mut rows, Format::Csv).unwrap_err();
            assert!(error.to_string().contains("` is "), "{row}: {error}");
        }
    }
}
