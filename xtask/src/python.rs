//! The Python package: built, installed in an environment of its own, held against the command line; and its wheel.

use crate::page::target;
use crate::{build_program, site, succeeds};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::tidy;

/// What must be there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    let mut asks = Command::new("python3");
    asks.args(["-m", "venv", "--help"]).stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = asks.status().is_ok_and(|status| status.success());
    (!is_there).then_some(("python3 with venv", "apt-get install python3-venv"))
}

/// An environment that was made a moment ago: nothing is in it.
pub(crate) struct Environment {
    folder: PathBuf,
}

impl Environment {
    pub(crate) fn new(name: &str) -> Option<Environment> {
        let folder = target().join("python").join(name);
        let made = succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
        made.then_some(Environment { folder })
    }

    /// A program that was installed with a package.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    pub(crate) fn python(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program("python"));
        command.args(arguments).current_dir(tidy::root());
        command
    }

    pub(crate) fn install(&self, what: &[&str]) -> Command {
        self.python(&[&["-m", "pip", "install", "--quiet", "--disable-pip-version-check"], what].concat())
    }
}

/// The package as `pip install .` makes it, but for the time that the compiler takes over it; its tests, its types, and
/// the blocks and notebooks of the book.
pub(crate) fn check() -> bool {
    let manifest = tidy::root().join("bindings/python/Cargo.toml");
    let clippy = ["clippy", "--quiet", "--locked", "--profile=dev", "--manifest-path"];
    let clippy = succeeds(tidy::cargo().args(clippy).arg(manifest).args(["--", "-D", "warnings"]));
    let Some(environment) = Environment::new("gate").filter(|_| clippy) else { return false };
    let quick = environment.install(&[".[test,ray]"]).env("MATURIN_PEP517_ARGS", "--profile=dev").status();
    quick.is_ok_and(|status| status.success())
        && build_program()
        && succeeds(&mut environment.python(&["-m", "ruff", "format", "--check", "--quiet", "bindings"]))
        && succeeds(&mut environment.python(&["-m", "ruff", "check", "--quiet", "bindings"]))
        && succeeds(&mut environment.python(&["-m", "mypy"]))
        && succeeds(
            environment.python(&["-m", "pytest", "--pyargs", "ringleader", "bindings/python/tests"]).env(
                "RINGLEADER_BIN",
                target().join("debug").join(format!("ringleader{}", std::env::consts::EXE_SUFFIX)),
            ),
        )
}

/// The wheel and the source distribution in target/wheels. With the page built by `site`, the player in a notebook has
/// an engine; without it, it plays what was recorded.
pub(crate) fn wheel() -> bool {
    let Some(environment) = Environment::new("wheel") else { return false };
    let live = tidy::root().join("bindings/python/python/ringleader/live.html");
    if site::missing().is_none() {
        let Some(folder) = site::build() else { return false };
        if let Err(error) = std::fs::copy(folder.join("live.html"), &live) {
            eprintln!("error: {}: {error}", live.display());
            return false;
        }
    } else {
        eprintln!("note: the page cannot be built here: the player of this wheel has no engine");
    }
    let wheels = target().join("wheels");
    let maturin = |arguments: &[&str]| {
        let mut command = environment.python(&[&["-m", "maturin"], arguments].concat());
        command.arg("--out").arg(&wheels);
        command
    };
    succeeds(&mut environment.install(&["maturin>=1.9,<2"]))
        && succeeds(&mut maturin(&["build", "--release"]))
        && succeeds(&mut maturin(&["sdist"]))
        && tried(&wheels)
}

/// The wheel, and then the source distribution, each installed where nothing else is; and what was measured.
fn tried(wheels: &Path) -> bool {
    let newest = |ending: &str| {
        let files = std::fs::read_dir(wheels).into_iter().flatten().flatten().map(|entry| entry.path());
        let named = files.filter(|path| {
            path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.ends_with(ending))
        });
        named.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
    };
    [".whl", ".tar.gz"].iter().all(|ending| {
        let Some((file, environment)) = newest(ending).zip(Environment::new("tried")) else { return false };
        let first = "import ringleader as rl; print(rl.run('peterson', n=8, seed=7))";
        succeeds(&mut environment.install(&[&file.to_string_lossy()]))
            && succeeds(environment.python(&["-c", first]).current_dir(target()))
    })
}

/// Ratios in one run, of a release: runs from Python against the loop of the engine, tables without a copy, and a sweep
/// on Ray.
pub(crate) fn measure() -> bool {
    let Some(environment) = Environment::new("measure") else { return false };
    succeeds(&mut environment.install(&[".[test,ray]"]))
        && succeeds(&mut environment.python(&["bindings/python/measure.py"]))
}
