//! Tables of bad files with all that is said about them, to the column. The tests of both kinds of file use this.

use super::{Environment, Problem, tests::Advice};
use std::fmt::Write as _;

/// What is said of a file: exit code, code, message, places, labels, help.
pub(super) fn said(problem: &Problem) -> String {
    let mut lines = vec![format!("{} {} {}", problem.exit, problem.code, problem.message)];
    for spot in &problem.spots {
        lines.push(format!("{}:{}+{} {}", spot.line, spot.column, spot.length, spot.label));
    }
    assert_eq!(problem.file.is_some(), !problem.spots.is_empty(), "a place is in a file: {problem}");
    for line in &problem.help {
        lines.push(match line {
            Advice::Text(text) => format!("help {text}"),
            Advice::Command(text, _) => format!("type {text}"),
        });
    }
    lines.join("\n")
}

/// A table has cases, with an empty line between them. A case begins with what makes the good file bad:
///
/// - `~ OLD => NEW` replaces the first `OLD`,
/// - `+ TEXT` stands at the end,
/// - `$ NAME=VALUE` is in the environment;
///
/// `\n` is the end of a line. What is said of it follows, four spaces further in.
pub(super) fn check<T>(table: &str, good: &str, parse: impl Fn(&str, &Environment) -> Result<T, Problem>) {
    let mut found = String::new();
    for case in table.trim_end().split("\n\n") {
        let (mut text, mut variables) = (good.to_owned(), Vec::new());
        for line in case.lines().filter(|line| !line.starts_with("    ")) {
            let _ = writeln!(found, "{line}");
            let what = line[2..].replace("\\n", "\n");
            match &line[..2] {
                "~ " => {
                    let (old, new) = what.split_once(" =>").expect("old and new");
                    assert!(text.contains(old), "{line}");
                    text = text.replacen(old, new.strip_prefix(' ').unwrap_or(new), 1);
                }
                "+ " => text.push_str(&format!("{what}\n")),
                "$ " => {
                    let (name, value) = what.split_once('=').expect("a name and a value");
                    variables.push((name.to_owned(), value.to_owned()));
                }
                _ => panic!("no such line: {line}"),
            }
        }
        let said = match parse(&text, &variables.into_iter().collect()) {
            Ok(_) => "nothing".to_owned(),
            Err(problem) => said(&problem),
        };
        let _ = writeln!(found, "    {}\n", said.replace('\n', "\n    "));
    }
    let pairs = table.trim_end().split("\n\n").zip(found.trim_end().split("\n\n"));
    let other: Vec<&str> =
        pairs.filter(|(expected, found)| expected != found).map(|(_, found)| found).collect();
    assert!(other.is_empty(), "otherwise than in the table:\n{}", other.join("\n\n"));
}
