//! The one observer of the command line: it holds the clock, the progress bar, the recorder and the comparison.

use crate::error::Diagnostic;
use crate::output::{Output, unwritten};
use crate::progress::Bar;
use ringleader::sim::{Compared, Crowd, Moved, Observer, Progress};
use ringleader::trace::{Event, Header, Recording, States, message, transcript, transcript_with_clocks};
use ringleader_lab::formats::TraceWriter;
use std::io;
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
    pub(crate) steps: Option<Steps>,
    /// How far clocks were apart, where that is wanted.
    pub(crate) clocks: Option<Vec<Compared>>,
}

/// The steps of a run, to be told in words.
#[derive(Default)]
pub(crate) struct Steps {
    pub(crate) recording: Option<Recording>,
    /// How processes are, for a snapshot.
    pub(crate) states: Option<States>,
}

impl Steps {
    /// One line for each step.
    pub(crate) fn lines(&self, clocks: bool) -> Vec<String> {
        match &self.recording {
            None => Vec::new(),
            Some(recording) if clocks => transcript_with_clocks(recording),
            Some(recording) => transcript(&recording.events, recording.header.ticks_per_unit),
        }
    }
}

impl Watch<'_> {
    /// The time of the run itself, in seconds.
    pub(crate) fn elapsed_s(&self) -> f64 {
        self.elapsed.as_secs_f64()
    }
}

impl Observer for Watch<'_> {
    fn wants_events(&self) -> bool {
        self.recorder.is_some() || self.comparison.is_some() || self.steps.is_some()
    }

    fn begins(&mut self, header: &dyn Fn() -> Header) {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(header());
        }
        if let Some(steps) = &mut self.steps {
            steps.recording = Some(Recording { header: header(), events: Vec::new() });
        }
        self.begun = Some(Instant::now());
    }

    fn event(&mut self, event: &Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(event);
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.event(event);
        }
        if let Some(steps) = &mut self.steps {
            steps.recording.iter_mut().for_each(|recording| recording.events.push(event.clone()));
        }
    }

    fn wants_moves(&self) -> bool {
        self.steps.as_ref().is_some_and(|steps| steps.states.is_some())
    }

    fn gathers(&mut self, crowd: &dyn Crowd) {
        if let Some(states) = self.steps.as_mut().and_then(|steps| steps.states.as_mut()) {
            states.first = (0..crowd.count()).map(|process| crowd.variables(process)).collect();
        }
    }

    fn starts_silently(&mut self, process: u32, crowd: &dyn Crowd) {
        if let Some(states) = self.steps.as_mut().and_then(|steps| steps.states.as_mut())
            && let Some(first) = states.first.get_mut(process as usize)
        {
            *first = crowd.variables(process);
        }
    }

    fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        if let Some(states) = self.steps.as_mut().and_then(|steps| steps.states.as_mut()) {
            states.after.push(crowd.variables(moved.process));
        }
    }

    fn wants_clocks(&self) -> bool {
        self.clocks.is_some()
    }

    fn clocks(&mut self, compared: &Compared) {
        if let Some(clocks) = &mut self.clocks
            && clocks.last() != Some(compared)
        {
            clocks.push(*compared);
        }
    }

    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if let Some(bar) = &mut self.bar {
            bar.update(progress);
        }
        let unwritten = self.recorder.as_ref().is_some_and(Recorder::has_failed);
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

/// Writes a trace as the run happens.
pub(crate) struct Recorder {
    path: PathBuf,
    by: String,
    schedule: String,
    place: Place,
}

/// How far the writing is.
enum Place {
    Waits(Output),
    Writes(TraceWriter<Output>),
    Failed(io::Error),
    Gone,
}

impl Recorder {
    /// Claims the file before the run. A refused run leaves no file and spoils none.
    pub(crate) fn claim(path: &Path, force: bool, by: String) -> Result<Recorder, Diagnostic> {
        let place = Place::Waits(Output::claim(path, force)?);
        Ok(Recorder { path: path.to_owned(), by, schedule: String::new(), place })
    }

    /// The simulator knows the kind of schedule; this is the schedule as it was asked for.
    pub(crate) fn under(self, schedule: impl Into<String>) -> Recorder {
        Recorder { schedule: schedule.into(), ..self }
    }

    fn begin(&mut self, mut header: Header) {
        if !self.schedule.is_empty() {
            header.schedule.clone_from(&self.schedule);
        }
        if let Place::Waits(file) = std::mem::replace(&mut self.place, Place::Gone) {
            self.place = TraceWriter::new(file, &self.by, &header).map_or_else(Place::Failed, Place::Writes);
        }
    }

    fn event(&mut self, event: &Event) {
        if let Place::Writes(writer) = &mut self.place
            && let Err(error) = writer.event(event)
        {
            self.place = Place::Failed(error);
        }
    }

    fn has_failed(&self) -> bool {
        matches!(self.place, Place::Failed(_))
    }

    /// Writes a run that is known already.
    pub(crate) fn write(mut self, recording: &Recording, outcome: &str) -> Result<(), Diagnostic> {
        self.begin(recording.header.clone());
        recording.events.iter().for_each(|event| self.event(event));
        self.end(outcome)
    }

    /// Ends the file.
    pub(crate) fn end(self, outcome: &str) -> Result<(), Diagnostic> {
        let written = match self.place {
            Place::Writes(writer) => writer.end(outcome),
            Place::Failed(error) => Err(error),
            Place::Waits(_) | Place::Gone => Err(io::ErrorKind::Other.into()),
        };
        written.map_err(|error| unwritten(&self.path, &error))?.finish()
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
