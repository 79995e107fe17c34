//! How far a long run is, for whoever watches stderr.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringleader::sim::Progress;
use std::time::{Duration, Instant};

use crate::report::grouped;

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
