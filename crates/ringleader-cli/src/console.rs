//! Where words go. Everything is written with colour; the streams below take it out where it is not wanted.

use anstream::adapter::StripBytes;
use std::io::{self, Write};

pub(crate) const BOLD: &str = "\x1b[1m";
pub(crate) const DIM: &str = "\x1b[2m";
pub(crate) const RED: &str = "\x1b[31m";
pub(crate) const GREEN: &str = "\x1b[32m";
pub(crate) const YELLOW: &str = "\x1b[33m";
pub(crate) const CYAN: &str = "\x1b[36m";
pub(crate) const RESET: &str = "\x1b[0m";

/// The two streams, and how to use them.
pub(crate) struct Console<'a> {
    /// Data.
    pub(crate) out: &'a mut dyn Write,
    /// Words and progress.
    pub(crate) err: &'a mut dyn Write,
    /// Data as JSON.
    pub(crate) json: bool,
    /// No words but errors.
    pub(crate) quiet: bool,
    /// Whether somebody watches stderr.
    pub(crate) bars: bool,
}

/// A stream from which colour is taken out.
pub(crate) struct Plain<'a> {
    inner: &'a mut dyn Write,
    state: StripBytes,
}

impl<'a> Plain<'a> {
    pub(crate) fn new(inner: &'a mut dyn Write) -> Plain<'a> {
        Plain { inner, state: StripBytes::default() }
    }
}

impl Write for Plain<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for printable in self.state.strip_next(bytes) {
            self.inner.write_all(printable)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
