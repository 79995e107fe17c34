//! Fences at the storage: what protects data when a lease does not. A holder that was paused after it had
//! looked at its clock, or whose write is still on its way, is stopped only by whoever takes the writes: it
//! must refuse a fencing number that is smaller than the largest that it has seen.
//!
//! In SQL that is a condition, in the same transaction as the write:
//!
//! ```sql
//! UPDATE report SET body = ?, fence = ? WHERE id = ? AND fence <= ?   -- no row changed: refuse
//! ```
//!
//! Where there is no such condition, a [`Gate`] keeps the largest number of each key in a file, and
//! [`check_and_store`] does it for one number, for scripts.

use ringleader_locks::Fence;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What came of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is not smaller than any before, and was kept.
    Fresh,
    /// A larger one was seen: whoever brings it must be refused.
    Stale {
        /// The largest.
        last: Fence,
    },
}

/// Compares a number with the one in a file, and keeps it there if it is larger: in one step, whoever else
/// does the same, and on the disk before it comes back. A file that is not there has seen nothing.
///
/// # Errors
/// If the file cannot be read or written, or holds something else. Then the write must not be done.
pub fn check_and_store(path: &Path, fence: Fence) -> io::Result<Verdict> {
    let beside = |end: &str| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(end);
        path.with_file_name(name)
    };
    // The file itself is replaced, so the lock is on one that stays.
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(beside(".lock"))?;
    lock.lock()?;
    let last = match std::fs::read_to_string(path) {
        Ok(text) => Some(parsed(path, text.trim())?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match last {
        Some(last) if fence < last => return Ok(Verdict::Stale { last }),
        Some(last) if fence == last => return Ok(Verdict::Fresh),
        Some(_) | None => {}
    }
    let new = beside(".new");
    let mut file = File::create(&new)?;
    writeln!(file, "{fence}")?;
    file.sync_all()?;
    std::fs::rename(&new, path)?;
    sync_folder(path)?;
    Ok(Verdict::Fresh)
}

fn parsed(path: &Path, text: &str) -> io::Result<Fence> {
    text.parse()
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display())))
}

/// A new name is on the disk only when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The largest number of each key, in a file that only this process writes. What it lets through is on the
/// disk first.
#[derive(Debug)]
pub struct Gate {
    path: PathBuf,
    inside: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    file: File,
    last: BTreeMap<String, Fence>,
    /// Writes that were begun and whose fate is not known.
    open: BTreeMap<String, Fence>,
    /// Lines in the file; when most of them are old it is written anew.
    lines: usize,
    /// What was not written completely may be there or not: nothing is let through any more.
    broken: bool,
}

impl Gate {
    /// Opens the file, or makes it. A last line that is not complete was never let through, and is cut off.
    ///
    /// # Errors
    /// If it cannot be read or written, holds something else, or another process has it.
    pub fn open(path: &Path) -> io::Result<Gate> {
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process uses it"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64)?;
        file.sync_all()?;
        sync_folder(path)?;
        let mut last: BTreeMap<String, Fence> = BTreeMap::new();
        let mut open: BTreeMap<String, Fence> = BTreeMap::new();
        let mut lines = 0;
        for line in text[..whole].lines() {
            lines += 1;
            if let Some(key) = line.strip_prefix("done ") {
                open.remove(key);
                continue;
            }
            let begun = line.strip_prefix("open ");
            let rest = begun.unwrap_or(line);
            let (fence, key) = rest.split_once(' ').unwrap_or((rest, ""));
            let fence = parsed(path, fence)?;
            let seen = last.entry(key.to_owned()).or_insert(fence);
            *seen = fence.max(*seen);
            if begun.is_some() {
                open.insert(key.to_owned(), fence);
            }
        }
        // Positioned at the end of what is whole.
        io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        let inside = Inside { file, last, open, lines, broken: false };
        Ok(Gate { path: path.to_owned(), inside: Mutex::new(inside) })
    }

