//! Log lines that a stranger can cause: a few for each reason are written, the rest is counted.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// So many lines for each reason in a window.
const LINES: u32 = 5;

/// How long a window lasts.
const WINDOW: Duration = Duration::from_secs(10);

/// Lets a few lines for each reason through.
#[derive(Default)]
pub struct Sieve {
    reasons: Mutex<BTreeMap<&'static str, Window>>,
    held_back: Notify,
}

struct Window {
    ends: Instant,
    lines: u32,
    held_back: u64,
}

impl Sieve {
    /// Whether a line for this reason is to be written.
    pub fn passes(&self, reason: &'static str) -> bool {
        let now = Instant::now();
        let mut reasons = self.reasons();
        let window = reasons.entry(reason).or_insert(Window { ends: now, lines: 0, held_back: 0 });
        // A window with lines that were held back ends when they are told.
        if window.ends <= now && window.held_back == 0 {
            *window = Window { ends: now + WINDOW, lines: 0, held_back: 0 };
        }
        if window.lines < LINES {
            window.lines += 1;
            return true;
        }
        window.held_back += 1;
        if window.held_back == 1 {
            self.held_back.notify_one();
        }
        false
    }

    /// The next reason of which a window has ended with lines that were held back, and how many.
    pub async fn held_back(&self) -> (&'static str, u64) {
        loop {
            let ends = {
                let mut reasons = self.reasons();
                let held = reasons.iter_mut().filter(|(_, window)| window.held_back > 0);
                match held.min_by_key(|(_, window)| window.ends) {
                    Some((reason, window)) if window.ends <= Instant::now() => {
                        return (reason, std::mem::take(&mut window.held_back));
                    }
                    first => first.map(|(_, window)| window.ends),
                }
            };
            tokio::select! {
                () = self.held_back.notified() => {}
                () = async {
                    match ends {
                        Some(ends) => sleep_until(ends).await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        }
    }

    /// Logs how many lines about this event were held back, for ever.
    pub async fn tells(&self, event: &'static str) {
        loop {
            let (reason, held_back) = self.held_back().await;
            tracing::warn!(event, reason, held_back);
        }
    }

    fn reasons(&self) -> MutexGuard<'_, BTreeMap<&'static str, Window>> {
        self.reasons.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn repeated_reasons_are_counted_not_logged() {
        let sieve = Sieve::default();
        let passed = (0..1000).filter(|_| sieve.passes("plain_text")).count();
        assert_eq!(passed, 5);
        assert!(sieve.passes("closed"), "another reason has lines of its own");
        let begun = Instant::now();
        assert_eq!(sieve.held_back().await, ("plain_text", 995));
        assert_eq!(begun.elapsed(), WINDOW);
        assert!(sieve.passes("plain_text"), "a new window");
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_said_of_lines_that_passed() {
        let sieve = Sieve::default();
        assert!(sieve.passes("closed"));
        let waited = tokio::time::timeout(WINDOW * 3, sieve.held_back()).await;
        assert!(waited.is_err());
    }
}
