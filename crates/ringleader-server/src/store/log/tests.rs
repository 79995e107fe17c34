//! The disk cut off, spoilt and filled up at every byte, and opened again each time.

use super::*;
use std::collections::BTreeSet;
use tempfile::TempDir;

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

fn open(dir: &Path) -> Result<(Disk, Found), StoreError> {
    Disk::open(dir, None, Arc::default())
}

fn entry(index: u64) -> (u64, Vec<u8>) {
    (index, format!("entry {index}").into_bytes())
}

/// Some of everything; after each step, how long the log is and which entries it has.
fn history(dir: &Path) -> Vec<(u64, BTreeSet<u64>)> {
    let (mut disk, _) = open(dir).expect("it is new");
    let mut steps = Vec::new();
    let mut note = |disk: &Disk| {
        let length = std::fs::metadata(dir.join("log")).expect("a log").len();
        steps.push((length, disk.entries.keys().copied().collect()));
    };
    note(&disk);
    disk.append(vec![entry(0), entry(1), entry(2)]).expect("room");
    note(&disk);
    disk.append(vec![entry(3)]).expect("room");
    note(&disk);
    disk.truncate(2).expect("room");
    note(&disk);
    disk.append(vec![entry(2), entry(3), entry(4)]).expect("room");
    note(&disk);
    steps
}

#[test]
fn what_was_written_is_there_again() {
    let dir = directory();
    let last = history(dir.path()).pop().expect("steps").1;
    let (mut disk, found) = open(dir.path()).expect("it is sound");
    assert_eq!(found.entries.keys().copied().collect::<BTreeSet<_>>(), last);
    assert_eq!((found.purged, found.vote, found.cut), (None, None, 0));
    disk.keep(Kept::Vote, b"a vote").expect("room");
    disk.keep(Kept::Snapshot, b"a snapshot").expect("room");
    disk.purge(2, b"about 2").expect("room");
    disk.append(vec![entry(5)]).expect("room");
    drop(disk);
    let (_disk, found) = open(dir.path()).expect("it is sound");
    assert_eq!(found.entries, BTreeMap::from([entry(3), entry(4), entry(5)]));
    assert_eq!(found.purged, Some((2, b"about 2".to_vec())));
    assert_eq!(found.vote.as_deref(), Some(b"a vote".as_slice()));
}

#[test]
fn truncated_log_keeps_whole_records() {
    let dir = directory();
    let steps = history(dir.path());
    let path = dir.path().join("log");
    let whole = std::fs::read(&path).expect("a log");
    for length in 0..=whole.len() {
        std::fs::write(&path, &whole[..length]).expect("room");
        let known = steps.iter().rev().find(|(end, _)| *end <= length as u64);
        let expected = known.map(|(_, entries)| entries.clone()).unwrap_or_default();
        let (mut disk, found) = open(dir.path()).unwrap_or_else(|error| panic!("{length}: {error}"));
        assert_eq!(found.entries.keys().copied().collect::<BTreeSet<_>>(), expected, "cut at {length}");
        // It can be written on as if nothing had happened.
        let next = expected.last().map_or(0, |last| last + 1);
        disk.append(vec![entry(next)]).expect("room");
        drop(disk);
        let (_disk, found) = open(dir.path()).expect("it was mended");
        assert!(found.entries.contains_key(&next) && found.cut == 0, "cut at {length}");
    }
}

#[test]
fn corrupt_log_is_refused_and_left_untouched() {
    let dir = directory();
    history(dir.path());
    let path = dir.path().join("log");
    let whole = std::fs::read(&path).expect("a log");
    for at in 0..whole.len() {
        for wrong in [whole[at] ^ 1, whole[at] ^ 0x80, 0, 0xFF] {
            if wrong == whole[at] {
                continue;
            }
            let mut spoilt = whole.clone();
            spoilt[at] = wrong;
            std::fs::write(&path, &spoilt).expect("room");
            let Err(StoreError::Broken(why)) = open(dir.path()).map(|_| ()) else {
                panic!("byte {at} is {wrong:#x} and nobody noticed");
            };
            assert!(why.contains("log") && why.contains("members remove"), "{why}");
            assert_eq!(std::fs::read(&path).expect("a log"), spoilt, "it was changed");
        }
    }
}

