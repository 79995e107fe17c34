//! `trace --to html --live`: a page with the engine in it, in which the run can be changed.

use crate::App;
use crate::args::TraceArgs;
use crate::error::Diagnostic;
use ringleader_lab::draw::live_page;
use std::path::{Path, PathBuf};

/// The page with the run in it.
pub(super) fn page(app: &App, args: &TraceArgs, algorithm: &str) -> Result<String, Diagnostic> {
    for (option, is_given) in [("--nodes", args.nodes.is_some()), ("--steps", args.steps.is_some())] {
        if is_given {
            let message = format!("--live takes the whole run: {option} does not go with it");
            return Err(Diagnostic::input("usage", message).help("leave it out, or leave out --live"));
        }
    }
    // An algorithm of one's own is in one's own program only.
    if !crate::is_ours(app.registry)
        && ringleader::registry::find(ringleader::registry::ALL, algorithm).is_none()
    {
        let message = format!("the engine of the page does not know {algorithm}");
        return Err(Diagnostic::input("unknown_algorithm", message)
            .help("without --live the page plays the run as it was, and needs no engine"));
    }
    let template = match &args.live {
        Some(Some(path)) => path.clone(),
        Some(None) | None => beside(app)?,
    };
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| {
            Diagnostic::input("bad_page", format!("cannot read {}: {error}", path.display())).help(HELP)
        })
    };
    let page = read(&template)?;
    let file = args.file();
    let name = file.file_name().map_or_else(|| "run.rlt".into(), |name| name.to_string_lossy());
    live_page(&page, &name, &read(file)?).ok_or_else(|| {
        let message = format!("{} is not a page with an engine", template.display());
        Diagnostic::input("bad_page", message).help(HELP)
    })
}

const HELP: &str = "`cargo xtask site` builds one: target/site/live.html";

/// The page that was installed with the program: by a package, or unpacked beside it.
fn beside(app: &App) -> Result<PathBuf, Diagnostic> {
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let places = ["../share/ringleader/live.html", "live.html"].map(|place| folder.map(|at| at.join(place)));
    places.into_iter().flatten().find(|page| page.exists()).ok_or_else(|| {
        let message = format!("{} was installed without a page that has an engine in it", app.program);
        Diagnostic::input("no_page", message)
            .help(HELP)
            .help("then say where it is: --live=target/site/live.html")
    })
}
