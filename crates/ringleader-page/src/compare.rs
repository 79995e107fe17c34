//! `compare`: many runs of several algorithms, as a table and as a plot. Only what is over in seconds is made.

use crate::question::read;
use crate::{Compared, Diagnostic, Options, Words};
use ringleader::registry::Problem;
use ringleader_lab::App;
use ringleader_lab::options::{CompareOptions, quoted};
use ringleader_lab::people::grouped;
use ringleader_lab::plan::PlannedComparison;
use ringleader_lab::report::compare::{ComparisonReport, figure, notes, summary, value};
use serde::Deserialize;
use serde_json::json;
use std::ops::ControlFlow;

/// More curves than anybody can tell apart.
const ALGORITHMS_MAX: usize = 8;

#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CompareRequest {
    algorithms: Vec<String>,
    #[serde(default)]
    options: Options,
}

/// Answers `compare`.
///
/// # Errors
/// If the question, an algorithm or an option is wrong, or if it would take longer than somebody waits.
pub(crate) fn answer(words: &dyn Words, question: &[u8]) -> Result<String, Diagnostic> {
    compared(words, question).map(|compared| json!(compared).to_string())
}

fn compared(words: &dyn Words, question: &[u8]) -> Result<Compared, Diagnostic> {
    let CompareRequest { algorithms, mut options } = read("compare", question)?;
    if algorithms.is_empty() || algorithms.len() > ALGORITHMS_MAX {
        let message =
            format!("{} algorithms are to be compared; it can be 1 to {ALGORITHMS_MAX}", algorithms.len());
        return Err(Diagnostic::input("bad_question", message).help("choose two to four"));
    }
    // The command line says --nodes 8,16,32; the page, which has a field for one number as well, says sizes.
    if let Some(sizes) = options.remove("sizes") {
        options.entry("nodes".to_owned()).or_insert(sizes);
    }
    words.compare(&algorithms, &options)
}

/// So many processes of all runs together, which is the usual comparison of ten elections twice over.
const PAGE_PROCESSES: u64 = 500_000;
/// A run that is likely to send more is not made; it would take a second. Mutual exclusion goes through
/// the general engine, and is ten times as slow.
const PAGE_MESSAGES: u64 = 10_000_000;
/// Others use the machine, too.
const PAGE_THREADS: u32 = 2;

/// Makes a comparison at once, without files, if it is over in seconds.
pub(crate) fn make(app: &App, names: &[String], args: &CompareOptions) -> Result<Compared, Diagnostic> {
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
        return Err(Diagnostic::input("too_large", message)
            .help("take smaller or fewer sizes, or fewer runs, or compare in a terminal:")
            .command(command, ""));
    }
    let most = match asked.problem {
        Problem::Election => PAGE_MESSAGES,
        Problem::Mutex | Problem::Clocks => PAGE_MESSAGES / 10,
    };
    let cells = asked
        .measure(args.max_messages.map_or(most, |asked| asked.min(most)), &|_| ControlFlow::Continue(()))?;
    let compared = ComparisonReport::new(&asked, &cells);
    let (columns, rows) = summary(&compared);
    Ok(Compared {
        columns: columns.into_iter().map(|column| column.name).collect(),
        rows: rows.iter().map(|row| row.iter().map(value).collect()).collect(),
        svg: figure::plot(&compared, args.per).svg(),
        notes: notes(&compared),
        command,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Few;

    fn asked(question: &str) -> Result<Compared, Diagnostic> {
        compared(&Few, question.as_bytes())
    }

    #[test]
    fn sizes_are_the_nodes_of_the_command_line() {
        let compared =
            asked(r#"{"algorithms":["a","b"],"options":{"sizes":"8,16","runs":"3"}}"#).expect("it is right");
        assert_eq!(compared.command, r#"compare a b {"nodes":"8,16","runs":"3"}"#);
        let compared = asked(r#"{"algorithms":["a"],"options":{"nodes":"4"}}"#).expect("it is right");
        assert_eq!(compared.command, r#"compare a {"nodes":"4"}"#);
    }

    #[test]
    fn too_many_are_refused_and_none() {
        let none = asked(r#"{"algorithms":[]}"#).expect_err("there is nothing to compare");
        assert_eq!(none.message, "0 algorithms are to be compared; it can be 1 to 8");
        let many = format!(r#"{{"algorithms":{:?}}}"#, vec!["a"; 9]);
        assert_eq!(
            asked(&many).expect_err("nobody sees that").message,
            "9 algorithms are to be compared; it can be 1 to 8"
        );
        let nonsense = asked(r#"{"algorithms":7}"#).expect_err("it is no list");
        assert!(
            nonsense.message.starts_with("the question to `compare` cannot be read: "),
            "{}",
            nonsense.message
        );
    }
}
