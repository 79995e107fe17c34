//! `ringleader list`: what there is, what it needs, what it costs.

use crate::App;
use crate::args::{ListArgs, Network, ProblemArg};
use crate::console::Console;
use crate::error::Failure;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use ringleader::model::{Graph, Shape};
use ringleader::registry::{Entry, Problem};

/// The width of the table in a file or a pipe.
const WIDTH: u16 = 100;

pub(crate) fn run(app: &App, args: &ListArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let entries: Vec<&Entry> = app
        .registry
        .iter()
        .filter(|entry| args.errata || !entry.spec.name.contains('@'))
        .filter(|entry| match args.problem {
            None => true,
            Some(ProblemArg::Election) => entry.problem == Problem::Election,
            Some(ProblemArg::Mutex) => entry.problem == Problem::Mutex,
        })
        .filter(|entry| args.topology.is_none_or(|network| runs_on(entry, network)))
        .collect();
    if console.json {
        writeln!(console.out, "{}", ringleader_formats::list_json(entries))?;
        return Ok(0);
    }
    if entries.is_empty() {
        if !console.quiet {
            writeln!(console.err, "no algorithm is for that")?;
        }
        return Ok(0);
    }
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED.with_rounded_corners())
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["name", "problem", "year", "network", "needs", "messages at worst"]);
    // Where there is no terminal whose width could be asked for.
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    // A name is there to be copied, so it stays whole.
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    for entry in &entries {
        let spec = entry.spec;
        table.add_row([
            match spec.aliases {
                [] => spec.name.to_owned(),
                aliases => format!("{} ({})", spec.name, aliases.join(", ")),
            },
            entry.problem.name().to_owned(),
            spec.year.to_string(),
            entry.topology().to_owned(),
            entry.needs().join(", "),
            spec.cost.worst.map_or_else(|| "-".to_owned(), |bound| bound.formula.to_owned()),
        ]);
    }
    writeln!(console.out, "{}", table.trim_fmt())?;
    if !console.quiet {
        writeln!(console.err, "{} algorithms; more about one: {} show NAME", entries.len(), app.program)?;
    }
    Ok(0)
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
