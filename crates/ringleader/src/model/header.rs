//! The prose of an algorithm: the header of its file and the list of its errata. Every face of the project reads it
//! from there, so that it stands once.
//!
//! The header begins with `//! Title: what it is in a sentence.` and goes on in paragraphs. Four of them have a name:
//! `**Idea.**`, `**Needs.**`, `**Cost.**` and `**Source.**`, in this order. Further paragraphs are for the reader of
//! the file alone.

#[cfg(test)]
mod tests;

use super::Erratum;
use core::fmt;

/// What the header of an algorithm's file says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The name in prose.
    pub title: String,
    /// How it works, in a few sentences.
    pub idea: String,
    /// What it needs, and why.
    pub needs: String,
    /// What it costs: best, average, worst, time.
    pub cost: String,
    /// Where it was published.
    pub source: String,
}

/// Why prose cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what is expected.
    pub why: String,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl core::error::Error for HeaderError {}

/// The named paragraphs, in their order.
const SECTIONS: [&str; 4] = ["Idea", "Needs", "Cost", "Source"];

impl Header {
    /// Reads the header of a source file.
    ///
    /// # Errors
    /// The first line that does not fit, and what is expected there.
    pub fn parse(file: &str) -> Result<Header, HeaderError> {
        let mut header = Header::default();
        let mut paragraphs = paragraphs(file).into_iter();
        let complain = |line, why: String| Err(HeaderError { line, why });
        let Some((line, first)) = paragraphs.next() else {
            return complain(1, "a file begins with `//! Title: what it is in a sentence.`".into());
        };
        let Some((title, _)) = first.split_once(": ") else {
            return complain(line, "expected `//! Title: what it is in a sentence.`".into());
        };
        header.title = title.into();
        let mut last = None;
        for (line, paragraph) in paragraphs {
            let Some((name, text)) = paragraph.strip_prefix("**").and_then(|text| text.split_once(".** "))
            else {
                continue;
            };
            let Some(place) = SECTIONS.iter().position(|section| *section == name) else {
                return complain(
                    line,
                    format!("no paragraph is called {name}: there are {}", SECTIONS.join(", ")),
                );
            };
            if last.is_some_and(|last| last >= place) {
                return complain(line, format!("the order is {}, each once", SECTIONS.join(", ")));
            }
            last = Some(place);
            *[&mut header.idea, &mut header.needs, &mut header.cost, &mut header.source][place] = text.into();
        }
        if header.idea.is_empty() {
            return complain(line, "a paragraph `**Idea.** How it works.` is missing".into());
        }
        Ok(header)
    }
}

/// Stops the build where a file has no title or no idea. What else may be wrong [`Header::parse`] says.
///
/// # Panics
/// Unless the file begins as it should; an empty one has no header to be read.
pub(crate) const fn must_begin(file: &str) {
    let bytes = file.as_bytes();
    if bytes.is_empty() {
        return;
    }
    let title = find(bytes, b": ");
    assert!(
        starts(bytes, b"//! ", 0) && title < find(bytes, b"\n"),
        "the file of an algorithm begins with `//! Title: what it is in a sentence.`"
    );
    assert!(
        find(bytes, b"\n//! **Idea.** ") < bytes.len(),
        "the header of an algorithm has a paragraph `//! **Idea.** How it works.`"
    );
}

/// Whether these bytes are there at this place.
const fn starts(bytes: &[u8], what: &[u8], place: usize) -> bool {
    let mut at = 0;
    while at < what.len() && place + at < bytes.len() && bytes[place + at] == what[at] {
        at += 1;
    }
    at == what.len()
}

/// The first place of these bytes; the end if there is none.
const fn find(bytes: &[u8], what: &[u8]) -> usize {
    let mut place = 0;
    while place < bytes.len() && !starts(bytes, what, place) {
        place += 1;
    }
    place
}

/// The paragraphs of the header with the lines on which they begin, each in one line; without blocks of code.
fn paragraphs(file: &str) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut open, mut code) = (false, false);
    for (number, line) in file.lines().enumerate() {
        let Some(text) = line.strip_prefix("//!") else { break };
        let text = text.trim();
        if text.starts_with("```") {
            code = !code;
            open = false;
        } else if code || text.is_empty() {
            open = false;
        } else if let Some((_, paragraph)) = paragraphs.last_mut().filter(|_| open) {
            paragraph.push(' ');
            paragraph.push_str(text);
        } else {
            paragraphs.push((number + 1, text.to_owned()));
            open = true;
        }
    }
    paragraphs
}

/// Reads a list of errata: items `- **number**: what is wrong, and what is right`, whose further lines are indented.
/// Whatever is no item is for the reader of the file alone.
///
/// # Errors
/// The first item without a number.
pub fn errata(file: &str) -> Result<Vec<Erratum>, HeaderError> {
    let mut errata: Vec<Erratum> = Vec::new();
    let mut open = false;
    for (number, line) in file.lines().enumerate() {
        if let Some(item) = line.strip_prefix("- ") {
            let Some((id, text)) = item.strip_prefix("**").and_then(|item| item.split_once("**: ")) else {
                let why = "expected `- **number**: what is wrong, and what is right`".into();
                return Err(HeaderError { line: number + 1, why });
            };
            errata.push(Erratum { id: id.to_owned(), text: text.trim().to_owned() });
            open = true;
        } else if let Some(erratum) = errata.last_mut().filter(|_| open && line.starts_with("  ")) {
            erratum.text.push(' ');
            erratum.text.push_str(line.trim());
        } else {
            open = false;
        }
    }
    Ok(errata)
}