#[test]
fn damaged_vote_or_snapshot_is_refused() {
    for kept in [Kept::Vote, Kept::Snapshot, Kept::Identity] {
        let dir = directory();
        let (mut disk, _) = open(dir.path()).expect("it is new");
        disk.keep(kept, b"important").expect("room");
        drop(disk);
        let path = dir.path().join(kept.file());
        let whole = std::fs::read(&path).expect("a file");
        for at in 0..whole.len() {
            std::fs::write(&path, &whole[..at]).expect("room");
            assert!(open(dir.path()).is_err(), "{kept:?} cut at {at}");
            let mut spoilt = whole.clone();
            spoilt[at] ^= 1;
            std::fs::write(&path, &spoilt).expect("room");
            assert!(open(dir.path()).is_err(), "{kept:?} spoilt at {at}");
        }
    }
}

#[test]
fn full_disk_acknowledges_nothing_unsaved() {
    for room in (0..1_000).step_by(9) {
        let dir = directory();
        let left = Arc::new(AtomicU64::new(room));
        let opened = Disk::open(dir.path(), Some(left.clone()), Arc::default());
        let mut acknowledged = BTreeMap::new();
        let mut purged = None;
        let mut vote = None;
        if let Ok((mut disk, _)) = opened {
            let mut full = false;
            for index in 0..8 {
                if disk.keep(Kept::Vote, format!("vote {index}").as_bytes()).is_ok() {
                    assert!(!full, "it went on after an error");
                    vote = Some(format!("vote {index}").into_bytes());
                } else {
                    full = true;
                }
                if disk.append(vec![entry(index)]).is_ok() {
                    assert!(!full, "it went on after an error");
                    acknowledged.extend([entry(index)]);
                } else {
                    full = true;
                    // Room that comes back changes nothing: what the disk has now nobody knows.
                    left.store(1_000, Ordering::SeqCst);
                }
                if index == 4 && disk.keep(Kept::Snapshot, b"up to 2").is_ok() && disk.purge(2, b"2").is_ok()
                {
                    purged = Some(2);
                    acknowledged = acknowledged.split_off(&3);
                }
            }
        }
        let (_disk, found) = open(dir.path()).unwrap_or_else(|error| panic!("{room}: {error}"));
        for (index, bytes) in &acknowledged {
            assert!(found.entries.get(index) == Some(bytes), "{room}: entry {index} is gone");
        }
        assert!(purged.is_none() || found.purged.is_some(), "{room}");
        // One that was not acknowledged may be there or not.
        assert!(vote.is_none() || found.vote >= vote, "{room}");
    }
}

#[test]
fn log_without_its_snapshot_is_refused() {
    let dir = directory();
    history(dir.path());
    let (mut disk, _) = open(dir.path()).expect("it is sound");
    disk.keep(Kept::Snapshot, b"up to 2").expect("room");
    disk.purge(2, b"2").expect("room");
    drop(disk);
    std::fs::remove_file(dir.path().join("snapshot")).expect("it is there");
    let error = open(dir.path()).map(|_| ()).expect_err("it is refused");
    assert!(error.to_string().contains("snapshot: it is missing"), "{error}");
}

#[test]
fn two_servers_cannot_have_one_directory() {
    let dir = directory();
    let first = open(dir.path()).expect("it is new");
    let error = open(dir.path()).map(|_| ()).expect_err("it is in use");
    assert!(error.to_string().contains("is in use by another server"), "{error}");
    drop(first);
    open(dir.path()).expect("it is free again");
}
