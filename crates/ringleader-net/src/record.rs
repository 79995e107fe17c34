//! Recording: what the processes of this member do, one file for each epoch, each line written when it happened.
//! Merged with the parts of the other members it is a run like any other.

use ringleader_lab::formats::TraceWriter;
use ringleader_live::{Cluster, Epoch, Notice};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, LineWriter};
use std::path::{Path, PathBuf};

type Part = TraceWriter<LineWriter<File>>;

/// Longer lines are written in pieces.
const LINE: usize = 64 * 1024;

/// Writes the parts of one member.
pub(crate) struct Recorder {
    base: PathBuf,
    groups: Vec<String>,
    open: BTreeMap<u16, (Epoch, Part)>,
}

impl Recorder {
    pub(crate) fn new(base: &Path, cluster: &Cluster) -> Recorder {
        let groups = cluster.groups.iter().map(|group| group.name.clone()).collect();
        Recorder { base: base.to_owned(), groups, open: BTreeMap::new() }
    }

    /// Records what is to be recorded.
    pub(crate) fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        match notice {
            Notice::Joins(group, epoch, _, part) => {
                self.finish(*group)?;
                let Some((header, _)) = part else { return Ok(()) };
                let file = LineWriter::with_capacity(LINE, self.create(*group, *epoch)?);
                let by = concat!("ringleader ", env!("CARGO_PKG_VERSION"));
                self.open.insert(*group, (*epoch, TraceWriter::part(file, by, header)?));
                Ok(())
            }
            Notice::Step(group, epoch, event) => match self.open.get_mut(group) {
                Some((open, part)) if open == epoch => part.event(event),
                Some(_) | None => Ok(()),
            },
            Notice::Met(..)
            | Notice::RefusedBy(..)
            | Notice::Suspects(_)
            | Notice::Hears(_)
            | Notice::ClockWrong(..)
            | Notice::LinkFull(_)
            | Notice::Dropped(..)
            | Notice::OldEpoch(..)
            | Notice::Nonsense(..)
            | Notice::Opens(..)
            | Notice::Leads(..)
            | Notice::Extends(..)
            | Notice::Stops(..)
            | Notice::Grants(..)
            | Notice::Leader(..) => Ok(()),
        }
    }

    /// Ends every part.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        let groups: Vec<u16> = self.open.keys().copied().collect();
        groups.into_iter().try_for_each(|group| self.finish(group))
    }

    fn finish(&mut self, group: u16) -> io::Result<()> {
        match self.open.remove(&group) {
            Some((_, part)) => part.end("part").map(|_| ()),
            None => Ok(()),
        }
    }

    /// A new file. One that is there already is of an earlier incarnation, and part of the history.
    fn create(&self, group: u16, epoch: Epoch) -> io::Result<File> {
        let mut again = 1;
        loop {
            let name = (self.groups.len() > 1).then(|| self.groups[usize::from(group)].as_str());
            let path = part_path(&self.base, name, epoch.number, again);
            match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && again < 10_000 => again += 1,
                Err(error) => {
                    return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
                }
                Ok(file) => return Ok(file),
            }
        }
    }
}

/// The file of an epoch: that of the first is the one that was asked for; later ones, and those of several groups,
/// say so before the ending.
#[must_use]
pub fn part_path(base: &Path, group: Option<&str>, epoch: u64, again: u32) -> PathBuf {
    let stem = base.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut name = stem;
    if let Some(group) = group {
        name.push_str(&format!(".{group}"));
    }
    if epoch != 1 {
        name.push_str(&format!(".e{epoch}"));
    }
    if again > 1 {
        name.push_str(&format!(".{again}"));
    }
    let ending = base.extension().map_or("rlt".into(), |ending| ending.to_string_lossy().into_owned());
    base.with_file_name(format!("{name}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_epoch_has_requested_name() {
        let path = |group, epoch, again| part_path(Path::new("runs/b.rlt"), group, epoch, again);
        assert_eq!(path(None, 1, 1), Path::new("runs/b.rlt"));
        assert_eq!(path(None, 2, 1), Path::new("runs/b.e2.rlt"));
        assert_eq!(path(Some("locks"), 3, 2), Path::new("runs/b.locks.e3.2.rlt"));
        assert_eq!(part_path(Path::new("b"), None, 1, 1), Path::new("b.rlt"));
    }
}
