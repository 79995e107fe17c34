//! The comparison as a plot: what was measured, beside what is proved.

use super::table::{formula, sheet};
use super::{ComparisonReport, series_name, what};
use crate::compare::{Cell, Summary, bound_at};
use crate::draw::plot::{Axis, Curve, Plot, Point, Scale, Series, Stroke, Table, short};
use crate::options::{LoadArg, Per, Typed};
use crate::people::{decimal, grouped};
use ringleader::registry::Problem;

/// What the bands of a plot are.
pub(crate) const BANDS: &str = "Points are means; bands are the 95 % confidence intervals of the means.";
/// So many algorithms have colours of their own.
const COLOURS: usize = 7;

/// The plot: against n, or against the load where there are several loads and one n.
#[must_use]
pub fn plot(compared: &ComparisonReport<'_>, per: Option<Per>) -> Plot {
    let asked = compared.asked;
    let by_load = asked.sizes.len() == 1 && asked.loads.len() > 1;
    let (series, curves) = if by_load { by_loads(compared) } else { by_sizes(compared) };
    let what = what(asked.problem);
    let title = match asked.problem {
        Problem::Election => "Messages until a leader is elected",
        Problem::Mutex => "Messages per entry to the critical section",
        Problem::Clocks => "How far clocks are apart once all are set",
    };
    let x = if by_load { load_axis(compared) } else { size_axis(&asked.sizes) };
    let mut plot = Plot {
        title: title.to_owned(),
        subtitle: compared.how(),
        x,
        y: Axis::new(what, Scale::Log),
        series,
        curves,
        caption: captions(compared),
    };
    if by_load {
        plot.title += &format!(", n = {}", grouped(u64::from(asked.sizes[0])));
    } else if per == Some(Per::N) {
        divide(&mut plot);
        plot.y.label = format!("{what} / n");
    }
    plot.y.scale = scale(&plot);
    plot
}

/// The numbers below the plot, on a page.
#[must_use]
pub fn table(compared: &ComparisonReport<'_>) -> Table {
    let (names, rows) = sheet(compared);
    Table { names: names.into_iter().map(str::to_owned).collect(), rows }
}

fn size_axis(sizes: &[u32]) -> Axis {
    let mut axis = Axis::new("number of processes n", Scale::Log);
    let ticks = |list: Vec<u32>| list.into_iter().map(|n| (f64::from(n), short(f64::from(n)))).collect();
    let binary = sizes.iter().all(|n| n.is_power_of_two());
    if binary || sizes.len() <= 3 {
        axis.ticks = ticks(sizes.to_vec());
    }
    axis
}

fn load_axis(compared: &ComparisonReport<'_>) -> Axis {
    let names = compared.asked.loads.iter().enumerate();
    let tick = |(at, load): (usize, &Option<Typed<LoadArg>>)| {
        (at as f64 + 1.0, load.as_ref().map_or_else(String::new, |load| load.text.clone()))
    };
    Axis { label: "load".into(), scale: Scale::Linear, ticks: names.map(tick).collect() }
}

/// Logarithmic where the values differ much.
fn scale(plot: &Plot) -> Scale {
    let values = plot.series.iter().flat_map(|series| series.points.iter().map(|point| point.y));
    let values: Vec<f64> =
        values.chain(plot.curves.iter().flat_map(|c| c.points.iter().map(|p| p.1))).collect();
    let (low, high) =
        values.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &y| (low.min(y), high.max(y)));
    if low > 0.0 && high / low > 20.0 { Scale::Log } else { Scale::Linear }
}

fn by_sizes(compared: &ComparisonReport<'_>) -> (Vec<Series>, Vec<Curve>) {
    let sizes = compared.asked.sizes.len();
    let (mut all, mut curves) = (Vec::new(), Vec::new());
    let chunks = compared.cells.chunks(sizes).zip(compared.summaries.chunks(sizes));
    for (at, (cells, summaries)) in chunks.enumerate() {
        let Some(first) = cells.first() else { continue };
        let name = series_name(compared, first.place);
        let point = |(cell, summary): (&Cell, &Option<Summary>)| {
            summary.as_ref().map(|summary| point(f64::from(cell.place.nodes), &name, cell, summary))
        };
        all.push(Series {
            name: name.clone(),
            look: look(compared, first.place.algorithm, first.place.load),
            points: cells.iter().zip(summaries).filter_map(point).collect(),
        });
        // The bound is the same under every load: once is enough.
        if first.place.load == 0 {
            curves.extend(bound_curve(compared, at, cells, summaries));
            curves.extend(average_curve(compared, at, cells, summaries));
        }
    }
    (all, curves)
}

