//! `ringleader completions SHELL`.

use crate::App;
use crate::args::CompletionsArgs;
use crate::console::Console;
use crate::error::Failure;
use serde_json::json;
use std::io::Write;

pub(crate) fn run(app: &App, args: &CompletionsArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    // The generator panics where it cannot write: it writes to memory, and we to the stream.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(app), &app.program, &mut script);
    if console.json {
        let (shell, script) = (args.shell.to_string(), String::from_utf8_lossy(&script));
        let object = json!({ "schema": "ringleader.completions/1", "shell": shell, "script": script });
        writeln!(console.out, "{object}")?;
    } else {
        console.out.write_all(&script)?;
    }
    Ok(0)
}
