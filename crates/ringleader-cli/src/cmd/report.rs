//! `ringleader report ALGORITHM`: its page, as Markdown on stdout or as files with pictures.

use crate::App;
use crate::args::ReportArgs;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output;
use ringleader::registry::Entry;
use ringleader_lab::draw::document::{Block, Document};
use ringleader_lab::plan::{find, memory};
use ringleader_lab::report::{Measuring, book, page};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Enough to see the growth, and quick.
const SIZES: [u32; 4] = [8, 32, 128, 512];

pub(crate) fn run(app: &App, args: &ReportArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let measuring = Measuring {
        sizes: sizes(args)?,
        runs: args.runs,
        seed: args.seed,
        threads: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32),
    };
    let entries: Vec<&'static Entry> = if args.all {
        app.registry.iter().filter(|entry| !entry.is_literal()).collect()
    } else {
        args.names.iter().map(|name| find(app, name)).collect::<Result<_, _>>()?
    };
    let mut pages: Vec<(String, Document)> = Vec::new();
    if args.all && args.output.is_none() {
        pages.push(("algorithms".into(), book(app, &entries, &measuring)?));
    } else {
        for entry in &entries {
            pages.push((entry.spec.name.replace('@', "-"), page(app, entry, &measuring)?));
        }
        if args.all {
            pages.push(("index".into(), index(&pages)));
        }
    }
    match &args.output {
        Some(folder) => {
            let files = write(folder, &pages, args.force)?;
            if console.json {
                writeln!(console.out, "{}", json!({ "schema": "ringleader.report/1", "files": files }))?;
            } else {
                for file in files {
                    writeln!(console.out, "{file}")?;
                }
            }
        }
        None if console.json => {
            let page =
                |(name, page): &(String, Document)| json!({ "name": name, "markdown": page.markdown(false) });
            let pages: serde_json::Value = pages.iter().map(page).collect();
            writeln!(console.out, "{}", json!({ "schema": "ringleader.report/1", "pages": pages }))?;
        }
        None => {
            let pages: Vec<String> = pages.iter().map(|(_, page)| page.markdown(false)).collect();
            write!(console.out, "{}", pages.join("\n"))?;
        }
    }
    Ok(0)
}

fn sizes(args: &ReportArgs) -> Result<Vec<u32>, Diagnostic> {
    let Some(given) = &args.nodes else { return Ok(SIZES.to_vec()) };
    let small = |&n: &u64| match u32::try_from(n) {
        Ok(0) => Err(Diagnostic::input("n_too_small", "-n 0: there is nobody to elect").help("try -n 8")),
        Ok(n) => Ok(n),
        Err(_) => Err(memory::too_many(u128::from(n))),
    };
    given.value.as_slice().iter().map(small).collect()
}

/// Writes the pages and their pictures; gives the names of the files.
fn write(folder: &Path, pages: &[(String, Document)], force: bool) -> Result<Vec<String>, Diagnostic> {
    std::fs::create_dir_all(folder).map_err(|error| output::unwritten(folder, &error))?;
    let mut files = Vec::new();
    let mut add = |name: &str, text: String| {
        let path = folder.join(name);
        files.push((path, text));
    };
    for (name, page) in pages {
        add(&format!("{name}.html"), page.html());
        add(&format!("{name}.md"), page.markdown(true));
        for (file, svg) in page.pictures() {
            add(file, svg.to_owned());
        }
    }
    // All or none: whoever finds one of them in the way finds none of them changed.
    if !force && let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        output::Output::claim(path, false)?;
    }
    for (path, text) in &files {
        output::write(path, force, text.as_bytes())?;
    }
    Ok(files.iter().map(|(path, _)| path.display().to_string()).collect())
}

/// A page that leads to the others.
fn index(pages: &[(String, Document)]) -> Document {
    let link = |(name, page): &(String, Document)| (page.title.clone(), format!("{name}.html"));
    let links = pages.iter().map(link).collect();
    Document { title: "The algorithms".into(), blocks: vec![Block::Links(links)] }
}
