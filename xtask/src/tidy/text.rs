//! The text itself: sizes, stray blanks, left-overs, paths of somebody's machine.

use super::source::is_word;
use super::{File, Problem};

/// The most lines of a source file. A file beyond it has two subjects.
const LINES_MAX: usize = 600;

/// The most columns of a line of code: two files fit side by side.
const COLUMNS_MAX: usize = 120;

/// What must not stay behind. Written in halves, so that this file does not report itself.
const LEFT_OVERS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!"),
    concat!("#[ig", "nore"),
];

/// Beginnings of absolute paths that exist on one machine only. In halves, likewise.
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/t", "mp/"), concat!("/ro", "ot/")];

/// What a project of text is made of, by the ends of the names. A file of another kind was left behind by some tool.
const KINDS: &[&str] = &[
    ".rs",
    ".toml",
    ".md",
    ".txt",
    ".lock",
    ".pml",
    ".proto",
    ".gitignore",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    // The Python package.
    ".py",
    ".pyi",
    "py.typed",
    // Clients in other languages, and the document of the interface that they speak.
    ".go",
    "go.mod",
    ".java",
    "pom.xml",
    "openapi.json",
    // How a member is run by others.
    ".service",
    ".yaml",
    "dashboard.json",
    ".sh",
    ".conf",
    "Dockerfile",
    // The page that plays a run, the page of the program, and what looks at them with a browser.
    ".html",
    ".css",
    ".svg",
    ".js",
    ".ts",
    "schema.json",
    ".svelte",
    "tsconfig.json",
    "package.json",
    "package-lock.json",
    ".npmrc",
    // Notebooks, without outputs: `bindings/python/tests/test_notebooks.py`.
    ".ipynb",
];

/// The most bytes of a file: more is not written by hand.
const BYTES_MAX: usize = 100_000;

/// What the program says of all algorithms, which a test keeps current: it grows with the catalogue.
const GENERATED: &str = "docs/reference/algorithms.md";

/// Files in which prose may speak of left-overs, and two blanks may end a line.
fn is_code(path: &str) -> bool {
    [".rs", ".toml", ".sh", ".js", ".ts", ".svelte", ".py", ".yml", ".css", ".html", ".go", ".java"]
        .iter()
        .any(|end| path.ends_with(end))
        || path.starts_with(".ci/")
}

/// Pictures of the page, for people who read about it.
fn is_picture(path: &str) -> bool {
    path.starts_with("docs/page/") && path.ends_with(".png")
}

/// Recorded bytes with which fuzzing begins; a test of their crate keeps them small.
fn is_seed(path: &str) -> bool {
    path.starts_with("crates/ringleader-fuzz/seeds/")
}

/// The built page: written by a tool, and compared with its sources in CI.
fn is_built(path: &str) -> bool {
    path.starts_with("crates/ringleader-page/page/")
}

/// Files that a package manager writes: as long as they have to be.
fn is_lock(path: &str) -> bool {
    path.ends_with(".lock") || path.ends_with("package-lock.json")
}

/// Addresses of package registries, which a lock file does not need: whoever installs has one of their own.
const REGISTRIES: &[&str] = &["\"resolved\":"];

/// A lock file says what is installed, and not from which host.
pub(super) fn lock_files(files: &[File]) -> Vec<Problem> {
    let locks = files.iter().filter(|file| file.path.ends_with("package-lock.json"));
    report(locks, REGISTRIES, |_, _, _| Some("a lock file names no registry; see .npmrc beside it".into()))
}

fn lines(file: &File) -> impl Iterator<Item = (usize, &str)> {
    file.text.lines().enumerate().map(|(number, line)| (number + 1, line))
}

/// No file too long, no line too wide, no stray blanks.
pub(super) fn sizes(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let count = file.text.lines().count();
        if file.is_rust() && count > LINES_MAX {
            problems.push(file.problem(LINES_MAX + 1, format!("{count} lines; the most is {LINES_MAX}")));
        }
        for (number, line) in lines(file) {
            let columns = line.chars().count();
            if file.is_rust() && columns > COLUMNS_MAX {
                problems.push(file.problem(number, format!("{columns} columns; the most is {COLUMNS_MAX}")));
            }
            let is_written = !is_built(&file.path) && (is_code(&file.path) || file.path.ends_with(".md"));
            if is_written && line.ends_with([' ', '\t']) {
                problems.push(file.problem(number, "the line ends in blanks"));
            }
        }
    }
    problems
}

/// Nothing is left for later, and no test is switched off.
pub(super) fn left_overs(files: &[File]) -> Vec<Problem> {
    report(
        files.iter().filter(|file| is_code(&file.path) && !is_built(&file.path)),
        LEFT_OVERS,
        |line, at, needle| {
            let before = line[..at].chars().next_back().unwrap_or(' ');
            let after = line[at + needle.len()..].chars().next().unwrap_or(' ');
            let is_whole =
                needle.starts_with('#') || (!is_word(before) && !is_word(after)) || needle.ends_with('!');
            is_whole.then(|| format!("`{needle}` is left over"))
        },
    )
}

