//! References to the design of the lock protocol, such as `T4`, `I5`, `F1` and `4.2`, lead to a heading of it.

use super::source::is_word;
use super::{File, Problem, markdown};
use std::collections::BTreeSet;

const DESIGN: &str = "docs/locks/design.md";

/// The crate of the protocol: such a word in it means a rule of the design, and nothing else.
const PROTOCOL: &str = "crates/ringleader-locks/";

/// Crates around it. There `1.3` is a version of something, and only letters with a digit are labels.
const AROUND: &[&str] = &[
    "crates/ringleader-client/",
    "crates/ringleader-live/",
    "crates/ringleader-net/",
    "crates/ringleader-server/",
];

/// The labels of the design: the first word of each heading.
fn defined(design: &str) -> BTreeSet<&str> {
    markdown::headings(design).filter_map(|heading| heading.split([' ', ':']).next()).collect()
}

/// The labels that a line mentions: a letter of rules and a digit, or the number of a section.
fn mentioned(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| !is_word(c) && c != '.').map(|word| word.trim_matches('.'));
    let is_label = |word: &&str| {
        let bytes = word.as_bytes();
        match bytes {
            [b'T' | b'I' | b'F', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
            [section, b'.', rest @ ..] => {
                section.is_ascii_digit() && !rest.is_empty() && rest.iter().all(u8::is_ascii_digit)
            }
            _ => false,
        }
    };
    words.filter(is_label).collect()
}

/// Every label in a comment or a text of these crates is a heading of the design.
pub(super) fn defined_labels(files: &[File]) -> Vec<Problem> {
    let design = files.iter().find(|file| file.path == DESIGN).map_or("", |file| &file.text);
    let defined = defined(design);
    let mut problems = Vec::new();
    let is_protocol = |file: &File| file.path.starts_with(PROTOCOL);
    let ours = |file: &&File| is_protocol(file) || AROUND.iter().any(|root| file.path.starts_with(root));
    for file in files.iter().filter(|file| file.is_rust()).filter(ours) {
        let counts = |label: &&str| is_protocol(file) || !label.contains('.');
        for (number, line) in file.text.lines().enumerate() {
            // Behind `//` it is a rule; in the code before it only as a text of its own, such as "I5".
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            let texts = code.split('"').skip(1).step_by(2).filter(|text| text.starts_with(['T', 'I', 'F']));
            for label in texts.chain([comment]).flat_map(mentioned).filter(counts) {
                if !defined.contains(label) {
                    let what = format!("`{label}` is no heading of {DESIGN}");
                    problems.push(file.problem(number + 1, what));
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

    #[test]
    fn label_without_a_heading_is_reported() {
        let of = |text: &str| {
            let design =
                "# Design\n## 4 Rules\n### 4.2 Tokens\n### T4: the wait\n#### F1: first\n### I5 after\n";
            let files = [
                (DESIGN, design),
                ("crates/ringleader-locks/src/a.rs", text),
                ("crates/b/src/b.rs", "// T9"),
            ];
            defined_labels(&sample(&files)).into_iter().map(|problem| problem.line).collect::<Vec<_>>()
        };
        let empty: [usize; 0] = [];
        assert_eq!(of("//! 4.2, tokens: (T4, F1).\nfn f() { accuse(\"I5\", 0.5, T9, \"1.0\") }"), empty);
        assert_eq!(of("\n/// T5: as 4.2 says."), [2]);
        assert_eq!(of("/// 4.9: so.\n// 8.8, I6"), [1, 2, 2]);
        assert_eq!(of("f(\"I5 and I6\");"), [1]);
        let around = |text: &str| defined_labels(&sample(&[("crates/ringleader-net/src/a.rs", text)])).len();
        assert_eq!((around("// TLS 1.3, HTTP/1.1"), around("// as T4 says")), (0, 1));
        assert_eq!(defined_labels(&sample(&[("crates/ringleader-locks/src/a.rs", "// T4")])).len(), 1);
    }
}
