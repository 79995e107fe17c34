//! What went wrong, in the words of the user: what is wrong, what is needed, one thing to type.

use crate::console::{BOLD, CYAN, DIM, RED, RESET};
use serde::Serialize;
use std::borrow::Cow;
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

#[cfg(feature = "cluster")]
impl From<ringleader_net::Problem> for Failure {
    fn from(problem: ringleader_net::Problem) -> Failure {
        Diagnostic::from(problem).into()
    }
}

/// What is wrong with a cluster, in the form of the command line.
#[cfg(feature = "cluster")]
impl From<ringleader_net::Problem> for Diagnostic {
    fn from(problem: ringleader_net::Problem) -> Diagnostic {
        use ringleader_net::Advice;
        let code = Cow::Owned(format!("ringleader::{}", problem.code));
        let label = |spot: ringleader_net::Spot| Label {
            line: spot.line,
            column: spot.column,
            length: spot.length,
            text: spot.text,
            label: spot.label,
        };
        let labels = problem.spots.into_iter().map(label).collect();
        let help = problem.help.into_iter().map(|line| match line {
            Advice::Text(text) => Help::Text(text),
            Advice::Command(command, gives) => Help::Command(command, gives),
        });
        Diagnostic {
            code,
            exit: problem.exit,
            message: problem.message,
            excerpt: problem.file.map(|file| Box::new(Excerpt { file, labels })),
            help: help.collect(),
        }
    }
}

/// One error.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    /// A name to search for.
    code: Cow<'static, str>,
    exit: u8,
    message: String,
    excerpt: Option<Box<Excerpt>>,
    help: Vec<Help>,
}

/// A line of help.
#[derive(Clone, Debug)]
enum Help {
    Text(String),
    /// A command, alone on its line, and what it gives.
    Command(String, String),
}

/// The place in a file, with the lines that matter.
#[derive(Clone, Debug)]
pub(crate) struct Excerpt {
    /// The file.
    pub(crate) file: String,
    /// The lines.
    pub(crate) labels: Vec<Label>,
}

/// A place in a line, and what is to be said about it.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
    /// How many characters are meant.
    pub(crate) length: usize,
    /// The line itself.
    pub(crate) text: String,
    /// What is said about it.
    pub(crate) label: String,
}

impl Diagnostic {
    pub(crate) fn new(
        code: impl Into<Cow<'static, str>>,
        exit: u8,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { code: code.into(), exit, message: message.into(), excerpt: None, help: Vec::new() }
    }

