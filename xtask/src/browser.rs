//! The browser suite: what the program exports, looked at with Chromium. It needs node, npm and a browser; the packages
//! are those of the lock file, and no browser is downloaded.

use crate::{build_program, succeeds};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::tidy;

/// What must be there, and how to get it on Debian.
const NEEDS: &[(&[&str], &str)] = &[
    (&["node"], "apt-get install nodejs"),
    (&["npm"], "apt-get install npm"),
    (&["chromium", "chromium-browser", "google-chrome"], "apt-get install chromium"),
];

/// What is missing here, and how to get it; none if everything is there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    let is_there = |name: &&str| {
        if *name == "chromium" && std::env::var_os("CHROMIUM").is_some() {
            return true;
        }
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    NEEDS.iter().find(|(names, _)| !names.iter().any(is_there)).map(|(names, advice)| (names[0], *advice))
}

/// Builds the program, installs what the lock file says, and runs the suite.
pub(crate) fn run() -> bool {
    suite(&["test"], None)
}

/// The part of the suite that is for the page without a server: what only it has, and that it answers as the command
/// line does.
pub(crate) fn run_on_site(site: &Path) -> bool {
    suite(&["test", "--", "suite/site.spec.ts", "suite/page/equals.spec.ts"], Some(site))
}

fn suite(arguments: &[&str], site: Option<&Path>) -> bool {
    let folder = tidy::root().join("tests/browser");
    if let Some((name, advice)) = missing() {
        eprintln!("error: {name} is not installed");
        eprintln!("hint: {advice}");
        return false;
    }
    let npm = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.args(arguments).current_dir(&folder).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
        command
    };
    let mut test = npm(arguments);
    test.env("RINGLEADER_BIN", program());
    if let Some(site) = site {
        test.env("RINGLEADER_SITE", site);
    }
    build_program() && succeeds(&mut npm(&["ci", "--no-audit", "--no-fund"])) && succeeds(&mut test)
}

/// The program that was just built.
fn program() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tidy::root().join("target"), PathBuf::from);
    target.join("debug").join(format!("ringleader{}", std::env::consts::EXE_SUFFIX))
}
