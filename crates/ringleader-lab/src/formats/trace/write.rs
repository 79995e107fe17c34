//! Writing a trace as it happens.

use super::line::{EndLine, EventLine, HeaderLine};
use super::{End, PART_SCHEMA, TRACE_SCHEMA};
use ringleader::trace::{Event, Header};
use serde::Serialize;
use std::io::{self, Write};

/// Writes a trace line by line. Without [`end`](TraceWriter::end) a reader will call the file cut off.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    out: W,
    steps: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace; `by` names the program and its version.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W, by: &str, header: &Header) -> io::Result<TraceWriter<W>> {
        let mut writer = TraceWriter { out, steps: 0 };
        writer.line(&HeaderLine::new(TRACE_SCHEMA, by, header))?;
        Ok(writer)
    }

    /// Begins a part: what one machine has seen of a run on several. Its messages are numbered provisionally.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn part(out: W, by: &str, header: &Header) -> io::Result<TraceWriter<W>> {
        let mut writer = TraceWriter { out, steps: 0 };
        writer.line(&HeaderLine::new(PART_SCHEMA, by, header))?;
        Ok(writer)
    }

    /// Adds a step.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        self.steps += 1;
        self.line(&EventLine::new(event))
    }

    /// Ends the trace with the result in one word, and flushes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self, outcome: &str) -> io::Result<W> {
        let end = End { steps: self.steps, outcome: outcome.into() };
        self.line(&EndLine { end })?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        // serde_json hands on what the writer said: a full disk stays a full disk.
        serde_json::to_writer(&mut self.out, line).map_err(io::Error::from)?;
        self.out.write_all(b"\n")
    }
}