/// Nothing but what somebody wrote: files of known kinds, of a size that can be read.
pub(super) fn kinds(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let bytes = file.text.len();
        let is_known =
            KINDS.iter().any(|end| file.path.ends_with(end)) || is_picture(&file.path) || is_seed(&file.path);
        if !is_known && !file.path.starts_with(".ci/") {
            let what = "a file of this kind does not belong here; if it does, add the kind to `KINDS`";
            problems.push(file.problem(1, what));
        } else if bytes == 0 && !is_picture(&file.path) && !is_seed(&file.path) {
            problems.push(file.problem(1, "the file is empty, or not UTF-8"));
        } else if bytes > BYTES_MAX && !is_lock(&file.path) && !is_built(&file.path) && file.path != GENERATED
        {
            problems.push(file.problem(1, format!("{bytes} bytes; the most is {BYTES_MAX}")));
        }
    }
    problems
}

/// No file speaks of a directory that only one machine has.
pub(super) fn machine_paths(files: &[File]) -> Vec<Problem> {
    report(files.iter(), MACHINE_PATHS, |line, at, needle| {
        // After a letter it is the middle of a longer path or of an address.
        let before = line[..at].chars().next_back().unwrap_or(' ');
        let is_absolute = !is_word(before) && !['.', '-', '~', '}'].contains(&before);
        is_absolute.then(|| format!("`{needle}` exists on one machine only"))
    })
}

/// What `judge` says of each place where a needle occurs: line, place in the line, needle.
fn report<'a>(
    files: impl Iterator<Item = &'a File>,
    needles: &[&str],
    judge: impl Fn(&str, usize, &str) -> Option<String>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        for (number, line) in lines(file) {
            for needle in needles {
                let whats = line.match_indices(needle).filter_map(|(at, _)| judge(line, at, needle));
                problems.extend(whats.map(|what| file.problem(number, what)));
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
    fn sizes_are_reported() {
        let count = |path: &str, text: &str| sizes(&sample(&[(path, text)])).len();
        assert_eq!(count("a.rs", &"x\n".repeat(LINES_MAX)), 0);
        assert_eq!(count("a.rs", &"x\n".repeat(LINES_MAX + 1)), 1);
        assert_eq!(count("a.rs", &"–".repeat(COLUMNS_MAX)), 0);
        assert_eq!(count("a.rs", &"–".repeat(COLUMNS_MAX + 1)), 1);
        assert_eq!(count("a.md", &"–".repeat(COLUMNS_MAX + 1)), 0);
        assert_eq!(count("a.rs", "x \ny\n\t\n"), 2);
        assert_eq!(count("a.toml", "x \n"), 1);
        assert_eq!(count("a.txt", "a transcript may end in blanks \n"), 0);
    }

    #[test]
    fn left_overs_are_reported() {
        let count = |path: &str, text: &str| left_overs(&sample(&[(path, text)])).len();
        for needle in LEFT_OVERS {
            assert_eq!(count("a.rs", &format!("fine\n// {needle} later")), 1, "{needle}");
            assert_eq!(count(".ci/run", needle), 1, "{needle}");
            assert_eq!(count("a.md", &format!("we write no {needle}")), 0, "{needle}");
        }
        assert_eq!(count("a.rs", &format!("{} = \"slow\"]", LEFT_OVERS[4])), 1);
        assert_eq!(count("a.rs", &format!("MY{0}S {0}LIST", LEFT_OVERS[0])), 0);
    }

    #[test]
    fn what_nobody_wrote_is_reported() {
        let count = |path: &str, text: &str| kinds(&sample(&[(path, text)])).len();
        assert_eq!(count("src/a.rs", "x"), 0);
        assert_eq!(count(".ci/run", "x"), 0);
        assert_eq!(count("ringleader-05m/a.ll", "x"), 1);
        assert_eq!(count("ringleader-05m/dep-graph", "x"), 1);
        assert_eq!(count("a.txt", ""), 1);
        assert_eq!(count("a.txt", &"x".repeat(BYTES_MAX + 1)), 1);
        assert_eq!(count("tests/browser/package-lock.json", &"x".repeat(BYTES_MAX + 1)), 0);
        assert_eq!(count(GENERATED, &"x".repeat(BYTES_MAX + 1)), 0);
        assert_eq!(count("tests/browser/suite/a.spec.ts", "x"), 0);
        assert_eq!(count("tests/browser/test-results/a.png", "x"), 1);
        assert_eq!(count("docs/page/lab-dark.png", ""), 0);
    }

    #[test]
    fn a_registry_in_a_lock_file_is_reported() {
        let count = |path: &str, text: &str| lock_files(&sample(&[(path, text)])).len();
        assert_eq!(count("a/package-lock.json", "\"resolved\": \"https://example.org/a.tgz\""), 1);
        assert_eq!(count("a/package-lock.json", "\"integrity\": \"sha512-\""), 0);
        assert_eq!(count("a/other.json", "\"resolved\": 1"), 0);
    }

    #[test]
    fn machine_paths_are_reported() {
        let count = |text: &str| machine_paths(&sample(&[("a.md", text)])).len();
        for path in MACHINE_PATHS {
            for place in
                [format!("`{path}x`"), format!("= \"{path}x\""), format!("cd {path}"), path.to_string()]
            {
                assert_eq!(count(&place), 1, "{place}");
            }
            assert_eq!(count(&format!("https://example.org{path}x, ..{path}x, target{path}x")), 0, "{path}");
        }
    }
}
