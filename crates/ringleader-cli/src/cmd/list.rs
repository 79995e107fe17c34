//! `ringleader list`: what there is, what it needs, what it costs, and up to where it was checked.

use super::show::wrapped;
use crate::App;
use crate::args::{ListArgs, Network, ProblemArg};
use crate::console::{Console, width};
use crate::error::Failure;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use ringleader::model::{Basis, Graph, Shape};
use ringleader::registry::{Entry, Problem};
use std::io::{self, Write};

/// The width of the table in a file or a pipe, unless the names are longer.
const WIDTH: u16 = 110;
/// What a table needs beside the names. A narrower terminal has no room for one.
const BESIDE_NAMES: usize = 82;

pub(crate) fn run(app: &App, args: &ListArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let entries: Vec<&Entry> = app
        .registry
        .iter()
        .filter(|entry| args.errata || !entry.is_literal())
        .filter(|entry| match args.problem {
            None => true,
            Some(ProblemArg::Election) => entry.problem == Problem::Election,
            Some(ProblemArg::Mutex) => entry.problem == Problem::Mutex,
        })
        .filter(|entry| args.topology.is_none_or(|network| runs_on(entry, network)))
        .collect();
    if console.json {
        writeln!(console.out, "{}", ringleader_lab::formats::list_json(entries))?;
        return Ok(0);
    }
    if entries.is_empty() {
        if !console.quiet {
            writeln!(console.err, "no algorithm is for that")?;
        }
        return Ok(0);
    }
    // Where there is no terminal there is no width to ask for.
    let length = |entry: &&Entry| cell(entry).lines().map(|line| line.chars().count()).max();
    let longest = entries.iter().filter_map(length).max().unwrap_or(0);
    let least = u16::try_from(longest + BESIDE_NAMES).unwrap_or(u16::MAX);
    match width() {
        Some(width) if width < least => stacked(&entries, usize::from(width), console.out)?,
        width => writeln!(console.out, "{}", table(&entries, width.unwrap_or(WIDTH.max(least))).trim_fmt())?,
    }
    if !console.quiet {
        writeln!(console.err, "{} algorithms; more about one: {} show NAME", entries.len(), app.program)?;
    }
    Ok(0)
}

/// One row each; cells are wrapped, but no word is cut.
fn table(entries: &[&Entry], width: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED.with_rounded_corners())
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .set_header(["name", "problem", "year", "network", "needs", "messages at worst", "checked"]);
    for entry in entries {
        table.add_row([
            cell(entry),
            entry.problem.name().to_owned(),
            entry.spec.year.to_string(),
            entry.topology().to_owned(),
            needs(entry),
            bound(entry),
            checked(entry),
        ]);
    }
    // Names are there to be copied, formulas to be read.
    for place in [0, 1, 2, 5, 6] {
        if let Some(column) = table.column_mut(place) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    // The longest word.
    if let Some(needs) = table.column_mut(4) {
        needs.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(18)));
    }
    table
}

/// The longest name, with its alias, for which there is room in one line of the table.
const NAME_MOST: usize = 28;

/// One paragraph each, for narrow terminals.
fn stacked(entries: &[&Entry], width: usize, out: &mut dyn Write) -> io::Result<()> {
    for entry in entries {
        writeln!(out, "{}", named(entry))?;
        for text in [
            format!("{}, {}, {}", entry.problem.name(), entry.spec.year, entry.topology()),
            match needs(entry).as_str() {
                "" => "needs nothing".to_owned(),
                needs if entry.is_literal() => needs.to_owned(),
                needs => format!("needs {needs}"),
            },
            format!("messages at worst {}, checked {}", bound(entry), checked(entry)),
        ] {
            for line in wrapped(&text, width.saturating_sub(2)) {
                writeln!(out, "  {line}")?;
            }
        }
    }
    Ok(())
}

/// The name as the table has it: where the two are long together, the alias has a line of its own.
fn cell(entry: &Entry) -> String {
    let name = named(entry);
    if name.chars().count() > NAME_MOST { name.replace(" (", "\n(") } else { name }
}

fn named(entry: &Entry) -> String {
    match entry.spec.aliases {
        [] => entry.spec.name.to_owned(),
        aliases => format!("{} ({})", entry.spec.name, aliases.join(", ")),
    }
}

/// What it needs; a text taken literally stands below the right algorithm, and needs the same.
fn needs(entry: &Entry) -> String {
    match entry.erratum() {
        Some(erratum) => format!("as above, with erratum {erratum}"),
        None => entry.needs().join(", "),
    }
}

/// Up to how many processes the battery has checked it.
fn checked(entry: &Entry) -> String {
    entry.checked_up_to().map_or_else(|| "-".to_owned(), |n| format!("n ≤ {n}"))
}

fn bound(entry: &Entry) -> String {
    entry.spec.cost.worst.map_or_else(
        || "-".to_owned(),
        |bound| match bound.basis {
            Basis::Proved(_) => bound.formula.to_owned(),
            Basis::Measured(_) => format!("{}\n(measured)", bound.formula),
        },
    )
}

/// Whether an algorithm is for such a network.
fn runs_on(entry: &Entry, network: Network) -> bool {
    let graphs = entry.spec.needs.graphs;
    match network {
        Network::Ring => matches!(entry.shape, Shape::OneWayRing | Shape::TwoWayRing),
        Network::OneWay => entry.shape == Shape::OneWayRing,
        Network::TwoWay => entry.shape == Shape::TwoWayRing,
        Network::Complete => match entry.shape {
            Shape::Named => true,
            Shape::Edges => graphs.contains(&Graph::Complete),
            Shape::OneWayRing | Shape::TwoWayRing => false,
        },
        Network::Tree => entry.shape == Shape::Edges && graphs.contains(&Graph::Tree),
    }
}
