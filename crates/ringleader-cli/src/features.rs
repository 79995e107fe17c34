//! What a build may leave out, and what is said to whoever asks for it.

use crate::App;
use crate::args::quoted;
use crate::error::Diagnostic;
use clap::error::{ContextKind, ContextValue};
use ringleader_lab::table::Format;

/// A feature of this crate, and what only it brings.
struct Feature {
    name: &'static str,
    is_built: bool,
    commands: &'static [&'static str],
}

const FEATURES: [Feature; 3] = [
    Feature { name: "page", is_built: cfg!(feature = "page"), commands: &["serve"] },
    Feature {
        name: "cluster",
        is_built: cfg!(feature = "cluster"),
        commands: &[
            "up", "node", "status", "members", "lock", "elect", "observe", "resign", "locks", "fence",
            "doctor", "cert",
        ],
    },
    Feature { name: "manual", is_built: cfg!(feature = "manual"), commands: &["completions", "man"] },
];

/// The commands that are not in this build.
pub(crate) fn left_out() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().filter(|feature| !feature.is_built).flat_map(|feature| feature.commands.iter().copied())
}

/// What is said if the arguments ask for a command that is not in this build.
pub(crate) fn missing_command(app: &App, said: &clap::Error, words: &[String]) -> Option<Diagnostic> {
    match said.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(asked)) => missing_named(app, asked, words),
        _ => None,
    }
}

/// What is said of this command if it is not in this build.
pub(crate) fn missing_named(app: &App, asked: &str, words: &[String]) -> Option<Diagnostic> {
    let of = |feature: &&Feature| !feature.is_built && feature.commands.contains(&asked);
    let feature = FEATURES.iter().find(of)?;
    Some(missing(app, feature.name, &format!("`{asked}`"), words))
}

/// The error for something that needs this feature.
fn missing(app: &App, feature: &str, what: &str, words: &[String]) -> Diagnostic {
    let message = format!("{what} is not in this build of {}", app.program);
    let error = Diagnostic::input("ringleader::not_built_in", message);
    if cfg!(feature = "study") {
        error
            .help("this build has what studies algorithms; the whole program, in a clone:")
            .command(quoted("cargo run --profile quick -p ringleader-cli --", words), "builds and runs it")
            .command("cargo install --path crates/ringleader-cli", "installs it")
    } else {
        error.help(format!("give ringleader-cli the feature `{feature}` in your Cargo.toml"))
    }
}

/// Refuses a table that this build cannot write.
pub(crate) fn has_format(app: &App, format: Format, words: &[String]) -> Result<(), Diagnostic> {
    match format {
        Format::Parquet if !cfg!(feature = "parquet") => {
            Err(missing(app, "parquet", "Parquet", words).help("or write .csv, which needs nothing"))
        }
        Format::Csv | Format::Parquet | Format::Json | Format::Jsonl | Format::Markdown => Ok(()),
    }
}

/// Refuses a plot that this build cannot paint.
pub(crate) fn has_png(app: &App, words: &[String]) -> Result<(), Diagnostic> {
    if cfg!(feature = "png") {
        return Ok(());
    }
    Err(missing(app, "png", "PNG", words).help("or draw .svg, which needs nothing"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use std::ffi::OsString;

    fn app() -> App {
        App { program: "ringleader".into(), registry: &[], usual: Vec::new() }
    }

    #[test]
    fn feature_commands_exist_when_built() {
        let command = crate::command(&app());
        for feature in &FEATURES {
            for name in feature.commands {
                assert_eq!(command.find_subcommand(name).is_some(), feature.is_built, "{name}");
            }
        }
    }

    #[test]
    fn command_that_is_not_built_says_what_to_type() {
        for name in left_out() {
            let args: Vec<OsString> = ["ringleader", name, "--x"].map(OsString::from).into();
            let said = parse(&app(), &args).expect_err("it is not built");
            let words = vec![name.to_owned(), "--x".into()];
            let error = missing_command(&app(), &said, &words).expect("it is a command of a feature");
            let typed = format!("{name} --x");
            assert!(format!("{error:?}").contains(&typed), "{error:?}");
        }
    }

    #[test]
    fn help_on_a_command_that_is_not_built_says_what_to_type() {
        for name in left_out() {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            assert_eq!(crate::run_from(["ringleader", "help", name], &[], &mut out, &mut err), 2);
            let said = String::from_utf8_lossy(&err).into_owned();
            assert!(said.contains("not in this build") && said.contains("ringleader-cli"), "{name}: {said}");
        }
    }
}
