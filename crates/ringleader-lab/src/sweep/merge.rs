//! The parts of a sweep put together: each run once, none missing, all of the same sweep.

use super::rows::Row;
use crate::table::Format;
#[cfg(feature = "parquet")]
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// Why parts do not make a whole.
#[derive(Debug)]
pub enum MergeError {
    /// A part cannot be read.
    Io(PathBuf, io::Error),
    /// A file is no part of a sweep.
    NoPart {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Two parts are of different sweeps.
    Different(PathBuf, PathBuf),
    /// A run is in two parts.
    Twice {
        /// Which run.
        run: u64,
        /// One part.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// Runs are missing.
    Missing {
        /// How many.
        count: u64,
        /// Of how many in all.
        of: u64,
        /// The first of them.
        first: u64,
    },
}

/// The rows of these parts, in the order of their runs.
///
/// # Errors
/// If they do not make a whole.
pub fn merge(parts: &[PathBuf]) -> Result<Vec<Row>, MergeError> {
    let mut rows: BTreeMap<u64, (Row, usize)> = BTreeMap::new();
    let mut whole: Option<(String, u64, usize)> = None;
    for (part, path) in parts.iter().enumerate() {
        let no_part = |why: &str| MergeError::NoPart { path: path.clone(), why: why.to_owned() };
        let read = read(path)?;
        if read.is_empty() {
            return Err(no_part("it has no rows"));
        }
        for row in read {
            let number = |name: &str| row.get(name).and_then(Value::as_u64);
            let sweep = row.get("sweep").and_then(Value::as_str);
            let (Some(run), Some(of), Some(sweep)) = (number("run"), number("of"), sweep) else {
                return Err(no_part("a row has no `run`, `of` and `sweep`"));
            };
            match &whole {
                None => whole = Some((sweep.to_owned(), of, part)),
                Some((known, runs, first)) => {
                    if known != sweep || *runs != of {
                        return Err(MergeError::Different(parts[*first].clone(), path.clone()));
                    }
                }
            }
            if let Some((_, first)) = rows.insert(run, (row, part)) {
                let (first, second) = (parts[first].clone(), path.clone());
                return Err(MergeError::Twice { run, first, second });
            }
        }
    }
    let of = whole.map_or(0, |(_, runs, _)| runs);
    if rows.len() as u64 != of {
        let first = (0..of).find(|run| !rows.contains_key(run)).unwrap_or(of);
        return Err(MergeError::Missing { count: of.saturating_sub(rows.len() as u64), of, first });
    }
    Ok(rows.into_values().map(|(row, _)| row).collect())
}

fn read(path: &Path) -> Result<Vec<Row>, MergeError> {
    let cannot = |error: io::Error| MergeError::Io(path.to_owned(), error);
    let no_part = |why: String| MergeError::NoPart { path: path.to_owned(), why };
    let format = Format::of(path);
    let file = File::open(path).map_err(cannot)?;
    match format {
        Some(Format::Csv) => csv_rows(file).map_err(|error| no_part(error.to_string())),
        Some(Format::Jsonl) => serde_json::Deserializer::from_reader(BufReader::new(file))
            .into_iter::<Row>()
            .collect::<Result<_, _>>()
            .map_err(|error| no_part(error.to_string())),
        Some(Format::Json) => {
            serde_json::from_reader(BufReader::new(file)).map_err(|error| no_part(error.to_string()))
        }
        #[cfg(not(feature = "parquet"))]
        Some(Format::Parquet) => Err(no_part(crate::table::NO_PARQUET.into())),
        #[cfg(feature = "parquet")]
        Some(Format::Parquet) => parquet_rows(file).map_err(|error| no_part(error.to_string())),
        Some(Format::Markdown) | None => Err(no_part("parts end in .csv, .parquet, .json or .jsonl".into())),
    }
}

/// A CSV has no kinds: what looks like a number or a truth value is one.
fn csv_rows(file: File) -> Result<Vec<Row>, csv::Error> {
    let mut reader = csv::Reader::from_reader(BufReader::new(file));
    let names = reader.headers()?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record?;
        let fields = names.iter().zip(record.iter());
        rows.push(fields.map(|(name, text)| (name.to_owned(), guess(name, text))).collect());
    }
    Ok(rows)
}

fn guess(name: &str, text: &str) -> Value {
    match text {
        "" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        // What identifies a sweep may look like a number.
        text if name == "sweep" => text.into(),
        text => {
            let float = || text.parse().ok().and_then(Number::from_f64);
            let number = text.parse::<u64>().ok().map(Number::from).or_else(float);
            number.map_or_else(|| text.into(), Value::Number)
        }
    }
}

#[cfg(feature = "parquet")]
#[expect(clippy::wildcard_enum_match_arm, reason = "we write no other kinds of fields; they keep their text")]
fn parquet_rows(file: File) -> Result<Vec<Row>, parquet::errors::ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let mut rows = Vec::new();
    for row in reader.get_row_iter(None)? {
        let mut object = Map::new();
        for (name, field) in row?.get_column_iter() {
            use parquet::record::Field;
            let value = match field {
                Field::Null => Value::Null,
                Field::Bool(yes) => Value::Bool(*yes),
                Field::Long(number) => (*number).into(),
                Field::ULong(number) => (*number).into(),
                Field::Double(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
                Field::Str(text) => text.clone().into(),
                other => other.to_string().into(),
            };
            object.insert(name.clone(), value);
        }
        rows.push(object);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::write_rows;

    fn part(folder: &Path, name: &str, runs: &[u64], sweep: &str) -> PathBuf {
        let row = |run: &u64| {
            serde_json::from_value(serde_json::json!({
                "name": "x, \"y\"", "run": run, "of": 4, "sweep": sweep, "seed": u64::MAX - run,
                "share": *run as f64 / 4.0, "holds": run.is_multiple_of(2), "none": null, "text": "3x",
            }))
            .unwrap()
        };
        let path = folder.join(name);
        let mut rows: Vec<Row> = runs.iter().map(row).collect();
        let file = File::create(&path).unwrap();
        write_rows(&mut rows, (Format::of(&path).unwrap(), 1), file, &|_| (), &mut |()| ()).unwrap();
        path
    }

    #[test]
    fn parts_in_any_format_make_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for format in ["csv", "parquet", "json", "jsonl"] {
            let parts = [(1, [3, 1]), (0, [2, 0])]
                .map(|(number, runs)| part(folder, &format!("{number}.{format}"), &runs, "0123"));
            let mut merged = merge(&parts).unwrap();
            let whole = part(folder, &format!("whole.{format}"), &[0, 1, 2, 3], "0123");
            let again =
                write_rows(&mut merged, (Format::of(&whole).unwrap(), 2), Vec::new(), &|_| (), &mut |()| ())
                    .unwrap();
            assert_eq!(again, std::fs::read(&whole).unwrap(), "{format}");
        }
    }

    #[test]
    fn what_is_no_whole_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let a = part(folder, "a.csv", &[0, 2], "0123");
        let b = part(folder, "b.csv", &[1], "0123");
        let c = part(folder, "c.csv", &[1, 3], "4567");
        let d = part(folder, "d.csv", &[2, 3], "0123");
        let junk = folder.join("junk.json");
        std::fs::write(&junk, "[{\"run\":1}]").unwrap();
        let error = |parts: &[&PathBuf]| {
            merge(&parts.iter().map(|&path| path.clone()).collect::<Vec<_>>()).unwrap_err()
        };
        assert!(matches!(error(&[&a, &b]), MergeError::Missing { count: 1, of: 4, first: 3 }));
        assert!(matches!(error(&[&a, &c]), MergeError::Different(..)));
        assert!(matches!(error(&[&a, &d]), MergeError::Twice { run: 2, .. }));
        assert!(matches!(error(&[&junk]), MergeError::NoPart { .. }));
        assert!(matches!(error(&[&folder.join("gone.csv")]), MergeError::Io(..)));
        assert!(matches!(error(&[&folder.join("a.md")]), MergeError::NoPart { .. } | MergeError::Io(..)));
    }
}
