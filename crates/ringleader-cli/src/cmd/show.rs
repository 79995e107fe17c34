//! `ringleader show ALGORITHM`: what a reader wants to know before using it, and a small run in words.

#[cfg(feature = "study")]
mod differences;

use super::find;
use crate::App;
use crate::args::ShowArgs;
use crate::console::{BOLD, CYAN, Console, DIM, RESET};
use crate::error::Failure;
use ringleader::model::Counts;
use ringleader::registry::Entry;
#[cfg(feature = "study")]
use ringleader_errata::changes;
use ringleader_lab::describe::{Example, example, model, network, promises, setting};
use ringleader_lab::formats::show_json;
use ringleader_lab::layout::{fold, width, wrapped};
use ringleader_lab::report::broken_on_purpose;
use std::io::{self, Write};

/// No more steps of the example are shown.
pub(crate) const STEPS_MAX: usize = 60;

pub(crate) fn run(app: &App, args: &ShowArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let entry = find(app, &args.name)?;
    if args.source {
        console.out.write_all(entry.spec.file.as_bytes())?;
        return Ok(0);
    }
    let example = example(app, entry)?;
    if console.json {
        writeln!(console.out, "{}", show_json(app, entry, &example, changes(entry)))?;
    } else {
        as_text(entry, &example, console.out)?;
    }
    Ok(0)
}

fn as_text(entry: &Entry, example: &Example, out: &mut dyn Write) -> io::Result<()> {
    let spec = entry.spec;
    let prose = spec.prose();
    let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    let aliases = match spec.aliases {
        [] => String::new(),
        aliases => format!(" (alias {})", aliases.join(", ")),
    };
    let title = format!("{BOLD}{}{RESET}{aliases}: {}, {}", spec.name, prose.title, spec.year);
    writeln!(out, "{}", fold("", &title, 2))?;
    broken_on_purpose(entry, out)?;
    section(out, "Idea", &[&prose.idea])?;
    pairs(out, "Model", &model(entry))?;
    let kinds = entry.kinds.iter().zip(entry.announces);
    let messages: Vec<_> = kinds
        .map(|(kind, announces)| own((kind, if *announces { "announces the result" } else { "" })))
        .collect();
    pairs(out, "Messages", &messages)?;
    let rules: Vec<_> = entry.rules.iter().map(|rule| own((rule.name, rule.text))).collect();
    pairs(out, "Rules", &rules)?;
    let settings: Vec<_> = spec.settings.iter().map(|own| setting(entry, own)).collect();
    pairs(out, "Settings", &settings)?;
    section(out, "Promises", &promises(entry))?;
    section(out, "Costs", &[&prose.cost])?;
    if let Some(bound) = spec.cost.worst {
        let counts = match bound.counts {
            Counts::Election => "election messages",
            Counts::All => "all messages",
        };
        let text = format!("At most {} ({counts}), {}.", bound.formula, bound.basis);
        for line in wrapped(&text, width() - 2) {
            writeln!(out, "  {line}")?;
        }
    }
    pairs(out, "On a network", &network(entry))?;
    section(out, "Source", &[&prose.source])?;
    let errata: Vec<_> = spec.known_errata().into_iter().map(|erratum| (erratum.id, erratum.text)).collect();
    pairs(out, "What the source text gets wrong", &errata)?;
    #[cfg(feature = "study")]
    differences::text(spec.diff, out)?;
    writeln!(out, "\n{CYAN}Example{RESET}   {}\n\n  {DIM}{}{RESET}", example.command, example.counts)?;
    for line in example.lines.iter().take(STEPS_MAX) {
        writeln!(out, "  {line}")?;
    }
    match example.lines.len().saturating_sub(STEPS_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  … and {more} more steps"),
    }
}

fn section(out: &mut dyn Write, title: &str, paragraphs: &[&str]) -> io::Result<()> {
    writeln!(out, "\n{CYAN}{title}{RESET}")?;
    for line in paragraphs.iter().flat_map(|paragraph| wrapped(paragraph, width() - 2)) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn pairs(out: &mut dyn Write, title: &str, pairs: &[(String, String)]) -> io::Result<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{CYAN}{title}{RESET}")?;
    let wide = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, text) in pairs {
        let mut lines = wrapped(text, width().saturating_sub(wide + 4).max(20)).into_iter();
        let first = format!("{name:<wide$}  {}", lines.next().unwrap_or_default());
        writeln!(out, "  {}", first.trim_end())?;
        for line in lines {
            writeln!(out, "  {:wide$}  {line}", "")?;
        }
    }
    Ok(())
}

#[cfg(not(feature = "study"))]
fn changes(_: &Entry) -> Option<Vec<Vec<(&'static str, String)>>> {
    None
}
