//! `ringleader compare ALGORITHM ALGORITHM ...`: the same arrangements and seeds for all.

use super::run::without_effect;
use crate::args::CompareArgs;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{Output, unwritten};
use crate::progress::ShareBar;
use crate::{App, features};
use ringleader_lab::layout::{self, fold};
use ringleader_lab::options::CompareOptions;
use ringleader_lab::plan::PlannedComparison;
use ringleader_lab::report::compare::{ComparisonReport, figure, json, notes, rows, text};
use ringleader_lab::table::Format;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

/// A run that is likely to send more is not made when nobody says otherwise.
const MESSAGES_MAX: u64 = 1_000_000_000;
pub(crate) fn run(app: &App, args: &CompareArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let options = CompareOptions::from(args.clone());
    let asked = PlannedComparison::new(app, &args.names, &options)?;
    let picture = args.plot.as_deref().map(picture_format).transpose()?;
    let format = args.output.as_deref().map(table_format).transpose()?;
    let typed = |option: &str, path: Option<&Path>| {
        let path = path.map_or_else(String::new, |path| path.display().to_string());
        asked.again.iter().cloned().chain([option.to_owned(), path]).collect::<Vec<String>>()
    };
    if let Some(Picture::Png) = picture {
        features::has_png(app, &typed("--plot", args.plot.as_deref()))?;
    }
    if let Some(format) = format {
        features::has_format(app, format, &typed("--output", args.output.as_deref()))?;
        asked.fits(format)?;
    }
    // A comparison may take an hour: whether its files can be written is found out now.
    let claim = |path: Option<&Path>| path.map(|path| Output::claim(path, args.force)).transpose();
    let (plot_file, table_file) = (claim(args.plot.as_deref())?, claim(args.output.as_deref())?);

    let bar = ShareBar::new(console.bars && !console.quiet && !console.json);
    let cells = asked.measure(args.max_messages.unwrap_or(MESSAGES_MAX), &|progress| {
        bar.update(progress.share, &format!("n = {}, {} runs", progress.nodes, progress.runs));
        ControlFlow::Continue(())
    });
    bar.finish();
    let cells = cells?;

    let compared = ComparisonReport::new(&asked, &cells);
    if !console.quiet && !console.json {
        for note in notes(&compared) {
            writeln!(console.err, "{}", fold("note: ", &note, 6))?;
        }
        let given = &args.environment;
        let given = (given.initiators.is_some(), given.range.is_some(), given.orientation.is_some());
        for entry in &asked.algorithms {
            for note in without_effect(entry, given, "see --entries and --wants") {
                writeln!(console.err, "{}", fold("note: ", &note, 6))?;
            }
        }
    }
    if let (Some(file), Some(picture), Some(path)) = (plot_file, picture, args.plot.as_deref()) {
        let plot = figure::plot(&compared, options.per);
        let bytes = match picture {
            Picture::Svg => plot.svg().into_bytes(),
            Picture::Html => plot.html(&figure::table(&compared), &compared.again).into_bytes(),
            Picture::Png => plot.png().map_err(|why| {
                Diagnostic::new("ringleader::no_picture", 4, format!("cannot draw the plot: {why}"))
                    .help("an .svg needs no fonts and no pixels")
            })?,
        };
        written(file, path, |file| file.write_all(&bytes))?;
    }
    if let (Some(file), Some(format), Some(path)) = (table_file, format, args.output.as_deref()) {
        match format {
            Format::Json => written(file, path, |file| writeln!(file, "{}", json(&compared, true)))?,
            Format::Csv | Format::Parquet | Format::Jsonl | Format::Markdown => {
                let file = rows(&compared, format, file).map_err(|error| unwritten(path, &error))?;
                file.finish()?;
            }
        }
    }
    if console.json {
        writeln!(console.out, "{}", json(&compared, false))?;
    } else if !console.quiet {
        text(&compared, layout::terminal(), console.out)?;
    }
    Ok(compared.exit_code())
}

fn written(
    mut file: Output,
    path: &Path,
    write: impl FnOnce(&mut Output) -> std::io::Result<()>,
) -> Result<(), Diagnostic> {
    write(&mut file).map_err(|error| unwritten(path, &error))?;
    file.finish()
}

/// A kind of picture.
#[derive(Clone, Copy)]
enum Picture {
    Svg,
    Png,
    Html,
}

fn picture_format(path: &Path) -> Result<Picture, Diagnostic> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "svg" => Ok(Picture::Svg),
        "png" => Ok(Picture::Png),
        "html" => Ok(Picture::Html),
        _ => Err(unknown_ending("--plot", path, "svg, png, html")),
    }
}

fn table_format(path: &Path) -> Result<Format, Diagnostic> {
    Format::of(path).ok_or_else(|| unknown_ending("-o", path, &Format::NAMES.join(", ")))
}

fn unknown_ending(option: &str, path: &Path, known: &str) -> Diagnostic {
    let message = format!("{option} {}: the ending of the name does not say what to write", path.display());
    Diagnostic::input("ringleader::unknown_format", message).help(format!("it is one of {known}"))
}
