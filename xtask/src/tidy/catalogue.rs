//! The catalogue of algorithms is complete, and every entry introduces itself.

use super::layers::{LIBRARY, is_among_algorithms};
use super::source::code;
use super::{File, Problem};

/// What the header of an algorithm tells, in this order.
const HEADINGS: &[&str] = &["**Idea.**", "**Needs.**", "**Cost.**", "**Source.**"];

/// The problem and the folder of an algorithm: `("election", "peterson")`.
fn algorithm(path: &str) -> Option<(&str, &str)> {
    let (problem, rest) = path.strip_prefix(LIBRARY)?.split_once('/')?;
    let folder = rest.strip_suffix("/mod.rs")?;
    (is_among_algorithms(path) && !folder.contains('/')).then_some((problem, folder))
}

/// Every folder of an algorithm has its line in the list.
pub(super) fn registered(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let Some((problem, folder)) = algorithm(&file.path) else { continue };
        let list = format!("{LIBRARY}{problem}/mod.rs");
        let list = files.iter().find(|file| file.path == list).map(|file| code(&file.text));
        let is_there = |list: String| {
            list.lines()
                .any(|line| line.trim().trim_start_matches("pub ").starts_with(&format!("{folder}: ")))
        };
        if !list.is_some_and(is_there) {
            problems.push(file.problem(1, format!("{problem}/mod.rs has no line `{folder}: ItsProcess;`")));
        }
    }
    problems
}

/// From so many words on a sentence is somebody's own: nobody writes it twice by chance.
const OWN: usize = 8;

/// What an algorithm says of itself stands once: no sentence of its header and none of its rules is anywhere else in
/// the sources. Another algorithm may say the same of itself.
pub(super) fn stands_once(files: &[File]) -> Vec<Problem> {
    let is_source = |file: &&File| file.is_rust() && file.path.starts_with("crates/");
    let texts: Vec<(&File, String)> =
        files.iter().filter(is_source).map(|file| (file, flat(&file.text))).collect();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| algorithm(&file.path).is_some()) {
        for (line, sentence) in sentences(&file.text) {
            for (other, text) in &texts {
                let own = other.path == file.path;
                if !own && is_among_algorithms(&other.path) {
                    continue;
                }
                if text.matches(&sentence).count() > usize::from(own) {
                    let what = format!("this stands in {} as well: \"{sentence}\"", other.path);
                    problems.push(file.problem(line, what));
                }
            }
        }
    }
    problems
}

/// A text in one line, without the marks of comments.
fn flat(text: &str) -> String {
    let marks = ['/', '!', '"', '\\'];
    let words = text.split_whitespace().filter(|word| !word.chars().all(|c| marks.contains(&c)));
    words.collect::<Vec<_>>().join(" ")
}

/// The sentences of the header and the rules of an algorithm, each with the line on which its paragraph begins.
fn sentences(text: &str) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut open, mut code, mut rules) = (false, false, false);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        rules = (rules || line == "rules! {") && line != "}";
        let prose = line.strip_prefix("//!").or_else(|| line.strip_prefix("///").filter(|_| rules));
        let prose = prose.map(str::trim).unwrap_or_default();
        code ^= prose.starts_with("```");
        if prose.is_empty() || code || prose.starts_with("```") {
            open = false;
        } else if let Some((_, paragraph)) = paragraphs.last_mut().filter(|_| open) {
            paragraph.push(' ');
            paragraph.push_str(prose);
        } else {
            paragraphs.push((number + 1, prose.to_owned()));
            open = true;
        }
    }
    let own = |sentence: &&str| sentence.split_whitespace().count() >= OWN;
    let split = |(line, paragraph): &(usize, String)| {
        let all = paragraph.split(". ").filter(own).map(flat).map(|sentence| (*line, sentence));
        all.collect::<Vec<_>>()
    };
    paragraphs.iter().flat_map(split).collect()
}

/// Every source file says what it is for; every algorithm gives its idea, needs, cost and source.
pub(super) fn headers(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.path.contains("/src/")) {
        let header: Vec<&str> = file.text.lines().take_while(|line| line.starts_with("//!")).collect();
        if header.is_empty() {
            problems
                .push(file.problem(1, "the file does not begin with a `//!` line that says what it is for"));
        }
        if algorithm(&file.path).is_some() {
            let mut place = 0;
            for heading in HEADINGS {
                match header.iter().skip(place).position(|line| line.contains(heading)) {
                    Some(lines) => place += lines,
                    None => {
                        problems.push(file.problem(1, format!("the header has no {heading} in its place")))
                    }
                }
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    const ELECTION: &str = "crates/ringleader/src/election/mod.rs";
    const PETERSON: &str = "crates/ringleader/src/election/peterson/mod.rs";

    #[test]
    fn folder_without_a_line_is_reported() {
        let unregistered = |list: &str| registered(&sample(&[(ELECTION, list), (PETERSON, "")])).len();
        assert_eq!(unregistered("catalogue! { election\n    peterson: Peterson;\n}"), 0);
        assert_eq!(unregistered("    pub peterson: Peterson, Other;"), 0);
        assert_eq!(unregistered(""), 1);
        assert_eq!(unregistered("// peterson: Peterson;"), 1);
        assert_eq!(unregistered("    peterson_improved: PetersonImproved;"), 1);
        assert_eq!(registered(&sample(&[(PETERSON, "")])).len(), 1);
    }

    #[test]
    fn sentence_that_stands_twice_is_reported() {
        let file = "//! Peterson: a ring.\n//!\n//! **Idea.** Each round one learns the value of the one\n\
                    //! before it. Short.\n\nrules! {\n    /// on v as a relay in the second round: send v on\n    \
                    Relay,\n}\n";
        let twice = |path: &str, other: &str| stands_once(&sample(&[(PETERSON, file), (path, other)])).len();
        let other = "crates/ringleader/src/sim/mod.rs";
        assert_eq!(twice(other, "//! Something else that nobody said before in eight words."), 0);
        assert_eq!(twice(other, "// **Idea.** Each round one learns the value of\n// the one before it"), 1);
        assert_eq!(twice(other, "text: \"on v as a relay in the second \\\n    round: send v on\""), 1);
        assert_eq!(twice("docs/book.md", "on v as a relay in the second round: send v on"), 0);
        let again = format!("{file}// on v as a relay in the second round: send v on\n");
        assert_eq!(stands_once(&sample(&[(PETERSON, &again)])).len(), 1);
    }

    #[test]
    fn a_missing_header_is_reported() {
        let whole =
            "//! A.\n//!\n//! **Idea.** B.\n//! **Needs.** C.\n//! **Cost.** D.\n//! **Source.** E.\n";
        assert_eq!(headers(&sample(&[(PETERSON, whole)])), []);
        for heading in HEADINGS {
            assert_eq!(headers(&sample(&[(PETERSON, &whole.replace(heading, ""))])).len(), 1, "{heading}");
        }
        assert_eq!(headers(&sample(&[(PETERSON, &whole.replace("**Source.**", "\n//! **Source.**"))])), []);
        assert_eq!(headers(&sample(&[(PETERSON, "")])).len(), 5);
        assert_eq!(headers(&sample(&[("crates/a/src/b.rs", "//! What it is for.\n")])), []);
        assert_eq!(headers(&sample(&[("crates/a/src/b.rs", "\n//! Too late.\n")])).len(), 1);
        assert_eq!(headers(&sample(&[("examples/a/src/main.rs", "// Not a header.\n")])).len(), 1);
    }
}
