//! The lines that are added to a file.

use serde_json::Value;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// The lines that are added to a file.
pub(super) struct Tail {
    path: PathBuf,
    read: u64,
    rest: Vec<u8>,
}

impl Tail {
    pub(super) fn new(path: PathBuf) -> Tail {
        Tail { path, read: 0, rest: Vec::new() }
    }

    /// The whole lines that were added since the last time.
    pub(super) fn more(&mut self) -> Vec<Value> {
        let Ok(mut file) = File::open(&self.path) else { return Vec::new() };
        if file.seek(SeekFrom::Start(self.read)).is_err() {
            return Vec::new();
        }
        self.read += file.read_to_end(&mut self.rest).unwrap_or(0) as u64;
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else { return Vec::new() };
        let rest = self.rest.split_off(end + 1);
        let lines = std::mem::replace(&mut self.rest, rest);
        let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        // A member that was killed while it wrote leaves half a line; the next incarnation goes on behind it.
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tail_gives_whole_lines_once() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("a.events");
        let mut tail = Tail::new(path.clone());
        assert!(tail.more().is_empty(), "there is no file yet");
        std::fs::write(&path, "{\"at_us\":1}\n{\"at_").expect("there is room");
        assert_eq!(tail.more().len(), 1);
        assert!(tail.more().is_empty());
        std::fs::write(&path, "{\"at_us\":1}\n{\"at_us\":2}\n").expect("there is room");
        assert_eq!(tail.more()[0]["at_us"], 2);
    }
}
