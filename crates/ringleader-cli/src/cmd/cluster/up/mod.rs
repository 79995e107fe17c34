//! `ringleader up`: real processes on this machine, who leads them, and what that cost on the wire.

mod plan;
mod service;
mod threads;
mod watch;

use crate::App;
use crate::args::{UpArgs, quoted};
use crate::cmd::cluster::program;
use crate::cmd::find;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{Output, unwritten};
use plan::Plan;
use ringleader::model::Shape;
use ringleader_net::events::Events;
use ringleader_net::signals::Interrupted;
use ringleader_net::up::{self, Course, Gone, Seen, Watch};
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long --once waits when nobody says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often everybody is looked at.
const GLANCE: Duration = Duration::from_millis(20);

pub(crate) fn run(app: &App, args: &UpArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.service {
        return service::run(app, args, console);
    }
    let entry = find(app, args.asked())?;
    // What moves in lock-step runs with a synchroniser.
    let entry = entry.asynchronous().unwrap_or(entry);
    plan::clocks_fit(app, entry, args)?;
    if entry.shape == Shape::Memory {
        let limit = args.time.as_ref().map_or(PATIENCE, |time| time.value.0);
        return threads::run(app, entry, args, limit, console);
    }
    let Plan { cluster, seed, again, simulated } = Plan::new(app, entry, args, console.json)?;
    if let Some(record) = &args.record {
        // Better now than after the run. What is claimed is given back.
        Output::claim(record, true)?;
    }
    let mut stream = Stream::open(args.events.as_deref())?;
    let folder = Folder::new(args.keep.as_deref(), up::FILE)?;
    let interrupted = Interrupted::listen()?;
    let mut teller = watch::Teller::default();
    watch::begin(&cluster, (entry.spec.name, seed), args, &folder.path, console)?;
    let places = 0..cluster.members.len() as ringleader_live::Place;
    let plan = up::Plan {
        program: program()?,
        cluster,
        folder: folder.path.clone(),
        plain: args.plain,
        records: args.record.is_some(),
        seed,
    };
    let (mut local, config) = up::make(plan, app.registry)?;
    let kill_every = args.kill_every.as_ref().map(|every| every.value.0);
    let course = Course { entry, entries: args.entries(), kill_every, seed, simulated };
    let mut watch = Watch::new(course, config.clone());
    for place in places {
        local.start(place)?;
    }
    let limit = args.time.as_ref().map(|time| time.value.0).or(args.once.then_some(PATIENCE));
    loop {
        let mut seen = watch.look(&mut local);
        stream.take(&seen)?;
        seen.iter().try_for_each(|seen| teller.tell(seen, &watch, console))?;
        teller.table(&mut watch, &local, console)?;
        if let Some(gone) = local.gone().first() {
            if interrupted.is_set() {
                break;
            }
            local.stop();
            return Err(ended("member", gone).into());
        }
        let over = limit.is_some_and(|limit| watch.elapsed() >= limit);
        if interrupted.is_set() || over || args.once && watch.is_done(&local) {
            break;
        }
        seen = watch.strike(&mut local)?;
        stream.take(&seen)?;
        seen.iter().try_for_each(|seen| teller.tell(seen, &watch, console))?;
        std::thread::sleep(GLANCE);
    }
    watch.take_stock(&local);
    local.stop();
    let seen = watch.look(&mut local);
    stream.take(&seen)?;
    seen.iter().try_for_each(|seen| teller.tell(seen, &watch, console))?;
    let recorded = match &args.record {
        Some(record) => {
            crate::cmd::trace::merge_epochs(app, record, |epoch| up::parts(&folder.path, &config, epoch))?
        }
        None => Vec::new(),
    };
    let files = recorded
        .iter()
        .map(|(path, left_out)| json!({ "file": path.display().to_string(), "left_out": left_out }));
    let summary = watch.summary(quoted(&app.program, &again), files.collect());
    teller.summary(&summary, console)?;
    for (path, left_out) in recorded.iter().filter(|_| !console.json && !console.quiet) {
        let left_out = if *left_out > 0 { format!(" ({left_out} steps left out)") } else { String::new() };
        writeln!(console.err, "recorded {}{left_out}", path.display())?;
    }
    Ok(u8::from(!matches!(summary.outcome, "elected" | "done")))
}

/// A node that should run has ended.
fn ended(what: &str, gone: &Gone) -> Diagnostic {
    let message = format!("{what} {} has ended by itself: {}", gone.name, gone.status);
    let diagnostic = Diagnostic::new("ringleader::member_ended", 4, message);
    gone.log.lines().fold(diagnostic, |said, line| said.help(line))
}

/// The file that has everything that happened.
struct Stream(Option<(PathBuf, Events)>);

impl Stream {
    fn open(path: Option<&Path>) -> Result<Stream, Diagnostic> {
        let open = |path: &Path| -> io::Result<_> { Ok((path.to_owned(), Events::open(path)?)) };
        let opened = path.map(|path| open(path).map_err(|error| unwritten(path, &error))).transpose();
        Ok(Stream(opened?))
    }

    fn take(&mut self, seen: &[Seen]) -> Result<(), Diagnostic> {
        let Some((path, events)) = &self.0 else { return Ok(()) };
        seen.iter().try_for_each(|seen| events.write(&seen.line)).map_err(|error| unwritten(path, &error))
    }
}

/// Where the files of the cluster are. It vanishes, unless it is to be kept.
struct Folder {
    path: PathBuf,
    _vanishes: Option<tempfile::TempDir>,
}

impl Folder {
    /// This directory, if it has no such file yet, or one that vanishes.
    fn new(keep: Option<&Path>, file: &str) -> Result<Folder, Diagnostic> {
        let Some(path) = keep else {
            let folder = tempfile::Builder::new().prefix("ringleader-").tempdir().map_err(|error| {
                Diagnostic::new("ringleader::output", 4, format!("no temporary directory: {error}"))
            })?;
            return Ok(Folder { path: folder.path().to_owned(), _vanishes: Some(folder) });
        };
        std::fs::create_dir_all(path).map_err(|error| unwritten(path, &error))?;
        if path.join(file).exists() {
            let message = format!("{} has a {file} already", path.display());
            return Err(Diagnostic::input("ringleader::output_exists", message)
                .help("name a directory that is empty or does not exist"));
        }
        Ok(Folder { path: path.to_owned(), _vanishes: None })
    }
}
