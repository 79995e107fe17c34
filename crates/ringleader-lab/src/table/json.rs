//! Rows as JSON objects: in one array, or one in each line.

use super::{Cell, Column};
use std::io::{self, Write};

/// What is around the objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Array,
    Lines,
}

/// Writes rows as objects.
pub(super) struct Rows<W> {
    out: W,
    frame: Frame,
    /// For each column what comes before its value: a brace or a comma, its name, a colon.
    keys: Vec<Vec<u8>>,
    rows: u64,
}

impl<W: Write> Rows<W> {
    pub(super) fn new(columns: &[Column], frame: Frame, mut out: W) -> io::Result<Rows<W>> {
        let mut keys = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            let mut key = vec![if at == 0 { b'{' } else { b',' }];
            serde_json::to_writer(&mut key, &column.name)?;
            key.push(b':');
            keys.push(key);
        }
        if frame == Frame::Array {
            out.write_all(b"[")?;
        }
        Ok(Rows { out, frame, keys, rows: 0 })
    }

    pub(super) fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        let before: &[u8] = match (self.frame, self.rows) {
            (Frame::Lines, _) => b"",
            (Frame::Array, 0) => b"\n",
            (Frame::Array, _) => b",\n",
        };
        self.rows += 1;
        self.out.write_all(before)?;
        for (key, cell) in self.keys.iter().zip(cells) {
            self.out.write_all(key)?;
            match cell {
                Cell::Null => self.out.write_all(b"null")?,
                Cell::Bool(yes) => serde_json::to_writer(&mut self.out, yes)?,
                Cell::Int(number) => serde_json::to_writer(&mut self.out, number)?,
                // What is not finite becomes null there.
                Cell::Float(number) => serde_json::to_writer(&mut self.out, number)?,
                Cell::Text(text) => serde_json::to_writer(&mut self.out, text)?,
            }
        }
        let after: &[u8] = match (self.frame, self.keys.is_empty()) {
            (Frame::Array, false) => b"}",
            (Frame::Array, true) => b"{}",
            (Frame::Lines, false) => b"}\n",
            (Frame::Lines, true) => b"{}\n",
        };
        self.out.write_all(after)
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        if self.frame == Frame::Array {
            self.out.write_all(if self.rows == 0 { b"]\n" } else { b"\n]\n" })?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}