    /// Whether a write with this number may pass. Between this and the end of the write nobody else with the
    /// same key may pass: hold a lock of your own around both. If the write can outlive that lock, as one that
    /// was sent to a storage can, use [`Gate::begin`].
    ///
    /// # Errors
    /// If the disk does not take it. Then the write must not be done.
    pub fn check(&self, key: &str, fence: Fence) -> io::Result<Verdict> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        match inside.last.get(key) {
            Some(last) if fence < *last => return Ok(Verdict::Stale { last: *last }),
            Some(last) if fence == *last => return Ok(Verdict::Fresh),
            Some(_) | None => {}
        }
        inside.append(&self.path, key, &format!("{fence} {key}\n"), true)?;
        inside.last.insert(key.to_owned(), fence);
        Ok(Verdict::Fresh)
    }

    /// The same, and if it may pass, the write is noted as begun, on the disk, until [`Gate::settle`].
    /// Whoever begins one makes sure first that none is [pending](Gate::pending).
    ///
    /// # Errors
    /// If the disk does not take it. Then the write must not be done.
    pub fn begin(&self, key: &str, fence: Fence) -> io::Result<Verdict> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = inside.last.get(key).filter(|last| fence < **last) {
            return Ok(Verdict::Stale { last: *last });
        }
        inside.append(&self.path, key, &format!("open {fence} {key}\n"), true)?;
        inside.last.insert(key.to_owned(), fence);
        inside.open.insert(key.to_owned(), fence);
        Ok(Verdict::Fresh)
    }

    /// The write that was begun and not settled, also by an earlier process.
    #[must_use]
    pub fn pending(&self, key: &str) -> Option<Fence> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).open.get(key).copied()
    }

    /// The write that was begun is done, or will never be. Whether that is on the disk does not matter: what
    /// is forgotten is pending again.
    ///
    /// # Errors
    /// If it cannot be written. Then it stays pending.
    pub fn settle(&self, key: &str) -> io::Result<()> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        if inside.open.contains_key(key) {
            inside.append(&self.path, key, &format!("done {key}\n"), false)?;
            inside.open.remove(key);
        }
        Ok(())
    }

    /// The largest number of each key.
    #[must_use]
    pub fn seen(&self) -> BTreeMap<String, Fence> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).last.clone()
    }
}

impl Inside {
    /// Writes one line, after the file was written anew if most of it is old.
    fn append(&mut self, path: &Path, key: &str, line: &str, sync: bool) -> io::Result<()> {
        if key.contains('\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a key has one line"));
        }
        if self.broken {
            return Err(io::Error::other("the file of fences could not be written; start anew"));
        }
        if self.lines > 1000 && self.lines > 4 * (self.last.len() + self.open.len()) {
            self.rewrite(path)?;
        }
        let written = self.file.write_all(line.as_bytes());
        let written = written.and_then(|()| if sync { self.file.sync_data() } else { Ok(()) });
        self.broken = written.is_err();
        written?;
        self.lines += 1;
        Ok(())
    }

