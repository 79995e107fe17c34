//! Many measurements, and what is said of them.

use std::time::Duration;

/// Spans of time, in seconds.
pub(crate) struct Figures {
    in_order: Vec<f64>,
    sorted: Vec<f64>,
}

impl Figures {
    /// These spans, as they came.
    pub(crate) fn new(in_order: Vec<f64>) -> Figures {
        assert!(!in_order.is_empty(), "nothing was measured");
        let mut sorted = in_order.clone();
        sorted.sort_by(f64::total_cmp);
        Figures { in_order, sorted }
    }

    /// The same, as sums of so many that follow each other.
    pub(crate) fn rounds(&self, of: usize) -> Figures {
        Figures::new(self.in_order.chunks_exact(of).map(|round| round.iter().sum()).collect())
    }

    /// Half of them are below.
    pub(crate) fn p50(&self) -> f64 {
        self.sorted[self.sorted.len() / 2]
    }

    /// Of a hundred, ninety-nine are below.
    pub(crate) fn p99(&self) -> f64 {
        self.sorted[self.sorted.len() * 99 / 100]
    }

    /// The largest.
    pub(crate) fn most(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }
}

impl FromIterator<Duration> for Figures {
    fn from_iter<I: IntoIterator<Item = Duration>>(spans: I) -> Figures {
        Figures::new(spans.into_iter().map(|span| span.as_secs_f64()).collect())
    }
}

/// Seconds as microseconds.
pub(crate) fn micros(seconds: f64) -> String {
    format!("{:.1} µs", seconds * 1e6)
}
