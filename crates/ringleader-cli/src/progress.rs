//! How far a long run or search is, for whoever watches stderr.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringleader::{check, sim::Progress};
use std::time::{Duration, Instant};

use crate::report::{bytes, grouped};

/// Nothing is drawn before: most runs are over by then.
const PATIENCE: Duration = Duration::from_millis(300);

/// A progress bar.
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    since: Instant,
    n: u32,
    /// The number of messages or entries that is expected, where it can be known.
    expected: Option<u64>,
    counts_entries: bool,
}

impl Bar {
    pub(crate) fn new(n: u32, expected: Option<u64>, counts_entries: bool) -> Bar {
        Bar { bar: None, since: Instant::now(), n, expected, counts_entries }
    }

    pub(crate) fn update(&mut self, progress: &Progress) {
        if self.bar.is_none() {
            if self.since.elapsed() < PATIENCE {
                return;
            }
            self.bar = Some(self.draw());
        }
        let Some(bar) = &self.bar else { return };
        let done = if self.counts_entries { progress.entries } else { progress.messages };
        // An expectation is not a limit: beyond it the bar stays just short of full.
        bar.set_position(self.expected.map_or(done, |expected| done.min(expected.saturating_sub(1))));
        bar.set_message(format!("{} messages, time {}", grouped(progress.messages), grouped(progress.time)));
    }

    fn draw(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.expected, ProgressDrawTarget::stderr_with_hz(8));
        let template = match self.expected {
            Some(_) => "  {prefix} ▕{bar:24}▏ {percent:>3} %  {msg}  {elapsed}",
            None => "  {prefix} {spinner}  {msg}  {elapsed}",
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        bar.set_prefix(format!("{} processes", grouped(u64::from(self.n))));
        bar
    }

    /// Takes it off the screen: the report says it all.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The progress line of a search.
pub(crate) struct SearchBar {
    bar: Option<ProgressBar>,
    since: Instant,
    /// When it was last drawn: small cases report more often than anybody can read.
    drawn: Duration,
}

impl SearchBar {
    pub(crate) fn new() -> SearchBar {
        SearchBar { bar: None, since: Instant::now(), drawn: Duration::ZERO }
    }

    pub(crate) fn update(&mut self, progress: &check::Progress) {
        let elapsed = self.since.elapsed();
        if elapsed < PATIENCE || elapsed < self.drawn + PATIENCE / 2 {
            return;
        }
        self.drawn = elapsed;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            let style = ProgressStyle::with_template("  {spinner}  {msg}  {elapsed}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        bar.set_message(searched(progress, elapsed));
        bar.tick();
    }

    /// Takes it off the screen: the report says it all.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for SearchBar {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The progress bar of many runs.
pub(crate) struct TrialBar {
    bar: Option<ProgressBar>,
    since: Instant,
    drawn: Duration,
}

impl TrialBar {
    pub(crate) fn new() -> TrialBar {
        TrialBar { bar: None, since: Instant::now(), drawn: Duration::ZERO }
    }

    /// So many of so many are done, and this is to be said about it.
    pub(crate) fn update(&mut self, done: u64, total: u64, said: impl FnOnce() -> String) {
        let elapsed = self.since.elapsed();
        if elapsed < PATIENCE || elapsed < self.drawn + PATIENCE / 2 {
            return;
        }
        self.drawn = elapsed;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
            let style = ProgressStyle::with_template("  ▕{bar:24}▏ {percent:>3} %  {msg}  {elapsed}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
            bar
        });
        bar.set_position(done);
        bar.set_message(said());
    }

    /// Takes it off the screen: the report says it all.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for TrialBar {
    fn drop(&mut self) {
        self.finish();
    }
}

fn searched(progress: &check::Progress, elapsed: Duration) -> String {
    let rate = (progress.states as f64 / elapsed.as_secs_f64().max(0.001)) as u64;
    let mut line = format!(
        "{} states ({}/s), {} in the queue, depth {}, {}",
        grouped(progress.states),
        grouped(rate),
        grouped(progress.queue),
        grouped(progress.depth),
        bytes(progress.bytes),
    );
    if progress.cases > 1 {
        line += &format!(", case {} of {}", grouped(progress.case), grouped(progress.cases));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_a_search_is() {
        let progress = check::Progress {
            states: 1_200_000,
            transitions: 5_000_000,
            queue: 31_000,
            depth: 17,
            case: 3,
            cases: 120,
            bytes: 64_000_000,
        };
        assert_eq!(
            searched(&progress, Duration::from_secs(2)),
            "1,200,000 states (600,000/s), 31,000 in the queue, depth 17, 64.0 MB, case 3 of 120"
        );
    }
}
