//! `ringleader grade FOLDER`: judges the links of a class. Every run is made again; a link that says what is not so
//! fails, and the reason is in the result.

use crate::App;
use crate::args::GradeArgs;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::Output;
use ringleader_page::goal::{BYTES_MAX, Link, Verdict};
use ringleader_page::{Program, Stage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How the names of goals end.
const ENDING: &str = ".goal.toml";
/// What somebody hands in is a few links.
const HANDED_IN_MAX: u64 = 1 << 20;

/// What became of one link, or of a file without any.
struct Mark {
    file: String,
    who: String,
    goal: Option<String>,
    /// `passed`, `failed`, `refused`, `tampered`, `unreadable` or `missing`.
    result: &'static str,
    why: String,
    verdict: Option<Verdict>,
    edits: Vec<String>,
    /// Who handed in the same edits before.
    same_as: Option<String>,
}

pub(crate) fn run(app: &App, args: &GradeArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let mut stage = Stage::new(Box::new(Program::new(app)));
    if let Some(folder) = &args.goals {
        add_goals(&mut stage, folder)?;
    }
    for name in &args.goal {
        stage.goal(name)?;
    }
    let files = files(&args.folder, &args.output)?;
    let mut output = Output::claim(&args.output, args.force)?;
    let mut marks: Vec<Mark> = files.iter().flat_map(|path| judge(&stage, path, &args.goal)).collect();
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
            let goal = mark.goal.as_deref().unwrap_or("-");
            writeln!(console.out, "{:10}  {}  {goal}  {}", mark.result, mark.file, mark.why)?;
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
        let Some(name) = name else { continue };
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

/// The files of a folder, by name.
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
        if path.is_file() && !hidden {
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
        return Err(Diagnostic::input("nothing_handed_in", message)
            .help("put one file for each student into the folder, with the links that the page gives"));
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
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mark = |result, why: String, link: Option<Link>, verdict| {
        let (goal, who, edits) =
            link.map_or((None, String::new(), Vec::new()), |link| (Some(link.goal), link.who, link.edits));
        Mark { file: file.clone(), who, goal, result, why, verdict, edits, same_as: None }
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
    })
}
