//! By which lines an as-printed variant differs from the right algorithm.

use crate::console::{CYAN, GREEN, RED, RESET};
use ringleader_errata::diff::{Mark, Text};
use std::io::{self, Write};

/// The lines of the right algorithm that go, and those that come instead.
pub(super) fn text(diff: &str, out: &mut dyn Write) -> io::Result<()> {
    let Ok(text) = Text::parse(diff) else { return Ok(()) };
    writeln!(out, "\n{CYAN}What differs from the right algorithm{RESET}")?;
    for (place, change) in text.changes.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        for (mark, line) in &change.lines {
            match mark {
                Mark::Stays => writeln!(out, "    {line}")?,
                Mark::Goes => writeln!(out, "  {RED}- {line}{RESET}")?,
                Mark::Comes => writeln!(out, "  {GREEN}+ {line}{RESET}")?,
            }
        }
    }
    Ok(())
}
