//! The clients in Python, Go and Java: built, their own tests, one conformance suite for all of them, the document of
//! the interface against real servers, and all four languages at the same locks while servers fail.

use crate::gate::at_once;
use crate::page::{is_there, target};
use crate::python::Environment;
use crate::{cargo, succeeds};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use xtask::tidy;

/// What must be there, and how to get it on Debian.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    let runs = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if crate::python::missing().is_some() || !runs("python3", &["-c", "import asyncio; asyncio.timeout"]) {
        return Some(("python3 from 3.11 on, with venv", "apt-get install python3-venv"));
    }
    if !runs("go", &["version"]) {
        return Some(("go", "apt-get install golang-go"));
    }
    (!is_there("javac") || !is_there("java"))
        .then_some(("javac 17", "apt-get install openjdk-17-jdk-headless"))
}

fn folder() -> PathBuf {
    tidy::root().join("clients")
}

/// What is built for these tests alone.
fn scratch() -> PathBuf {
    target().join("clients")
}

fn go(arguments: &[&str]) -> Command {
    let mut command = Command::new("go");
    command.args(arguments).current_dir(folder().join("go"));
    // There is nothing to be fetched, and nothing is stamped: a checkout need not be a repository.
    command.env("GOCACHE", scratch().join("cache")).env("GOFLAGS", "-buildvcs=false -mod=readonly");
    command
}

fn build_go() -> bool {
    let unformatted = Command::new("gofmt").arg("-l").arg(folder().join("go")).output();
    match unformatted {
        Ok(output) if output.status.success() && output.stdout.is_empty() => {}
        Ok(output) => {
            eprintln!("error: gofmt would change\n{}", String::from_utf8_lossy(&output.stdout));
            return false;
        }
        Err(error) => {
            eprintln!("error: gofmt: {error}");
            return false;
        }
    }
    succeeds(&mut go(&["vet", "./..."]))
        && succeeds(&mut go(&["test", "./..."]))
        && succeeds(go(&["build", "-o"]).arg(scratch().join("driver")).arg("./cmd/driver"))
        && std::fs::create_dir_all(scratch().join("examples")).is_ok()
        && succeeds(go(&["build", "-o"]).arg(scratch().join("examples")).arg("./examples/..."))
}

fn classes() -> PathBuf {
    scratch().join("classes")
}

fn build_java() -> bool {
    let mut sources = Vec::new();
    let mut folders = vec![folder().join("java")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "java") {
                sources.push(path);
            }
        }
    }
    let mut compile = Command::new("javac");
    compile.args(["-Xlint:all", "-Werror", "--release", "17", "-encoding", "UTF-8", "-d"]).arg(classes());
    succeeds(compile.args(sources))
        && succeeds(Command::new("java").arg("-cp").arg(classes()).arg("ringleader.client.SelfTest"))
}

/// The program as the tests build it, and our own client as a program.
fn build_rust() -> bool {
    cargo(&["test", "--quiet", "--workspace", "--test", "parity", "--example", "contend", "--no-run"])
}

fn java() -> String {
    // It is over before a second compiler would be worth its time.
    format!("java -XX:TieredStopAtLevel=1 -cp {} Driver", classes().display())
}

fn python() -> String {
    format!("python3 {}", folder().join("python/driver.py").display())
}

fn built(path: &str) -> PathBuf {
    target().join("debug").join(path)
}

/// Everything: a share of the fault run, too.
pub(crate) fn check() -> bool {
    let Some(environment) = Environment::new("clients") else { return false };
    // This version: what another one asks would be found on a day on which nothing was changed.
    let tools = ["ruff>=0.9", "mypy>=1.11", "schemathesis==4.32.5"];
    let settings = folder().join("python/pyproject.toml");
    let settings = settings.to_string_lossy();
    let in_python = |arguments: &[&str]| {
        let mut command = environment.python(arguments);
        command.current_dir(folder().join("python"));
        succeeds(&mut command)
    };
    succeeds(&mut environment.install(&tools))
        && in_python(&["-m", "ruff", "format", "--check", "--quiet", "--config", &settings, ".."])
        && in_python(&["-m", "ruff", "check", "--quiet", "--config", &settings, ".."])
        && in_python(&["-m", "mypy"])
        && in_python(&["-m", "unittest", "discover", "--quiet", "tests"])
        && build_go()
        && build_java()
        && build_rust()
        && conformance(&environment)
        && fault_run(60)
}

/// The cases against every client and against those that are wrong, and the document against servers. They wait most of
/// the time, and no case depends on how long: so all of them run at once.
fn conformance(environment: &Environment) -> bool {
    let suite = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.arg(folder().join("conformance/run.py")).args(arguments);
        command
    };
    let mut document = Command::new("python3");
    document.arg(folder().join("conformance/document.py")).arg("--program").arg(built("ringleader"));
    document.arg("--schemathesis").arg(environment.program("schemathesis"));
    let mut examples = Command::new("python3");
    examples.arg(folder().join("faults/examples.py")).arg("--program").arg(built("ringleader"));
    examples.arg("--classes").arg(classes()).arg("--go").arg(scratch().join("examples"));
    at_once([
        ("Python, asyncio", suite(&["--driver", &python()])),
        ("Python, threads", suite(&["--driver", &format!("{} --sync", python())])),
        ("Go", suite(&["--driver", &scratch().join("driver").to_string_lossy()])),
        ("Java", suite(&["--driver", &java()])),
        ("wrong clients", suite(&["--controls"])),
        ("the document", document),
        ("the examples", examples),
    ])
}

/// Clients of all four languages at the same locks, for so many seconds.
fn fault_run(seconds: u64) -> bool {
    let mut command = Command::new("python3");
    command.arg(folder().join("faults/run.py")).arg("--program").arg(built("ringleader"));
    command.args(["--seconds", &seconds.to_string()]);
    for (language, driver) in [
        ("rust", built("examples/contend").to_string_lossy().into_owned()),
        ("python", format!("{} --sync", python())),
        ("go", scratch().join("driver").to_string_lossy().into_owned()),
        ("java", java()),
    ] {
        command.arg("--driver").arg(format!("{language}={driver}"));
    }
    succeeds(&mut command)
}

/// The whole fault run, for so many minutes.
pub(crate) fn long(minutes: u64) -> bool {
    if let Some((name, advice)) = missing() {
        eprintln!("error: {name} is missing here\nhint: {advice}");
        return false;
    }
    build_go() && build_java() && build_rust() && fault_run(minutes * 60)
}
