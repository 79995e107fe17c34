//! `ringleader help [COMMAND]...`, and the list of all commands, grouped by what they are for.

use crate::args::HelpArgs;
use crate::console::{BOLD, Console, RESET};
use crate::error::{Diagnostic, Failure};
use crate::{App, features};
use clap::Command;
use ringleader_lab::layout::fold;
use ringleader_lab::suggest::closest;
use serde_json::json;
use std::io::Write;

/// The commands as `help` and `--help` list them. One that is not in this build is left out.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Study", &["list", "show", "run", "check", "compare", "worst", "sweep"]),
    ("Look", &["serve", "trace", "replay", "report", "grade"]),
    ("Network", &["up", "node", "status", "doctor", "cert"]),
    ("Locks", &["lock", "elect", "observe", "locks", "members", "resign", "fence"]),
    ("Program", &["help", "completions", "man"]),
];

pub(crate) fn run(app: &App, args: &HelpArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let command = crate::command(app);
    let mut found = &command;
    let mut called = app.program.clone();
    for name in &args.command {
        let is_called = |below: &Command| below.get_name() == name && !below.is_hide_set();
        found = match found.get_subcommands().find(|below| is_called(below)) {
            Some(below) => below,
            None => {
                let words = ["help".to_owned(), name.clone()];
                let missing = features::missing_named(app, name, &words);
                return Err(missing.unwrap_or_else(|| unknown(&called, name, found)).into());
            }
        };
        called = format!("{called} {name}");
    }
    let words = called.split(' ').chain(["--help"]);
    // The same as `--help` prints, which is an answer in the shape of an error.
    let Err(help) = crate::command(app).try_get_matches_from(words) else { return Ok(0) };
    let help = help.render();
    if console.json {
        let object = json!({ "schema": "ringleader.help/1", "command": called, "text": help.to_string() });
        writeln!(console.out, "{object}")?;
    } else {
        write!(console.out, "{}", help.ansi())?;
    }
    Ok(0)
}

fn unknown(called: &str, name: &str, above: &Command) -> Diagnostic {
    let names: Vec<&str> = visible(above).map(Command::get_name).collect();
    let error =
        Diagnostic::input("ringleader::unknown_command", format!("`{called}` has no command `{name}`"));
    let error = match closest(name, names.iter().copied()) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => error.help("see which there are:"),
    };
    let (program, below) = called.split_once(' ').unwrap_or((called, ""));
    error.command(format!("{program} help {below}").trim_end().to_owned(), "")
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

/// The declaration with its commands in groups, in lines of at most 80 columns.
pub(crate) fn grouped(command: Command) -> Command {
    let widest = visible(&command).map(|below| below.get_name().len()).max().unwrap_or(0);
    let mut list = String::new();
    for (title, names) in GROUPS {
        let known = |name: &&str| visible(&command).find(|below| below.get_name() == *name);
        let known: Vec<&Command> = names.iter().filter_map(known).collect();
        if known.is_empty() {
            continue;
        }
        list += &format!("{BOLD}{title}{RESET}\n");
        for below in known {
            let about = below.get_about().map(ToString::to_string).unwrap_or_default();
            let start = format!("  {BOLD}{:<widest$}{RESET}  ", below.get_name());
            list += &fold(&start, &about, widest + 4);
            list.push('\n');
        }
        list.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{BOLD}Options{RESET}\n{{options}}{{after-help}}\n"
    );
    command.max_term_width(80).help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn each_command_is_in_one_group() {
        let command = Cli::command();
        for below in visible(&command) {
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&below.get_name()));
            assert_eq!(groups.count(), 1, "{}", below.get_name());
        }
    }
}
