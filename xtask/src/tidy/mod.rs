//! Tidiness: the rules of the house that the compiler does not see. One file per kind of rule.
//!
//! Each check is a function from the text of the project to a list of problems, so that its test can hand it a project
//! that breaks the rule and see it complain.

mod book;
mod catalogue;
mod circles;
mod dependencies;
mod labels;
mod layers;
mod markdown;
mod products;
mod promises;
mod source;
mod text;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Something to put right.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A file of the project.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    /// Empty if it is not UTF-8.
    pub(crate) text: String,
}

impl File {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn problem(&self, line: usize, what: impl Into<String>) -> Problem {
        Problem { path: self.path.clone(), line, what: what.into() }
    }
}

/// Checks the project in this directory: everything that is to be put right, in order.
///
/// # Errors
/// If the project cannot be read, or cargo cannot be run.
pub fn check(root: &Path) -> io::Result<Vec<Problem>> {
    let files = read(root)?;
    let mut problems = [
        layers::arrows(&files),
        layers::hidden_inputs(&files),
        circles::circles(&files),
        catalogue::registered(&files),
        catalogue::headers(&files),
        catalogue::stands_once(&files),
        text::sizes(&files),
        text::left_overs(&files),
        text::machine_paths(&files),
        text::kinds(&files),
        text::lock_files(&files),
        promises::shown(&files),
        book::listed(&files),
        book::links(&files),
        book::named_files(&files),
        book::blocks(&files),
        labels::defined_labels(&files),
        products::arrows(&files),
        products::study_is_light()?,
        dependencies::library_has_none()?,
    ]
    .concat();
    problems.sort();
    Ok(problems)
}

/// The root of the project. Asked for at run time: a build directory may be shared by several checkouts, and a path
/// from build time would then lead into another one.
#[must_use]
pub fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).join("..")
}

/// Cargo, as it was called, in the root of the project.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The files of the project: those that git knows or would add; without git, those in the directory.
fn read(root: &Path) -> io::Result<Vec<File>> {
    let paths = listed_by_git(root).map_or_else(|| listed_by_walking(root), Ok)?;
    let mut files = Vec::new();
    for path in paths {
        match std::fs::read(root.join(&path)) {
            // What is not UTF-8 is not text.
            Ok(bytes) => files.push(File { path, text: String::from_utf8(bytes).unwrap_or_default() }),
            // Deleted, and git has not been told yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut paths: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
    paths.dedup();
    // A directory inside somebody else's repository, which ignores it.
    if paths.is_empty() { None } else { Some(paths) }
}

fn listed_by_walking(root: &Path) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut waiting = vec![String::new()];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(root.join(&directory))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{directory}{name}");
            if !entry.file_type()?.is_dir() {
                paths.push(path);
            } else if !["target", ".git", "node_modules", "test-results", "exports", "corpus", "artifacts"]
                .contains(&name.as_str())
            {
                waiting.push(path + "/");
            }
        }
    }
    paths.sort();
    Ok(paths)
}

/// A project for tests: paths and texts.
#[cfg(test)]
fn sample(files: &[(&str, &str)]) -> Vec<File> {
    files.iter().map(|(path, text)| File { path: (*path).into(), text: (*text).into() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_project_is_tidy() {
        let problems = check(&root()).expect("the project can be read");
        let report: String = problems.iter().map(|problem| format!("\n{problem}")).collect();
        assert!(problems.is_empty(), "{} to put right:{report}", problems.len());
    }

    #[test]
    fn walking_finds_what_git_finds() {
        let walked = listed_by_walking(&root()).expect("the project can be read");
        let known = listed_by_git(&root()).unwrap_or_default();
        let missed: Vec<_> =
            known.iter().filter(|path| root().join(path).exists() && !walked.contains(path)).collect();
        assert!(missed.is_empty(), "{missed:?}");
        assert!(walked.iter().any(|path| path == "xtask/src/tidy/mod.rs"));
    }
}
