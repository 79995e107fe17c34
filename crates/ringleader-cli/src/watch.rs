//! The one observer of the command line: it holds the clock, the progress bar, the recorder and the comparison.

use crate::error::Diagnostic;
use crate::progress::Bar;
use ringleader::sim::{Observer, Progress};
use ringleader::trace::{Event, Header, message};
use ringleader_lab::formats::TraceWriter;
use std::fs::File;
use std::io::{self, BufWriter};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Watches one run.
#[derive(Default)]
pub(crate) struct Watch<'a> {
    pub(crate) begun: Option<Instant>,
    pub(crate) elapsed: Duration,
    pub(crate) bar: Option<Bar>,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) comparison: Option<Comparison<'a>>,
}

impl Watch<'_> {
    /// The time of the run itself, in seconds.
    pub(crate) fn elapsed_s(&self) -> f64 {
        self.elapsed.as_secs_f64()
    }
}

impl Observer for Watch<'_> {
    fn wants_events(&self) -> bool {
        self.recorder.is_some() || self.comparison.is_some()
    }

    fn begins(&mut self, header: &dyn Fn() -> Header) {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(header());
        }
        self.begun = Some(Instant::now());
    }

    fn event(&mut self, event: &Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.attempt(|writer| writer.event(event));
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.event(event);
        }
    }

    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if let Some(bar) = &mut self.bar {
            bar.update(progress);
        }
        let unwritten = self.recorder.as_ref().is_some_and(|recorder| recorder.error.is_some());
        let different = self.comparison.as_ref().is_some_and(|comparison| comparison.difference.is_some());
        if unwritten || different { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn ends(&mut self) {
        self.elapsed = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        if let Some(bar) = &mut self.bar {
            bar.finish();
        }
    }
}

/// Writes the trace. The file is made when the run begins, so that a refused run leaves no file and spoils none.
pub(crate) struct Recorder {
    path: PathBuf,
    by: String,
    schedule: String,
    writer: Option<TraceWriter<BufWriter<File>>>,
    error: Option<io::Error>,
}

impl Recorder {
    pub(crate) fn new(path: &Path, by: String, schedule: String) -> Recorder {
        Recorder { path: path.to_owned(), by, schedule, writer: None, error: None }
    }

    fn begin(&mut self, header: Header) {
        // The simulator knows the kind of schedule, we know it as it was asked for.
        let header = Header { schedule: self.schedule.clone(), ..header };
        let writer = File::create(&self.path)
            .and_then(|file| TraceWriter::new(BufWriter::with_capacity(1 << 16, file), &self.by, &header));
        match writer {
            Ok(writer) => self.writer = Some(writer),
            Err(error) => self.error = Some(error),
        }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut TraceWriter<BufWriter<File>>) -> io::Result<()>) {
        if let Some(Err(error)) = self.writer.as_mut().map(write) {
            self.error = Some(error);
            self.writer = None;
        }
    }

    /// Ends the file.
    pub(crate) fn end(mut self, outcome: &str) -> Result<(), Diagnostic> {
        if let Some(Err(error)) = self.writer.take().map(|writer| writer.end(outcome)) {
            self.error = Some(error);
        }
        match self.error {
            None => Ok(()),
            Some(error) => {
                let message = format!("cannot write {}: {error}", self.path.display());
                Err(Diagnostic::new("ringleader::trace_unwritten", 4, message)
                    .help("the run was stopped; the file, if there is one, is cut off"))
            }
        }
    }
}

/// Compares a replay with the recording.
pub(crate) struct Comparison<'a> {
    recorded: &'a [Event],
    seen: usize,
    /// The first step that differs, from 1, and how.
    difference: Option<(usize, String)>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(recorded: &'a [Event]) -> Comparison<'a> {
        Comparison { recorded, seen: 0, difference: None }
    }

    fn event(&mut self, event: &Event) {
        self.seen += 1;
        if self.difference.is_none() {
            let why = match self.recorded.get(self.seen - 1) {
                Some(recorded) if recorded == event => return,
                Some(recorded) => how(recorded, event),
                None => "the recording has no such step".into(),
            };
            self.difference = Some((self.seen, why));
        }
    }

    /// The first difference, once the run is over.
    pub(crate) fn end(self) -> Option<(usize, String)> {
        let short = || {
            let why = "the replay ended before it".to_owned();
            (self.seen < self.recorded.len()).then_some((self.seen + 1, why))
        };
        self.difference.or_else(short)
    }
}

/// In what a step differs from the recorded one.
fn how(recorded: &Event, event: &Event) -> String {
    fn said(what: &str, recorded: &impl std::fmt::Debug, now: &impl std::fmt::Debug) -> String {
        format!("{what}: recorded {recorded:?}, now {now:?}")
    }
    if recorded.process != event.process {
        said("who moved", &recorded.process, &event.process)
    } else if recorded.input != event.input {
        said("what came in", &recorded.input, &event.input)
    } else if recorded.time != event.time {
        said("the time", &recorded.time, &event.time)
    } else if recorded.choices != event.choices {
        said("the random choices", &recorded.choices, &event.choices)
    } else if recorded.rules != event.rules {
        said("the rules", &recorded.rules, &event.rules)
    } else if recorded.sends != event.sends {
        said("what was sent", &sends(recorded), &sends(event))
    } else if recorded.outcome != event.outcome {
        said("the outcome", &recorded.outcome, &event.outcome)
    } else {
        said("what the proof excludes", &recorded.impossible, &event.impossible)
    }
}

fn sends(event: &Event) -> Vec<String> {
    event.sends.iter().map(|sent| format!("{} to p{}", message(sent), sent.to)).collect()
}
