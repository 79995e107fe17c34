//! `ringleader trace FILE --to FORMAT`: into what, and which part of it.

use super::{Given, Word};
use clap::{Args, ValueEnum};
use ringleader_lab::Export;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    /// A trace file, written by `run --trace FILE` or `check --trace FILE`.
    #[arg(required_unless_present = "merge")]
    file: Option<PathBuf>,
    /// Merge the recordings of the nodes of a cluster, written by `node --record FILE`, into one run.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "output")]
    #[arg(conflicts_with_all = ["file", "to", "nodes", "steps", "past", "critical", "rightward", "dark"])]
    pub(crate) merge: Vec<PathBuf>,
    /// The format; by default the suffix of the output decides (.svg, .html, .mmd, .jsonl, .itf.json).
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<Format>,
    /// Write to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
    /// Show only these processes, by index: a range with both ends, a list, or both, as in 0,4..7.
    #[arg(long, value_name = "A..B|LIST", value_parser = Given::<Ranges>::parse)]
    pub(crate) nodes: Option<Given<Ranges>>,
    /// Show only these steps, counted from 1, with both ends: 1..50, 20.. or ..50.
    #[arg(long, value_name = "A..B", value_parser = Given::<Ranges>::parse)]
    pub(crate) steps: Option<Given<Ranges>>,
    /// html: a page with the engine in it, in which the run can be changed; PAGE is live.html of `cargo xtask site`, if
    /// none was installed with the program.
    #[arg(long, value_name = "PAGE", num_args = 0..=1, require_equals = true)]
    #[arg(conflicts_with = "merge")]
    pub(crate) live: Option<Option<PathBuf>>,
    /// svg: show the causal past of this step, and dim the rest.
    #[arg(long, value_name = "STEP")]
    pub(crate) past: Option<usize>,
    /// svg: mark the critical path, the longest chain of messages.
    #[arg(long)]
    pub(crate) critical: bool,
    /// svg: draw time from left to right instead of downward.
    #[arg(long)]
    pub(crate) rightward: bool,
    /// svg: draw light on dark; the default is better for paper.
    #[arg(long)]
    pub(crate) dark: bool,
}

impl TraceArgs {
    /// The trace that is meant.
    pub(crate) fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }
}

/// What a trace can be made into.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// A space-time diagram.
    Svg,
    /// A page that plays the run: one file, which needs no network.
    Html,
    /// A log with vector clocks for ShiViz.
    Shiviz,
    /// JSON for Perfetto and chrome://tracing.
    Chrome,
    /// A sequence diagram for Markdown, of small runs.
    Mermaid,
    /// The states one after the other, as Apalache and Quint have them.
    Itf,
    /// One flat row per step, for data frames.
    Jsonl,
}

impl From<Format> for Export {
    fn from(format: Format) -> Export {
        match format {
            Format::Svg => Export::Svg,
            Format::Html => Export::Html,
            Format::Shiviz => Export::Shiviz,
            Format::Chrome => Export::Chrome,
            Format::Mermaid => Export::Mermaid,
            Format::Itf => Export::Itf,
            Format::Jsonl => Export::Jsonl,
        }
    }
}

/// Numbers: single ones, and ranges with both ends included. An end that is not given is the last there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ranges(pub(crate) Vec<(usize, Option<usize>)>);

impl Word for Ranges {
    fn parse(text: &str) -> Result<Ranges, String> {
        let wrong =
            || format!("`{text}` is neither a range such as 2..5, 2.. or ..5 nor a list such as 0,3,7");
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let one = |part: &str| match part.split_once("..") {
            None => number(part).map(|at| (at, Some(at))),
            Some((from, to)) => {
                let from = if from.trim().is_empty() { 0 } else { number(from)? };
                let to = if to.trim().is_empty() { None } else { Some(number(to)?) };
                if to.is_some_and(|to| to < from) {
                    return Err(format!("the range {part} ends before it begins"));
                }
                Ok((from, to))
            }
        };
        text.split(',').map(one).collect::<Result<Vec<_>, _>>().map(Ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists() {
        let parse = |text: &str| Ranges::parse(text).map(|ranges| ranges.0);
        assert_eq!(parse("2..5"), Ok(vec![(2, Some(5))]));
        assert_eq!(parse("0,4..7,9.."), Ok(vec![(0, Some(0)), (4, Some(7)), (9, None)]));
        assert_eq!(parse("..3"), Ok(vec![(0, Some(3))]));
        for wrong in ["", "x", "1-3", "3..1", "1,,2", "-1", "1..2..3", "1e30"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
