//! ShiViz: a log with vector clocks. The first line is the expression with which ShiViz reads all others, the second
//! the delimiter between executions, which is empty: there is one.

use super::{action, told};
use ringleader::trace::{History, VectorClocks, Window};
use std::io::{self, Write};

/// The expression: host, clock, event.
const EXPRESSION: &str = r"(?<host>\S+) (?<clock>\{.*\}) (?<event>.*)";

/// A clock has an entry for every process that is known of, so that the file may grow with the square of the run; more
/// entries are refused: no page could show them.
pub const SHIVIZ_ENTRIES_MAX: usize = 5_000_000;

/// How many entries the clocks of this window have; it does not count far beyond the most.
#[must_use]
pub fn shiviz_entries(history: &History<'_>, window: &Window) -> usize {
    let mut entries = 0;
    for (_, clock) in VectorClocks::new(history, window) {
        entries += clock.len();
        if entries > SHIVIZ_ENTRIES_MAX {
            break;
        }
    }
    entries
}

/// Writes the steps of processes that a window shows. What the network does by itself (a message is lost or doubled on
/// its way, or finds its receiver down) belongs to no host and is left out; gives how many steps that were.
///
/// # Errors
/// If it cannot be written.
pub fn write_shiviz(out: &mut dyn Write, history: &History<'_>, window: &Window) -> io::Result<usize> {
    write!(out, "{EXPRESSION}\n\n")?;
    let mut clocks = VectorClocks::new(history, window).peekable();
    let mut without_host = 0;
    for (step, line) in told(history, window) {
        let Some((_, clock)) = clocks.next_if(|(shown, _)| *shown == step) else {
            without_host += 1;
            continue;
        };
        let process = history.recording.events[step].process;
        // Its own entry first: whoever reads the file by eye looks for it.
        let own = clock.iter().filter(|(p, _)| *p == process);
        let others = clock.iter().filter(|(p, _)| *p != process);
        let entries: Vec<String> = own.chain(others).map(|(p, count)| format!("\"p{p}\":{count}")).collect();
        let mut event = format!("{} {}", action(&line), line.rules);
        if !line.effects.is_empty() {
            event = format!("{} {}", event.trim_end(), line.effects);
        }
        let event = event.trim_end().replace(['\n', '\r'], " ");
        writeln!(out, "p{process} {{{}}} {event}", entries.join(","))?;
    }
    Ok(without_host)
}
