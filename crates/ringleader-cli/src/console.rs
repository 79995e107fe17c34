//! Where words go. Everything is written with colour; the streams below take it out where it is not wanted.

use anstream::adapter::StripBytes;
use std::io::{self, Write};

#[cfg(feature = "cluster")]
pub(crate) use ringleader_lab::people::style::YELLOW;
pub(crate) use ringleader_lab::people::style::{BOLD, CYAN, DIM, GREEN, RED, RESET};

/// How wide the terminal is; none if stdout is a file or a pipe.
pub(crate) fn width() -> Option<u16> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0)
}

/// The two streams, and how to use them.
pub(crate) struct Console<'a> {
    /// Data.
    pub(crate) out: &'a mut Stream<'a>,
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

/// A stream to somebody. Whoever reads it may have seen enough and close it, as `| head` does: the rest is dropped, and
/// the command goes on to its end, for its exit code is asked for too.
pub(crate) struct Stream<'a> {
    inner: &'a mut dyn Write,
    closed: bool,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(inner: &'a mut dyn Write) -> Stream<'a> {
        Stream { inner, closed: false }
    }

    /// Whether nobody reads any more. A command without an end of its own ends then.
    #[cfg(feature = "cluster")]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    fn unless_closed<T>(&mut self, done: io::Result<T>, dropped: T) -> io::Result<T> {
        match done {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(dropped)
            }
            done => done,
        }
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let done = self.inner.write(bytes);
        self.unless_closed(done, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let done = self.inner.flush();
        self.unless_closed(done, ())
    }
}