fn by_loads(compared: &ComparisonReport<'_>) -> (Vec<Series>, Vec<Curve>) {
    let asked = compared.asked;
    let loads = asked.loads.len();
    let (mut all, mut curves) = (Vec::new(), Vec::new());
    let chunks = compared.cells.chunks(loads).zip(compared.summaries.chunks(loads));
    for (at, (cells, summaries)) in chunks.enumerate() {
        let name = asked.algorithms[at].spec.name;
        let point = |(cell, summary): (&Cell, &Option<Summary>)| {
            summary.as_ref().map(|summary| point(cell.place.load as f64 + 1.0, name, cell, summary))
        };
        all.push(Series {
            name: name.into(),
            look: look(compared, at, 0),
            points: cells.iter().zip(summaries).filter_map(point).collect(),
        });
        if let Some((formula, value)) = summaries.iter().flatten().find_map(|summary| summary.bound) {
            let points = vec![(1.0, value), (loads as f64, value)];
            let name = format!("at most {formula}");
            curves.push(Curve { name, series: at, stroke: Stroke::Dashed, points });
        }
    }
    (all, curves)
}

fn point(x: f64, name: &str, cell: &Cell, summary: &Summary) -> Point {
    let stats = &summary.stats;
    let margin = stats.margin95().map_or_else(String::new, |margin| format!(" ± {}", decimal(margin)));
    let range = format!("{} to {} in {} runs", decimal(stats.min), decimal(stats.max), stats.count);
    Point {
        x,
        y: stats.mean,
        interval: stats.ci95(),
        title: format!("{name}, n = {}: {}{margin} ({range})", cell.place.nodes, decimal(stats.mean)),
    }
}

/// An algorithm has a colour; where there are several loads the marker says which, otherwise it is the algorithm's.
fn look(compared: &ComparisonReport<'_>, algorithm: usize, load: usize) -> (usize, usize) {
    let loads = compared.asked.loads.len();
    let by_load = loads > 1 && compared.asked.sizes.len() > 1;
    (algorithm, if by_load { load + algorithm / COLOURS * loads } else { algorithm })
}

/// The bound at every size: what the runs were held against; where there was no run, the formula, if that gives the
/// same elsewhere. Between the sizes it is a straight line: what a bound does there (steps of logarithms, say) is not
/// asked.
fn bound_curve(
    compared: &ComparisonReport<'_>,
    series: usize,
    cells: &[Cell],
    summaries: &[Option<Summary>],
) -> Option<Curve> {
    let entry = compared.entry(cells.first()?.place);
    let held = |summary: &Option<Summary>| summary.as_ref().and_then(|summary| summary.bound);
    let (formula, _) = summaries.iter().find_map(held)?;
    let agrees = cells.iter().zip(summaries).all(|(cell, summary)| {
        let by_formula = bound_at(entry, cell.place.nodes);
        held(summary)
            .is_none_or(|(_, value)| by_formula.is_some_and(|bound| (bound / value - 1.0).abs() < 0.02))
    });
    let point = |(cell, summary): (&Cell, &Option<Summary>)| {
        let by_formula = || bound_at(entry, cell.place.nodes).filter(|_| agrees);
        Some((f64::from(cell.place.nodes), held(summary).map(|(_, value)| value).or_else(by_formula)?))
    };
    let points = cells.iter().zip(summaries).filter_map(point).collect();
    Some(Curve { name: format!("at most {formula}"), series, stroke: Stroke::Dashed, points })
}

fn average_curve(
    compared: &ComparisonReport<'_>,
    series: usize,
    cells: &[Cell],
    summaries: &[Option<Summary>],
) -> Option<Curve> {
    let known = cells.iter().zip(summaries).filter_map(|(cell, summary)| {
        let (formula, value) = compared.average(cell.place, summary.as_ref()?)?;
        Some((f64::from(cell.place.nodes), formula, value))
    });
    let known: Vec<(f64, &'static str, f64)> = known.collect();
    let &(_, formula, _) = known.first()?;
    let points = known.into_iter().map(|(n, _, value)| (n, value)).collect();
    Some(Curve { name: format!("on average {formula}"), series, stroke: Stroke::Dotted, points })
}

fn divide(plot: &mut Plot) {
    for point in plot.series.iter_mut().flat_map(|series| &mut series.points) {
        point.y /= point.x;
        point.interval = point.interval.map(|(low, high)| (low / point.x, high / point.x));
    }
    for (x, y) in plot.curves.iter_mut().flat_map(|curve| &mut curve.points) {
        *y /= *x;
    }
}

/// What the lines are, how the costs grow, and how to make the plot again.
fn captions(compared: &ComparisonReport<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let many = compared.summaries.iter().flatten().any(|summary| summary.stats.count > 1);
    if many {
        lines.push(BANDS.to_owned());
    }
    let sizes = compared.asked.sizes.len();
    let fitted: Vec<String> = (compared.growth.iter())
        .zip(compared.cells.chunks(sizes))
        .filter_map(|(growth, cells)| {
            let best = &growth.as_ref().ok()?.best;
            let said = format!("{} ≈ {}", series_name(compared, cells.first()?.place), formula(best));
            // Formulas are not to be parted at the end of a line.
            Some(said.replace(' ', "\u{a0}"))
        })
        .collect();
    if !fitted.is_empty() {
        lines.push(format!("Fits: {}.", fitted.join("; ")));
    }
    lines.push(compared.again.clone());
    lines
}
