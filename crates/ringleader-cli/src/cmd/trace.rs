//! `ringleader trace FILE --to FORMAT`: a recorded run as a picture, as a page that plays it, or in the format of
//! another tool. What is left out is said, on stderr and in the file where its format admits it.

mod live;
mod merge;

#[cfg(feature = "cluster")]
pub(crate) use merge::merge_epochs;

use crate::App;
use crate::args::{Ranges, TraceArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{Output, unwritten};
use ringleader::registry::find;
use ringleader::trace::{History, Window};
use ringleader_lab::plan::recorded;
use ringleader_lab::{Export, ExportOptions};
use serde::Serialize;
use std::io::{self, BufWriter, Write};

pub(crate) fn run(app: &App, args: &TraceArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if !args.merge.is_empty() {
        return merge::run(app, args, console);
    }
    let format = format(app, args)?;
    if console.json && args.output.is_none() {
        let message = "--json describes the file that is written: without -o there is none";
        return Err(Diagnostic::input("usage", message).help("add `-o FILE`").into());
    }
    only_for_pictures(args, format)?;
    let recorded = recorded(args.file())?;
    let history = History::of(&recorded.recording);
    let window = window(args, &history)?;
    admit(app, args, format, &history, &window)?;
    let again = again(app, args, format);
    let options = ExportOptions {
        rightward: args.rightward,
        past: args.past.map(|past| past - 1),
        critical: args.critical,
        dark: args.dark,
        again: again.clone(),
    };
    let algorithm = &recorded.recording.header.algorithm;
    let live = args.live.is_some().then(|| live::page(app, args, algorithm)).transpose()?;
    let how = (find(app.registry, algorithm), &options);
    let write = |out: &mut dyn Write| match &live {
        None => format.write(&history, &window, how, out),
        Some(page) => out.write_all(page.as_bytes()).map(|()| (page.len() as u64, Vec::new())),
    };
    let (bytes, notes) = match &args.output {
        None => {
            // Formats are written in small pieces, and the terminal looks at each for colours.
            let mut buffer = BufWriter::with_capacity(1 << 16, &mut *console.out);
            let done = write(&mut buffer)?;
            buffer.flush()?;
            done
        }
        Some(path) => {
            let mut output = Output::claim(path, args.force)?;
            let done = write(&mut output).map_err(|error| unwritten(path, &error))?;
            output.finish()?;
            done
        }
    };
    let job = Job { args, format, history: &history, window: &window, again };
    job.tell(console, &notes, bytes)?;
    Ok(0)
}

/// The format that is asked for, or that the name of the output says.
fn format(app: &App, args: &TraceArgs) -> Result<Export, Diagnostic> {
    if let Some(format) = args.to.map(Into::into).or_else(|| args.output.as_deref().and_then(Export::of)) {
        return Ok(format);
    }
    let file = args.file().display().to_string();
    let command =
        |format: &str| quoted(&app.program, &["trace".into(), file.clone(), "--to".into(), format.into()]);
    let message = match &args.output {
        None => "into which format? `--to` is missing".to_owned(),
        Some(path) => format!("the name {} does not say which format it is", path.display()),
    };
    Err(Diagnostic::input("no_format", message)
        .help("one of svg, html, shiviz, chrome, mermaid, itf and jsonl, for example:")
        .command(command("svg"), "a picture")
        .command(command("html"), "a page that plays it"))
}

/// Options that only a picture knows are refused elsewhere, rather than ignored.
fn only_for_pictures(args: &TraceArgs, format: Export) -> Result<(), Diagnostic> {
    let given = [
        ("--past", args.past.is_some()),
        ("--critical", args.critical),
        ("--rightward", args.rightward),
        ("--dark", args.dark),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) if format != Export::Svg => {
            let message = format!("{option} is for --to svg, not for --to {}", format.name());
            let help = if format == Export::Html {
                "the page has keys for that: C for the causal past, P for the critical path"
            } else {
                "leave it out, or ask for a picture"
            };
            Err(Diagnostic::input("usage", message).help(help))
        }
        Some(_) | None if args.live.is_some() && format != Export::Html => {
            let message = format!("--live is for --to html, not for --to {}", format.name());
            Err(Diagnostic::input("usage", message).help("leave it out, or ask for a page"))
        }
        Some(_) | None => Ok(()),
    }
}

