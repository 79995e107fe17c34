//! The book: README.md and the pages of `docs`. Pages are listed, links lead somewhere, and no block is unchecked.

use super::markdown::{self, Block, Link};
use super::{File, Problem};
use std::collections::BTreeSet;

const BOOK: &str = "docs/";
const SUMMARY: &str = "docs/SUMMARY.md";
const README: &str = "README.md";

/// Languages of blocks that show something that nobody types.
const SHOWN: &[&str] = &["text", "sql", "toml"];

/// The page whose blocks of Python are run, by `bindings/python/tests/test_docs.py`.
const PYTHON: &str = "docs/measure/python.md";

/// How the line after a block begins whose commands no test runs.
pub(super) const NOT_RUN: &str = "*Not run by the tests: ";

fn is_page(file: &&File) -> bool {
    file.path == README || file.path.starts_with(BOOK) && file.path.ends_with(".md")
}

/// Every page is in the table of contents, once.
pub(super) fn listed(files: &[File]) -> Vec<Problem> {
    let Some(summary) = files.iter().find(|file| file.path == SUMMARY) else {
        let page = files.iter().filter(is_page).find(|file| file.path != README);
        let what = format!("the book has no table of contents, {SUMMARY}");
        return page.map(|page| page.problem(1, what)).into_iter().collect();
    };
    let targets: Vec<String> = markdown::links(&summary.text)
        .filter_map(|link| resolved(SUMMARY, link.target.split('#').next().unwrap_or_default()))
        .collect();
    let mut problems = Vec::new();
    for page in files.iter().filter(is_page).filter(|page| page.path != README && page.path != SUMMARY) {
        match targets.iter().filter(|target| **target == page.path).count() {
            1 => {}
            0 => problems.push(page.problem(1, format!("this page is not in {SUMMARY}"))),
            times => problems.push(page.problem(1, format!("this page is {times} times in {SUMMARY}"))),
        }
    }
    problems
}

/// Every link of every text leads to a file and, where it says so, to a heading of it. A page of the book links to the
/// book only: what is outside is not there when the book is built.
pub(super) fn links(files: &[File]) -> Vec<Problem> {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let is_folder =
        |path: &str| path.is_empty() || paths.iter().any(|other| other.starts_with(&format!("{path}/")));
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for Link { line, target } in markdown::links(&file.text) {
            if ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let Some(path) =
                (if path.is_empty() { Some(file.path.clone()) } else { resolved(&file.path, path) })
            else {
                problems.push(file.problem(line, format!("`{target}` leads out of the project")));
                continue;
            };
            let there = files.iter().find(|other| other.path == path);
            if there.is_none() && !is_folder(&path) {
                problems.push(file.problem(line, format!("`{target}` leads nowhere")));
            } else if file.path.starts_with(BOOK) && !path.starts_with(BOOK) {
                let what = format!("`{target}` leads out of the book; name the file without a link");
                problems.push(file.problem(line, what));
            } else if !anchor.is_empty()
                && there.is_none_or(|there| !markdown::anchors(&there.text).contains(anchor))
            {
                problems.push(file.problem(line, format!("`{target}`: {path} has no heading `{anchor}`")));
            }
        }
    }
    problems
}

