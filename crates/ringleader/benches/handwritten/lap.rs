//! A stopwatch, and what a loop hands back.

use std::time::{Duration, Instant};

/// What a loop hands back.
pub(crate) struct Outcome {
    pub(crate) messages: u64,
    pub(crate) leader: u32,
    /// From the first start to the last delivery.
    pub(crate) took: Duration,
}

pub(crate) struct Lap {
    start: Instant,
}

impl Lap {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    pub(crate) fn start() -> Lap {
        Lap { start: Instant::now() }
    }

    pub(crate) fn took(&self) -> Duration {
        self.start.elapsed()
    }

    /// Stops the watch first, then looks for the leader.
    pub(crate) fn ends(self, messages: u64, leads: impl Iterator<Item = bool>) -> Outcome {
        let took = self.took();
        let leaders: Vec<u32> =
            (0..).zip(leads).filter_map(|(index, leads)| leads.then_some(index)).collect();
        assert_eq!(leaders.len(), 1, "a loop must elect one leader");
        Outcome { messages, leader: leaders[0], took }
    }
}
