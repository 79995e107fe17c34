//! The command line from outside: one binary, one module per concern.

mod bad_input; // what is wrong is said, with exit code 2, and nothing panics
mod check; // every run of a few processes
mod cluster; // certificates, doctor, status
mod compare; // algorithms side by side: the same seeds, tables, plots
#[cfg(target_os = "linux")]
mod deploy; // the unit and the image can run a lock service
#[cfg(target_os = "linux")]
mod elect; // a command runs while a member leads
mod environment; // closed pipes, full disks, colours
mod fake; // a member that says what a test wants
mod grade; // what students hand in
mod help; // the help command, and quiet runs
mod json; // the fields that others rely on
mod layout; // what people read fits the terminal
mod library; // the same command line over other algorithms
#[cfg(target_os = "linux")]
mod lock; // a command runs under a lock
mod reading; // list, show, completions, man
mod repeat; // the seed, the command that repeats a run, recordings
mod report; // the pages of the algorithms
mod serve; // the page and its interface, over a socket
#[cfg(target_os = "linux")]
mod service; // a lock service of real processes
mod settings; // the algorithms' own: coordinators, elections inside, tokens
mod snapshot; // snapshots, vector clocks, and a synchroniser
mod sweep; // grids of runs: repeated, killed, sharded, mistaken
#[cfg(target_os = "linux")]
mod terminal; // a command under a lock, with a pseudo-terminal
mod trace; // recorded runs as pictures, pages and in the formats of other tools
mod transcripts; // the scenarios of the library's transcripts are commands
mod worst; // the arrangement with the most messages

use std::path::PathBuf;
use std::process::{Command, Output};

/// The binary with these arguments, in an environment without our variables.
fn ringleader(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.args(args);
    for name in ["RINGLEADER_SEED", "RINGLEADER_MAX_STEPS", "RINGLEADER_THREADS", "RINGLEADER_COLOR"] {
        command.env_remove(name);
    }
    command.env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
    command
}

/// A text with its lines joined: where they break depends on how long the words are.
fn unfolded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a run of it gave.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn run(args: &[&str]) -> Ran {
    ran(ringleader(args).output().expect("the binary runs"))
}

fn ran(output: Output) -> Ran {
    let ran = Ran {
        code: output.status.code().expect("it ended by itself"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

/// The JSON object that a run of it gave.
fn json(args: &[&str]) -> serde_json::Value {
    let ran = run(args);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {} {}", ran.out, ran.err))
}

/// A file of this test run with this content.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = path(name);
    std::fs::write(&path, content).expect("a file in the target directory");
    path
}

/// A path for a file of this test run.
fn path(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    path.to_str().expect("a path that is UTF-8").to_owned()
}
