//! Where crates that are handed in are tried: in a folder beside the exercise, what is taken from the crate and the
//! files of the exercise are put together, built, and asked what the exercise asks.

use crate::error::Diagnostic;
use ringleader_errata::diff::Mutant;
use ringleader_page::exercise::{self, Exercise, Part};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The file that says what is asked.
const EXERCISE: &str = "exercise.toml";
/// The mistakes that the tests of whoever hands in have to find.
const MISTAKES: &str = "mistakes.txt";
/// What cargo makes; it is kept, so that the next crate is built soon.
const BUILT: &str = "target";
/// Nobody reads more than this of what a program says.
const SAID_MAX: u64 = 16 << 20;
/// To build takes so many times as long as to run, at most.
const BUILDING: u32 = 20;

/// What became of one thing that was asked.
pub(super) struct Outcome {
    pub(super) title: String,
    pub(super) passed: bool,
    pub(super) why: String,
}

/// What became of a crate: that it cannot be tried, or each thing that was asked.
pub(super) enum Tried {
    /// Something of it is missing, or is no file.
    Incomplete(String),
    /// It cannot be built.
    Broken(String),
    Asked(Vec<Outcome>),
}

pub(super) struct Bench {
    pub(super) exercise: Exercise,
    folder: PathBuf,
    /// Where crate and exercise are put together.
    place: PathBuf,
    mistakes: Vec<Mutant>,
    limit: Duration,
}

