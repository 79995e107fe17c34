//! Where a process stands, in each of the problems.

use crate::model::{Stage, Synchrony, Verdict};

/// What a process says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// In an election.
    Verdict(Verdict),
    /// In mutual exclusion.
    User(Stage),
    /// With its clock.
    Clock(Synchrony),
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
            Position::Clock(Synchrony::Unsynchronised) => "unsynchronised",
            Position::Clock(Synchrony::Synchronised) => "synchronised",
            Position::Clock(Synchrony::Lost) => "lost-contact",
            Position::Clock(Synchrony::Reference) => "reference",
        }
    }
}

/// Where a process stands, as far as engines look after every step. It is one number, which a step hands back in a
/// register: two parts in memory, read as one just after they were written, would cost as much as the step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Status(u32);

/// The positions, by their numbers.
const POSITIONS: [Position; 10] = [
    Position::Verdict(Verdict::Undecided),
    Position::Verdict(Verdict::Lost),
    Position::Verdict(Verdict::Leader),
    Position::User(Stage::Idle),
    Position::User(Stage::Waiting),
    Position::User(Stage::Inside),
    Position::Clock(Synchrony::Unsynchronised),
    Position::Clock(Synchrony::Synchronised),
    Position::Clock(Synchrony::Lost),
    Position::Clock(Synchrony::Reference),
];

impl Status {
    /// At this position, with these tokens: one bit for each kind.
    #[inline]
    pub(crate) fn new(position: Position, tokens: u32) -> Status {
        let number = match position {
            Position::Verdict(Verdict::Undecided) => 0,
            Position::Verdict(Verdict::Lost) => 1,
            Position::Verdict(Verdict::Leader) => 2,
            Position::User(Stage::Idle) => 3,
            Position::User(Stage::Waiting) => 4,
            Position::User(Stage::Inside) => 5,
            Position::Clock(Synchrony::Unsynchronised) => 6,
            Position::Clock(Synchrony::Synchronised) => 7,
            Position::Clock(Synchrony::Lost) => 8,
            Position::Clock(Synchrony::Reference) => 9,
        };
        Status(tokens << 8 | number)
    }

    /// What it says of itself.
    #[inline]
    pub(crate) fn position(self) -> Position {
        POSITIONS[usize::from(self.0 as u8)]
    }

    /// The tokens that are here, one bit for each kind.
    #[inline]
    pub(crate) fn tokens(self) -> u32 {
        self.0 >> 8
    }

    /// What it says in an election; undecided in mutual exclusion.
    pub(crate) fn verdict(self) -> Verdict {
        match self.position() {
            Position::Verdict(verdict) => verdict,
            Position::User(_) | Position::Clock(_) => Verdict::Undecided,
        }
    }

    /// Where its user stands; idle in an election.
    pub(crate) fn stage(self) -> Stage {
        match self.position() {
            Position::User(stage) => stage,
            Position::Verdict(_) | Position::Clock(_) => Stage::Idle,
        }
    }
}
