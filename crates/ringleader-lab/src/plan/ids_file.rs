//! `--ids @FILE`: one identity per line; blank lines and `#` comments are skipped.

use crate::{Diagnostic, Spot};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// No line of such a file is longer; something else was opened by mistake.
const LINE_MAX: u64 = 1 << 12;

/// The identities of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u64>, Diagnostic> {
    let mut ids = Vec::new();
    each_line(path, |place| {
        ids.push(place.id);
        true
    })?;
    if ids.is_empty() {
        let message = format!("there is no identity in {}", path.display());
        return Err(Diagnostic::input("bad_file", message).help("one whole number per line"));
    }
    Ok(ids)
}

/// The two places of a file that give the same identity, for an error; none if the file cannot be read again.
pub(super) fn two_places(path: &Path, first: u32, second: u32) -> Option<Vec<Spot>> {
    let mut labels = Vec::new();
    let mut index = 0;
    each_line(path, |place| {
        for (wanted, words) in [(first, "first here"), (second, "again here")] {
            if index == wanted {
                labels.push(Spot {
                    line: place.line,
                    column: place.column,
                    length: place.length,
                    text: place.text.to_owned(),
                    label: format!("{words} (process {index})"),
                });
            }
        }
        index += 1;
        index <= second
    })
    .ok()?;
    (labels.len() == 2).then_some(labels)
}

/// An identity and where it stands.
struct Place<'a> {
    id: u64,
    line: usize,
    column: usize,
    length: usize,
    text: &'a str,
}

/// Hands on every identity, until `each` has enough.
fn each_line(path: &Path, mut each: impl FnMut(Place<'_>) -> bool) -> Result<(), Diagnostic> {
    let unreadable = |error: io::Error| {
        Diagnostic::input("bad_file", format!("cannot read {}: {error}", path.display()))
            .help("--ids @FILE wants a text file with one identity per line")
    };
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        (&mut file).take(LINE_MAX).read_until(b'\n', &mut bytes).map_err(unreadable)?;
        if bytes.is_empty() {
            break;
        }
        let whole = String::from_utf8_lossy(&bytes);
        let text = whole.trim_end_matches(['\n', '\r']).trim_start_matches('\u{feff}');
        let content = text.split('#').next().unwrap_or_default().trim();
        if content.is_empty() && bytes.len() as u64 != LINE_MAX {
            continue;
        }
        let column = text.find(content).map_or(1, |byte| text[..byte].chars().count() + 1);
        let length = content.chars().count();
        match crate::options::identity(content) {
            Ok(id) => {
                if !each(Place { id, line, column, length, text }) {
                    break;
                }
            }
            Err(_) => {
                let label = format!("an identity is one whole number, 0 to {}, per line", u64::MAX);
                let labels = vec![Spot { line, column, length, text: text.to_owned(), label }];
                let message = format!("cannot read {}: line {line}, column {column}", path.display());
                return Err(Diagnostic::input("bad_file", message).at(path.display().to_string(), labels));
            }
        }
    }
    Ok(())
}
