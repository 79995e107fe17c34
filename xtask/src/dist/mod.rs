//! `cargo xtask dist`: the packages of a release, and whether they can be installed, used and removed.

mod build;
mod clean;
mod contents;
mod licences;
mod pack;

use crate::site;
use build::Build;
pub(crate) use build::has_std;
use contents::Contents;
pub(crate) use licences::text as licences_of;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::tidy;

/// Why something could not be done, and what to do.
type Result<T> = std::result::Result<T, String>;

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Asked {
    /// Install the package in a clean Debian, use it, and remove it.
    is_tried: bool,
    /// Link with the C library of this machine, also where musl is there.
    is_native: bool,
    /// The share of the gate, and nothing else.
    is_checked: bool,
}

impl Asked {
    /// Reads the options after `dist`.
    pub(crate) fn parse(options: &[&str]) -> Result<Asked> {
        let mut asked = Asked::default();
        for option in options {
            match *option {
                "--try" => asked.is_tried = true,
                "--native" => asked.is_native = true,
                "--check" => asked.is_checked = true,
                other => {
                    return Err(format!(
                        "`dist` has no option `{other}`; it has --try, --native and --check"
                    ));
                }
            }
        }
        if asked.is_checked && (asked.is_tried || asked.is_native) {
            return Err("--check is done with the program of the tests: give it alone".into());
        }
        Ok(asked)
    }

    /// Builds, packs, and tries it if asked.
    pub(crate) fn run(self) -> bool {
        if self.is_checked { check() } else { told(self.make()) }
    }

    fn make(self) -> Result<()> {
        // Before a build of minutes.
        pack::needs()?;
        if let Some((name, advice)) = site::missing() {
            return Err(format!("{name} is missing here, and the page as one file needs it\nhint: {advice}"));
        }
        let build = Build::find(self.is_native)?;
        println!("{}", build.words());
        let program = build.run()?;
        let page = site::build().ok_or("the page as one file could not be built")?.join("live.html");
        let folder = target().join("dist");
        let contents = Contents::gather(&program, &build, Some(&page))?;
        let packed = pack::all(&contents, &folder, pack::Effort::Small)?;
        pack::summary(&packed)?;
        if is_there("lintian") {
            lintian(&packed.debian)?;
        } else {
            eprintln!(
                "note: lintian is not installed; the Debian package is not checked (apt-get install lintian)"
            );
        }
        if self.is_tried { clean::run(&folder, &packed.debian) } else { Ok(()) }
    }
}

/// The long part: the packages of a release, tried.
pub(crate) fn long() -> bool {
    Asked { is_tried: true, ..Asked::default() }.run()
}

/// What is missing here for [`check`], and how to get it; none if everything is there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    if !cfg!(target_os = "linux") {
        return Some(("Linux", "packages are for Linux: make them in a container"));
    }
    [
        ("dpkg-deb", "apt-get install dpkg"),
        ("lintian", "apt-get install lintian"),
        ("strip", "apt-get install binutils"),
    ]
    .into_iter()
    .find(|(name, _)| !is_there(name))
}

/// The share of the gate: the packages, of the program that tests are run with and without the page as one file, which
/// takes a build of its own, packed twice to the same bytes. What
/// is in them is looked at, by lintian too.
pub(crate) fn check() -> bool {
    told(check_twice())
}

fn check_twice() -> Result<()> {
    let folder = target().join("dist-check");
    let build = Build::of_tests()?;
    let program = build.run()?;
    let stripped = folder.join("ringleader");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    done(Command::new("strip").arg("-o").arg(&stripped).arg(&program))?;
    let contents = Contents::gather(&stripped, &build, None)?;
    let first = pack::all(&contents, &folder.join("first"), pack::Effort::Quick)?;
    let again = pack::all(&contents, &folder.join("again"), pack::Effort::Quick)?;
    for (one, other) in first.files().into_iter().zip(again.files()) {
        if read(one)? != read(other)? {
            return Err(format!(
                "{} and {} differ: packing has another input",
                one.display(),
                other.display()
            ));
        }
    }
    let listed = said(Command::new("dpkg-deb").arg("--contents").arg(&first.debian))?;
    for (path, _) in contents.debian() {
        if !listed.contains(&format!(" ./{path}\n")) {
            return Err(format!("{} lacks {path}:\n{listed}", first.debian.display()));
        }
    }
    lintian(&first.debian)?;
    println!("packed twice to the same bytes: {} files in the Debian package", contents.debian().len());
    Ok(())
}

/// Debian's own checker of packages. Exceptions are in `deploy/debian/lintian.txt`, with reasons.
fn lintian(package: &Path) -> Result<()> {
    done(Command::new("lintian").args(["--allow-root", "--fail-on=error,warning"]).arg(package))
}

/// Whether this program can be started.
fn is_there(name: &str) -> bool {
    let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Prints why not.
fn told(result: Result<()>) -> bool {
    if let Err(why) = &result {
        eprintln!("error: {why}");
    }
    result.is_ok()
}

/// Where cargo builds.
fn target() -> PathBuf {
    let root = || fs::canonicalize(tidy::root()).unwrap_or_else(|_| tidy::root()).join("target");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(root, PathBuf::from)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// A file of the project.
fn of_project(path: &str) -> Result<Vec<u8>> {
    read(&tidy::root().join(path))
}

/// Runs a command with its output shown.
fn done(command: &mut Command) -> Result<()> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} has failed: {status}")),
        Err(error) => Err(format!("{command:?} could not be started: {error}")),
    }
}

/// Runs a command, and gives what it printed.
fn said(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{command:?} could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} has failed: {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{command:?} has not printed text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(Asked::parse(&[]), Ok(Asked::default()));
        let both = Asked { is_tried: true, is_native: true, is_checked: false };
        assert_eq!(Asked::parse(&["--try", "--native"]), Ok(both));
        assert!(Asked::parse(&["--check"]).is_ok_and(|asked| asked.is_checked));
        for wrong in [&["--tried"][..], &["--check", "--try"], &["--native", "--check"]] {
            assert!(Asked::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn failed_command_is_an_error() {
        assert_eq!(said(Command::new("echo").arg("x")), Ok("x\n".into()));
        assert!(said(&mut Command::new("false")).is_err());
        assert!(done(&mut Command::new("false")).is_err());
        assert!(done(&mut Command::new("no-such-program")).is_err());
    }
}