/// The part of the run that is asked for.
fn window(args: &TraceArgs, history: &History<'_>) -> Result<Window, Diagnostic> {
    let wrong = |message: String, help: String| Diagnostic::input("bad_window", message).help(help);
    let mut window = Window::whole(history);
    let (n, count) = (history.recording.header.n as usize, history.steps.len());
    if let Some(nodes) = &args.nodes {
        let mut processes = Vec::new();
        for &(from, to) in &nodes.value.0 {
            let last = to.unwrap_or(n - 1);
            if from >= n || last >= n {
                let missing = if from >= n { from } else { last };
                let message = format!("--nodes {}: there is no process {missing}", nodes.text);
                return Err(wrong(message, format!("the run has {n} processes, 0 to {}", n - 1)));
            }
            processes.extend((from..=last).map(|process| process as u32));
        }
        processes.sort_unstable();
        processes.dedup();
        window.processes = processes;
    }
    if let Some(steps) = &args.steps {
        let Ranges(ranges) = &steps.value;
        let [(from, to)] = ranges.as_slice() else {
            let message = format!("--steps {}: one range of steps is shown, not several", steps.text);
            return Err(wrong(message, "give its first and last step, as in 10..60".into()));
        };
        // `..9` begins with the first step.
        let from = if *from == 0 && steps.text.starts_with("..") { 1 } else { *from };
        if from == 0 || to == &Some(0) {
            let message = format!("--steps {}: steps are counted from 1", steps.text);
            return Err(wrong(message, format!("the run has {count} steps")));
        }
        if from > count {
            let message = format!("--steps {}: there is no step {from}", steps.text);
            return Err(wrong(message, format!("the run has {count} steps")));
        }
        window.steps = from - 1..to.unwrap_or(count).min(count);
    }
    if let Some(past) = args.past {
        if past == 0 || past > count {
            let message = format!("--past {past}: there is no such step");
            return Err(wrong(message, format!("the run has {count} steps, counted from 1")));
        }
        let process = history.recording.events[past - 1].process;
        if !window.shows(past - 1, process) {
            let message = format!("--past {past}: that step of p{process} is not among what is shown");
            return Err(wrong(message, "widen --steps or --nodes".into()));
        }
    }
    Ok(window)
}

/// Refuses what no tool could use.
fn admit(
    app: &App,
    args: &TraceArgs,
    format: Export,
    history: &History<'_>,
    window: &Window,
) -> Result<(), Diagnostic> {
    let file = args.file().display().to_string();
    let command = |words: &[&str]| {
        quoted(
            &app.program,
            &[&["trace", &file], words].concat().iter().map(|w| (*w).into()).collect::<Vec<_>>(),
        )
    };
    let Some((got, most, what)) = format.excess(history, window) else { return Ok(()) };
    let message = format!("{got} {what} are too many for --to {}: the most is {most}", format.name());
    Err(Diagnostic::input("too_much", message)
        .help("take a part of the run, or a format that has room for it:")
        .command(command(&["--to", format.name(), "--steps", "1..60"]), "a part")
        .command(command(&["--to", "svg"]), "a picture")
        .command(command(&["--to", "jsonl"]), "every step as a row"))
}

/// The command that writes this again.
fn again(app: &App, args: &TraceArgs, format: Export) -> String {
    let mut words =
        vec!["trace".to_owned(), args.file().display().to_string(), "--to".into(), format.name().into()];
    for (option, given) in [("--nodes", &args.nodes), ("--steps", &args.steps)] {
        words.extend(given.iter().flat_map(|given| [option.to_owned(), given.text.clone()]));
    }
    words.extend(args.past.iter().flat_map(|past| ["--past".to_owned(), past.to_string()]));
    let flags = [("--critical", args.critical), ("--rightward", args.rightward), ("--dark", args.dark)];
    words.extend(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| (*flag).to_owned()));
    words.extend(args.live.iter().map(|page| match page {
        None => "--live".to_owned(),
        Some(page) => format!("--live={}", page.display()),
    }));
    words.extend(args.output.iter().flat_map(|path| ["-o".to_owned(), path.display().to_string()]));
    if args.force {
        words.push("--force".into());
    }
    quoted(&app.program, &words)
}

struct Job<'a> {
    args: &'a TraceArgs,
    format: Export,
    history: &'a History<'a>,
    window: &'a Window,
    again: String,
}

/// What is said about a file that was written.
#[derive(Serialize)]
struct ExportJson<'a> {
    schema: &'static str,
    format: &'a str,
    file: String,
    bytes: u64,
    algorithm: &'a str,
    steps: usize,
    processes: usize,
    messages: usize,
    notes: &'a [String],
    again: &'a str,
}

impl Job<'_> {
    fn tell(&self, console: &mut Console<'_>, notes: &[String], bytes: u64) -> io::Result<()> {
        let left_out = self.window.leaves_out(self.history);
        if console.json {
            let object = ExportJson {
                schema: "ringleader.export/1",
                format: self.format.name(),
                file: self.args.output.as_ref().map_or_else(String::new, |path| path.display().to_string()),
                bytes,
                algorithm: &self.history.recording.header.algorithm,
                steps: self.history.steps.len() - left_out.steps,
                processes: self.window.processes.len(),
                messages: self.history.messages.len() - left_out.messages,
                notes,
                again: &self.again,
            };
            serde_json::to_writer(&mut *console.out, &object).map_err(io::Error::from)?;
            return writeln!(console.out);
        }
        if console.quiet {
            return Ok(());
        }
        for note in notes {
            writeln!(console.err, "note: {note}")?;
        }
        if let Some(path) = &self.args.output {
            writeln!(console.err, "{}: {} bytes", path.display(), bytes)?;
            writeln!(console.err, "again:  {}", self.again)?;
        }
        Ok(())
    }
}