    /// Only what counts, in a new file in the place of the old one.
    fn rewrite(&mut self, path: &Path) -> io::Result<()> {
        let new = path.with_extension("new");
        let mut file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&new)?;
        // Locked before it has the name: nobody gets in between.
        file.lock()?;
        let mut text: String = self.last.iter().map(|(key, fence)| format!("{fence} {key}\n")).collect();
        text.extend(self.open.iter().map(|(key, fence)| format!("open {fence} {key}\n")));
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, path)?;
        sync_folder(path)?;
        self.file = file;
        self.lines = self.last.len() + self.open.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fence(number: u64) -> Fence {
        Fence::from_number(number).expect("small")
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    #[test]
    fn one_number_in_a_file_only_grows() {
        let folder = folder();
        let path = folder.path().join("last");
        assert_eq!(check_and_store(&path, fence(7)).expect("it is written"), Verdict::Fresh);
        assert_eq!(check_and_store(&path, fence(7)).expect("the same again"), Verdict::Fresh);
        assert_eq!(check_and_store(&path, fence(6)).expect("it is read"), Verdict::Stale { last: fence(7) });
        assert_eq!(check_and_store(&path, fence(8)).expect("it is written"), Verdict::Fresh);
        assert_eq!(std::fs::read_to_string(&path).expect("text"), "8\n");
        std::fs::write(&path, "eight").expect("it is written");
        let error = check_and_store(&path, fence(9)).expect_err("no number");
        assert!(error.to_string().contains("`eight` is no fencing number"), "{error}");
    }

    #[test]
    fn concurrent_writes_never_pass_behind_larger_fence() {
        let folder = folder();
        let path = folder.path().join("last");
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for start in 0..8 {
                let (path, order) = (&path, &order);
                scope.spawn(move || {
                    for step in 0..25 {
                        let number = 1 + (start + step * 8) % 200;
                        // What is let through is noted while nobody else is: the order is that of the file.
                        let mut order = order.lock().expect("nobody panics");
                        if check_and_store(path, fence(number)).expect("it works") == Verdict::Fresh {
                            order.push(number);
                        }
                    }
                });
            }
        });
        let order = order.into_inner().expect("nobody panics");
        assert!(order.is_sorted(), "{order:?}");
        assert_eq!(order.last(), Some(&200));
    }

    #[test]
    fn gate_keeps_largest_fence_over_restart() {
        let folder = folder();
        let path = folder.path().join("fences");
        {
            let gate = Gate::open(&path).expect("a new file");
            assert_eq!(gate.check("/a b", fence(5)).expect("written"), Verdict::Fresh);
            assert_eq!(gate.check("/c", fence(3)).expect("written"), Verdict::Fresh);
            assert_eq!(gate.check("/a b", fence(4)).expect("read"), Verdict::Stale { last: fence(5) });
            assert!(Gate::open(&path).is_err(), "two do not share it");
        }
        // What a crash left half written was never let through.
        let mut text = std::fs::read_to_string(&path).expect("text");
        text.push_str("99 /c");
        std::fs::write(&path, text).expect("it is written");
        let gate = Gate::open(&path).expect("the file is there");
        assert_eq!(gate.check("/c", fence(3)).expect("read"), Verdict::Fresh);
        assert_eq!(gate.check("/a b", fence(4)).expect("read"), Verdict::Stale { last: fence(5) });
    }

    #[test]
    fn begun_write_stays_pending_over_restart() {
        let folder = folder();
        let path = folder.path().join("fences");
        {
            let gate = Gate::open(&path).expect("a new file");
            for key in ["/a", "/b"] {
                assert_eq!(gate.begin(key, fence(5)).expect("written"), Verdict::Fresh);
            }
            assert_eq!(gate.begin("/a", fence(4)).expect("read"), Verdict::Stale { last: fence(5) });
            gate.settle("/b").expect("written");
            gate.settle("/c").expect("there is nothing to settle");
            gate.inside.lock().expect("nobody panics").lines = 5000;
            assert_eq!(gate.begin("/d", fence(1)).expect("it is written anew"), Verdict::Fresh);
        }
        let gate = Gate::open(&path).expect("the file is there");
        assert_eq!(gate.pending("/a"), Some(fence(5)));
        assert_eq!((gate.pending("/b"), gate.pending("/d")), (None, Some(fence(1))));
        assert_eq!(gate.check("/b", fence(4)).expect("read"), Verdict::Stale { last: fence(5) });
        gate.settle("/a").expect("written");
        drop(gate);
        assert_eq!(Gate::open(&path).expect("the file is there").pending("/a"), None);
    }

    #[test]
    fn a_long_file_is_written_anew_and_loses_nothing() {
        let folder = folder();
        let path = folder.path().join("fences");
        let gate = Gate::open(&path).expect("a new file");
        {
            let mut inside = gate.inside.lock().expect("nobody panics");
            inside.last.insert("/a".to_owned(), fence(9));
            inside.lines = 5000;
        }
        assert_eq!(gate.check("/b", fence(1)).expect("written"), Verdict::Fresh);
        assert!(Gate::open(&path).is_err(), "it is still ours alone");
        drop(gate);
        let gate = Gate::open(&path).expect("the file is there");
        assert_eq!(gate.check("/a", fence(8)).expect("read"), Verdict::Stale { last: fence(9) });
        assert_eq!(std::fs::read_to_string(&path).expect("text"), "9 /a\n1 /b\n");
    }

    #[test]
    fn what_is_no_file_of_fences_is_refused() {
        let folder = folder();
        let path = folder.path().join("fences");
        std::fs::write(&path, "hello\n").expect("it is written");
        assert!(Gate::open(&path).expect_err("no fences").to_string().contains("no fencing number"));
        let gate = Gate::open(&folder.path().join("other")).expect("a new file");
        assert!(gate.check("two\nlines", fence(1)).is_err());
    }
}
