//! `cargo xtask`: the project's chores by name.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for a terminal")]

mod browser;
mod clients;
mod cross;
mod deploy;
mod dist;
mod etcd;
mod gate;
mod long;
mod network;
mod page;
mod python;
mod rehearse;
mod site;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use xtask::tidy;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test     all tests: cargo-nextest where it is installed, plain cargo test where not; doc tests either way;
           with UPDATE=1 in the environment, transcripts and the blocks of the README and the book are rewritten
  battery  every algorithm against the checker, as large as minutes allow, and every mutant, which the checker must
           kill; with UPDATE=1 the record is rewritten
  bounds   every election against its bound, from a hundred processes to a million, and the worst cases that are
           searched for: prints the tables
  rehearse clusters of the lock service without sockets, with every fault, from seeds: a million schedules on all
           cores, or [--schedules N] [--minutes M] [--seed S]; prints what happened, and how to repeat what failed
  long     what takes more than two minutes: fuzzing, the rehearsal, the long network run, repeated attacks, loads;
           all of it, or the parts named; --list lists them, --minutes M is how long each decoder is fuzzed
  page     the page, built from web/ into its crate: needs node and npm
  site     the page without a server in target/site, its engine as WebAssembly: a folder for any server of files
  browser  pictures, pages and exports, looked at with Chromium: needs node, npm and chromium
  python   the Python package: built, installed in an environment of its own, its tests and types: needs python3
           with venv, and PyPI
  clients  the clients in Python, Go and Java: their tests, the conformance suite, the document of the interface against
           servers, a minute of faults: needs python3 with venv, PyPI, go and javac
  wheel    the Python package as a wheel and as a source distribution in target/wheels, each tried: needs the same
  network  real members on several hosts, and everything that can happen to a network: needs Linux, iproute2,
           ethtool and the right to make network namespaces; --long [--minutes M] [--seed S] is faults of every
           kind at random, for half an hour if nothing else is said; --service is the lock service only
  etcd     clients of etcd that are not ours, against real servers, and beside etcd itself: needs protoc
  dist     the packages of a release in target/dist: a tarball, a Debian package, checksums; static where musl is
           there, unless --native is said; --try installs, uses and removes the Debian package in a clean Debian,
           which needs root and debootstrap; --check only packs the program of the tests, as the gate does
  deploy   the files of deploy/ against the schemas and programs of those who read them: needs python3 with venv,
           node, npm, promtool and systemd-analyze, and PyPI and npm's registry
  cross    whether the study compiles for Windows and macOS: needs their standard libraries (rustup target add)
  tidy     what the compiler does not see: layering, headers, left-overs, line lengths
  ci       the whole gate, read-only, with the time of each stage
  fix      format the code; the only command here that writes";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let passed = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test(),
        ["battery"] => battery(),
        ["bounds"] => bounds(),
        ["browser"] => browser::run(),
        ["network", options @ ..] => match network::Asked::parse(options) {
            Ok(asked) => asked.run(),
            Err(error) => {
                eprintln!("error: {error}\n\n{USAGE}");
                return ExitCode::from(2);
            }
        },
        ["rehearse", options @ ..] => match rehearse::Rehearsal::parse(options) {
            Ok(rehearsal) => rehearsal.run(),
            Err(error) => {
                eprintln!("error: {error}\n\n{USAGE}");
                return ExitCode::from(2);
            }
        },
        ["long", options @ ..] => match long::Asked::parse(options) {
            Ok(asked) => asked.run(),
            Err(error) => {
                eprintln!("error: {error}\n\n{USAGE}");
                return ExitCode::from(2);
            }
        },
        ["dist", options @ ..] => match dist::Asked::parse(options) {
            Ok(asked) => asked.run(),
            Err(error) => {
                eprintln!("error: {error}\n\n{USAGE}");
                return ExitCode::from(2);
            }
        },
        ["cross"] => cross::run(),
        ["etcd"] => etcd::run(),
        ["page"] => page::build(),
        ["clients"] => clients::check(),
        ["python"] => python::check(),
        ["wheel"] => python::wheel(),
        ["site"] => site::build().is_some(),
        ["deploy"] => deploy::run(),
        ["tidy"] => tidy(),
        ["ci"] => gate::run(),
        ["fix"] => {
            cargo(&["fmt", "--all"])
                && format_algorithms(false)
                && cargo(&["fmt", "--manifest-path", "benches/checkers/Cargo.toml"])
                && cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml"])
                && cargo(&["fmt", "--manifest-path", "bindings/python/Cargo.toml"])
                && cargo(&["fmt", "--manifest-path", "tests/etcd/Cargo.toml"])
        }
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            true
        }
        [] => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
        other => {
            eprintln!("error: there is no chore `{}`\n\n{USAGE}", other.join(" "));
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All tests. Nextest does not run doc tests, so these are run by cargo either way. `UPDATE=1` accepts what happens
/// now: the transcripts heed it themselves, the blocks of the book have another word for it.
fn test() -> bool {
    let update = std::env::var("UPDATE").is_ok_and(|value| value == "1");
    let cargo = |arguments: &[&str]| {
        let mut command = tidy::cargo();
        command.args(arguments);
        if update {
            command.env("TRYCMD", "overwrite");
        }
        succeeds(&mut command)
    };
    if has_cargo_command("nextest") {
        // Half of them wait for processes and leases most of the time: more at once than there are cores.
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let at_once = (5 * cores).div_ceil(2).to_string();
        let run = ["nextest", "run", "--workspace", "--no-fail-fast"];
        cargo(&[&run[..], &["--test-threads", &at_once]].concat()) && cargo(&["test", "--workspace", "--doc"])
    } else {
        eprintln!("note: cargo-nextest is not installed; plain cargo test does as well");
        cargo(&["test", "--workspace", "--no-fail-fast"])
    }
}

/// Builds the program as the tests do, for what else is built decides about features: so nothing is built that they
/// have built already.
fn build_program() -> bool {
    cargo(&["test", "--quiet", "--workspace", "--test", "parity", "--no-run"])
}

/// Formats the algorithms, or only looks: a macro declares their modules, so `cargo fmt` does not find them.
fn format_algorithms(check: bool) -> bool {
    let mut folders = ["clocks", "election", "mutex"]
        .map(|problem| PathBuf::from("crates/ringleader/src").join(problem))
        .to_vec();
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--config-path", "rustfmt.toml"]).args(check.then_some("--check"));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                command.arg(path);
            }
        }
    }
    succeeds(&mut command)
}

