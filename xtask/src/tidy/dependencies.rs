//! The library stands alone: who uses it builds nothing else.

use super::Problem;
use std::io;

/// The library has no dependencies, with any feature, on any platform.
///
/// # Errors
/// If cargo cannot be run, or refuses.
pub(super) fn library_has_none() -> io::Result<Vec<Problem>> {
    let arguments = ["tree", "-p", "ringleader", "-e", "normal", "--prefix", "none"];
    let output = super::cargo().args(arguments).args(["--target", "all", "--all-features"]).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(beyond_itself(&String::from_utf8_lossy(&output.stdout)))
}

/// A problem for each line of the tree after the first, which is the library itself.
fn beyond_itself(tree: &str) -> Vec<Problem> {
    let problem = |what: String| Problem { path: "crates/ringleader/Cargo.toml".into(), line: 1, what };
    let mut lines = tree.lines().filter(|line| !line.is_empty());
    match lines.next() {
        Some(first) if first.starts_with("ringleader v") => {}
        first => return vec![problem(format!("the tree of the library begins with {first:?}"))],
    }
    lines
        .map(|line| problem(format!("the library depends on {line}; it must not depend on anything")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_reported() {
        assert_eq!(beyond_itself("ringleader v0.1.0 (here)\n"), []);
        assert_eq!(beyond_itself("ringleader v0.1.0 (here)\nserde v1.0.0\nitoa v1.0.0\n").len(), 2);
        assert_eq!(beyond_itself("").len(), 1);
        assert_eq!(beyond_itself("serde v1.0.0\n").len(), 1);
    }
}
