//! What a replica keeps on its disk: the log of Raft, its vote, its snapshot, and whose disk it is. A few hundred small
//! records, each of them safely down (`fdatasync`) before anybody hears of it. The first error is the last: a disk
//! that failed once is not asked again, for what it says afterwards means nothing.

mod files;
mod record;
mod writer;

pub(crate) use writer::Writer;

use crate::store::StoreError;
use files::{Guard, broken, wrong};
use record::{framed, scan};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The first bytes of the log: what it is, and in which form.
const MAGIC: &[u8; 16] = b"ringleader log 1";

const ENTRIES: u8 = 1;
const TRUNCATED: u8 = 2;
const PURGED: u8 = 3;

/// How long it took to make things safe, and how often that was done.
#[derive(Default)]
pub(crate) struct Syncs {
    pub(crate) count: AtomicU64,
    pub(crate) micros: AtomicU64,
    pub(crate) longest_micros: AtomicU64,
}

/// An election waits for two votes to be safe, and a leader that is not heard meanwhile is taken for dead.
const SLOW: Duration = Duration::from_millis(100);

impl Syncs {
    fn done(&self, since: Instant) {
        let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.longest_micros.fetch_max(micros, Ordering::Relaxed);
        if since.elapsed() > SLOW {
            let took_ms = micros / 1000;
            tracing::warn!(
                event = "slow_disk",
                took_ms,
                "a write took long to be safe: elections may fail for it"
            );
        }
    }
}

/// How many bytes there is still room for; tests run out of it.
pub(crate) type Room = Option<Arc<AtomicU64>>;

/// What was found on the disk.
#[derive(Default, Debug)]
pub(crate) struct Found {
    /// The number of the last entry that was given up for a snapshot, and what else is known of it.
    pub(crate) purged: Option<(u64, Vec<u8>)>,
    pub(crate) entries: BTreeMap<u64, Vec<u8>>,
    pub(crate) vote: Option<Vec<u8>>,
    pub(crate) snapshot: Option<Vec<u8>>,
    pub(crate) identity: Option<Vec<u8>>,
    /// How many bytes of a write that a crash cut short were taken away.
    pub(crate) cut: usize,
}

/// A small file that is replaced as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    Vote,
    Snapshot,
    Identity,
}

impl Kept {
    fn file(self) -> &'static str {
        match self {
            Kept::Vote => "vote",
            Kept::Snapshot => "snapshot",
            Kept::Identity => "identity",
        }
    }
}

/// A directory that nobody else uses as long as this is there.
pub(crate) struct Disk {
    dir: PathBuf,
    log: File,
    entries: BTreeMap<u64, Vec<u8>>,
    room: Room,
    syncs: Arc<Syncs>,
    failed: Option<String>,
    _guard: Guard,
}

impl Disk {
    /// Opens a directory, which is made if it is not there.
    pub(crate) fn open(dir: &Path, room: Room, syncs: Arc<Syncs>) -> Result<(Disk, Found), StoreError> {
        let guard = Guard::lock(dir)?;
        let path = dir.join("log");
        let mut found = Found::default();
        for kept in [Kept::Vote, Kept::Snapshot, Kept::Identity] {
            let content = files::read_kept(&dir.join(kept.file()))?;
            match kept {
                Kept::Vote => found.vote = content,
                Kept::Snapshot => found.snapshot = content,
                Kept::Identity => found.identity = content,
            }
        }
        let bytes = files::read(&path)?.unwrap_or_default();
        let sound = understood(&path, &bytes, &mut found)?;
        if found.purged.is_some() && found.snapshot.is_none() {
            return Err(wrong(&dir.join("snapshot"), "it is missing, and the log begins behind it"));
        }
        let log =
            File::options().create(true).append(true).open(&path).map_err(|error| broken(&path, &error))?;
        let mut disk = Disk {
            dir: dir.to_owned(),
            log,
            entries: found.entries.clone(),
            room,
            syncs,
            failed: None,
            _guard: guard,
        };
        disk.mend(bytes.len(), sound).map_err(|error| broken(&path, &error))?;
        found.cut = bytes.len() - sound.min(bytes.len());
        if found.cut > 0 {
            let (file, bytes) = (path.display(), found.cut);
            let event = "log_truncated";
            tracing::warn!(event, %file, bytes, "a write that a crash cut short was taken off the log");
        }
        Ok((disk, found))
    }

    /// Takes off what was cut short, or begins a new log.
    fn mend(&mut self, length: usize, sound: usize) -> io::Result<()> {
        if length > sound {
            self.log.set_len(sound as u64)?;
            self.log.sync_data()?;
        }
        if sound == 0 {
            self.write(MAGIC)?;
            files::sync_directory(&self.dir)?;
        }
        Ok(())
    }

    /// Appends entries, which follow the last one.
    pub(crate) fn append(&mut self, entries: Vec<(u64, Vec<u8>)>) -> io::Result<()> {
        let mut content = vec![ENTRIES];
        for (index, bytes) in &entries {
            content.extend(index.to_le_bytes());
            content.extend(u32::try_from(bytes.len()).map_err(io::Error::other)?.to_le_bytes());
            content.extend(bytes);
        }
        self.guarded(|disk| disk.write(&framed(&content)))?;
        self.entries.extend(entries);
        Ok(())
    }