/// How what is measured in messages and states is built: nearly as fast as a release, and much faster to build.
const QUICK: &str = "--profile=quick";

/// Every algorithm against the checker, against its record; and with mistakes in it, which the checker must find.
fn battery() -> bool {
    cargo(&["test", QUICK, "-p", "ringleader", "--test", "battery", "--", "--nocapture"])
        && cargo(&["test", "--workspace", "--test", "mutants", "--", "--nocapture"])
}

/// Every election against its bound, at large n.
fn bounds() -> bool {
    cargo(&["test", QUICK, "-p", "ringleader", "--test", "bounds", "--", "--nocapture"])
        && cargo(&["test", QUICK, "-p", "ringleader-lab", "--test", "constants", "--", "--nocapture"])
}

fn tidy() -> bool {
    match tidy::check(&tidy::root()) {
        Ok(problems) if problems.is_empty() => {
            println!("tidy: nothing to complain about");
            true
        }
        Ok(problems) => {
            for problem in &problems {
                eprintln!("{problem}");
            }
            eprintln!("tidy: {} to put right", problems.len());
            false
        }
        Err(error) => {
            eprintln!("error: tidy could not read the project: {error}");
            false
        }
    }
}

/// Runs cargo in the project's root, with its output shown.
fn cargo(arguments: &[&str]) -> bool {
    succeeds(tidy::cargo().args(arguments))
}

/// Runs a command with its output shown. One that cannot be started has failed.
fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("error: {command:?} could not be started: {error}");
            false
        }
    }
}

/// Whether cargo has this command here.
fn has_cargo_command(name: &str) -> bool {
    tidy::cargo().args([name, "--version"]).output().is_ok_and(|output| output.status.success())
}
