//! A part of a run: some processes, some steps.

use super::History;
use std::ops::Range;

/// Which processes and which steps are shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The processes, ascending.
    pub processes: Vec<u32>,
    /// The steps, counted from 0.
    pub steps: Range<usize>,
}

/// What a window leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LeftOut {
    /// Processes.
    pub processes: usize,
    /// Steps.
    pub steps: usize,
    /// Messages of which neither end is shown.
    pub messages: usize,
    /// Messages of which only one end is shown, for the other lies outside.
    pub halves: usize,
}

impl Window {
    /// Everything.
    #[must_use]
    pub fn whole(history: &History<'_>) -> Window {
        Window { processes: (0..history.recording.header.n).collect(), steps: 0..history.steps.len() }
    }

    /// Whether this process is shown.
    #[must_use]
    pub fn has(&self, process: u32) -> bool {
        self.processes.binary_search(&process).is_ok()
    }

    /// Whether this step of this process is shown.
    #[must_use]
    pub fn shows(&self, step: usize, process: u32) -> bool {
        self.steps.contains(&step) && self.has(process)
    }

    /// What it leaves out.
    #[must_use]
    pub fn leaves_out(&self, history: &History<'_>) -> LeftOut {
        let events = &history.recording.events;
        let mut left_out = LeftOut {
            processes: (history.recording.header.n as usize).saturating_sub(self.processes.len()),
            ..LeftOut::default()
        };
        let shown = |step: usize| self.shows(step, events[step].process);
        left_out.steps = (0..events.len()).filter(|&step| !shown(step)).count();
        for passage in &history.messages {
            match (shown(passage.sender), passage.end.step().map(shown)) {
                (true, Some(true) | None) => {}
                (true, Some(false)) | (false, Some(true)) => left_out.halves += 1,
                (false, Some(false) | None) => left_out.messages += 1,
            }
        }
        left_out
    }
}

impl LeftOut {
    /// Whether there is nothing left out.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self == LeftOut::default()
    }
}
