//! The command line of Ringleader. One call gives another crate all of it, over its own algorithms:
//!
//! ```no_run
//! use ringleader::registry::{self, Entry};
//! static MINE: &[Entry] = &[Entry::election::<ringleader::election::ChangRoberts>()];
//!
//! fn main() -> std::process::ExitCode {
//!     ringleader_cli::main(MINE)
//! }
//! ```

mod args;
mod cmd;
mod console;
mod error;
mod features;
mod output;
mod progress;
mod watch;

use args::{Cli, Color};
use clap::{CommandFactory, FromArgMatches};
use console::{Console, Plain, Stream};
use error::Failure;
use ringleader::registry::{self, Entry};
pub(crate) use ringleader_lab::App;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Options that an environment variable may give, for whoever does not ask this command line.
const FROM_ENVIRONMENT: [(&str, &str); 3] =
    [("seed", "RINGLEADER_SEED"), ("max-steps", "RINGLEADER_MAX_STEPS"), ("threads", "RINGLEADER_THREADS")];

fn app(registry: &'static [Entry], first: Option<&OsString>) -> App {
    let given = |(option, name): (&'static str, &str)| Some((option, std::env::var(name).ok()?));
    App {
        program: program(registry, first),
        registry: registry::own(registry),
        usual: FROM_ENVIRONMENT.into_iter().filter_map(given).collect(),
    }
}

/// The whole command line over these algorithms, on the arguments, the terminal and the environment of this program.
#[must_use]
pub fn main(registry: &'static [Entry]) -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let app = app(registry, args.first());
    let parsed = parse(&app, &args);
    if let Ok(cli) = &parsed {
        match cli.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
    if let Some(width) = console::width() {
        ringleader_lab::layout::obey_terminal(width.into());
    }
    let bars = std::io::stderr().is_terminal();
    let (mut out, mut err) = (anstream::stdout(), anstream::stderr());
    ExitCode::from(dispatch(&app, parsed, &args, &mut out, &mut err, bars))
}

/// The same with the arguments (the first is the name of the program) and the two streams given; gives the exit code.
/// There is no colour unless the arguments say `--color always`, and no progress bar.
pub fn run_from<Arg: Into<OsString>>(
    args: impl IntoIterator<Item = Arg>,
    registry: &'static [Entry],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let app = app(registry, args.first());
    let parsed = parse(&app, &args);
    if matches!(&parsed, Ok(cli) if cli.color == Color::Always) {
        return dispatch(&app, parsed, &args, out, err, false);
    }
    dispatch(&app, parsed, &args, &mut Plain::new(out), &mut Plain::new(err), false)
}

/// The name under which the program is known: `ringleader` over our own algorithms, the caller's otherwise.
fn program(registry: &'static [Entry], first: Option<&OsString>) -> String {
    let stem = first.and_then(|path| std::path::Path::new(path).file_stem()).and_then(|stem| stem.to_str());
    match stem {
        Some(stem) if !is_ours(registry) => stem.to_owned(),
        Some(_) | None => "ringleader".to_owned(),
    }
}

#[cfg(feature = "study")]
pub(crate) fn is_ours(registry: &'static [Entry]) -> bool {
    std::ptr::eq(registry, ringleader_errata::all())
}

#[cfg(not(feature = "study"))]
pub(crate) fn is_ours(_: &'static [Entry]) -> bool {
    false
}

fn parse(app: &App, args: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = command(app).try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches)
}

/// The declaration of the whole command line, under the name of the program.
pub(crate) fn command(app: &App) -> clap::Command {
    let command = Cli::command().name(app.program.clone()).bin_name(app.program.clone());
    let left_out: Vec<&str> = features::left_out().collect();
    if left_out.is_empty() {
        return cmd::help::grouped(command);
    }
    let mut after = command.get_after_help().map_or_else(String::new, ToString::to_string);
    after.push_str(&format!("\n\nNot in this build (each says what to type): {}", left_out.join(", ")));
    cmd::help::grouped(command.after_help(after))
}

fn dispatch(
    app: &App,
    parsed: Result<Cli, clap::Error>,
    args: &[OsString],
    out: &mut dyn Write,
    err: &mut dyn Write,
    bars: bool,
) -> u8 {
    let cli = match parsed {
        Ok(cli) => cli,
        Err(said) => {
            let json = args.iter().any(|arg| arg == "--json");
            let words: Vec<String> =
                args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
            return match features::missing_command(app, &said, &words) {
                Some(diagnostic) if json => error::write_json(&diagnostic, out),
                Some(diagnostic) => error::write(&diagnostic, err),
                None => error::usage(&said, json, out, err),
            };
        }
    };
    let (mut out, mut err) = (Stream::new(out), Stream::new(err));
    let mut console = Console { out: &mut out, err: &mut err, json: cli.json, quiet: cli.quiet, bars };
    let done = cmd::run(app, cli.command, &mut console).and_then(|code| {
        console.out.flush()?;
        Ok(code)
    });
    match done {
        Ok(code) => code,
        Err(failure) => failure.tell(&mut console),
    }
}

impl Failure {
    fn tell(self, console: &mut Console<'_>) -> u8 {
        match self {
            Failure::Output(error) => {
                let said = format!("cannot write the output: {error}");
                error::write(&error::Diagnostic::new("output", 4, said), console.err)
            }
            Failure::Said(diagnostic) if console.json => error::write_json(&diagnostic, console.out),
            Failure::Said(diagnostic) => error::write(&diagnostic, console.err),
        }
    }
}
