//! The text of a sweep file, and mistakes in it as errors that show the place.

use crate::error::{Diagnostic, Excerpt, Label};
use ringleader_lab::sweep::{Mistake, Span};
use std::path::Path;

/// The file as it was read.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn read(path: &Path) -> Result<Source, Diagnostic> {
        let name = path.display().to_string();
        let bad = |why: String| {
            Diagnostic::input("ringleader::bad_file", format!("cannot read {name}: {why}"))
                .help("a sweep file is TOML; what it may say:")
                .command("ringleader sweep --help", "")
        };
        let bytes = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".into()))?;
        Ok(Source { name, text })
    }

    /// A mistake in the file, in the words of the command line.
    pub(super) fn explain(&self, mistake: Mistake) -> Diagnostic {
        let Mistake { message, place, help } = mistake;
        let error = match place {
            Some(place) => {
                let label = self.label(&place, message);
                let at = format!("{}: line {}, column {}", self.name, label.line, label.column);
                Diagnostic::input("ringleader::bad_sweep", at).excerpt(self.excerpt(vec![label]))
            }
            None => Diagnostic::input("ringleader::bad_sweep", format!("{}: {message}", self.name)),
        };
        match help {
            Some(help) => help.lines().fold(error, |error, line| error.help(line)),
            None => error,
        }
    }

    /// These places in the file.
    pub(super) fn excerpt(&self, mut labels: Vec<Label>) -> Excerpt {
        labels.sort_by_key(|label| (label.line, label.column));
        Excerpt { file: self.name.clone(), labels }
    }

    /// A place, and what is said about it.
    pub(super) fn label(&self, place: &Span, said: impl Into<String>) -> Label {
        let mut start = place.start.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[line_start..].lines().next().unwrap_or("");
        let column = self.text[line_start..start].chars().count() + 1;
        let meant = self.text.get(place.clone()).unwrap_or("").lines().next().unwrap_or("");
        Label {
            line: self.text[..line_start].matches('\n').count() + 1,
            column,
            length: meant.chars().count().max(1),
            text: line.to_owned(),
            label: said.into(),
        }
    }
}
