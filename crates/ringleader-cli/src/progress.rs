//! How far a long run or search is, for whoever watches stderr.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringleader::{check, sim::Progress};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ringleader_lab::people::{bytes, grouped};

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

/// The progress bar of many runs: the share of the work that is done, and how long the rest may take.
pub(crate) struct ShareBar {
    bar: Option<ProgressBar>,
    since: Instant,
    drawn: AtomicBool,
}

impl ShareBar {
    /// Steps of the bar.
    const STEPS: u64 = 1000;

    /// A bar that is shown only where somebody watches.
    pub(crate) fn new(watched: bool) -> ShareBar {
        let bar = watched.then(|| {
            let hidden = ProgressDrawTarget::hidden();
            let bar = ProgressBar::with_draw_target(Some(ShareBar::STEPS), hidden);
            let template = "  ▕{bar:24}▏ {percent:>3} %  {msg}  {elapsed}, {eta} left";
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
            bar
        });
        ShareBar { bar, since: Instant::now(), drawn: AtomicBool::new(false) }
    }

    pub(crate) fn update(&self, share: f64, message: &str) {
        if let Some(bar) = &self.bar {
            if self.since.elapsed() > PATIENCE && !self.drawn.swap(true, Ordering::Relaxed) {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
            }
            bar.set_position((share * ShareBar::STEPS as f64) as u64);
            bar.set_message(message.to_owned());
        }
    }

    /// Takes it off the screen: the report says it all.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The progress bar of a sweep: its share is that of the messages that are expected, for runs are not alike.
pub(crate) struct SweepBar {
    bar: ShareBar,
    /// Runs and expected messages, done and in all.
    runs: (u64, u64),
    weights: (u64, u64),
}

impl SweepBar {
    /// With the weights of the runs that are to come, and so many done before.
    pub(crate) fn new(weights: impl Iterator<Item = u64>, before: u64) -> SweepBar {
        let (mut total, mut runs) = (0u64, before);
        for weight in weights {
            total = total.saturating_add(weight);
            runs += 1;
        }
        SweepBar { bar: ShareBar::new(true), runs: (before, runs), weights: (0, total.max(1)) }
    }

    /// One more run of this weight is over.
    pub(crate) fn done(&mut self, weight: u64) {
        self.runs.0 += 1;
        self.weights.0 = self.weights.0.saturating_add(weight);
        let message = format!("{} of {} runs", grouped(self.runs.0), grouped(self.runs.1));
        self.bar.update(self.weights.0 as f64 / self.weights.1 as f64, &message);
    }
}

impl Drop for SweepBar {
    fn drop(&mut self) {
        self.bar.finish();
    }
}

/// A duration for people.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis().max(1)),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..172_800 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        172_800.. => format!("{} days", grouped(seconds / 86_400)),
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
