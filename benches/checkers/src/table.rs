//! What was measured, and how it is printed.

use core::time::Duration;

/// What one run of a checker found, and how long it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) took: Duration,
}

impl Run {
    pub(crate) fn states_per_second(&self) -> f64 {
        self.states as f64 / self.took.as_secs_f64()
    }
}

/// A checker in one of its ways, and the best of its runs.
pub(crate) struct Row {
    pub(crate) checker: String,
    pub(crate) threads: u32,
    pub(crate) best: Option<Run>,
}

impl Row {
    pub(crate) fn new(checker: impl Into<String>, threads: u32) -> Row {
        Row { checker: checker.into(), threads, best: None }
    }

    /// Takes note of a run; only the quickest is kept.
    pub(crate) fn add(&mut self, run: Run) {
        if self.best.is_none_or(|best| run.took < best.took) {
            self.best = Some(run);
        }
    }
}

/// The table. The last column says how many times as fast as this row the first row is.
pub(crate) fn render(rows: &[Row]) -> String {
    let ours = rows.first().and_then(|row| row.best);
    let mut text = format!(
        "{:<34}{:>8}{:>11}{:>13}{:>10}{:>12}{:>14}\n",
        "checker", "threads", "states", "transitions", "seconds", "states/s", "ours / theirs"
    );
    for row in rows {
        let Some(best) = row.best else { continue };
        let ratio = ours.map_or(f64::NAN, |ours| ours.states_per_second() / best.states_per_second());
        text += &format!(
            "{:<34}{:>8}{:>11}{:>13}{:>10.3}{:>12.0}{ratio:>14.2}\n",
            row.checker,
            row.threads,
            best.states,
            best.transitions,
            best.took.as_secs_f64(),
            best.states_per_second(),
        );
    }
    text
}
