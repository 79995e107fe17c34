//! The journal of a sweep: a row is in it as soon as its run is over, so that a kill loses nothing that was finished.
//!
//! A line that was cut off while it was written is not there: it is removed when the journal is opened again, and its
//! run is done again. A lock keeps two programs from writing the same journal.

use super::rows::Rows;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The schema that a journal names in its first line.
const JOURNAL_SCHEMA: &str = "ringleader.journal/1";

/// Whose journal it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// What identifies the sweep: the runs, in order, and the program.
    pub sweep: String,
    /// The part of it.
    pub shard: super::Shard,
    /// How many runs the sweep has, in all its parts.
    pub runs: u64,
}

impl Head {
    fn line(&self) -> String {
        let Head { sweep, shard, runs } = self;
        format!(
            "{{\"schema\":\"{JOURNAL_SCHEMA}\",\"sweep\":\"{sweep}\",\"shard\":\"{shard}\",\"runs\":{runs}}}\n"
        )
    }
}

/// What is wrong with a journal.
#[derive(Debug)]
pub enum JournalError {
    /// It cannot be read or written.
    Io(io::Error),
    /// Another program writes it.
    Busy,
    /// It is the journal of another sweep, or of another version.
    Different,
    /// A line of it, counted from 1, is none that we wrote.
    Broken {
        /// Which line.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> JournalError {
        JournalError::Io(error)
    }
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Where the row of each run is: offset and length.
    places: BTreeMap<u64, (u64, u64)>,
    end: u64,
}

impl Journal {
    /// Opens the journal of this sweep, or begins it.
    ///
    /// # Errors
    /// If it is not the journal of this sweep, or cannot be had.
    pub fn open(path: &Path, head: &Head) -> Result<Journal, JournalError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let first = head.line();
        let (places, end) = read(&mut file, &first, head)?;
        let mut journal = Journal { path: path.to_owned(), file, places, end };
        // What was cut off goes; then we write on.
        journal.file.set_len(journal.end)?;
        if journal.end == 0 {
            journal.write(first.as_bytes())?;
        }
        Ok(journal)
    }

    /// How many rows the journal of this sweep has, if there is one. It is only read, also while another program
    /// writes it.
    ///
    /// # Errors
    /// If it is not the journal of this sweep, or cannot be read.
    pub fn peek(path: &Path, head: &Head) -> Result<u64, JournalError> {
        match File::open(path) {
            Ok(mut file) => Ok(read(&mut file, &head.line(), head)?.0.len() as u64),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the row of this run is in it.
    #[must_use]
    pub fn has(&self, run: u64) -> bool {
        self.places.contains_key(&run)
    }

    /// How many rows there are.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.places.len() as u64
    }

    /// Adds the row of a run, one line of JSON.
    ///
    /// # Errors
    /// If it cannot be written; what was written before stays.
    pub fn add(&mut self, run: u64, row: &str) -> Result<(), JournalError> {
        let start = self.end;
        self.write(format!("{row}\n").as_bytes())?;
        self.places.insert(run, (start, row.len() as u64));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(bytes));
        match written {
            Ok(()) => self.end += bytes.len() as u64,
            // Half a line is worth nothing. If even this fails, the next who opens it does it.
            Err(_) => drop(self.file.set_len(self.end)),
        }
        written
    }

    /// Removes it: the rows are elsewhere now.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }
}

impl Rows for Journal {
    /// The rows in the order of the runs.
    fn each(&mut self, give: &mut dyn FnMut(String) -> io::Result<()>) -> io::Result<()> {
        // Runs end nearly in their order, so that most of this is reading on.
        let mut file = BufReader::with_capacity(1 << 16, &self.file);
        let mut place = file.seek(SeekFrom::Start(0))?;
        for &(start, length) in self.places.values() {
            file.seek_relative(start as i64 - place as i64)?;
            let mut bytes = vec![0; length as usize];
            file.read_exact(&mut bytes)?;
            place = start + length;
            give(String::from_utf8(bytes).map_err(io::Error::other)?)?;
        }
        Ok(())
    }
}

/// What matters of a row when a journal is opened.
#[derive(serde::Deserialize)]
struct Numbered {
    run: u64,
}

/// Where the rows are, and where the last whole line ends.
#[expect(clippy::type_complexity, reason = "it has one caller, which takes it apart")]
fn read(file: &mut File, first: &str, head: &Head) -> Result<(BTreeMap<u64, (u64, u64)>, u64), JournalError> {
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::with_capacity(1 << 16, file);
    let mut places = BTreeMap::new();
    let (mut end, mut number) = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            // The end, or a line that was cut off. Cut off from the start it must be ours to be.
            if number == 0 && !first.as_bytes().starts_with(&line) {
                return Err(JournalError::Different);
            }
            return Ok((places, end));
        }
        number += 1;
        if number == 1 {
            if line != first.as_bytes() {
                return Err(JournalError::Different);
            }
        } else {
            let broken = |why: &str| JournalError::Broken { line: number, why: why.into() };
            let Numbered { run } =
                serde_json::from_slice(&line).map_err(|error| broken(&error.to_string()))?;
            if run >= head.runs || !head.shard.has(run) {
                return Err(broken("the sweep has no such run"));
            }
            if places.insert(run, (end, length - 1)).is_some() {
                return Err(broken("the run is there twice"));
            }
        }
        end += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Row, Shard};

    fn head() -> Head {
        Head { sweep: "abc".into(), shard: Shard::WHOLE, runs: 10 }
    }

    fn rows(journal: &mut Journal) -> Vec<u64> {
        let mut runs = Vec::new();
        journal
            .each(&mut |line| {
                let row: Row = serde_json::from_str(&line).unwrap();
                runs.push(row["run"].as_u64().unwrap());
                Ok(())
            })
            .unwrap();
        runs
    }

    /// Cut off anywhere, it goes on with the rows that were whole.
    #[test]
    fn a_journal_goes_on_wherever_it_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path, &head()).unwrap();
        for run in [3, 0, 7] {
            journal.add(run, &format!("{{\"run\":{run}}}")).unwrap();
        }
        assert_eq!(rows(&mut journal), [0, 3, 7]);
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let mut journal = Journal::open(&path, &head()).unwrap();
            for run in [3, 0, 7] {
                if !journal.has(run) {
                    journal.add(run, &format!("{{\"run\":{run}}}")).unwrap();
                }
            }
            assert_eq!(rows(&mut journal), [0, 3, 7], "cut off at {length}");
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn what_is_not_ours_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let open = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let error = Journal::open(&path, &head()).unwrap_err();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            error
        };
        let first = head().line();
        assert!(matches!(open("my notes"), JournalError::Different));
        assert!(matches!(open("my notes\n"), JournalError::Different));
        assert!(matches!(open(&first.replace("abc", "abd")), JournalError::Different));
        for (rows, at) in
            [("{\"run\":1}\n{\"run\":1}\n", 3), ("{\"run\":10}\n", 2), ("{}\n", 2), ("{\"run\":\n", 2)]
        {
            let error = open(&format!("{first}{rows}"));
            assert!(matches!(error, JournalError::Broken { line, .. } if line == at), "{rows}: {error:?}");
        }
    }

    #[test]
    fn two_do_not_write_one_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = Journal::open(&path, &head()).unwrap();
        assert!(matches!(Journal::open(&path, &head()), Err(JournalError::Busy)));
        drop(first);
        assert!(Journal::open(&path, &head()).is_ok());
    }
}
