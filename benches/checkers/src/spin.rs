//! The ring for Spin: two models in Promela (`models/`), each turned into a program of its own by `spin` and `gcc`.
//!
//! `spin -o2` keeps variables that are written but never read in the state, where `leader` and `coordinator` belong.
//! The time is that of the compiled program by the wall clock, from its start to its end.

use crate::table::Run;
use core::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

/// How the ring is written down for Spin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Writing {
    /// With the state in a few words and the delivery in embedded C: what Spin can do at best.
    Packed,
    /// With Promela's own channels: what one usually writes.
    Channels,
}

/// What to install where Spin cannot run.
pub(crate) const HINT: &str =
    "install Spin 6.5 and a C compiler; on Debian: apt-get install spin gcc libc6-dev";

/// The version, such as `6.5.2`, if both programs are there; otherwise what is missing.
pub(crate) fn version() -> Result<String, String> {
    let run = |program: &str, argument: &str| {
        let output = Command::new(program).arg(argument).output();
        output.map_err(|error| format!("`{program}` could not be started: {error}"))
    };
    run("gcc", "--version")?;
    let output = run("spin", "-V")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let after = text.split("Version ").nth(1).and_then(|rest| rest.split_whitespace().next());
    after.map(str::to_owned).ok_or_else(|| format!("`spin -V` does not tell its version: {text}"))
}

/// A compiled model, in a directory that goes when this does.
pub(crate) struct Program {
    n: u32,
    directory: Directory,
}

/// Writes, translates and compiles the model; `optimised` as for measurements, or quickly to compare counts.
pub(crate) fn compile(n: u32, writing: Writing, optimised: bool) -> Result<Program, String> {
    let directory = Directory::new(&format!("{writing:?}-{n}"))
        .map_err(|error| format!("no directory for the model: {error}"))?;
    let path = directory.0.join("ring.pml");
    std::fs::write(&path, model(n, writing)).map_err(|error| format!("{}: {error}", path.display()))?;
    run(Command::new("spin").args(["-o2", "-a", "ring.pml"]), &directory.0)?;
    let level = if optimised { "-O3" } else { "-O0" };
    // -w: the warnings are about the code that Spin writes.
    run(
        Command::new("gcc").args([level, "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"]),
        &directory.0,
    )?;
    Ok(Program { n, directory })
}

impl Program {
    /// Searches all states, with a hash table of 2^`width` places.
    pub(crate) fn check(&self, width: u32) -> Result<Run, String> {
        let n = self.n;
        // The longest run is n(n+1)/2 + n deliveries; a start takes two steps in the model with channels.
        let depth = n * (n + 1) / 2 + 4 * n + 8;
        let mut command = Command::new(self.directory.0.join("pan"));
        command.args([format!("-m{depth}"), format!("-w{width}")]);
        let begin = Instant::now();
        let output = run(&mut command, &self.directory.0)?;
        let took = begin.elapsed();
        let text = String::from_utf8_lossy(&output.stdout);
        let complete = text.contains("errors: 0") && !text.contains("max search depth too small");
        match (before(&text, " states, stored"), before(&text, " transitions")) {
            // It counts the arrival at the initial state, too.
            (Some(states), Some(transitions)) if complete => {
                Ok(Run { states, transitions: transitions - 1, took })
            }
            _ => Err(format!("Spin's search at n = {n} did not go through:\n{text}")),
        }
    }
}

/// Widths of the hash table that are worth trying: Spin is quickest with a few places for each state, how many of
/// them depends on the caches.
pub(crate) fn widths(states: u64) -> [u32; 3] {
    let enough = states.next_power_of_two().ilog2().max(16);
    [enough, enough + 2, enough + 4]
}

/// The model for `n` processes: what depends on `n`, then the file.
fn model(n: u32, writing: Writing) -> String {
    let mut text = format!("#define N {n}\n");
    let mut define = |name: &str, each: &dyn Fn(u32) -> String| {
        let all: Vec<String> = (0..n).map(each).collect();
        let _ = writeln!(text, "#define {name} {}", all.join(" ")); // a String takes everything
    };
    match writing {
        Writing::Packed => {
            define("DELIVERIES", &|i| format!("DELIVER({i})"));
            text + include_str!("../models/packed.pml")
        }
        Writing::Channels => {
            define("STARTS", &|i| format!("START({i}, {})", (i + 1) % n));
            define("DELIVERIES", &|i| format!("DELIVER({i}, {})", (i + 1) % n));
            // Only identities of 0 ..= i-1 come to process i, to process 0 all: the others stopped at a larger one.
            define("LINKS", &|i| format!("LINK({i}, {})", if i == 0 { n } else { i }));
            text + include_str!("../models/channels.pml")
        }
    }
}

/// Runs a command to its end; a failure tells what it said.
fn run(command: &mut Command, directory: &Path) -> Result<Output, String> {
    let output = command.current_dir(directory).output();
    let output = output.map_err(|error| format!("{command:?} could not be started: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Err(format!("{command:?} failed ({}):\n{}", output.status, said.concat()))
}

/// The number before these words in the report.
fn before(text: &str, words: &str) -> Option<u64> {
    text.lines().find_map(|line| line.split_once(words)?.0.trim().parse().ok())
}

/// A directory for temporary files, removed in the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> io::Result<Directory> {
        let path = std::env::temp_dir().join(format!("checkers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Directory(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // what stays behind is in the directory for what may stay behind
    }
}
