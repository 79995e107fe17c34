//! What went wrong, in the words of the user: what is wrong, what is needed, one thing to type.

use crate::console::{BOLD, CYAN, DIM, RED, RESET};
pub(crate) use ringleader_lab::Diagnostic;
use ringleader_lab::layout::{fold, visible, width};
use ringleader_lab::{Advice, Spot};
use serde::Serialize;
use std::io::{self, Write};

/// Why a command did not come to its end.
pub(crate) enum Failure {
    /// Something to say.
    Said(Box<Diagnostic>),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Said(Box::new(diagnostic))
    }
}

/// Tells people; gives the exit code. If stderr is gone there is nobody to tell.
pub(crate) fn write(diagnostic: &Diagnostic, err: &mut dyn Write) -> u8 {
    let _ = err.write_all(text(diagnostic).as_bytes());
    let _ = err.flush();
    diagnostic.exit
}

/// Tells programs; gives the exit code.
pub(crate) fn write_json(diagnostic: &Diagnostic, out: &mut dyn Write) -> u8 {
    let place = diagnostic.spots.first();
    // People see it beside the line of the file.
    let said = place.map_or_else(String::new, |spot| format!(": {}", spot.label));
    let object = ErrorJson {
        schema: "ringleader.error/1",
        code: format!("ringleader::{}", diagnostic.code),
        message: format!("{}{said}", diagnostic.message),
        help: diagnostic.help_lines().collect::<Vec<_>>().join("\n"),
        file: diagnostic.file.as_deref(),
        line: place.map(|spot| spot.line),
        column: place.map(|spot| spot.column),
    };
    let text = serde_json::to_string(&object).expect("plain data has a JSON form");
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
    diagnostic.exit
}

fn text(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![
        format!("{DIM}ringleader::{}{RESET}", diagnostic.code),
        fold(&format!("  {RED}×{RESET} "), &format!("{BOLD}{}{RESET}", diagnostic.message), 4),
    ];
    if let Some(file) = &diagnostic.file {
        excerpt(file, &diagnostic.spots, &mut lines);
    }
    let wide = |line: &Advice| match line {
        Advice::Command(command, gives) if !gives.is_empty() => command.chars().count(),
        Advice::Command(..) | Advice::Text(_) => 0,
    };
    let widest = diagnostic.help.iter().map(wide).max().unwrap_or(0);
    for (place, line) in diagnostic.help.iter().enumerate() {
        let start = if place == 0 { format!("  {CYAN}help:{RESET} ") } else { "        ".into() };
        lines.push(match line {
            Advice::Text(text) => fold(&start, text, 8),
            Advice::Command(command, gives) if gives.is_empty() => format!("{start}  {command}"),
            // What it gives stands beside the command where there is room, and below it otherwise.
            Advice::Command(command, gives) if 10 + widest + 2 + gives.chars().count() > width() => {
                let gives = fold(&" ".repeat(12), &format!("{DIM}{gives}{RESET}"), 12);
                format!("{start}  {command}\n{gives}")
            }
            Advice::Command(command, gives) => {
                let gap = " ".repeat(widest.saturating_sub(command.chars().count()) + 2);
                format!("{start}  {command}{gap}{DIM}{gives}{RESET}")
            }
        });
    }
    lines.push(String::new());
    lines.join("\n")
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    schema: &'static str,
    code: String,
    message: String,
    help: String,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
}

/// Beside a line of a file stand its number, a margin, and two marks where it is cut.
const BESIDE: usize = 7;
/// What is said about a place needs so much room beside it; otherwise it goes below.
const LABEL_LEAST: usize = 24;