    /// Takes off this entry and all that follow.
    pub(crate) fn truncate(&mut self, from: u64) -> io::Result<()> {
        let mut content = vec![TRUNCATED];
        content.extend(from.to_le_bytes());
        self.guarded(|disk| disk.write(&framed(&content)))?;
        self.entries.split_off(&from);
        Ok(())
    }

    /// Forgets this entry and all before it: the log is written anew without them.
    pub(crate) fn purge(&mut self, upto: u64, about: &[u8]) -> io::Result<()> {
        let kept = self.entries.split_off(&(upto + 1));
        let mut file = MAGIC.to_vec();
        let mut content = vec![PURGED];
        content.extend(upto.to_le_bytes());
        content.extend(about);
        file.extend(framed(&content));
        for (index, bytes) in &kept {
            let mut content = vec![ENTRIES];
            content.extend(index.to_le_bytes());
            content.extend(u32::try_from(bytes.len()).map_err(io::Error::other)?.to_le_bytes());
            content.extend(bytes);
            file.extend(framed(&content));
        }
        self.entries = kept;
        self.guarded(|disk| {
            disk.replace("log", &file)?;
            disk.log = files::patiently(|| File::options().append(true).open(disk.dir.join("log")))?;
            Ok(())
        })
    }

    /// Replaces a small file.
    pub(crate) fn keep(&mut self, kept: Kept, content: &[u8]) -> io::Result<()> {
        self.guarded(|disk| disk.replace(kept.file(), &framed(content)))
    }

    /// Does this unless something failed before; a failure is for ever.
    fn guarded(&mut self, work: impl FnOnce(&mut Disk) -> io::Result<()>) -> io::Result<()> {
        if let Some(why) = &self.failed {
            return Err(io::Error::other(why.clone()));
        }
        work(self).map_err(|error| {
            let why = format!(
                "{}: {error}; nothing was acknowledged, and nothing more is written: make room or repair the disk, \
                 then start this server again",
                self.dir.display()
            );
            self.failed = Some(why.clone());
            io::Error::new(error.kind(), why)
        })
    }

    /// Appends to the log, and makes it safe.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let fits = files::fitting(self.room.as_ref(), bytes.len());
        self.log.write_all(&bytes[..fits])?;
        if fits < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let since = Instant::now();
        self.log.sync_data()?;
        self.syncs.done(since);
        Ok(())
    }

    /// Puts a whole file in the place of another, or of none: after a crash it is the one or the other.
    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.dir.join(format!("{name}.new"));
        let mut file = files::patiently(|| File::create(&new))?;
        let fits = files::fitting(self.room.as_ref(), bytes.len());
        file.write_all(&bytes[..fits])?;
        if fits < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let since = Instant::now();
        file.sync_data()?;
        std::fs::rename(&new, self.dir.join(name))?;
        files::sync_directory(&self.dir)?;
        self.syncs.done(since);
        Ok(())
    }
}

/// What a log says; how many of its bytes say it.
fn understood(path: &Path, bytes: &[u8], found: &mut Found) -> Result<usize, StoreError> {
    if bytes.len() < MAGIC.len() {
        // The very first write was cut short: there was nothing before it.
        if MAGIC.starts_with(bytes) || bytes.iter().all(|byte| *byte == 0) {
            return Ok(0);
        }
    }
    if !bytes.starts_with(MAGIC) {
        return Err(wrong(path, "it does not begin as a log of Ringleader does"));
    }
    let scan = scan(bytes, MAGIC.len())
        .map_err(|at| wrong(path, &format!("the record at byte {} of {} is broken", at.0, bytes.len())))?;
    for content in scan.contents {
        apply(content, found)
            .ok_or_else(|| wrong(path, "it has a record that this version does not know"))?;
    }
    Ok(scan.sound)
}

/// Takes in one record of the log; none if it is not one.
fn apply(content: &[u8], found: &mut Found) -> Option<()> {
    let (kind, mut rest) = content.split_first()?;
    match *kind {
        ENTRIES => {
            while !rest.is_empty() {
                let (index, tail) = rest.split_first_chunk()?;
                let (length, tail) = tail.split_first_chunk()?;
                let (bytes, tail) = tail.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                let index = u64::from_le_bytes(*index);
                let next = found.entries.last_key_value().map(|(last, _)| last + 1);
                if next.is_some_and(|next| next != index) {
                    return None;
                }
                found.entries.insert(index, bytes.to_vec());
                rest = tail;
            }
        }
        TRUNCATED => {
            let (from, _) = rest.split_first_chunk()?;
            found.entries.split_off(&u64::from_le_bytes(*from));
        }
        PURGED => {
            let (upto, about) = rest.split_first_chunk()?;
            found.purged = Some((u64::from_le_bytes(*upto), about.to_vec()));
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests;
