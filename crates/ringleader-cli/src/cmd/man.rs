//! `ringleader man`: the manual pages, one after the other or one file each.

use crate::App;
use crate::args::ManArgs;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use serde_json::json;
use std::io::Write;

pub(crate) fn run(app: &App, args: &ManArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let mut command = crate::command(app);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &app.program, &mut pages)?;
    if let Some(directory) = &args.output {
        let unwritten = |error: std::io::Error| {
            let message = format!("cannot write the manual pages to {}: {error}", directory.display());
            Diagnostic::new("ringleader::output", 4, message)
        };
        std::fs::create_dir_all(directory).map_err(unwritten)?;
        for (name, page) in &pages {
            std::fs::write(directory.join(format!("{name}.1")), page).map_err(unwritten)?;
        }
        if !console.quiet && !console.json {
            writeln!(console.err, "{} pages in {}", pages.len(), directory.display())?;
        }
    }
    if console.json {
        let pages: serde_json::Value = (pages.iter())
            .map(|(name, page)| json!({ "name": name, "roff": String::from_utf8_lossy(page) }))
            .collect();
        writeln!(console.out, "{}", json!({ "schema": "ringleader.man/1", "pages": pages }))?;
    } else if args.output.is_none() {
        for (_, page) in &pages {
            console.out.write_all(page)?;
        }
    }
    Ok(0)
}

/// The page of a command, and of those below it.
fn collect(command: &clap::Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.to_owned())).render(&mut page)?;
    pages.push((name.to_owned(), page));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        collect(below, &format!("{name}-{}", below.get_name()), pages)?;
    }
    Ok(())
}
