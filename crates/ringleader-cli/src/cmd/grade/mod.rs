//! `ringleader grade FOLDER`: judges the links and the crates of a class. Every run is made again; a link that says
//! what is not so fails, and the reason is in the result. A crate is tried with what the exercise asks.

mod bench;

use crate::App;
use crate::args::GradeArgs;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::Output;
use bench::{Bench, Outcome, Tried};
use ringleader_page::goal::{BYTES_MAX, Link, Verdict};
use ringleader_page::{Program, Stage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the names of goals end.
const ENDING: &str = ".goal.toml";
/// What somebody hands in is a few links.
const HANDED_IN_MAX: u64 = 1 << 20;

/// What became of one link, of a file without any, or of a crate.
#[derive(Default)]
struct Mark {
    file: String,
    who: String,
    goal: Option<String>,
    /// `passed`, `failed`, `refused`, `tampered`, `unreadable` or `missing`; of a crate also `broken`.
    result: &'static str,
    why: String,
    verdict: Option<Verdict>,
    edits: Vec<String>,
    /// Who handed in the same edits before.
    same_as: Option<String>,
    /// The title of the exercise that a crate is for, and what became of each thing that was asked.
    exercise: Option<String>,
    parts: Vec<Outcome>,
}

pub(crate) fn run(app: &App, args: &GradeArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let mut stage = Stage::new(Box::new(Program::new(app)));
    if let Some(folder) = &args.goals {
        add_goals(&mut stage, folder)?;
    }
    for name in &args.goal {
        stage.goal(name)?;
    }
    let limit = Duration::from_secs(args.limit.into());
    let bench = args.exercise.as_ref().map(|exercise| Bench::of(exercise, limit)).transpose()?;
    let files = files(&args.folder, &args.output)?;
    let mut output = Output::claim(&args.output, args.force)?;
    let mut marks = Vec::new();
    for path in &files {
        if path.is_dir() {
            marks.push(try_out(bench.as_ref(), path)?);
        } else {
            marks.extend(judge(&stage, path, &args.goal));
        }
    }
    compare(&mut marks);
    let passed = marks.iter().filter(|mark| mark.result == "passed").count();
    let answer = json!({
        "schema": "ringleader.grade/1",
        "version": app.version(),
        "folder": args.folder.display().to_string(),
        "files": files.len(),
        "passed": passed,
        "marks": marks.iter().map(of).collect::<Vec<Value>>(),
    });
    serde_json::to_writer_pretty(&mut output, &answer).map_err(io::Error::from)?;
    writeln!(output)?;
    output.finish()?;
    if console.json {
        writeln!(console.out, "{answer}")?;
    } else if !console.quiet {
        for mark in &marks {
            let what = mark.goal.as_deref().or(mark.exercise.as_deref()).unwrap_or("-");
            writeln!(console.out, "{:10}  {}  {what}  {}", mark.result, mark.file, mark.why)?;
        }
        writeln!(console.out, "{passed} of {} passed; {} has it all", marks.len(), args.output.display())?;
    }
    Ok(u8::from(passed < marks.len()))
}

/// Adds the goals of a folder; a lecturer's goal that cannot be read stops the grading.
pub(super) fn add_goals(stage: &mut Stage, folder: &Path) -> Result<(), Diagnostic> {
    let mut found = 0;
    for path in listed(folder, "--goals")? {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING));
        let Some(name) = name.filter(|_| path.is_file()) else { continue };
        let text = text(&path, BYTES_MAX as u64).map_err(|why| {
            Diagnostic::input("bad_goal", format!("goal `{name}`: cannot read {}: {why}", path.display()))
                .help("a goal is a text file, NAME.goal.toml")
        })?;
        stage.add_goal(name, &text)?;
        found += 1;
    }
    if found > 0 {
        return Ok(());
    }
    let message = format!("--goals {}: there is no file named *{ENDING}", folder.display());
    Err(Diagnostic::input("no_goals", message).help("goals/README.md says how to write one"))
}

/// What is in a folder, by name; nothing that is hidden.
fn listed(folder: &Path, what: &str) -> Result<Vec<PathBuf>, Diagnostic> {
    let unread = |error: io::Error| {
        let why = if error.kind() == io::ErrorKind::NotFound {
            "there is no such folder".to_owned()
        } else if error.kind() == io::ErrorKind::NotADirectory {
            "it is no folder".to_owned()
        } else {
            format!("cannot read the folder: {error}")
        };
        Diagnostic::input("no_folder", format!("{what} {}: {why}", folder.display()))
            .help("name a folder with one file for each")
    };
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).map_err(unread)? {
        let path = file.map_err(unread)?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// What was handed in: everything but an earlier result.
fn files(folder: &Path, result: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut files = listed(folder, "grade")?;
    let result = result.canonicalize().ok();
    files.retain(|path| path.canonicalize().ok() != result || result.is_none());
    if files.is_empty() {
        let message = format!("{}: nothing was handed in", folder.display());
        return Err(Diagnostic::input("nothing_handed_in", message).help(
            "put one file for each student into the folder, with the links that the page gives, or one crate",
        ));
    }
    Ok(files)
}

fn text(path: &Path, most: u64) -> Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(most + 1).read_to_string(&mut text).map_err(|error| {
        if error.kind() == io::ErrorKind::InvalidData {
            "it is no text".to_owned()
        } else {
            error.to_string()
        }
    })?;
    if text.len() as u64 > most { Err(format!("it has more than {most} bytes")) } else { Ok(text) }
}

