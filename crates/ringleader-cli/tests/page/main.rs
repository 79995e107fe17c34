//! What the page is told, held against what the command line says: runs, stories, checks, comparisons.

mod checks;
mod command;
mod comparisons;
mod stories;

use ringleader_lab::{App, Diagnostic};
use ringleader_page::{Program, Stage};
use serde_json::Value;

fn program() -> Program {
    let registry = ringleader_errata::all();
    Program::new(&App { program: "ringleader".into(), registry, usual: Vec::new() })
}

fn stage() -> Stage {
    Stage::new(Box::new(program()))
}

/// What the page is told.
fn ask(stage: &Stage, verb: &str, question: &Value) -> Result<Value, Diagnostic> {
    let answer = stage.call(verb, question.to_string().as_bytes())?;
    Ok(serde_json::from_str(&answer).expect("an answer is JSON"))
}

/// The command line on these words after `ringleader`, with `--json`; gives the exit code and the JSON.
fn command_line<'w>(words: impl IntoIterator<Item = &'w str>) -> (u8, Value) {
    let words: Vec<&str> = ["ringleader", "--json"].into_iter().chain(words).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = ringleader_cli::run_from(words.iter().copied(), ringleader_errata::all(), &mut out, &mut err);
    let text = String::from_utf8(out).expect("UTF-8");
    (code, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}: {text}")))
}

/// The JSON alone.
fn said(words: &[&str]) -> Value {
    command_line(words.iter().copied()).1
}
