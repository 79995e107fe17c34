//! What the guarantees of the lock service promise is shown by tests that exist.

use super::{File, Problem};
use std::collections::BTreeSet;

const DOCUMENT: &str = "docs/locks/guarantees.md";

/// How a row begins whose tests do not exist yet.
const PENDING: &str = "| *pending*";

/// Every row of a table names a test at least, in its last cell, and all of them exist. One that is pending
/// is so no longer once they do.
pub(super) fn shown(files: &[File]) -> Vec<Problem> {
    let tests: BTreeSet<&str> =
        files.iter().filter(|file| file.is_rust()).flat_map(|file| tests(&file.text)).collect();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path == DOCUMENT) {
        let mut lines = file.text.lines().enumerate().peekable();
        while let Some((number, line)) = lines.next() {
            let is_head = lines.peek().is_some_and(|(_, next)| next.starts_with("| ---"));
            if !line.starts_with('|') || line.starts_with("| ---") || is_head {
                continue;
            }
            let named = names(line);
            let missing: Vec<&&str> = named.iter().filter(|name| !tests.contains(**name)).collect();
            let is_pending = line.starts_with(PENDING);
            if named.is_empty() {
                problems.push(file.problem(number + 1, "this row names no test that shows it"));
            } else if is_pending && missing.is_empty() {
                problems.push(file.problem(number + 1, "its tests exist now: it is pending no longer"));
            } else if !is_pending {
                let what = |name: &&&str| format!("there is no test `{name}`");
                problems.extend(missing.iter().map(|name| file.problem(number + 1, what(name))));
            }
        }
    }
    problems
}

/// The names in the last cell of a row.
fn names(row: &str) -> Vec<&str> {
    let last = row.trim_end().trim_end_matches('|').rsplit('|').next().unwrap_or_default();
    last.split('`').skip(1).step_by(2).collect()
}

/// The functions of a file that are tests: the first `fn` behind an attribute of that name.
fn tests(text: &str) -> Vec<&str> {
    let is_attribute = |line: &str| {
        line.strip_prefix("#[").is_some_and(|rest| {
            let path = rest.split(['(', ']']).next().unwrap_or_default();
            path == "test" || path.ends_with("::test")
        })
    };
    let mut found = Vec::new();
    let mut expected = false;
    for line in text.lines().map(str::trim_start) {
        expected |= is_attribute(line);
        let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        if let (true, Some(rest)) = (expected, function) {
            found.extend(rest.split(['(', '<']).next());
            expected = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    const TESTS: &str = "#[test]\nfn plain() {}\n#[tokio::test(flavor = \"current_thread\")]\n\
                         #[cfg(unix)]\nasync fn later() {}\nfn helper() {}\n";

    fn problems(rows: &str) -> Vec<String> {
        let document = format!("| what | tests |\n| --- | --- |\n{rows}");
        let files = sample(&[(DOCUMENT, &document), ("a.rs", TESTS)]);
        shown(&files).into_iter().map(|problem| problem.what).collect()
    }

    #[test]
    fn tests_that_exist_are_accepted() {
        assert!(problems("| a | `plain`, `later` |\n\n`helper` is no test.\n").is_empty());
        assert!(problems("| *pending*: a | `plain`, `not_yet` |\n").is_empty());
    }

    #[test]
    fn tests_that_do_not_exist_are_reported() {
        assert_eq!(problems("| a | `plain`, `gone` |\n"), ["there is no test `gone`"]);
        assert_eq!(problems("| a | `helper` |\n"), ["there is no test `helper`"]);
        assert_eq!(problems("| a `plain` | words |\n"), ["this row names no test that shows it"]);
        assert_eq!(
            problems("| *pending*: a | `plain` |\n"),
            ["its tests exist now: it is pending no longer"]
        );
    }
}