/// The places in a file, with the lines that matter.
fn excerpt(file: &str, spots: &[Spot], lines: &mut Vec<String>) {
    let Some(first) = spots.first() else { return };
    let digits = spots.iter().map(|label| label.line.to_string().len()).max().unwrap_or(1);
    let margin = " ".repeat(digits + 1);
    lines.push(format!("  {margin}╭─[{}:{}:{}]", file, first.line, first.column));
    for label in spots {
        let most = width().saturating_sub(digits + BESIDE).max(1);
        let (text, column) = window(label, most);
        let length = label.length.clamp(1, (most + 3).saturating_sub(column).max(1));
        let before = " ".repeat(column - 1);
        let middle = length / 2;
        let under: String = (0..length).map(|at| if at == middle { '┬' } else { '─' }).collect();
        lines.push(format!("  {:>digits$} │ {text}", label.line));
        lines.push(format!("  {margin}· {before}{RED}{under}{RESET}"));
        let start = format!("  {margin}· {before}{}{RED}╰── ", " ".repeat(middle));
        let place = visible(&start);
        let (start, place) = if place + visible(&label.label).min(LABEL_LEAST) > width() {
            (format!("  {margin}· {RED}"), digits + 5)
        } else {
            (start, place)
        };
        let said = fold(&start, &format!("{}{RESET}", label.label), place);
        // The margin goes on beside what is said.
        let mut said = said.lines();
        lines.extend(said.next().map(str::to_owned));
        lines.extend(said.map(|line| format!("  {margin}· {}", line.get(digits + 5..).unwrap_or_default())));
    }
    lines.push(format!("  {margin}╰────"));
}

/// The part of the line that is shown, and the column in it.
fn window(spot: &Spot, most: usize) -> (String, usize) {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let length = spot.text.chars().count();
    if length <= most {
        return (spot.text.chars().map(clean).collect(), spot.column.clamp(1, length + 1));
    }
    let start = spot.column.saturating_sub(most / 2).min(length - most);
    let shown: String = spot.text.chars().skip(start).take(most).map(clean).collect();
    (format!("…{shown}…"), spot.column.saturating_sub(start).max(1) + 1)
}

/// What clap has to say: help and version on stdout, errors on stderr (or as JSON on stdout).
pub(crate) fn usage(said: &clap::Error, json: bool, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if !said.use_stderr() {
        let _ = write!(out, "{}", said.render().ansi());
        let _ = out.flush();
        return 0;
    }
    if json {
        let text = said.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
        return write_json(&Diagnostic::input("usage", message.trim()).help(help.trim()), out);
    }
    let text = said.render().ansi().to_string();
    for line in text.lines() {
        let (margin, text) = line.split_at(line.len() - line.trim_start().len());
        // A usage line is a command.
        let stays = visible(line) <= width() || line.contains("Usage:");
        let folded = if stays { line.to_owned() } else { fold(margin, text, margin.len() + 2) };
        let _ = writeln!(err, "{folded}");
    }
    let _ = err.flush();
    2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Plain;

    fn plain(diagnostic: &Diagnostic) -> String {
        let mut bytes = Vec::new();
        write(diagnostic, &mut Plain::new(&mut bytes));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn an_error_is_laid_out_as_in_the_book() {
        let label =
            |line, label: &str| Spot { line, column: 1, length: 2, text: "17".into(), label: label.into() };
        let error = Diagnostic::input("ringleader::duplicate_id", "identity 17 is given to two processes")
            .at("ring.ids", vec![label(3, "first here"), label(12, "again here")])
            .help("distinct identities are needed:")
            .command("ringleader run x --ids random", "draws them")
            .command("ringleader list", "all");
        assert_eq!(
            plain(&error),
            "ringleader::duplicate_id
  × identity 17 is given to two processes
     ╭─[ring.ids:3:1]
   3 │ 17
     · ─┬
     ·  ╰── first here
  12 │ 17
     · ─┬
     ·  ╰── again here
     ╰────
  help: distinct identities are needed:
          ringleader run x --ids random  draws them
          ringleader list                all
"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let spot = Spot {
            line: 1,
            column: 500,
            length: 1,
            text: format!("{}!{}", "a".repeat(499), "b".repeat(600)),
            label: String::new(),
        };
        let (text, column) = window(&spot, 70);
        assert_eq!(text.chars().nth(column - 1), Some('!'));
        assert!(text.chars().count() <= 72);
    }
}