/// Where a relative link of this file leads; none if that is out of the project.
fn resolved(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Files and folders that a page names as `code` exist, and packages that it has cargo build.
pub(super) fn named_files(files: &[File]) -> Vec<Problem> {
    let mut roots: BTreeSet<&str> = BTreeSet::new();
    roots.extend(files.iter().filter_map(|file| file.path.split_once('/')).map(|(root, _)| root));
    let exists = |path: &str| {
        let path = path.trim_end_matches('/');
        files.iter().any(|file| {
            file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let is_path = |span: &str| {
        let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
        span.split_once('/').is_some_and(|(root, _)| roots.contains(root)) && span.chars().all(plain)
    };
    let is_package = |name: &str| {
        let named = format!("name = \"{name}\"\n");
        files.iter().any(|file| file.path.ends_with("Cargo.toml") && file.text.contains(&named))
    };
    let mut problems = Vec::new();
    for page in files.iter().filter(is_page) {
        for (number, line) in page.text.lines().enumerate().filter(|(_, line)| line.contains("cargo ")) {
            let after = line.split(" -p ").skip(1).filter_map(|rest| rest.split([' ', '`']).next());
            let missing = after.filter(|name| !is_package(name));
            problems.extend(
                missing.map(|name| page.problem(number + 1, format!("there is no package `{name}`"))),
            );
        }
        for (line, span) in markdown::code_spans(&page.text) {
            if is_path(span) && !exists(span) {
                problems.push(page.problem(line, format!("there is no `{span}`")));
            }
        }
    }
    problems
}

/// A block is run, is taken from a source file, only shows something, or says why it is not run.
pub(super) fn blocks(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for page in files.iter().filter(is_page) {
        for Block { line, language, text, after } in markdown::blocks(&page.text) {
            match language {
                "console" => {}
                "rust" if !files.iter().any(|file| file.is_rust() && file.text.contains(text)) => {
                    problems.push(page.problem(line, "these lines are in no source file"));
                }
                "rust" => {}
                "sh" if !after.is_some_and(|after| after.starts_with(NOT_RUN)) => {
                    let what = format!("below a block that is not run stands `{NOT_RUN}why.*`");
                    problems.push(page.problem(line, what));
                }
                "sh" => {}
                "python" if page.path == PYTHON => {}
                "python" | "go" | "java" => {
                    let end = if language == "python" { ".py" } else { &format!(".{language}") };
                    if !files.iter().any(|file| file.path.ends_with(end) && file.text.contains(text)) {
                        let what =
                            format!("these lines are in no source file; only those of {PYTHON} are run");
                        problems.push(page.problem(line, what));
                    }
                }
                shown if SHOWN.contains(&shown) => {}
                other => problems.push(page.problem(
                    line,
                    format!("a block of `{other}`: write console, sh, rust, {}", SHOWN.join(", ")),
                )),
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn whats(problems: Vec<Problem>) -> Vec<String> {
        problems
            .into_iter()
            .map(|problem| format!("{}:{} {}", problem.path, problem.line, problem.what))
            .collect()
    }

    #[test]
    fn page_outside_the_table_of_contents_is_reported() {
        let listing = |summary: &str| {
            whats(listed(&sample(&[(SUMMARY, summary), ("docs/a/b.md", "# B"), (README, "# R")])))
        };
        assert!(listing("- [B](a/b.md)").is_empty());
        assert_eq!(listing("- [B](b.md)"), ["docs/a/b.md:1 this page is not in docs/SUMMARY.md"]);
        assert_eq!(
            listing("[B](a/b.md) [B](a/b.md#b)"),
            ["docs/a/b.md:1 this page is 2 times in docs/SUMMARY.md"]
        );
        assert_eq!(whats(listed(&sample(&[("docs/a.md", "# A")]))).len(), 1);
        assert!(listed(&sample(&[("notes/a.md", "# A")])).is_empty());
    }

    #[test]
    fn link_that_leads_nowhere_is_reported() {
        let of = |path: &str, text: &str| {
            let files =
                [(path, text), ("docs/b.md", "# The `one`, and two\n## Again\n## Again"), ("x/y.rs", "")];
            whats(links(&sample(&files)))
        };
        assert!(
            of("a.md", "[b](docs/b.md) [b](docs/b.md#the-one-and-two) [y](x) [w](https://example.org/#z)")
                .is_empty()
        );
        assert!(of("docs/c/a.md", "# Here\n[b](../b.md#again-1) [h](#here)").is_empty());
        assert!(of("a.md", "`[b](gone.md)`\n```text\n[b](gone.md)\n```\n").is_empty());
        assert_eq!(of("a.md", "\n[b](gone.md)"), ["a.md:2 `gone.md` leads nowhere"]);
        assert_eq!(of("a.md", "![b](docs/gone.svg)"), ["a.md:1 `docs/gone.svg` leads nowhere"]);
        assert_eq!(
            of("a.md", "[b](docs/b.md#three)"),
            ["a.md:1 `docs/b.md#three`: docs/b.md has no heading `three`"]
        );
        assert_eq!(of("a.md", "[b](#three)"), ["a.md:1 `#three`: a.md has no heading `three`"]);
        assert_eq!(of("a.md", "[b](../b.md)"), ["a.md:1 `../b.md` leads out of the project"]);
        assert_eq!(of("docs/a.md", "[y](../x/y.rs)").len(), 1);
    }

    #[test]
    fn file_that_does_not_exist_is_reported() {
        let package = ("crates/a/Cargo.toml", "[package]\nname = \"a-b\"\n");
        let of = |text: &str| {
            whats(named_files(&sample(&[("docs/a.md", text), ("deploy/unit.service", "x"), package])))
        };
        assert!(of("`cargo test -p a-b --doc`, `cargo doc -p a-b`\n`mkdir -p x`").is_empty());
        assert_eq!(of("```sh\ncargo run -p b -- x\n```"), ["docs/a.md:2 there is no package `b`"]);
        assert!(of("`deploy/unit.service`, `deploy`, `deploy/`, `some/thing`, `GET /v1/x`").is_empty());
        assert_eq!(of("`deploy/unit`"), ["docs/a.md:1 there is no `deploy/unit`"]);
        assert_eq!(of("`docs/b.md`"), ["docs/a.md:1 there is no `docs/b.md`"]);
    }

    #[test]
    fn block_that_nothing_checks_is_reported() {
        let of = |text: &str| whats(blocks(&sample(&[("docs/a.md", text), ("a.rs", "fn f() {}\n")]))).len();
        assert_eq!(of("```console\n$ ringleader list\n```\n"), 0);
        assert_eq!(of("```rust\nfn f() {}\n```\n"), 0);
        assert_eq!(of("```rust\nfn g() {}\n```\n"), 1);
        assert_eq!(of(&format!("```sh\nreboot\n```\n\n{NOT_RUN}it ends the machine.*\n")), 0);
        assert_eq!(of("```sh\nreboot\n```\n\nIt ends the machine.\n"), 1);
        assert_eq!(of("```console,ignore\n$ reboot\n```\n"), 1);
        assert_eq!(of("```\nanything\n```\n"), 1);
        assert_eq!(of("```text\nanything\n```\n"), 0);
        let python = |path: &str| blocks(&sample(&[(path, "```python\n1 + 1\n```\n")])).len();
        assert_eq!((python(PYTHON), python("docs/a.md")), (0, 1));
        let go = |text: &str| blocks(&sample(&[("docs/a.md", "```go\nf()\n```\n"), ("a.go", text)])).len();
        assert_eq!((go("f()\n"), go("g()\n")), (0, 1));
    }
}
