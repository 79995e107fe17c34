//! Tests of what the page is told, held against what the command line says: stories, checks, comparisons.

mod checks;
mod comparisons;
mod stories;

use crate::words::CommandWords;
use crate::{App, dispatch, parse};
use ringleader_page::Stage;
use serde_json::Value;
use std::ffi::OsString;

fn app() -> App {
    App { program: "ringleader".into(), registry: ringleader_errata::all(), usual: Vec::new() }
}

fn stage() -> Stage {
    Stage::new(Box::new(CommandWords::new(&app())))
}

/// What the page is told.
fn ask(stage: &Stage, verb: &str, question: &Value) -> Result<Value, String> {
    let answer = stage.call(verb, question.to_string().as_bytes()).map_err(|complaint| complaint.message)?;
    serde_json::from_str(&answer).map_err(|error| format!("{error}: {answer}"))
}

/// What the command line says with `--json`: the words after `ringleader`.
fn said(words: &[&str]) -> Value {
    let args: Vec<OsString> = ["ringleader", "--json"].iter().chain(words).map(OsString::from).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let app = app();
    dispatch(&app, parse(&app, &args), &args, &mut out, &mut err, false);
    serde_json::from_slice(&out).unwrap_or_else(|error| panic!("{words:?}: {error}"))
}
