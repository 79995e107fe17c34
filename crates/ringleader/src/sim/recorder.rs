//! An observer that keeps everything, for whoever wants a run as a [`Recording`] in memory.

use super::Observer;
use crate::trace::{Event, Header, Recording};

/// Keeps the header and the events of a run.
#[derive(Clone, Default, Debug)]
pub struct Recorder {
    /// What is not an event, once the run has begun.
    pub header: Option<Header>,
    /// The steps so far.
    pub events: Vec<Event>,
}

impl Recorder {
    /// The run; none if it never began.
    #[must_use]
    pub fn recording(self) -> Option<Recording> {
        Some(Recording { header: self.header?, events: self.events })
    }
}

impl Observer for Recorder {
    fn wants_events(&self) -> bool {
        true
    }

    fn begins(&mut self, header: &dyn Fn() -> Header) {
        self.header = Some(header());
    }

    fn event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }
}
