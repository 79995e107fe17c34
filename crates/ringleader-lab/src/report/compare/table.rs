//! The summary as a table, and the runs as rows.

use super::{ComparisonReport, series_name, what};
use crate::compare::{self, Asked as Words, Summary, columns, row};
use crate::growth::{Fit, Model};
use crate::layout::fold;
use crate::options::IdsArg;
use crate::people::style::{BOLD, DIM, RED, RESET, YELLOW};
use crate::people::{decimal, grouped};
use crate::table::{Cell, Column, Format, Kind, Writer};
use ringleader::registry::Problem;
use std::io::{self, Write};

/// The report for people, in a terminal of this width or a file.
///
/// # Errors
/// If it cannot be written.
pub fn text(compared: &ComparisonReport<'_>, width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let asked = compared.asked;
    let what = what(asked.problem);
    // The worst arrangement is each one's own.
    let same = match &asked.options.environment.ids {
        Some(given) if matches!(given.value, IdsArg::Worst) => {
            "the same seeds for all, its worst arrangement for each"
        }
        Some(_) | None => "the same arrangements and seeds for all",
    };
    let header = format!("{BOLD}{what}{RESET} · {same} · {}", compared.how());
    writeln!(out, "{}", fold("", &header, 2))?;
    let (mut names, mut lines) = sheet(compared);
    // In a terminal there may be too little room; a file has enough.
    let left_out = width.map_or_else(Vec::new, |width| narrowed(&mut names, &mut lines, width));
    framed(&names, &lines, out)?;
    if !left_out.is_empty() {
        let columns = left_out.join(", ");
        let text = format!("{DIM}in a wider terminal, and with --json, also: {columns}{RESET}");
        writeln!(out, "{}", fold("  ", &text, 4))?;
    }
    growth(compared, out)?;
    for (code, paint, words) in [(1, RED, "violated"), (3, YELLOW, "stopped by a limit")] {
        if let Some((place, run)) = compared.first(code) {
            let broken = run.report.properties.iter().find(|property| !property.holds);
            let why = match (code, broken) {
                (1, Some(property)) => format!(": {}", property.name),
                (1, None) => ": the bound".to_owned(),
                (_, _) => String::new(),
            };
            let name = compared.entry(place).spec.name;
            writeln!(out, "  {paint}{words}{RESET}     {name}, n = {}, seed {}{why}", place.nodes, run.seed)?;
            writeln!(out, "  see it:      {}", compared.again(place, run))?;
        }
    }
    let outside = compared.runs().find(|(_, run)| !run.report.outside.is_empty());
    if let Some((_, run)) = outside {
        let reasons = run.report.outside.join("; ");
        let text = format!("{YELLOW}outside the assumptions{RESET}: {reasons}");
        writeln!(out, "{}", fold("  ", &text, 4))?;
    }
    writeln!(out, "\n  {DIM}again:{RESET}  {}", compared.again)
}

/// A table in a frame: numbers to the right, words to the left.
fn framed(names: &[&str], lines: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let wide = |text: &str| text.chars().count();
    let width = |(at, name): (usize, &&str)| {
        lines.iter().map(|line| wide(&line[at])).max().unwrap_or(0).max(wide(name))
    };
    let widths: Vec<usize> = names.iter().enumerate().map(width).collect();
    let rule = |[start, line, cross, end]: [&str; 4]| {
        let parts: Vec<String> = widths.iter().map(|width| line.repeat(width + 2)).collect();
        format!("{start}{}{end}", parts.join(cross))
    };
    let row = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.zip(names).zip(&widths).map(|((cell, name), &width)| match *name {
            "algorithm" | "load" => format!(" {cell:<width$} "),
            _ => format!(" {cell:>width$} "),
        });
        format!("│{}│", cells.collect::<Vec<_>>().join("┆"))
    };
    writeln!(out, "{}", rule(["╭", "─", "┬", "╮"]))?;
    writeln!(out, "{}", row(&mut names.iter().copied()))?;
    writeln!(out, "{}", rule(["╞", "═", "╪", "╡"]))?;
    for line in lines {
        writeln!(out, "{}", row(&mut line.iter().map(String::as_str)))?;
    }
    writeln!(out, "{}", rule(["╰", "─", "┴", "╯"]))
}

