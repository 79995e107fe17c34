//! A comparison for the page.

use crate::App;
use crate::error::Diagnostic;
use ringleader::registry::Problem;
use ringleader_lab::options::{CompareOptions, quoted};
use ringleader_lab::people::grouped;
use ringleader_lab::plan::PlannedComparison;
use ringleader_lab::report::compare::{ComparisonReport, figure, notes, summary, value};
use ringleader_page::Compared as Answer;

/// From the page: so many processes of all runs together, which is the usual comparison of ten elections twice over.
const PAGE_PROCESSES: u64 = 500_000;
/// From the page: a run that is likely to send more is not made; it would take a second. Mutual exclusion goes through
/// the general engine, and is ten times as slow.
const PAGE_MESSAGES: u64 = 10_000_000;
/// From the page: others use the machine, too.
const PAGE_THREADS: u32 = 2;

/// The same for the page: at once, without files, and only what is over in seconds.
pub(crate) fn for_page(app: &App, names: &[String], args: &CompareOptions) -> Result<Answer, Diagnostic> {
    // Whoever asks the same again should get the same, and a page has no place to show a seed that was drawn.
    let args =
        CompareOptions { seed: Some(args.seed.unwrap_or(0)), threads: Some(PAGE_THREADS), ..args.clone() };
    let asked = PlannedComparison::new(app, names, &args)?;
    let command = quoted(&app.program, &asked.again);
    let work: u64 = asked.places().map(|place| u64::from(place.nodes) * u64::from(asked.runs(place))).sum();
    if work > PAGE_PROCESSES {
        let message = format!(
            "the runs of this comparison have {} processes in all; from the page at most {} are compared",
            grouped(work),
            grouped(PAGE_PROCESSES)
        );
        return Err(Diagnostic::input("ringleader::too_large", message)
            .help("take smaller or fewer sizes, or fewer runs, or compare in a terminal:")
            .command(command, ""));
    }
    let most = match asked.problem {
        Problem::Election => PAGE_MESSAGES,
        Problem::Mutex => PAGE_MESSAGES / 10,
    };
    let cells = asked.measure(args.max_messages.map_or(most, |asked| asked.min(most)), &|_| {})?;
    let compared = ComparisonReport::new(&asked, &cells);
    let mut told = Vec::new();
    // A list takes every line.
    let _ = notes(&compared, &mut told);
    let told = String::from_utf8_lossy(&told).into_owned();
    let (columns, rows) = summary(&compared);
    Ok(Answer {
        columns: columns.into_iter().map(|column| column.name).collect(),
        rows: rows.iter().map(|row| row.iter().map(value).collect()).collect(),
        svg: figure::plot(&compared, args.per).svg(),
        notes: told.lines().map(|line| line.trim_start_matches("note: ").to_owned()).collect(),
        command,
    })
}
