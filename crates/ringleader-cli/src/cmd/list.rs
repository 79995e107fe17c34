//! `ringleader list`: what there is, what it needs, what it costs, and up to where it was checked.

use crate::App;
use crate::args::{ListArgs, Network, ProblemArg};
use crate::console::{BOLD, CYAN, Console, DIM, RESET};
use crate::error::Failure;
use ringleader::model::{Basis, Graph, Shape};
use ringleader::registry::{Entry, Problem};
use ringleader_lab::layout::{fold, terminal, width};
use std::io::{self, Write};

pub(crate) fn run(app: &App, args: &ListArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let entries: Vec<&Entry> = app
        .registry
        .iter()
        .filter(|entry| args.errata || !entry.is_literal())
        .filter(|entry| match args.problem {
            None => true,
            Some(ProblemArg::Election) => entry.problem == Problem::Election,
            Some(ProblemArg::Mutex) => entry.problem == Problem::Mutex,
            Some(ProblemArg::Clocks) => entry.problem == Problem::Clocks,
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
    table(&entries, console.out)?;
    if !console.quiet {
        let s = if entries.len() == 1 { "" } else { "s" };
        writeln!(console.err, "{} algorithm{s}; more about one: {} show NAME", entries.len(), app.program)?;
    }
    Ok(0)
}

/// A longer name stands in a line of its own.
const NAME_MOST: usize = 24;

/// The columns, and how wide each is.
struct Columns {
    names: usize,
    networks: usize,
    bounds: usize,
    /// Where what is needed has room in the same row.
    needs: Option<usize>,
}

impl Columns {
    fn of(entries: &[&Entry]) -> Columns {
        let widest = |text: fn(&Entry) -> String, least: &str| {
            let widths = entries.iter().map(|entry| text(entry).chars().count());
            widths.chain([least.len()]).max().unwrap_or(0)
        };
        let mut columns = Columns {
            names: widest(|entry| entry.spec.name.to_owned(), "Mutual exclusion").min(NAME_MOST),
            networks: widest(|entry| entry.topology().to_owned(), "network"),
            bounds: widest(bound, "messages at worst"),
            needs: None,
        };
        let needs = widest(needs, "needs");
        columns.needs = terminal().filter(|width| columns.width() + 2 + needs <= *width).map(|_| needs);
        columns
    }

    fn width(&self) -> usize {
        2 + self.names + 2 + "year".len() + 2 + self.networks + 2 + self.bounds + 2 + "checked".len()
    }

    fn line(&self, [name, year, network, bound, checked, needs]: [&str; 6]) -> String {
        let Columns { names, networks, bounds, .. } = self;
        let line = format!("{name:<names$}  {year:<4}  {network:<networks$}  {bound:<bounds$}  {checked:<7}");
        let line = if self.needs.is_some() { format!("{line}  {needs}") } else { line };
        line.trim_end().to_owned()
    }
}

/// One row each, by problem. What is needed stands in the same row where there is room, below it otherwise.
fn table(entries: &[&Entry], out: &mut dyn Write) -> io::Result<()> {
    let columns = Columns::of(entries);
    if columns.width() > width() {
        return stacked(entries, out);
    }
    for (place, problem) in [Problem::Election, Problem::Mutex, Problem::Clocks].into_iter().enumerate() {
        let these: Vec<&&Entry> = entries.iter().filter(|entry| entry.problem == problem).collect();
        if these.is_empty() {
            continue;
        }
        if place > 0 && these.len() < entries.len() {
            writeln!(out)?;
        }
        let title = match problem {
            Problem::Election => "Election",
            Problem::Mutex => "Mutual exclusion",
            Problem::Clocks => "Clocks",
        };
        let needed = if columns.needs.is_some() { "needs" } else { "" };
        let heads = columns.line(["", "year", "network", "messages at worst", "checked", needed]);
        // The title stands where the names have no heading.
        let rest: String = heads.chars().skip(title.chars().count()).collect();
        writeln!(out, "{BOLD}{title}{RESET}  {DIM}{rest}{RESET}")?;
        for entry in these {
            let (name, year) = (entry.spec.name, entry.spec.year.to_string());
            let (bound, checked, needs) = (bound(entry), checked(entry), needs(entry));
            let fits = name.chars().count() <= columns.names;
            if !fits {
                writeln!(out, "  {CYAN}{name}{RESET}")?;
            }
            let beside = if fits { name } else { "" };
            let line = columns.line([beside, &year, entry.topology(), &bound, &checked, &needs]);
            writeln!(out, "  {CYAN}{beside}{RESET}{}", &line[beside.len()..])?;
            if columns.needs.is_none() && !needs.is_empty() {
                writeln!(out, "{}", fold(&format!("      {DIM}"), &format!("{needs}{RESET}"), 6))?;
            }
        }
    }
    Ok(())
}

/// One paragraph each, where even that has no room.
fn stacked(entries: &[&Entry], out: &mut dyn Write) -> io::Result<()> {
    for entry in entries {
        writeln!(out, "{CYAN}{}{RESET}", entry.spec.name)?;
        for text in [
            format!("{}, {}, {}", entry.problem.name(), entry.spec.year, entry.topology()),
            needs(entry),
            format!("messages at worst {}, checked {}", bound(entry), checked(entry)),
        ] {
            if !text.is_empty() {
                writeln!(out, "{}", fold("  ", &text, 2))?;
            }
        }
    }
    Ok(())
}

/// Its aliases, what it needs, and whether its bound is only measured. An as-printed variant stands below the right
/// algorithm, and needs the same.
fn needs(entry: &Entry) -> String {
    let alias = entry.spec.aliases.iter().map(|alias| format!("alias {alias}"));
    let needs = match (entry.erratum(), entry.needs().as_slice()) {
        (Some(erratum), _) => Some(format!("as printed, with erratum {erratum}")),
        (None, []) => None,
        (None, needs) => Some(format!("needs {}", needs.join(", "))),
    };
    let measured = entry.spec.cost.worst.filter(|bound| matches!(bound.basis, Basis::Measured(_)));
    let measured = measured.map(|_| "the bound is measured, not proved".to_owned());
    alias.chain(needs).chain(measured).collect::<Vec<_>>().join("; ")
}

/// Up to how many processes the battery has checked it.
fn checked(entry: &Entry) -> String {
    entry.checked_up_to().map_or_else(|| "-".to_owned(), |n| format!("n ≤ {n}"))
}

fn bound(entry: &Entry) -> String {
    entry.spec.cost.worst.map_or_else(|| "-".to_owned(), |bound| bound.formula.to_owned())
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
            Shape::OneWayRing | Shape::TwoWayRing | Shape::Memory => false,
        },
        Network::Tree => entry.shape == Shape::Edges && graphs.contains(&Graph::Tree),
    }
}
