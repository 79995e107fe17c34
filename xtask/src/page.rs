//! The page: built from `web/` into the crate that serves it, where it is committed, so that whoever builds the program
//! needs no Node. The gate checks its types and its tests, builds it anew, and compares.

use crate::succeeds;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::tidy;

/// Where the built page is, from the root.
const BUILT: &str = "crates/ringleader-page/page";

/// What is missing here, and how to get it; none if everything is there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    [("node", "apt-get install nodejs"), ("npm", "apt-get install npm")]
        .into_iter()
        .find(|(name, _)| !is_there(name))
}

/// Whether there is such a program.
pub(crate) fn is_there(name: &str) -> bool {
    let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Builds the page into its place.
pub(crate) fn build() -> bool {
    if let Some((name, advice)) = missing() {
        eprintln!("error: {name} is not installed");
        eprintln!("hint: {advice}");
        return false;
    }
    install() && build_into(&tidy::root().join(BUILT))
}

/// Types, tests, and whether the page that is committed is the one that its sources give.
pub(crate) fn check() -> bool {
    let fresh = target().join("page");
    install()
        && succeeds(&mut npm(&["run", "check"]))
        && succeeds(&mut npm(&["test"]))
        && build_into(&fresh)
        && is_same(&fresh, &tidy::root().join(BUILT))
}

fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(tidy::root().join("web"));
    command
}

fn install() -> bool {
    succeeds(&mut npm(&["ci", "--no-audit", "--no-fund"]))
}

fn build_into(folder: &Path) -> bool {
    let mut command = npm(&["run", "build", "--", "--emptyOutDir", "--outDir"]);
    succeeds(command.arg(folder))
}

/// Builds the page without a server, around this engine, into a folder: for a server of files, and as one file. The
/// licences of what is in the engine go with both.
pub(crate) fn build_site(engine: &Path, licences: &Path, folder: &Path) -> bool {
    let one_file = target().join("live");
    let build = |mode: &str, folder: &Path| {
        let mut command = npm(&["run", "build", "--", "--mode", mode, "--emptyOutDir", "--outDir"]);
        command.arg(folder).env("RINGLEADER_WASM", engine).env("RINGLEADER_WASM_LICENCES", licences);
        succeeds(&mut command)
    };
    let copy = |from: &Path, to: &str| {
        let copied = std::fs::copy(from, folder.join(to));
        copied.inspect_err(|error| eprintln!("error: {to}: {error}")).is_ok()
    };
    install()
        && build("site", folder)
        && build("live", &one_file)
        && copy(licences, "licences-engine.txt")
        && copy(&one_file.join("live.html"), "live.html")
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tidy::root().join("target"), PathBuf::from)
}

fn is_same(fresh: &Path, committed: &Path) -> bool {
    let differences = differences(&files(fresh), &files(committed));
    for (path, what) in &differences {
        eprintln!("error: {BUILT}/{path} {what}");
    }
    if !differences.is_empty() {
        eprintln!("hint: cargo xtask page, and commit what it builds");
    }
    differences.is_empty()
}

/// What is not the same in both, in words.
fn differences(
    fresh: &BTreeMap<String, Vec<u8>>,
    committed: &BTreeMap<String, Vec<u8>>,
) -> Vec<(String, &'static str)> {
    let missing = fresh.keys().filter(|path| !committed.contains_key(*path));
    let stale = committed.keys().filter(|path| !fresh.contains_key(*path));
    let other = fresh.iter().filter(|(path, bytes)| committed.get(*path).is_some_and(|old| old != *bytes));
    missing
        .map(|path| (path.clone(), "is missing"))
        .chain(stale.map(|path| (path.clone(), "is left over")))
        .chain(other.map(|(path, _)| (path.clone(), "is not what its sources give")))
        .collect()
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let (Ok(name), Ok(bytes)) = (path.strip_prefix(folder), std::fs::read(&path)) {
                found.insert(name.to_string_lossy().replace('\\', "/"), bytes);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_page_is_found_out() {
        let page = |files: &[(&str, &str)]| {
            files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
        };
        let fresh = page(&[("index.html", "new"), ("assets/lab-2.js", "2"), ("licences.md", "same")]);
        let committed = page(&[("index.html", "old"), ("assets/lab-1.js", "1"), ("licences.md", "same")]);
        let found = differences(&fresh, &committed);
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["assets/lab-2.js", "assets/lab-1.js", "index.html"]);
        assert!(differences(&fresh, &fresh).is_empty());
    }
}
