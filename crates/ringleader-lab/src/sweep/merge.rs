//! The parts of a sweep put together: each run once, none missing, all of the same sweep.
//!
//! The parts are read one after the other into one file of rows. Where each row is in it is all that is held in memory:
//! 24 bytes a row, however many fields it has.

use super::parts::{Numbered, PartError, each_row};
use super::rows::Rows;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Why parts do not make a whole.
#[derive(Debug)]
pub enum MergeError {
    /// A part cannot be read.
    Io(PathBuf, io::Error),
    /// The file for the rows cannot be written.
    Unwritten(io::Error),
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

/// The rows of all parts, in the order of their runs.
#[derive(Debug)]
pub struct Merged {
    file: File,
    places: Vec<Place>,
}

/// Where a row is.
#[derive(Clone, Copy, Debug)]
struct Place {
    run: u64,
    start: u64,
    length: u32,
    part: u32,
}

impl Merged {
    /// How many rows there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.places.len() as u64
    }
}

impl Rows for Merged {
    fn each(&mut self, give: &mut dyn FnMut(String) -> io::Result<()>) -> io::Result<()> {
        for place in &self.places {
            let mut bytes = vec![0; place.length as usize];
            self.file.seek(SeekFrom::Start(place.start))?;
            self.file.read_exact(&mut bytes)?;
            give(String::from_utf8(bytes).map_err(io::Error::other)?)?;
        }
        Ok(())
    }
}

/// The rows of these parts, kept in `file`, which is empty and open for reading and writing.
///
/// # Errors
/// If they do not make a whole, or the file cannot be written.
pub fn merge(parts: &[PathBuf], file: File) -> Result<Merged, MergeError> {
    let mut places: Vec<Place> = Vec::new();
    let mut whole: Option<(Numbered, usize)> = None;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let mut end = 0;
    for (part, path) in parts.iter().enumerate() {
        let no_part = |why: &str| MergeError::NoPart { path: path.clone(), why: why.to_owned() };
        let before = places.len();
        let taken = each_row(path, &mut |row| {
            let numbered =
                Numbered::of(&row).ok_or_else(|| no_part("a row has no `run`, `of` and `sweep`"))?;
            let run = numbered.run;
            match &whole {
                None => whole = Some((numbered, part)),
                Some((known, first)) => {
                    if known.sweep != numbered.sweep || known.of != numbered.of {
                        return Err(MergeError::Different(parts[*first].clone(), path.clone()).into());
                    }
                }
            }
            let line = serde_json::to_string(&row).map_err(|error| no_part(&error.to_string()))?;
            out.write_all(line.as_bytes()).map_err(MergeError::Unwritten)?;
            let length = u32::try_from(line.len()).map_err(|_| no_part("a row is longer than 4 GiB"))?;
            places.push(Place { run, start: end, length, part: part as u32 });
            end += u64::from(length);
            Ok(())
        });
        taken.map_err(|stopped| match stopped {
            Stopped::Merge(error) => error,
            Stopped::Part(PartError::Io(error)) => MergeError::Io(path.clone(), error),
            Stopped::Part(PartError::NoRows(why)) => no_part(&why),
        })?;
        if places.len() == before {
            return Err(no_part("it has no rows"));
        }
    }
    let file = out.into_inner().map_err(|error| MergeError::Unwritten(error.into_error()))?;
    // Parts are sorted already: this only interleaves them. Of two equal runs the first part comes first.
    places.sort_by_key(|place| place.run);
    let mut pairs = places.iter().zip(places.iter().skip(1));
    if let Some((one, other)) = pairs.find(|(one, other)| one.run == other.run) {
        let (first, second) = (parts[one.part as usize].clone(), parts[other.part as usize].clone());
        return Err(MergeError::Twice { run: one.run, first, second });
    }
    let of = whole.map_or(0, |(numbered, _)| numbered.of);
    if places.len() as u64 != of {
        // Runs are numbered from 0: the first whose number is larger than its place comes after a gap.
        let gap = places.iter().zip(0..).find(|(place, number)| place.run != *number);
        let first = gap.map_or(places.len() as u64, |(_, number)| number);
        return Err(MergeError::Missing { count: of.saturating_sub(places.len() as u64), of, first });
    }
    Ok(Merged { file, places })
}

/// Why the reading of a part was stopped.
enum Stopped {
    Merge(MergeError),
    Part(PartError),
}

impl From<MergeError> for Stopped {
    fn from(error: MergeError) -> Stopped {
        Stopped::Merge(error)
    }
}

impl From<PartError> for Stopped {
    fn from(error: PartError) -> Stopped {
        Stopped::Part(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Columns, Row, write_rows};
    use crate::table::Format;
    use std::path::Path;

    fn part(folder: &Path, name: &str, runs: &[u64], sweep: &str) -> PathBuf {
        let row = |run: &u64| {
            serde_json::from_value(serde_json::json!({
                "name": "x, \"y\"", "run": run, "of": 4, "sweep": sweep, "seed": i64::MAX as u64 - run,
                "share": *run as f64 / 4.0, "holds": run.is_multiple_of(2), "none": null, "text": "3x",
            }))
            .unwrap()
        };
        let path = folder.join(name);
        let mut rows: Vec<Row> = runs.iter().map(row).collect();
        let file = File::create(&path).unwrap();
        let format = Format::of(&path).unwrap();
        write_rows(&mut rows, Columns::default(), (format, 1), file, &|_| (), &mut |()| ()).unwrap();
        path
    }

    #[test]
    fn parts_in_any_format_make_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for format in ["csv", "parquet", "json", "jsonl"] {
            let parts = [(1, [3, 1]), (0, [2, 0])]
                .map(|(number, runs)| part(folder, &format!("{number}.{format}"), &runs, "0123"));
            let mut merged = merge(&parts, tempfile::tempfile().unwrap()).unwrap();
            assert_eq!(merged.count(), 4);
            let whole = part(folder, &format!("whole.{format}"), &[0, 1, 2, 3], "0123");
            let how = (Format::of(&whole).unwrap(), 2);
            let again =
                write_rows(&mut merged, Columns::default(), how, Vec::new(), &|_| (), &mut |()| ()).unwrap();
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
            let parts: Vec<PathBuf> = parts.iter().map(|&path| path.clone()).collect();
            merge(&parts, tempfile::tempfile().unwrap()).unwrap_err()
        };
        assert!(matches!(error(&[&a, &b]), MergeError::Missing { count: 1, of: 4, first: 3 }));
        assert!(matches!(error(&[&a, &c]), MergeError::Different(..)));
        assert!(matches!(error(&[&a, &d]), MergeError::Twice { run: 2, .. }));
        assert!(matches!(error(&[&junk]), MergeError::NoPart { .. }));
        assert!(matches!(error(&[&folder.join("gone.csv")]), MergeError::Io(..)));
        assert!(matches!(error(&[&folder.join("a.md")]), MergeError::NoPart { .. } | MergeError::Io(..)));
    }
}
