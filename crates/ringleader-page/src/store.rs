//! What is remembered between two questions. All of it could be asked for again but imported traces; all of it is
//! bounded.

use crate::limits;
use crate::run::Made;
use ringleader::trace::Recording;
use ringleader_lab::formats::Recorded;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A trace that was handed over.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// The name of its file.
    pub(crate) name: String,
    /// What it says.
    pub(crate) recorded: Arc<Recorded>,
}

/// The memory of a stage.
#[derive(Default)]
pub(crate) struct Store {
    runs: Mutex<Latest<Arc<Made>>>,
    traces: Mutex<Latest<Trace>>,
    found: Mutex<Latest<Arc<Recording>>>,
}

impl Store {
    /// A run that was made.
    pub(crate) fn run(&self, key: &str) -> Option<Arc<Made>> {
        lock(&self.runs).get(key)
    }

    /// Keeps a run.
    pub(crate) fn keep_run(&self, key: String, made: &Arc<Made>) {
        let weight = made.lines.len().max(1);
        lock(&self.runs).put(key, Arc::clone(made), weight, limits::RUNS_KEPT, limits::EVENTS_KEPT);
    }

    /// A trace that was handed over.
    pub(crate) fn trace(&self, key: &str) -> Option<Trace> {
        lock(&self.traces).get(key)
    }

    /// Keeps a trace of so many bytes.
    pub(crate) fn keep_trace(&self, key: String, trace: Trace, bytes: usize) {
        lock(&self.traces).put(key, trace, bytes, limits::TRACES_KEPT, limits::TRACE_BYTES_KEPT);
    }

    /// A counterexample that was found.
    pub(crate) fn found(&self, key: &str) -> Option<Arc<Recording>> {
        lock(&self.found).get(key)
    }

    /// Keeps a counterexample.
    pub(crate) fn keep_found(&self, key: String, recording: Arc<Recording>) {
        let weight = recording.events.len().max(1);
        lock(&self.found).put(key, recording, weight, limits::FOUND_KEPT, limits::EVENTS_KEPT);
    }
}

/// What a panic left behind is whole: entries are put in and taken out in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The latest of many, few enough and light enough; the one that was asked for last is at the end.
struct Latest<T> {
    kept: Vec<(String, T, usize)>,
}

impl<T> Default for Latest<T> {
    fn default() -> Latest<T> {
        Latest { kept: Vec::new() }
    }
}

impl<T: Clone> Latest<T> {
    fn get(&mut self, key: &str) -> Option<T> {
        let place = self.kept.iter().position(|(known, ..)| known == key)?;
        let found = self.kept.remove(place);
        let value = found.1.clone();
        self.kept.push(found);
        Some(value)
    }

    fn put(&mut self, key: String, value: T, weight: usize, most: usize, heaviest: usize) {
        self.kept.retain(|(known, ..)| *known != key);
        self.kept.push((key, value, weight));
        // The newest stays, however heavy it is: whoever asked will ask again at once.
        while self.kept.len() > most.max(1)
            || (self.kept.len() > 1 && self.kept.iter().map(|(.., weight)| weight).sum::<usize>() > heaviest)
        {
            self.kept.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(latest: &Latest<u8>) -> Vec<&str> {
        latest.kept.iter().map(|(key, ..)| key.as_str()).collect()
    }

    #[test]
    fn the_one_that_nobody_asked_for_goes_first() {
        let mut latest = Latest::default();
        for key in ["a", "b", "c"] {
            latest.put(key.into(), 0, 1, 3, 100);
        }
        assert_eq!(latest.get("a"), Some(0));
        latest.put("d".into(), 0, 1, 3, 100);
        assert_eq!(keys(&latest), ["c", "a", "d"]);
        assert_eq!(latest.get("b"), None);
    }

    #[test]
    fn heavy_entries_evict_others() {
        let mut latest = Latest::default();
        latest.put("light".into(), 0, 1, 9, 100);
        latest.put("heavy".into(), 0, 500, 9, 100);
        assert_eq!(keys(&latest), ["heavy"]);
        latest.put("light".into(), 0, 1, 9, 100);
        assert_eq!(keys(&latest), ["light"]);
    }
}
