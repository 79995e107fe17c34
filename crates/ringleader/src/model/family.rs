//! The idea by which an algorithm works, in one word: where it stands on a shelf, and what it is compared with.

/// The idea, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// One of its own: nobody has named it.
    Own,
    /// Identities go round until everybody has seen all of them.
    Collect,
    /// A larger identity swallows a smaller one on its way.
    Swallow,
    /// Rounds in which those who lose to a neighbour drop out.
    Tournament,
    /// Processes without identities draw until one has drawn alone.
    Lottery,
    /// Whoever is stronger takes over others, and what they had taken.
    Capture,
    /// Whoever is higher answers, and whoever hears no answer leads.
    Outrank,
    /// Everybody is asked.
    Permission,
    /// One of them is asked.
    Coordinator,
    /// Whoever has the token may enter.
    Token,
    /// Some are asked, any two sets of which overlap.
    Quorum,
    /// Flags and numbers in memory that all can read say whose turn it is.
    Turn,
    /// Machines look at their neighbours, and whoever differs in the right way is privileged.
    Privilege,
    /// Others' clocks are read over links of unknown delay.
    Estimate,
}

impl Family {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Family; 14] = [
        Family::Collect,
        Family::Swallow,
        Family::Tournament,
        Family::Lottery,
        Family::Capture,
        Family::Outrank,
        Family::Permission,
        Family::Coordinator,
        Family::Token,
        Family::Quorum,
        Family::Turn,
        Family::Privilege,
        Family::Estimate,
        Family::Own,
    ];

    /// The word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Family::Own => "own",
            Family::Collect => "collect",
            Family::Swallow => "swallow",
            Family::Tournament => "tournament",
            Family::Lottery => "lottery",
            Family::Capture => "capture",
            Family::Outrank => "outrank",
            Family::Permission => "permission",
            Family::Coordinator => "coordinator",
            Family::Token => "token",
            Family::Quorum => "quorum",
            Family::Turn => "turn",
            Family::Privilege => "privilege",
            Family::Estimate => "estimate",
        }
    }

    /// What it means, in a sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Family::Own => "Ideas of their own.",
            Family::Collect => "Identities go round until everybody has seen all of them.",
            Family::Swallow => "A larger identity swallows a smaller one on its way.",
            Family::Tournament => "Rounds: whoever loses to a neighbour drops out.",
            Family::Lottery => "Without identities: draw, until one has drawn alone.",
            Family::Capture => "The stronger takes over others, and what they had taken.",
            Family::Outrank => "Whoever is higher answers; who hears no answer leads.",
            Family::Permission => "Ask everybody.",
            Family::Coordinator => "Ask the one who is in charge.",
            Family::Token => "Whoever has the token may enter.",
            Family::Quorum => "Ask some; any two sets of them overlap.",
            Family::Turn => "Flags and numbers in shared memory say whose turn it is.",
            Family::Privilege => {
                "From any state: whoever differs from a neighbour in the right way may move."
            }
            Family::Estimate => "Read the clocks of others over links of unknown delay.",
        }
    }
}
