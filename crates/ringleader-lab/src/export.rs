//! A recorded run as a picture, as a page that plays it, or in the format of another tool.

use crate::draw::{player, spacetime};
use crate::formats::{
    ITF_CELLS_MAX, MERMAID_MESSAGES_MAX, SHIVIZ_ENTRIES_MAX, itf_cells, mermaid_messages, shiviz_entries,
    write_chrome, write_itf, write_jsonl, write_mermaid, write_shiviz,
};
use ringleader::registry::Entry;
use ringleader::trace::{History, Window};
use std::io::{self, Write};
use std::path::Path;

/// Perfetto's page takes so much JSON, and not much more.
const CHROME_BYTES_MAX: u64 = 100_000_000;

/// What a run can be made into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Export {
    /// A space-time diagram.
    Svg,
    /// A page that plays the run.
    Html,
    /// A log with vector clocks for ShiViz.
    Shiviz,
    /// JSON for Perfetto.
    Chrome,
    /// A sequence diagram, of small runs.
    Mermaid,
    /// The states one after the other, as Apalache and Quint have them.
    Itf,
    /// One flat row per step.
    Jsonl,
}

/// How it is made.
#[derive(Clone, Default, Debug)]
pub struct ExportOptions {
    /// A picture: time goes to the right.
    pub rightward: bool,
    /// A picture: the causal past of this step is shown, counted from 0.
    pub past: Option<usize>,
    /// A picture: the longest chain of messages is marked.
    pub critical: bool,
    /// A picture: light on dark.
    pub dark: bool,
    /// The command that makes it again.
    pub again: String,
}

impl Export {
    /// What the name of a file says.
    #[must_use]
    pub fn of(path: &Path) -> Option<Export> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let known = [
            (".svg", Export::Svg),
            (".html", Export::Html),
            (".htm", Export::Html),
            (".mmd", Export::Mermaid),
            (".mermaid", Export::Mermaid),
            (".jsonl", Export::Jsonl),
            (".ndjson", Export::Jsonl),
            (".itf.json", Export::Itf),
            (".shiviz", Export::Shiviz),
        ];
        known.into_iter().find(|(end, _)| name.ends_with(end)).map(|(_, export)| export)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Export::Svg => "svg",
            Export::Html => "html",
            Export::Shiviz => "shiviz",
            Export::Chrome => "chrome",
            Export::Mermaid => "mermaid",
            Export::Itf => "itf",
            Export::Jsonl => "jsonl",
        }
    }

    /// What there is more of than any tool takes: how many, the most, and of what.
    #[must_use]
    pub fn excess(self, history: &History<'_>, window: &Window) -> Option<(usize, usize, &'static str)> {
        let (got, most, what) = match self {
            Export::Mermaid => (mermaid_messages(history, window), MERMAID_MESSAGES_MAX, "messages"),
            Export::Itf => (itf_cells(history, window), ITF_CELLS_MAX, "values in its states"),
            Export::Shiviz => (shiviz_entries(history, window), SHIVIZ_ENTRIES_MAX, "entries in its clocks"),
            Export::Svg | Export::Html | Export::Chrome | Export::Jsonl => return None,
        };
        (got > most).then_some((got, most, what))
    }

    /// Writes it; gives how many bytes these were, and what is to be said about them.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(
        self,
        history: &History<'_>,
        window: &Window,
        (entry, options): (Option<&Entry>, &ExportOptions),
        out: &mut dyn Write,
    ) -> io::Result<(u64, Vec<String>)> {
        let mut out = Counted { inner: out, bytes: 0 };
        let mut notes = Vec::new();
        let again = options.again.clone();
        match self {
            Export::Svg => {
                let &ExportOptions { rightward, past, critical, dark, .. } = options;
                let how = spacetime::Options { rightward, past, critical, dark, again };
                let picture = spacetime::draw(history, window, &how);
                out.write_all(picture.svg.as_bytes())?;
                return Ok((out.bytes, picture.notes));
            }
            Export::Html => {
                let rules = entry.map_or(&[][..], |entry| entry.rules);
                let rules = rules.iter().map(|rule| (rule.name.to_owned(), rule.text.to_owned())).collect();
                let page = player::page(history, window, &player::About { again, rules });
                out.write_all(page.html.as_bytes())?;
                return Ok((out.bytes, page.notes));
            }
            Export::Shiviz => {
                let without_host = write_shiviz(&mut out, history, window)?;
                if without_host > 0 {
                    notes.push(format!(
                        "{without_host} steps of the network (messages lost, doubled, or come to one that is down) \
                         belong to no host and are left out"
                    ));
                }
            }
            Export::Chrome => {
                write_chrome(&mut out, history, window)?;
                if out.bytes > CHROME_BYTES_MAX {
                    let megabytes = out.bytes / 1_000_000;
                    notes.push(format!(
                        "{megabytes} MB: Perfetto's page takes about 100 MB; --steps and --nodes make it smaller"
                    ));
                }
            }
            Export::Mermaid => write_mermaid(&mut out, history, window)?,
            Export::Itf => write_itf(&mut out, history, window)?,
            Export::Jsonl => write_jsonl(&mut out, history, window)?,
        }
        let left_out = window.leaves_out(history);
        if !left_out.is_nothing() {
            let all = history.steps.len();
            let n = history.recording.header.n;
            notes.insert(
                0,
                format!(
                    "a part of the run: {} of {all} steps, {} of {n} processes; of {} messages only one end is in it",
                    all - left_out.steps,
                    window.processes.len(),
                    left_out.halves
                ),
            );
        }
        Ok((out.bytes, notes))
    }
}

/// Counts what goes through it.
struct Counted<'a> {
    inner: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_what_it_is() {
        let of = |name: &str| Export::of(Path::new(name));
        assert_eq!(of("a/b.SVG"), Some(Export::Svg));
        assert_eq!(of("x.itf.json"), Some(Export::Itf));
        assert_eq!(of("x.mmd"), Some(Export::Mermaid));
        assert_eq!(of("x.jsonl"), Some(Export::Jsonl));
        for unclear in ["x.json", "x", "x.log", "x.txt", ""] {
            assert_eq!(of(unclear), None, "{unclear}");
        }
    }
}
