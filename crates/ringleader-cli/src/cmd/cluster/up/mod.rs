//! `ringleader up`: a cluster of real processes on this machine, who leads it, and what that cost on the wire.

mod plan;
mod watch;

use crate::App;
use crate::args::{UpArgs, quoted};
use crate::cmd::find;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{Output, unwritten};
use plan::Plan;
use ringleader_net::signals::Interrupted;
use ringleader_net::up::{self, Local};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use watch::Watch;

/// How long --once waits when nobody says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often everybody is looked at.
const GLANCE: Duration = Duration::from_millis(20);

pub(crate) fn run(app: &App, args: &UpArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.service {
        return super::service::up(app, args, console);
    }
    let entry = find(app, args.algorithm.as_deref().unwrap_or_default())?;
    let plan = Plan::new(app, entry, args, console.json)?;
    if let Some(record) = &args.record {
        // Better now than after the run. What is claimed is given back.
        Output::claim(record, true)?;
    }
    let folder = Folder::new(args)?;
    let program = std::env::current_exe().map_err(|error| {
        Diagnostic::new("ringleader::cannot_start", 4, format!("this program does not find itself: {error}"))
    })?;
    let interrupted = Interrupted::listen()
        .map_err(|error| Diagnostic::new("ringleader::cannot_start", 4, format!("no signals: {error}")))?;
    let local = up::Plan {
        program,
        cluster: plan.cluster.clone(),
        folder: folder.path.clone(),
        plain: args.plain,
        records: args.record.is_some(),
        seed: plan.seed,
    };
    let mut local = Local::new(local, app.registry)?;
    let mut watch = Watch::new(&plan, args, &folder.path);
    watch.begin(console)?;
    for place in 0..plan.places() {
        local.start(place)?;
    }
    let limit = args.time.as_ref().map(|time| time.value.0).or(args.once.then_some(PATIENCE));
    let begun = Instant::now();
    loop {
        watch.look(&mut local, console)?;
        if let Some(gone) = local.gone().into_iter().next() {
            if interrupted.is_set() {
                break;
            }
            let name = local.name(gone.place).to_owned();
            let message = format!("member {name} has ended by itself: {}", gone.status);
            let diagnostic = Diagnostic::new("ringleader::member_ended", 4, message);
            local.stop();
            return Err(gone.log.lines().fold(diagnostic, |said, line| said.help(line)).into());
        }
        let over = limit.is_some_and(|limit| begun.elapsed() >= limit);
        if interrupted.is_set() || over || args.once && watch.is_done(&local) {
            break;
        }
        watch.strike(&mut local, console)?;
        std::thread::sleep(GLANCE);
    }
    watch.take_stock(&local);
    local.stop();
    watch.look(&mut local, console)?;
    let again = quoted(&app.program, &plan.again);
    watch.summary(&again, begun.elapsed(), console)?;
    if let Some(record) = &args.record {
        let written = crate::cmd::trace::merge_epochs(record, |epoch| local.parts(epoch))?;
        for (path, left_out) in written {
            if console.json {
                let line =
                    json!({ "event": "recorded", "file": path.display().to_string(), "left_out": left_out });
                writeln!(console.out, "{line}")?;
            } else if !console.quiet {
                let left_out =
                    if left_out > 0 { format!(" ({left_out} steps left out)") } else { String::new() };
                writeln!(console.err, "recorded {}{left_out}", path.display())?;
            }
        }
    }
    Ok(watch.exit_code())
}

/// Where the files of the cluster are. It vanishes, unless it is to be kept.
struct Folder {
    path: PathBuf,
    _vanishes: Option<tempfile::TempDir>,
}

impl Folder {
    fn new(args: &UpArgs) -> Result<Folder, Diagnostic> {
        match &args.keep {
            Some(path) => {
                std::fs::create_dir_all(path).map_err(|error| unwritten(path, &error))?;
                if path.join("cluster.toml").exists() {
                    let message = format!("{} has a cluster.toml already", path.display());
                    return Err(Diagnostic::input("ringleader::output_exists", message)
                        .help("name a directory that is empty or does not exist"));
                }
                Ok(Folder { path: path.clone(), _vanishes: None })
            }
            None => {
                let folder = tempfile::Builder::new().prefix("ringleader-").tempdir().map_err(|error| {
                    Diagnostic::new("ringleader::output", 4, format!("no temporary directory: {error}"))
                })?;
                Ok(Folder { path: folder.path().to_owned(), _vanishes: Some(folder) })
            }
        }
    }
}
