//! Rows as JSON objects, and the tables that they make: nested fields become columns with a dot in their name.

use crate::table::{Cell, Column, Format, Kind, Writer};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// One run.
pub type Row = Map<String, Value>;

/// Rows that can be gone through more than once, in the order of their runs.
pub trait Rows {
    /// Gives one row after the other.
    ///
    /// # Errors
    /// If they cannot be read, or `give` says so.
    fn each(&mut self, give: &mut dyn FnMut(Row) -> io::Result<()>) -> io::Result<()>;
}

impl Rows for Vec<Row> {
    fn each(&mut self, give: &mut dyn FnMut(Row) -> io::Result<()>) -> io::Result<()> {
        self.iter().try_for_each(|row| give(row.clone()))
    }
}

/// Writes them in this format: as they are where it can hold them (JSON), flat where it has columns. On the way `look`
/// sees each row once.
///
/// # Errors
/// If they cannot be read or written.
pub fn write_rows<W: Write + Send>(
    rows: &mut dyn Rows,
    format: Format,
    mut out: W,
    look: &mut dyn FnMut(&Row),
) -> io::Result<W> {
    match format {
        Format::Jsonl => {
            rows.each(&mut |row| {
                look(&row);
                serde_json::to_writer(&mut out, &row)?;
                out.write_all(b"\n")
            })?;
            Ok(out)
        }
        Format::Json => {
            let mut separator = "[\n";
            rows.each(&mut |row| {
                look(&row);
                out.write_all(separator.as_bytes())?;
                separator = ",\n";
                Ok(serde_json::to_writer(&mut out, &row)?)
            })?;
            out.write_all(if separator == "[\n" { b"[]\n" } else { b"\n]\n" })?;
            Ok(out)
        }
        Format::Csv | Format::Parquet | Format::Markdown => {
            let columns = columns(rows, look)?;
            let place: BTreeMap<String, usize> =
                columns.iter().enumerate().map(|(place, column)| (column.name.clone(), place)).collect();
            let kinds: Vec<Kind> = columns.iter().map(|column| column.kind).collect();
            let mut writer = Writer::new(format, columns, out)?;
            let mut cells = Vec::new();
            rows.each(&mut |row| {
                cells.clear();
                cells.resize(kinds.len(), Cell::Null);
                flatten(&row, &mut |name, value| {
                    if let Some(&place) = place.get(name) {
                        cells[place] = cell(value, kinds[place]);
                    }
                });
                writer.row(&cells)
            })?;
            writer.finish()
        }
    }
}

/// The columns of these rows: the number of the run, then the fields in their order. A field that only some rows have
/// stands where it stands in them.
fn columns(rows: &mut dyn Rows, look: &mut dyn FnMut(&Row)) -> io::Result<Vec<Column>> {
    let mut names: Vec<String> = Vec::new();
    let mut kinds: BTreeMap<String, Option<Kind>> = BTreeMap::new();
    rows.each(&mut |row| {
        look(&row);
        let mut after = 0;
        flatten(&row, &mut |name, value| {
            match kinds.get_mut(name) {
                Some(known) => *known = together(*known, kind(value)),
                None => {
                    kinds.insert(name.to_owned(), kind(value));
                    names.insert(after, name.to_owned());
                }
            }
            after = 1 + if names.get(after).is_some_and(|next| next == name) {
                after
            } else {
                names.iter().position(|known| known == name).unwrap_or(after)
            };
        });
        Ok(())
    })?;
    // Where some rows have an object and others none, the columns are those of the object.
    let objects: BTreeSet<&str> = names.iter().filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
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
    Ok(names.into_iter().map(column).collect())
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

fn cell(value: &Value, kind: Kind) -> Cell {
    match (kind, value) {
        (_, Value::Null) => Cell::Null,
        (Kind::Bool, Value::Bool(yes)) => Cell::Bool(*yes),
        (Kind::Int, Value::Number(number)) => number.as_u64().map_or(Cell::Null, Cell::Int),
        (Kind::Float, Value::Number(number)) => number.as_f64().map_or(Cell::Null, Cell::Float),
        (_, Value::String(text)) => Cell::Text(text.clone()),
        // A list is one value to a table.
        (_, Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Cell::Text(value.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_fields_become_columns_where_they_stand() {
        let rows = [
            r#"{"a":"x","by":{"tid":1},"last":[1,2],"run":0}"#,
            r#"{"a":null,"by":{"probe":2,"tid":0.5},"last":null,"bound":{"value":3},"run":1}"#,
            r#"{"a":null,"by":{},"last":null,"bound":null,"run":2}"#,
        ];
        let mut rows: Vec<Row> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
        let csv = write_rows(&mut rows, Format::Csv, Vec::new(), &mut |_| ()).unwrap();
        let text = String::from_utf8(csv).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "run,a,by.probe,by.tid,last,bound.value");
        assert_eq!(lines[2], "1,,2,0.5,,3");
        let jsonl = write_rows(&mut rows, Format::Jsonl, Vec::new(), &mut |_| ()).unwrap();
        assert!(jsonl.starts_with(br#"{"a":"x","by":{"tid":1},"last":[1,2],"run":0}"#));
        let json = write_rows(&mut rows, Format::Json, Vec::new(), &mut |_| ()).unwrap();
        assert_eq!(serde_json::from_slice::<Vec<Row>>(&json).unwrap(), rows);
        assert_eq!(
            write_rows(&mut Vec::<Row>::new(), Format::Json, Vec::new(), &mut |_| ()).unwrap(),
            b"[]\n"
        );
    }
}
