//! The log of a process, on stderr. Who logs never waits: lines go through a queue to a thread. If nobody reads stderr,
//! the queue fills up; then lines are dropped, counted, and the log says how many as soon as it is read again.

use std::io::{self, Write};
use std::sync::OnceLock;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// So many lines may wait to be written.
const QUEUE: usize = 4096;

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// One JSON object each.
    Json,
    /// For people.
    Text,
}

/// Keeps the log going. When it is dropped, what waits is written, unless nobody reads it.
#[must_use = "the log ends when this is dropped"]
pub struct LogGuard(#[expect(dead_code, reason = "it is there to be dropped")] WorkerGuard);

static DROPPED: OnceLock<ErrorCounter> = OnceLock::new();

/// How many lines of the log were dropped since the start.
#[must_use]
pub fn dropped_lines() -> u64 {
    DROPPED.get().map_or(0, |counter| counter.dropped_lines() as u64)
}

/// Sends the log to stderr, for the whole process.
///
/// # Errors
/// If the level makes no sense; in words.
pub fn subscribe(format: LogFormat, level: &str) -> Result<LogGuard, String> {
    let most: LevelFilter = level.parse().map_err(|_| {
        format!("`{level}` is no level of logs; there are error, warn, info, debug, trace and off")
    })?;
    // What openraft tells is for whoever looks for a fault in it: we say ourselves what came of it.
    let of_raft = if most >= LevelFilter::DEBUG { most } else { LevelFilter::OFF };
    let targets = Targets::new().with_default(most).with_target("openraft", of_raft);
    let honest = Honest { out: io::stderr(), format, told: 0, dropped: dropped_lines };
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(QUEUE)
        .thread_name("log")
        .finish(honest);
    let _ = DROPPED.set(writer.error_counter());
    let builder = tracing_subscriber::fmt().with_max_level(most).with_writer(writer).with_target(false);
    let set = match format {
        LogFormat::Json => {
            builder.json().flatten_event(true).with_current_span(false).finish().with(targets).try_init()
        }
        LogFormat::Text => builder.with_ansi(false).finish().with(targets).try_init(),
    };
    set.map_err(|error| error.to_string())?;
    Ok(LogGuard(guard))
}

/// Says how many lines are missing before it writes the next one.
struct Honest<W> {
    out: W,
    format: LogFormat,
    /// How many are known to be missing already.
    told: u64,
    dropped: fn() -> u64,
}

impl<W: Write> Honest<W> {
    fn tells(&mut self) -> io::Result<()> {
        let missing = (self.dropped)().saturating_sub(self.told);
        if missing == 0 {
            return Ok(());
        }
        let mut time = String::new();
        // Writing to a text does not fail.
        let _ = SystemTime.format_time(&mut Writer::new(&mut time));
        let line = match self.format {
            LogFormat::Json => {
                let line = serde_json::json!({
                    "timestamp": time, "level": "WARN", "event": "log_dropped", "lines": missing,
                });
                format!("{line}\n")
            }
            LogFormat::Text => format!("{time}  WARN event=\"log_dropped\" lines={missing}\n"),
        };
        self.out.write_all(line.as_bytes())?;
        self.told += missing;
        Ok(())
    }
}

impl<W: Write> Write for Honest<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.tells()?;
        self.out.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_lines_are_told_once() {
        for (format, said) in [
            (LogFormat::Json, "\"level\":\"WARN\",\"event\":\"log_dropped\",\"lines\":7}\nfirst\nsecond\n"),
            (LogFormat::Text, "  WARN event=\"log_dropped\" lines=7\nfirst\nsecond\n"),
        ] {
            let mut honest = Honest { out: Vec::new(), format, told: 0, dropped: || 7 };
            honest.write_all(b"first\n").expect("memory");
            honest.write_all(b"second\n").expect("memory");
            let text = String::from_utf8(honest.out).expect("text");
            assert!(text.ends_with(said), "{text}");
        }
    }
}
