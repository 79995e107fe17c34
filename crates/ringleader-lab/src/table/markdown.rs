//! A table for people: aligned columns between bars, numbers to the right.

use super::{Cell, Column, Kind};
use std::io::{self, Write};

/// Holds the rows, for the widest cell decides how wide a column is.
pub(super) struct Held<W> {
    out: W,
    to_the_right: Vec<bool>,
    /// The names, then the rows.
    lines: Vec<Vec<String>>,
}

impl<W: Write> Held<W> {
    pub(super) fn new(columns: &[Column], out: W) -> Held<W> {
        let to_the_right =
            columns.iter().map(|column| matches!(column.kind, Kind::Int | Kind::Float)).collect();
        let names = columns.iter().map(|column| escaped(&column.name)).collect();
        Held { out, to_the_right, lines: vec![names] }
    }

    pub(super) fn row(&mut self, cells: &[Cell]) {
        let shown = |cell: &Cell| match cell {
            Cell::Null => "–".to_owned(),
            Cell::Bool(_) | Cell::Int(_) | Cell::Float(_) | Cell::Text(_) => escaped(&cell.plain()),
        };
        self.lines.push(cells.iter().map(shown).collect());
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        // A rule of one character is read as a rule by some readers only.
        let mut widths = vec![3; self.to_the_right.len()];
        for line in &self.lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for (at, line) in self.lines.iter().enumerate() {
            for ((cell, &width), right) in line.iter().zip(&widths).zip(&self.to_the_right) {
                if *right {
                    write!(self.out, "| {cell:>width$} ")?;
                } else {
                    write!(self.out, "| {cell:<width$} ")?;
                }
            }
            writeln!(self.out, "|")?;
            if at == 0 {
                for (&width, right) in widths.iter().zip(&self.to_the_right) {
                    let dashes = "-".repeat(width - usize::from(*right));
                    write!(self.out, "| {dashes}{} ", if *right { ":" } else { "" })?;
                }
                writeln!(self.out, "|")?;
            }
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Text that stays in its cell.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ")
}
