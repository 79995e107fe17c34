//! What a text in Markdown has in it: links, headings, blocks of code. As much of it as this project writes.

use std::collections::{BTreeMap, BTreeSet};

/// A link or a picture.
pub(super) struct Link<'a> {
    pub(super) line: usize,
    pub(super) target: &'a str,
}

/// A fenced block.
pub(super) struct Block<'a> {
    pub(super) line: usize,
    /// What stands behind the fence that opens it.
    pub(super) language: &'a str,
    pub(super) text: &'a str,
    /// The first line behind it that is not empty.
    pub(super) after: Option<&'a str>,
}

/// The blocks between fences that begin a line.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let (mut at, mut open) = (0, None);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let begin = at;
        at += line.len();
        let fence = line.trim_end().strip_prefix("```");
        match (open, fence) {
            (None, Some(language)) => open = Some((number + 1, language, at)),
            (Some((line, language, from)), Some("")) => {
                found.push(Block { line, language, text: &text[from..begin], after: None });
                open = None;
            }
            (Some(_), _) => {}
            (None, None) => {
                let blank = line.trim().is_empty();
                if let Some(last) = found.last_mut().filter(|last| last.after.is_none() && !blank) {
                    last.after = Some(line.trim_end());
                }
            }
        }
    }
    found
}

/// The lines that are no part of a block, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let is_fence = line.starts_with("```");
        inside ^= is_fence;
        (!inside && !is_fence).then_some((number + 1, line))
    })
}

/// The links and pictures of the prose.
pub(super) fn links(text: &str) -> impl Iterator<Item = Link<'_>> {
    prose(text).flat_map(|(line, prose)| {
        // Code between backticks shows a link and is none; the text of a link may be code.
        let behind = |(at, _): (usize, &str)| prose[..at].matches('`').count() % 2 == 0;
        let ends = prose.match_indices("](").filter(move |found| behind(*found));
        ends.filter_map(move |(at, _)| {
            let target = prose[at + 2..].split(')').next()?;
            Some(Link { line, target })
        })
    })
}

/// What stands between backticks in the prose.
pub(super) fn code_spans(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(line, prose)| prose.split('`').skip(1).step_by(2).map(move |span| (line, span)))
}

/// The headings.
pub(super) fn headings(text: &str) -> impl Iterator<Item = &str> {
    prose(text).filter_map(|(_, line)| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len() && heading.starts_with(' ')).then_some(heading.trim())
    })
}

/// The anchors that headings get: small letters, blanks as hyphens, without marks; a second one with a number.
pub(super) fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchor = |heading: &str| {
        let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
        let anchor: String = heading.to_lowercase().chars().filter(kept).collect();
        let anchor = anchor.replace(' ', "-");
        let times = seen.entry(anchor.clone()).or_default();
        *times += 1;
        if *times == 1 { anchor } else { format!("{anchor}-{}", *times - 1) }
    };
    headings(text).map(&mut anchor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_the_viewers() {
        let anchors =
            anchors("# What it costs\n## The `fence`, at the storage\n## T1: a lease\n# T1: a lease\n#no\n");
        let expected = ["t1-a-lease", "t1-a-lease-1", "the-fence-at-the-storage", "what-it-costs"];
        assert_eq!(anchors.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn blocks_are_found_with_what_follows() {
        let found = blocks("a\n```sh\nx\ny\n```\n\n*why*\n\n```text\n```\n");
        let told: Vec<_> =
            found.iter().map(|block| (block.line, block.language, block.text, block.after)).collect();
        assert_eq!(told, [(2, "sh", "x\ny\n", Some("*why*")), (9, "text", "", None)]);
    }

    #[test]
    fn links_in_code_are_none() {
        let text = "[a](b.md) `[c](d.md)` [`e`](f.md#g) ![h](i.svg)\n```text\n[j](k.md)\n```\n";
        assert_eq!(links(text).map(|link| link.target).collect::<Vec<_>>(), ["b.md", "f.md#g", "i.svg"]);
        assert_eq!(code_spans("a `b` c `d/e`").map(|(_, span)| span).collect::<Vec<_>>(), ["b", "d/e"]);
    }
}
