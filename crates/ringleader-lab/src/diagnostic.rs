//! What went wrong, as data: what is wrong, where in which file, what is needed, what to type. Whoever prints decides
//! how.

use core::fmt;
use std::ops::Range;

/// Something that is wrong with what was given, or with the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// A name to search for, such as `bad_file`.
    pub code: &'static str,
    /// 2 for bad input, 4 for the environment.
    pub exit: u8,
    /// What is wrong.
    pub message: String,
    /// The file in which it is wrong.
    pub file: Option<Box<str>>,
    /// The places in that file, the first one first.
    pub spots: Vec<Spot>,
    /// What is needed, and what to type.
    pub help: Vec<Advice>,
}

/// A line of help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advice {
    /// Words.
    Text(String),
    /// A command, alone on its line, and what it gives.
    Command(String, String),
}

/// A place in a file, and what is to be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// How many characters are meant.
    pub length: usize,
    /// The line itself.
    pub text: String,
    /// What is said about it.
    pub label: String,
}

impl Diagnostic {
    /// With this exit code, and without help.
    #[must_use]
    pub fn new(code: &'static str, exit: u8, message: impl Into<String>) -> Diagnostic {
        let code = code.strip_prefix("ringleader::").unwrap_or(code);
        Diagnostic { code, exit, message: message.into(), file: None, spots: Vec::new(), help: Vec::new() }
    }

    /// Bad input.
    #[must_use]
    pub fn input(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, 2, message)
    }

    /// Something about this machine: a file, a port, a certificate, a peer.
    #[must_use]
    pub fn environment(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, 4, message)
    }

    /// With a line of help.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(Advice::Text(text.into()));
        self
    }

    /// With places in a file.
    #[must_use]
    pub fn at(mut self, file: impl Into<Box<str>>, spots: Vec<Spot>) -> Diagnostic {
        (self.file, self.spots) = (Some(file.into()), spots);
        self
    }

    /// With lines to copy.
    #[must_use]
    pub fn example(self, lines: &str) -> Diagnostic {
        lines.lines().fold(self, |diagnostic, line| diagnostic.command(line, ""))
    }

    /// With a command to type, and what that gives.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>, gives: impl Into<String>) -> Diagnostic {
        self.help.push(Advice::Command(command.into(), gives.into()));
        self
    }

    /// Whether it speaks of this option. Commands repeat every option, whether it matters or not.
    pub(crate) fn mentions(&self, option: &str) -> bool {
        let option = format!("--{option}");
        let named = |text: &str| {
            let mut after = text.match_indices(&option).map(|(place, _)| &text[place + option.len()..]);
            after.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
        };
        let in_help = |line: &Advice| matches!(line, Advice::Text(text) if named(text));
        named(&self.message) || self.help.iter().any(in_help)
    }

    /// The lines of help as text.
    pub fn help_lines(&self) -> impl Iterator<Item = &str> {
        self.help.iter().map(|line| match line {
            Advice::Text(text) | Advice::Command(text, _) => text.as_str(),
        })
    }
}

impl Spot {
    /// The place in this text that these bytes are.
    #[must_use]
    pub fn of(text: &str, place: &Range<usize>, label: impl Into<String>) -> Spot {
        let mut start = place.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let meant = text.get(place.clone()).unwrap_or("").lines().next().unwrap_or("");
        Spot {
            line: text[..line_start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            length: meant.chars().count().max(1),
            text: text[line_start..].lines().next().unwrap_or("").to_owned(),
            label: label.into(),
        }
    }
}

/// One line, for logs.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let (Some(file), Some(spot)) = (&self.file, self.spots.first()) {
            write!(f, " ({file}:{}:{}: {})", spot.line, spot.column, spot.label)?;
        }
        for (place, line) in self.help.iter().enumerate() {
            let (Advice::Text(text) | Advice::Command(text, _)) = line;
            write!(f, "{}{text}", if place == 0 { "; " } else { " " })?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
