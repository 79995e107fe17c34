//! Where a process stands, in either problem.

use crate::model::{Stage, Verdict};

/// What a process says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// In an election.
    Verdict(Verdict),
    /// In mutual exclusion.
    User(Stage),
}

impl Position {
    /// Whether it claims what only one may have: it leads, or its user is inside.
    #[must_use]
    pub fn claims(self) -> bool {
        self == Position::Verdict(Verdict::Leader) || self == Position::User(Stage::Inside)
    }

    /// Its name in formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Position::Verdict(Verdict::Undecided) => "undecided",
            Position::Verdict(Verdict::Lost) => "lost",
            Position::Verdict(Verdict::Leader) => "leader",
            Position::User(Stage::Idle) => "idle",
            Position::User(Stage::Waiting) => "waiting",
            Position::User(Stage::Inside) => "inside",
        }
    }
}

/// Where a process stands, as far as engines look after every step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Status {
    pub(crate) position: Position,
    /// The tokens that are here, one bit for each kind.
    pub(crate) tokens: u32,
}

impl Status {
    /// What it says in an election; undecided in mutual exclusion.
    pub(crate) fn verdict(self) -> Verdict {
        match self.position {
            Position::Verdict(verdict) => verdict,
            Position::User(_) => Verdict::Undecided,
        }
    }

    /// Where its user stands; idle in an election.
    pub(crate) fn stage(self) -> Stage {
        match self.position {
            Position::User(stage) => stage,
            Position::Verdict(_) => Stage::Idle,
        }
    }
}
