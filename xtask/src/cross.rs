//! Whether the study compiles for other systems. It is checked, not linked: that would need their linkers.

use crate::cargo;
use crate::dist::has_std;

/// One processor of each system; nothing in the study asks for the processor.
const TARGETS: [&str; 3] = ["x86_64-pc-windows-gnu", "x86_64-pc-windows-msvc", "aarch64-apple-darwin"];

/// What a study is made of.
const STUDY: &[&str] = &["-p", "ringleader-errata", "-p", "ringleader-lab", "-p", "ringleader-page"];

/// Checks each target that is installed, and names the others: a notice, but with `CI=true` a failure.
pub(crate) fn run() -> bool {
    let (here, not_here) = split(|target| has_std(target).unwrap_or(false));
    for target in &not_here {
        eprintln!("note: {target} is not checked: its standard library is missing here");
        eprintln!("hint: rustup target add {target}");
    }
    let strict = std::env::var("CI").is_ok_and(|value| value == "true");
    let checked = here.iter().all(|target| {
        println!("== {target}");
        cargo(&[&["check", "--locked", "--target", target], STUDY].concat())
    });
    checked && (not_here.is_empty() || !strict)
}

/// The targets that are there, and those that are not.
fn split(is_there: impl Fn(&str) -> bool) -> (Vec<&'static str>, Vec<&'static str>) {
    TARGETS.into_iter().partition(|target| is_there(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_targets_are_named() {
        let (here, not_here) = split(|target| target.contains("windows"));
        assert_eq!(here, ["x86_64-pc-windows-gnu", "x86_64-pc-windows-msvc"]);
        assert_eq!(not_here, ["aarch64-apple-darwin"]);
    }
}
