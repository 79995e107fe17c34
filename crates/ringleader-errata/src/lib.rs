//! Wrong on purpose: the algorithms as their sources print them, errors and all, and with small mistakes.
//!
//! A wrong version is written as the lines by which it differs from the right one, in the folder of the right one:
//! `as_printed.txt` and others like it are versions with a name, which every command takes (`peterson@as-printed`);
//! `mutants.txt` has small mistakes, which the checker must find (`tests/mutants.rs`). `build.rs` applies them to the
//! source as it is today. A change that no longer fits stops the build; one of a mutant stops the test.

pub mod diff;

use ringleader::registry::{self, Entry};
use std::sync::LazyLock;

/// A version as it is printed.
pub struct Version {
    /// The name of the right algorithm.
    pub of: &'static str,
    /// Whether it is listed with the algorithms; others are for tests alone.
    pub listed: bool,
    /// What came of it.
    pub entry: Entry,
}

/// A source after a small change.
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

/// The processes of the wrong versions, each in a module named after it: `peterson_as_printed::Peterson`.
#[allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a wrong version may not use everything that the right one has, and only its process is taken"
)]
pub mod made {
    use super::Version;
    use ringleader::registry::Entry;

    include!(concat!(env!("OUT_DIR"), "/texts.rs"));
}

/// The changes by which an as-printed variant differs from the right algorithm, each line with what becomes of it
/// (`stays`, `goes`, `comes`); nothing for a right one.
#[must_use]
pub fn changes(of: &Entry) -> Option<Vec<Vec<(&'static str, String)>>> {
    let mark = |mark| match mark {
        diff::Mark::Stays => "stays",
        diff::Mark::Goes => "goes",
        diff::Mark::Comes => "comes",
    };
    let lines =
        |change: diff::Change| change.lines.into_iter().map(|(what, line)| (mark(what), line)).collect();
    let text = diff::Text::parse(of.spec.diff).ok()?;
    Some(text.changes.into_iter().map(lines).collect())
}

// What the sources call by these names.
#[allow(unused_imports, reason = "which of them depends on the sources")]
use ringleader::{clocks, election, model, mutex};

/// The versions as they are printed, in the order of the book.
#[must_use]
pub fn versions() -> &'static [Version] {
    made::ALL
}

/// The right algorithms, each followed by its printed versions.
#[must_use]
pub fn all() -> &'static [Entry] {
    static ALL: LazyLock<&'static [Entry]> = LazyLock::new(|| {
        let mut all = Vec::new();
        for right in registry::ALL {
            all.push(*right);
            all.extend(
                made::ALL
                    .iter()
                    .filter(|version| version.listed && version.of == right.spec.name)
                    .map(|version| version.entry),
            );
        }
        registry::own(all.leak())
    });
    &ALL
}
