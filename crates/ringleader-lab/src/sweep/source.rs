//! The text of a sweep file, and mistakes in it as errors that show the place.

use super::file::Mistake;
use crate::{Diagnostic, Spot};
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
            Diagnostic::input("bad_file", format!("cannot read {name}: {why}"))
                .help("a sweep file is TOML; what it may say:")
                .command("ringleader sweep --help", "")
        };
        let bytes = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".into()))?;
        Ok(Source { name, text })
    }

    /// A sweep that is in no file, under the name that errors give it.
    pub(super) fn named(name: &str, text: &str) -> Source {
        Source { name: name.to_owned(), text: text.to_owned() }
    }

    /// A mistake in the file, in the words of the command line.
    pub(super) fn explain(&self, mistake: Mistake) -> Diagnostic {
        let Mistake { message, place, help } = mistake;
        let error = match place {
            Some(place) => {
                let spot = Spot::of(&self.text, &place, message);
                let at = format!("{}: line {}, column {}", self.name, spot.line, spot.column);
                Diagnostic::input("bad_sweep", at).at(self.name.clone(), vec![spot])
            }
            None => Diagnostic::input("bad_sweep", format!("{}: {message}", self.name)),
        };
        match help {
            Some(help) => help.lines().fold(error, |error, line| error.help(line)),
            None => error,
        }
    }
}