/// The marks of one file: of each link in it, and of each goal that is missing.
fn judge(stage: &Stage, path: &Path, wanted: &[String]) -> Vec<Mark> {
    let file = name_of(path);
    let mark = |result, why: String, link: Option<Link>, verdict| {
        let (goal, who, edits) =
            link.map_or((None, String::new(), Vec::new()), |link| (Some(link.goal), link.who, link.edits));
        Mark { file: file.clone(), who, goal, result, why, verdict, edits, ..Mark::default() }
    };
    let handed = match text(path, HANDED_IN_MAX) {
        Ok(handed) => handed,
        Err(why) => return vec![mark("unreadable", why, None, None)],
    };
    let links: Vec<_> =
        handed.match_indices("#/goal?").map(|(at, _)| Link::find(line(&handed, at))).collect();
    let links = if links.is_empty() { vec![Link::find("")] } else { links };
    let mut marks: Vec<Mark> = links
        .into_iter()
        .map(|link| match link {
            Err(why) => mark("unreadable", why.message, None, None),
            Ok(link) => match stage.judge(&link) {
                Ok(verdict) if verdict.reached => {
                    mark("passed", verdict.why.clone(), Some(link), Some(verdict))
                }
                Ok(verdict) => mark("failed", verdict.why.clone(), Some(link), Some(verdict)),
                Err(why) if why.code.ends_with("tampered") => mark("tampered", why.message, Some(link), None),
                Err(why) => mark("refused", why.message, Some(link), None),
            },
        })
        .collect();
    for goal in wanted {
        if !marks.iter().any(|mark| mark.goal.as_ref() == Some(goal)) {
            let missing = mark("missing", "no link to this goal was handed in".to_owned(), None, None);
            marks.push(Mark { goal: Some(goal.clone()), ..missing });
        }
    }
    marks
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The mark of a crate.
fn try_out(bench: Option<&Bench>, path: &Path) -> Result<Mark, Diagnostic> {
    let mark = |result, why, parts| {
        let exercise = bench.map(|bench| bench.exercise.title.clone());
        Mark { file: name_of(path), result, why, exercise, parts, ..Mark::default() }
    };
    let Some(bench) = bench else {
        let why = "it is a folder; with `--exercise DIR` it is taken for a crate".to_owned();
        return Ok(mark("unreadable", why, Vec::new()));
    };
    Ok(match bench.try_out(path)? {
        Tried::Incomplete(why) => mark("missing", why, Vec::new()),
        Tried::Broken(why) => mark("broken", why, Vec::new()),
        Tried::Asked(parts) => match parts.iter().find(|part| !part.passed) {
            Some(part) => mark("failed", format!("{}: {}", part.title, part.why), parts),
            None => mark("passed", format!("all of {}", parts.len()), parts),
        },
    })
}

/// From here to the end of the line.
fn line(text: &str, at: usize) -> &str {
    text[at..].lines().next().unwrap_or_default()
}

/// Says who handed in the same edits for the same goal as somebody before. That is no proof of anything: short answers
/// are alike.
fn compare(marks: &mut [Mark]) {
    let mut first: BTreeMap<(String, Vec<String>), String> = BTreeMap::new();
    for mark in marks.iter_mut().filter(|mark| mark.result == "passed") {
        let key = (mark.goal.clone().unwrap_or_default(), mark.edits.clone());
        match first.get(&key) {
            Some(file) if *file != mark.file => mark.same_as = Some(file.clone()),
            Some(_) => {}
            None => drop(first.insert(key, mark.file.clone())),
        }
    }
}

fn of(mark: &Mark) -> Value {
    json!({
        "file": mark.file,
        "who": mark.who,
        "goal": mark.goal,
        "result": mark.result,
        "why": mark.why,
        "edits": mark.edits,
        "steps": mark.verdict.as_ref().map(|verdict| verdict.steps),
        "conditions": mark.verdict.as_ref().map(|verdict| &verdict.conditions),
        "same_as": mark.same_as,
        "exercise": mark.exercise,
        "parts": mark.exercise.is_some().then(|| mark.parts.iter().map(part).collect::<Vec<Value>>()),
    })
}

fn part(part: &Outcome) -> Value {
    json!({ "title": part.title, "passed": part.passed, "why": part.why })
}
