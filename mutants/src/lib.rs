//! Wrong on purpose: the source of every algorithm with one small change, many times over.
//!
//! The changes are in `mutants.txt`. `build.rs` applies each to the real file, so that a mutant is the algorithm as it
//! is today and nothing else; a change that no longer fits stops the build. `tests/kill.rs` holds all of them against
//! the checker. They are compiled there and not here: only that test needs them.

pub mod table;

use ringleader::registry::Entry;

/// A source after its change.
pub struct Mutant {
    /// The name of the right algorithm.
    pub algorithm: &'static str,
    /// The kind of mistake.
    pub kind: &'static str,
    /// The mistake, in words.
    pub what: &'static str,
    /// How many processes it takes, at most, to see it.
    pub n: u32,
    /// Whether it is wrong, and nobody sees it yet.
    pub survives: bool,
    /// What came of it, under the name `algorithm~number`. Number 0 is unchanged: it must hold where the others are
    /// killed, or else the way in which they are made would be what kills them.
    pub entry: Entry,
}
