//! `ringleader completions SHELL`.

use crate::App;
use crate::args::CompletionsArgs;
use crate::console::Console;
use crate::error::Failure;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::Shell;
use serde_json::json;
use std::io::Write;

pub(crate) fn run(app: &App, args: &CompletionsArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    // The generator panics where it cannot write: it writes to memory, and we to the stream.
    let mut script = Vec::new();
    let names: Vec<&str> =
        app.registry.iter().filter(|entry| !entry.is_literal()).map(|entry| entry.spec.name).collect();
    let mut command = with_algorithms(crate::command(app), &names);
    clap_complete::generate(args.shell, &mut command, &app.program, &mut script);
    if args.shell == Shell::Fish {
        script.extend(after_commands(&command, &app.program, &names.join(" ")).into_bytes());
    }
    if console.json {
        let (shell, script) = (args.shell.to_string(), String::from_utf8_lossy(&script));
        let object = json!({ "schema": "ringleader.completions/1", "shell": shell, "script": script });
        writeln!(console.out, "{object}")?;
    } else {
        console.out.write_all(&script)?;
    }
    Ok(0)
}

/// The declaration, where every ALGORITHM is one of those that `list` prints. Only for scripts: who types another name
/// is answered by the command itself, which knows aliases and as-printed variants too.
fn with_algorithms(command: Command, names: &[&'static str]) -> Command {
    let names = PossibleValuesParser::new(names);
    command.mut_subcommands(|below| {
        below.mut_args(|arg| if is_algorithm(&arg) { arg.value_parser(names.clone()) } else { arg })
    })
}

fn is_algorithm(arg: &Arg) -> bool {
    arg.get_value_names().is_some_and(|called| called.iter().any(|name| name == "ALGORITHM"))
}

/// The generator for fish knows values of options only.
fn after_commands(command: &Command, program: &str, names: &str) -> String {
    let takes_one = |below: &&Command| below.get_positionals().any(is_algorithm);
    let function = format!("__fish_{}_using_subcommand", program.replace('-', "_"));
    let line = |below: &Command| {
        format!("complete -c {program} -n \"{function} {}\" -f -a \"{names}\"\n", below.get_name())
    };
    command.get_subcommands().filter(takes_one).map(line).collect()
}
