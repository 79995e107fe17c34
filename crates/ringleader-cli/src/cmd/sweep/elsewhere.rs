//! A sweep on other processes, or on a cluster of Ray: the Python package makes it.

use crate::args::{OnArg, SweepArgs};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Which Python is asked, where it is not `python3`.
const PYTHON: &str = "RINGLEADER_PYTHON";

pub(super) fn run(
    file: &Path,
    on: OnArg,
    args: &SweepArgs,
    console: &mut Console<'_>,
) -> Result<u8, Failure> {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".into());
    must_have_package(&python)?;
    let mut command = Command::new(&python);
    command.args(["-m", "ringleader", "sweep"]).arg(file).args(&args.replace).args(["--on", on.name()]);
    command.args(args.address.iter().flat_map(|address| ["--address", address]));
    command.args(args.threads.iter().flat_map(|threads| ["--threads".to_owned(), threads.to_string()]));
    if let Some(output) = &args.output {
        command.arg("--output").arg(output);
    }
    for (flag, given) in [("--restart", args.restart), ("--json", console.json), ("--quiet", console.quiet)] {
        command.args(given.then_some(flag));
    }
    // How far it is goes to the terminal; what it says in the end goes where everything goes.
    let ran = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let ran = ran.map_err(|error| missing(&python, &error.to_string()))?;
    console.out.write_all(&ran.stdout)?;
    // A signal has no code.
    Ok(ran.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(130))
}

fn must_have_package(python: &str) -> Result<(), Diagnostic> {
    let asked = Command::new(python).args(["-c", "import ringleader"]).stdin(Stdio::null()).output();
    let asked = asked.map_err(|error| missing(python, &error.to_string()))?;
    if asked.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&asked.stderr);
    Err(missing(python, said.trim().lines().last().unwrap_or("it does not say why")))
}

fn missing(python: &str, why: &str) -> Diagnostic {
    Diagnostic::environment(
        "no_python_package",
        format!("--on needs the Python package, and `{python}` has none: {why}"),
    )
    .help("in a clone:")
    .command("pip install '.[ray]'", "installs it, and Ray")
    .help(format!("another Python: {PYTHON}=/path/to/python; without Python: --shard 1/4, on each machine"))
}