impl Bench {
    /// Reads an exercise.
    pub(super) fn of(folder: &Path, limit: Duration) -> Result<Bench, Diagnostic> {
        let wrong = |message: String| {
            Diagnostic::input("bad_exercise", message)
                .help("docs/teach/assignments.md says what an exercise is made of")
        };
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path)
                .map_err(|error| wrong(format!("cannot read {}: {error}", path.display())))
        };
        let exercise = exercise::parse(&read(EXERCISE)?)?;
        let mistakes = match &exercise.mistakes_in {
            Some(file) => {
                let mistakes =
                    Mutant::parse_all(&read(MISTAKES)?).map_err(|why| wrong(format!("{MISTAKES}: {why}")))?;
                let right = read(file)?;
                for mistake in &mistakes {
                    mistake.change.apply(&right).map_err(|why| wrong(format!("{MISTAKES}: {why}")))?;
                }
                if mistakes.is_empty() {
                    return Err(wrong(format!("{MISTAKES} has no mistake in it")));
                }
                mistakes
            }
            None => Vec::new(),
        };
        let folder =
            folder.canonicalize().map_err(|error| wrong(format!("{}: {error}", folder.display())))?;
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let place = folder.with_file_name(format!("{name}.grading"));
        Ok(Bench { exercise, folder, place, mistakes, limit })
    }

    /// Tries what somebody handed in. An error is one of this machine or of the exercise, and ends the grading.
    pub(super) fn try_out(&self, handed_in: &Path) -> Result<Tried, Diagnostic> {
        self.clear().and_then(|()| copy(&self.folder, &self.place, &[EXERCISE, MISTAKES, BUILT])).map_err(
            |error| {
                Diagnostic::environment("no_room", format!("cannot write {}: {error}", self.place.display()))
            },
        )?;
        for path in &self.exercise.takes {
            let _ = remove(&self.place.join(path));
            if let Err(error) = copy(&handed_in.join(path), &self.place.join(path), &[]) {
                return Ok(Tried::Incomplete(format!("{path}: {error}")));
            }
        }
        let mut outcomes = Vec::new();
        if !self.exercise.parts.is_empty() {
            let programs = match self.build(&["build"])? {
                Ok(programs) => programs,
                Err(why) => return Ok(Tried::Broken(why)),
            };
            let [program] = &programs[..] else {
                let message =
                    format!("{} has {} programs; it needs one", self.folder.display(), programs.len());
                return Err(Diagnostic::input("bad_exercise", message).help("src/main.rs is the program"));
            };
            outcomes.extend(self.exercise.parts.iter().map(|part| self.ask(program, part)));
        }
        if let Some(file) = &self.exercise.mistakes_in {
            match self.build(&["test", "--no-run"])? {
                Err(why) => return Ok(Tried::Broken(why)),
                Ok(tests) => outcomes.extend(self.look_for_mistakes(file, &tests)?),
            }
        }
        Ok(Tried::Asked(outcomes))
    }

    /// Whether tests that find nothing wrong with what is right find each mistake.
    fn look_for_mistakes(&self, file: &str, tests: &[PathBuf]) -> Result<Vec<Outcome>, Diagnostic> {
        let title = "the tests pass where nothing is wrong".to_owned();
        if let Some(why) = self.failing(tests) {
            return Ok(vec![Outcome { title, passed: false, why }]);
        }
        let mut outcomes =
            vec![Outcome { title, passed: true, why: format!("{} passed", programs(tests.len())) }];
        let path = self.place.join(file);
        let unread =
            |error: io::Error| Diagnostic::environment("no_room", format!("{}: {error}", path.display()));
        let right = fs::read_to_string(&path).map_err(unread)?;
        for mistake in &self.mistakes {
            let bad = |why: String| {
                Diagnostic::input("bad_exercise", format!("{MISTAKES}, `{}`: {why}", mistake.what))
            };
            fs::write(&path, mistake.change.apply(&right).map_err(bad)?).map_err(unread)?;
            let tests = self.build(&["test", "--no-run"])?.map_err(bad)?;
            let found = self.failing(&tests);
            outcomes.push(Outcome {
                title: format!("the tests find a mistake: {}", mistake.what),
                passed: found.is_some(),
                why: found.unwrap_or_else(|| "all tests pass with the mistake in it".into()),
            });
        }
        fs::write(&path, right).map_err(unread)?;
        Ok(outcomes)
    }

    /// Which of these tests fails, and how; none if all pass.
    fn failing(&self, tests: &[PathBuf]) -> Option<String> {
        tests.iter().find_map(|test| {
            let said = self.run(Command::new(test).current_dir(&self.place), self.limit);
            match said {
                Ok(said) if said.status.success() => None,
                Ok(said) => {
                    let failed = said.out.lines().find_map(|line| line.strip_suffix(" ... FAILED"));
                    Some(
                        failed
                            .map_or_else(|| format!("exit {}", said.status), |line| format!("{line} fails")),
                    )
                }
                Err(why) => Some(why),
            }
        })
    }

    /// Runs the program with the arguments of a part.
    fn ask(&self, program: &Path, part: &Part) -> Outcome {
        let mut command = Command::new(program);
        command.args(&part.arguments).current_dir(&self.place);
        let (passed, why) = match self.run(&mut command, self.limit) {
            Ok(said) => judged(&said, part),
            Err(why) => (false, why),
        };
        Outcome { title: part.title.clone(), passed, why }
    }

    /// Builds with cargo; the programs, or what the compiler says.
    fn build(&self, words: &[&str]) -> Result<Result<Vec<PathBuf>, String>, Diagnostic> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(&cargo);
        command
            .args(words)
            .args(["--quiet", "--message-format=json-render-diagnostics"])
            .current_dir(&self.place);
        command.env("CARGO_TERM_COLOR", "never");
        if let Err(error) = Command::new(&cargo).arg("--version").stdout(Stdio::null()).status() {
            let message = format!("cannot start {}: {error}", cargo.display());
            return Err(Diagnostic::environment("no_cargo", message)
                .help("crates that are handed in are built with Rust: https://rustup.rs"));
        }
        Ok(self.run(&mut command, self.limit * BUILDING).and_then(|said| {
            if !said.status.success() {
                let why = said.err.lines().find(|line| line.starts_with("error"));
                return Err(why.unwrap_or("it cannot be built").to_owned());
            }
            let of = |line: &str| {
                let message: Value = serde_json::from_str(line).ok()?;
                message["executable"].as_str().map(PathBuf::from)
            };
            Ok(said.out.lines().filter_map(of).collect())
        }))
    }

    /// Runs a program to its end, or to the limit.
    fn run(&self, command: &mut Command, limit: Duration) -> Result<Said, String> {
        let kept = || tempfile::tempfile().map_err(|error| format!("no place for what it says: {error}"));
        let (mut out, mut err) = (kept()?, kept()?);
        let copied = |file: &File| file.try_clone().map_err(|error| error.to_string());
        command.stdin(Stdio::null()).stdout(copied(&out)?).stderr(copied(&err)?);
        let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
        let begin = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(error.to_string()),
            }
            let long = begin.elapsed() > limit;
            if long || [&out, &err].iter().any(|file| file.metadata().is_ok_and(|data| data.len() > SAID_MAX))
            {
                let _ = child.kill();
                let _ = child.wait();
                let too_long = format!("it runs longer than {} s", limit.as_secs());
                return Err(if long { too_long } else { "it says more than anybody reads".into() });
            }
        };
        let mut said = Said { status, out: String::new(), err: String::new() };
        for (file, text) in [(&mut out, &mut said.out), (&mut err, &mut said.err)] {
            let mut bytes = Vec::new();
            let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
            read.map_err(|error| error.to_string())?;
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Ok(said)
    }

    /// Takes away everything but what was built.
    fn clear(&self) -> io::Result<()> {
        fs::create_dir_all(&self.place)?;
        for entry in fs::read_dir(&self.place)? {
            let entry = entry?;
            if entry.file_name() != BUILT {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// What a program said.
struct Said {
    status: ExitStatus,
    out: String,
    err: String,
}

/// Whether a part passed: by the exit code, and by the messages where there is a limit.
fn judged(said: &Said, part: &Part) -> (bool, String) {
    let answer: Value = serde_json::from_str(&said.out).unwrap_or(Value::Null);
    let violated = || {
        let wrong = |property: &&Value| property["verdict"] == "violated" || property["holds"] == false;
        let property = answer["properties"].as_array()?.iter().find(wrong)?;
        Some(format!("violated: {}", property["name"].as_str()?))
    };
    if !said.status.success() {
        let refused: Option<Value> = serde_json::from_str(&said.err).ok();
        let refused = refused.and_then(|refused| Some(refused["message"].as_str()?.to_owned()));
        let first = said.err.lines().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let ended = || format!("it ends with {}", said.status);
        return (false, violated().or(refused).or(first).unwrap_or_else(ended));
    }
    if answer.is_null() {
        return (false, "it gives no answer".into());
    }
    match (part.messages_at_most, answer["messages"]["total"].as_u64()) {
        (Some(most), Some(sent)) if sent > most => {
            (false, format!("{sent} messages; at most {most} are allowed"))
        }
        (Some(_), None) => (false, "it does not say how many messages it sends".into()),
        (Some(_), Some(sent)) => (true, format!("{sent} messages")),
        (None, _) => (true, "holds".into()),
    }
}

fn programs(count: usize) -> String {
    if count == 1 { "1 program of tests".into() } else { format!("{count} programs of tests") }
}

/// Copies a file or a folder. Links are not followed: what is handed in is not to lead to what is elsewhere.
fn copy(from: &Path, to: &Path, without: &[&str]) -> io::Result<()> {
    let kind = fs::symlink_metadata(from)?.file_type();
    if kind.is_file() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(from, to)?;
        return Ok(());
    }
    if !kind.is_dir() {
        return Err(io::Error::other("it is neither a file nor a folder"));
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !without.iter().any(|left_out| name == *left_out) {
            copy(&from.join(&name), &to.join(&name), &[])?;
        }
    }
    Ok(())
}

/// Takes away a file or a folder.
fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
