//! How long clients are served at a time.
//!
//! The rule: after two milliseconds of clients' work the server's own work has its turn: heartbeats, lease reads and
//! the mesh. Every connection that is ready has at least one question answered in a turn, and at most 32.

use ringleader::live::Micros;
use ringleader_net::clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// So long a turn is.
const LONG: Micros = Micros::millis(2);

/// So many questions of one connection are answered in a turn.
const MOST: usize = 32;

/// When the turn of clients ends. Its clones are the same.
#[derive(Clone, Default)]
pub struct Turn(Arc<AtomicU64>);

impl Turn {
    /// It is the turn of clients, from now on.
    pub fn begins(&self) {
        self.0.store((clock::now() + LONG).0, Ordering::Relaxed);
    }

    /// Whether a connection that has had so many answers waits for the next turn.
    pub(super) fn is_over(&self, answered: usize) -> bool {
        answered >= MOST || answered > 0 && clock::now().0 >= self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_is_answered_in_any_turn() {
        let turn = Turn::default();
        assert!(!turn.is_over(0), "also when the turn is over");
        assert!(turn.is_over(1));
    }

    #[test]
    fn no_connection_takes_more_than_its_share_of_a_turn() {
        let turn = Turn::default();
        turn.0.store(u64::MAX, Ordering::Relaxed);
        assert!(!turn.is_over(MOST - 1));
        assert!(turn.is_over(MOST));
    }
}