    /// Wrong usage or bad input.
    pub(crate) fn input(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, 2, message)
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(Help::Text(text.into()));
        self
    }

    pub(crate) fn command(mut self, command: impl Into<String>, gives: &str) -> Diagnostic {
        self.help.push(Help::Command(command.into(), gives.into()));
        self
    }

    pub(crate) fn excerpt(mut self, excerpt: Excerpt) -> Diagnostic {
        self.excerpt = Some(Box::new(excerpt));
        self
    }

    #[cfg(feature = "page")]
    /// As the page reads it: the place in a file, which a page has none of, is left out.
    pub(crate) fn complaint(&self) -> ringleader_page::Complaint {
        let lines = self.help.iter().map(|line| match line {
            Help::Text(text) | Help::Command(text, _) => text.clone(),
        });
        ringleader_page::Complaint {
            code: self.code.clone().into_owned(),
            message: self.message.clone(),
            help: lines.collect(),
        }
    }

    /// Whether it speaks of this option.
    pub(crate) fn mentions(&self, option: &str) -> bool {
        let option = format!("--{option}");
        let named = |text: &str| {
            let after = text.match_indices(&option).map(|(place, _)| &text[place + option.len()..]);
            after.into_iter().any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
        };
        let lines = self.help.iter().map(|line| match line {
            Help::Text(text) => text.as_str(),
            // It repeats every option, whether it matters or not.
            Help::Command(..) => "",
        });
        named(&self.message) || lines.into_iter().any(named)
    }

    /// Tells people; gives the exit code. If stderr is gone there is nobody to tell.
    pub(crate) fn write(&self, err: &mut dyn Write) -> u8 {
        let _ = err.write_all(self.text().as_bytes());
        let _ = err.flush();
        self.exit
    }

    /// Tells programs; gives the exit code.
    pub(crate) fn write_json(&self, out: &mut dyn Write) -> u8 {
        let help: Vec<&str> = self
            .help
            .iter()
            .map(|line| match line {
                Help::Text(text) | Help::Command(text, _) => text.as_str(),
            })
            .collect();
        let place = self.excerpt.as_ref().and_then(|excerpt| excerpt.labels.first());
        // People see it beside the line of the file.
        let said = place.map_or_else(String::new, |label| format!(": {}", label.label));
        let object = ErrorJson {
            schema: "ringleader.error/1",
            code: &self.code,
            message: format!("{}{said}", self.message),
            help: help.join("\n"),
            file: self.excerpt.as_ref().map(|excerpt| excerpt.file.as_str()),
            line: place.map(|label| label.line),
            column: place.map(|label| label.column),
        };
        let text = serde_json::to_string(&object).expect("plain data has a JSON form");
        let _ = writeln!(out, "{text}");
        let _ = out.flush();
        self.exit
    }

    fn text(&self) -> String {
        let mut lines = vec![
            format!("{DIM}{}{RESET}", self.code),
            format!("  {RED}×{RESET} {BOLD}{}{RESET}", self.message),
        ];
        if let Some(excerpt) = &self.excerpt {
            excerpt.lines(&mut lines);
        }
        let width = |line: &Help| match line {
            Help::Command(command, gives) if !gives.is_empty() => command.chars().count(),
            Help::Command(..) | Help::Text(_) => 0,
        };
        let widest = self.help.iter().map(width).max().unwrap_or(0);
        for (place, line) in self.help.iter().enumerate() {
            let start = if place == 0 { format!("  {CYAN}help:{RESET} ") } else { "        ".into() };
            lines.push(match line {
                Help::Text(text) => format!("{start}{text}"),
                Help::Command(command, gives) if gives.is_empty() => format!("{start}  {command}"),
                Help::Command(command, gives) => {
                    let gap = " ".repeat(widest.saturating_sub(command.chars().count()) + 2);
                    format!("{start}  {command}{gap}{DIM}{gives}{RESET}")
                }
            });
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    schema: &'static str,
    code: &'a str,
    message: String,
    help: String,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
}

/// More of a line is not shown.
const SHOWN_MAX: usize = 100;

impl Excerpt {
    fn lines(&self, lines: &mut Vec<String>) {
        let Some(first) = self.labels.first() else { return };
        let digits = self.labels.iter().map(|label| label.line.to_string().len()).max().unwrap_or(1);
        let margin = " ".repeat(digits + 1);
        lines.push(format!("  {margin}╭─[{}:{}:{}]", self.file, first.line, first.column));
        for label in &self.labels {
            let (text, column) = label.window();
            let length = label.length.clamp(1, SHOWN_MAX);
            let before = " ".repeat(column - 1);
            let middle = length / 2;
            let under: String = (0..length).map(|at| if at == middle { '┬' } else { '─' }).collect();
            lines.push(format!("  {:>digits$} │ {text}", label.line));
            lines.push(format!("  {margin}· {before}{RED}{under}{RESET}"));
            lines.push(format!("  {margin}· {before}{}{RED}╰── {}{RESET}", " ".repeat(middle), label.label));
        }
        lines.push(format!("  {margin}╰────"));
    }
}

impl Label {
    /// The part of the line that is shown, and the column in it.
    fn window(&self) -> (String, usize) {
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        let length = self.text.chars().count();
        if length <= SHOWN_MAX {
            return (self.text.chars().map(clean).collect(), self.column.clamp(1, length + 1));
        }
        let start = self.column.saturating_sub(SHOWN_MAX / 2).min(length - SHOWN_MAX);
        let shown: String = self.text.chars().skip(start).take(SHOWN_MAX).map(clean).collect();
        (format!("…{shown}…"), self.column.saturating_sub(start).max(1) + 1)
    }
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
        return Diagnostic::input("ringleader::usage", message.trim()).help(help.trim()).write_json(out);
    }
    let _ = write!(err, "{}", said.render().ansi());
    let _ = err.flush();
    2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Plain;

    fn plain(diagnostic: &Diagnostic) -> String {
        let mut bytes = Vec::new();
        diagnostic.write(&mut Plain::new(&mut bytes));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn an_error_is_laid_out_as_in_the_book() {
        let label =
            |line, label: &str| Label { line, column: 1, length: 2, text: "17".into(), label: label.into() };
        let error = Diagnostic::input("ringleader::duplicate_id", "identity 17 is given to two processes")
            .excerpt(Excerpt {
                file: "ring.ids".into(),
                labels: vec![label(3, "first here"), label(12, "again here")],
            })
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
        let label = Label {
            line: 1,
            column: 500,
            length: 1,
            text: format!("{}!{}", "a".repeat(499), "b".repeat(600)),
            label: String::new(),
        };
        let (text, column) = label.window();
        assert_eq!(text.chars().nth(column - 1), Some('!'));
        assert!(text.chars().count() <= SHOWN_MAX + 2);
    }
}