/// Takes out columns, the least important first, until the table is at most so wide; gives their names.
fn narrowed(names: &mut Vec<&'static str>, lines: &mut [Vec<String>], width: usize) -> Vec<&'static str> {
    let wide = |text: &str| text.chars().count();
    let total = |names: &[&str], lines: &[Vec<String>]| {
        let column = |(at, name): (usize, &&str)| {
            lines.iter().map(|line| wide(&line[at])).max().unwrap_or(0).max(wide(name)) + 3
        };
        names.iter().enumerate().map(column).sum::<usize>() + 1
    };
    let mut left_out = Vec::new();
    for name in ["average", "bypass", "phases", "fairness", "proved worst case", "least", "most", "waiting"] {
        if total(names, lines) <= width {
            break;
        }
        let Some(at) = names.iter().position(|known| *known == name) else { continue };
        names.remove(at);
        lines.iter_mut().for_each(|line| {
            line.remove(at);
        });
        left_out.push(name);
    }
    left_out
}

fn growth(compared: &ComparisonReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let sizes = compared.asked.sizes.len();
    let named = compared.growth.iter().zip(compared.cells.chunks(sizes));
    let named: Vec<_> = named.filter_map(|(growth, cells)| Some((growth, cells.first()?.place))).collect();
    let wide =
        named.iter().map(|&(_, place)| series_name(compared, place).chars().count()).max().unwrap_or(0);
    if let Some((Err(few), _)) = named.first()
        && named.iter().all(|(growth, _)| growth.is_err())
    {
        // One size is asked for where growth is of no interest.
        return if sizes > 1 { writeln!(out, "  growth   unknown: {few}") } else { Ok(()) };
    }
    for (at, (growth, place)) in named.into_iter().enumerate() {
        let label = if at == 0 { "growth" } else { "" };
        let name = series_name(compared, place);
        match growth {
            Ok(growth) => {
                let (best, power) = (&growth.best, &growth.power);
                let exponent = power.exponent.unwrap_or(1.0);
                let free = match best.model {
                    Model::Power => String::new(),
                    Model::Constant
                    | Model::Log
                    | Model::Sqrt
                    | Model::Linear
                    | Model::NLogN
                    | Model::NSqrtN
                    | Model::Quadratic => format!("; free exponent n^{exponent:.2}"),
                };
                let how_well = if best.is_exact() {
                    "exact".to_owned()
                } else {
                    format!("factor ± {}, off by {:.1} %", significant(best.a_error), best.error_pct)
                };
                let start = format!("  {label:<6}   {name:<wide$}   ");
                let text = format!("{} ({how_well}{free})", formula(best));
                writeln!(out, "{}", fold(&start, &text, wide + 14))?;
            }
            Err(few) => {
                let start = format!("  {label:<6}   {name:<wide$}   ");
                writeln!(out, "{}", fold(&start, &format!("unknown: {few}"), wide + 14))?;
            }
        }
    }
    Ok(())
}

/// A fitted formula with its factors.
pub(super) fn formula(fit: &Fit) -> String {
    let leading = term(fit.a, fit.model, fit.exponent);
    match &fit.lower {
        // What is nothing in the digits that are shown is left out.
        Some(lower) if lower.b.abs() >= 1e-9 => {
            let sign = if lower.b < 0.0 { '−' } else { '+' };
            format!("{leading} {sign} {}", term(lower.b.abs(), lower.model, None))
        }
        Some(_) | None => leading,
    }
}

fn term(factor: f64, model: Model, exponent: Option<f64>) -> String {
    let factor = significant(factor);
    match (model, exponent) {
        (Model::Constant, _) => factor,
        (Model::Power, Some(exponent)) => format!("{factor}·n^{exponent:.2}"),
        (model, _) => format!("{factor}·{}", model.formula()),
    }
}

/// Three digits that count.
fn significant(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let decimals = (2.0 - number.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The summary: the names of its columns, and its rows in words.
pub(super) fn sheet(compared: &ComparisonReport<'_>) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let mutex = compared.asked.problem == Problem::Mutex;
    let loads = compared.cells.iter().any(|cell| compared.load(cell.place).is_some());
    let phases = !mutex && compared.summed().any(|(_, summary)| summary.is_some_and(|s| s.phases.is_some()));
    let averages = compared
        .summed()
        .any(|(cell, summary)| summary.is_some_and(|s| compared.average(cell.place, s).is_some()));
    let clocks = compared.asked.problem == Problem::Clocks;
    let measured = match compared.asked.problem {
        Problem::Election => "messages",
        Problem::Mutex => "per entry",
        Problem::Clocks => "skew",
    };
    let columns: [(bool, &'static str); 14] = [
        (true, "algorithm"),
        (loads, "load"),
        (true, "n"),
        (true, measured),
        (true, "least"),
        (true, "most"),
        (phases, "phases"),
        (true, if clocks { "best possible" } else { "proved worst case" }),
        (true, "of it"),
        (averages, "average"),
        (mutex, "waiting"),
        (mutex, "sync delay"),
        (mutex, "fairness"),
        (mutex, "bypass"),
    ];
    let dash = || "–".to_owned();
    let line = |(cell, summary): (&compare::Cell, Option<&Summary>)| {
        let place = cell.place;
        let of = |value: Option<String>| value.unwrap_or_else(dash);
        let texts: [String; 14] = [
            compared.entry(place).spec.name.to_owned(),
            of(compared.load(place).map(str::to_owned)),
            grouped(u64::from(place.nodes)),
            of(summary.map(|s| match s.stats.margin95() {
                // As many digits as the mean has.
                Some(margin) if s.stats.mean >= 1000.0 => {
                    format!("{} ± {}", decimal(s.stats.mean), grouped(margin.round() as u64))
                }
                Some(margin) => format!("{} ± {}", decimal(s.stats.mean), decimal(margin)),
                None => decimal(s.stats.mean),
            })),
            of(summary.map(|s| decimal(s.stats.min))),
            of(summary.map(|s| decimal(s.stats.max))),
            of(summary.and_then(|s| s.phases).map(grouped)),
            of(summary
                .and_then(|s| s.bound)
                .map(|(formula, value)| format!("{formula} = {}", decimal(value)))),
            of(summary.and_then(|s| s.ratio).map(|ratio| format!("{:.1} %", ratio * 100.0))),
            of(summary
                .and_then(|s| compared.average(place, s))
                .map(|(formula, value)| format!("{formula} = {}", decimal(value)))),
            of(summary.and_then(|s| s.waiting).map(decimal)),
            of(summary.and_then(|s| s.sync_delay).map(decimal)),
            of(summary.and_then(|s| s.fairness).map(|fairness| format!("{fairness:.3}"))),
            of(summary.and_then(|s| s.bypass_max).map(grouped)),
        ];
        texts.into_iter().zip(columns).filter(|(_, (shown, _))| *shown).map(|(text, _)| text).collect()
    };
    let names = columns.iter().filter(|(shown, _)| *shown).map(|&(_, name)| name).collect();
    (names, compared.summed().map(line).collect())
}

/// Writes one row for each run, or the summary where it is for people.
///
/// # Errors
/// If they cannot be written.
pub fn rows<W: Write + Send>(compared: &ComparisonReport<'_>, format: Format, out: W) -> io::Result<W> {
    if format == Format::Markdown {
        return markdown(compared, out);
    }
    let mut writer = Writer::new(format, columns(compared.asked.problem), out)?;
    for_each_row(compared, |cells| writer.row(cells))?;
    writer.finish()
}

/// Hands over the cells of every run.
pub(super) fn for_each_row(
    compared: &ComparisonReport<'_>,
    mut take: impl FnMut(&[Cell]) -> io::Result<()>,
) -> io::Result<()> {
    for (place, run) in compared.runs() {
        let entry = compared.entry(place);
        let words = Words {
            algorithm: entry.spec.name,
            ids: compared.ids(entry),
            schedule: compared.schedule(),
            load: compared.load(place),
            again: compared.again(place, run),
        };
        take(&row(&words, run))?;
    }
    Ok(())
}

fn markdown<W: Write + Send>(compared: &ComparisonReport<'_>, out: W) -> io::Result<W> {
    let (columns, rows) = summary(compared);
    let mut writer = Writer::new(Format::Markdown, columns, out)?;
    for row in &rows {
        writer.row(row)?;
    }
    writer.finish()
}

/// The summary as numbers: its columns and its rows.
#[must_use]
pub fn summary(compared: &ComparisonReport<'_>) -> (Vec<Column>, Vec<Vec<Cell>>) {
    let columns = [
        ("algorithm", Kind::Text),
        ("load", Kind::Text),
        ("n", Kind::Int),
        ("runs", Kind::Int),
        ("mean", Kind::Float),
        ("± 95 %", Kind::Float),
        ("min", Kind::Float),
        ("max", Kind::Float),
        ("bound", Kind::Float),
        ("max / bound", Kind::Float),
    ];
    let loads = compared.cells.iter().any(|cell| compared.load(cell.place).is_some());
    let shown = |name: &str| loads || name != "load";
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    let line = |(cell, summary): (&compare::Cell, Option<&Summary>)| {
        let stats = summary.map(|summary| summary.stats);
        let cells: [Cell; 10] = [
            compared.entry(cell.place).spec.name.into(),
            compared.load(cell.place).into(),
            cell.place.nodes.into(),
            stats.map(|stats| stats.count).into(),
            stats.map(|stats| rounded(stats.mean)).into(),
            stats.and_then(|stats| stats.margin95()).map(rounded).into(),
            stats.map(|stats| rounded(stats.min)).into(),
            stats.map(|stats| rounded(stats.max)).into(),
            summary.and_then(|summary| summary.bound).map(|(_, value)| rounded(value)).into(),
            summary.and_then(|summary| summary.ratio).map(rounded).into(),
        ];
        cells.into_iter().zip(columns).filter(|(_, (name, _))| shown(name)).map(|(cell, _)| cell).collect()
    };
    let rows = compared.summed().map(line).collect();
    let kept = columns.iter().filter(|(name, _)| shown(name)).map(|&(name, kind)| Column::new(name, kind));
    (kept.collect(), rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_table_keeps_what_matters() {
        let mut names = vec!["algorithm", "n", "messages", "proved worst case", "of it", "average"];
        let row = ["chang-roberts", "64", "310.7 ± 24.93", "n(n+1)/2 = 2,080", "17.7 %", "n·H(n) = 303.61"];
        let mut lines = vec![row.map(str::to_owned).to_vec()];
        assert!(narrowed(&mut names, &mut lines, 200).is_empty());
        assert_eq!(narrowed(&mut names, &mut lines, 75), ["average"]);
        assert_eq!(narrowed(&mut names, &mut lines, 50), ["proved worst case"]);
        assert_eq!(names, ["algorithm", "n", "messages", "of it"]);
        assert_eq!(lines[0], ["chang-roberts", "64", "310.7 ± 24.93", "17.7 %"]);
        assert!(narrowed(&mut names, &mut lines, 10).is_empty(), "the rest stays");
    }

    #[test]
    fn three_digits_that_count() {
        assert_eq!(
            [0.0, 0.7549, 1.0, 12.345, 1234.5, 0.00086].map(significant),
            ["0", "0.755", "1", "12.3", "1234", "0.00086"]
        );
    }
}
