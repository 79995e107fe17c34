//! Where everything goes: title above, legend to the right, caption below, the plot in between.

use super::marks::{Anchor, Mark, Paint, Picture, RADIUS, Shape, text_width};
use super::scale::{Mapping, Tick};
use super::{Plot, Scale, Stroke};

/// The plot itself, between its axes.
const PLOT: (f64, f64) = (600.0, 420.0);
const MARGIN: f64 = 18.0;
const TITLE: u32 = 17;
const LABEL: u32 = 14;
const SMALL: u32 = 12;
/// From one line of small text to the next.
const LINE: f64 = 18.0;
/// What a line in the legend shows before its text.
const SAMPLE: f64 = 34.0;

/// Lays out a plot.
pub(super) fn lay_out(plot: &Plot) -> Picture {
    let mut marks = Vec::new();
    let top = MARGIN + 52.0;
    let below = top + PLOT.1;
    let ys = Mapping::new(plot.y.scale, values(plot).map(|(_, y)| y), (below, top));
    let y_ticks = ys.ticks(&plot.y.ticks);
    let widest = |ticks: &[Tick]| {
        let width =
            |tick: &Tick| tick.label.as_ref().map_or(0.0, |label| text_width(label, f64::from(SMALL)));
        ticks.iter().map(width).fold(0.0, f64::max)
    };
    let left = MARGIN + 26.0 + widest(&y_ticks) + 12.0;
    let right = left + PLOT.0;
    let xs = Mapping::new(plot.x.scale, values(plot).map(|(x, _)| x), (left, right));
    let x_ticks = xs.ticks(&plot.x.ticks);
    let frame = Frame { left, right, top, below };
    frame.axes(&mut marks, (plot, &xs, &ys), (&x_ticks, &y_ticks));
    intervals(&mut marks, plot, &xs, &ys);
    curves(&mut marks, plot, &xs, &ys);
    points(&mut marks, plot, &xs, &ys);
    let legend = right + 22.0;
    let (legend_width, legend_below) = legend_marks(&mut marks, plot, (legend, top));
    let title_width =
        text_width(&plot.title, f64::from(TITLE)).max(text_width(&plot.subtitle, f64::from(SMALL)));
    let width = (legend + legend_width + MARGIN).max(left + title_width + MARGIN);
    marks.push(text((left, MARGIN + 14.0), &plot.title, TITLE, Anchor::Start, Paint::Ink, true));
    marks.push(text((left, MARGIN + 36.0), &plot.subtitle, SMALL, Anchor::Start, Paint::Faint, false));
    let mut line = (below + 70.0).max(legend_below + LINE);
    for caption in &plot.caption {
        for part in wrapped(caption, width - left - MARGIN) {
            marks.push(text((left, line), &part, SMALL, Anchor::Start, Paint::Faint, false));
            line += LINE;
        }
    }
    Picture { width: width.ceil(), height: (line - LINE + MARGIN).ceil(), title: plot.title.clone(), marks }
}

/// Everything that must find its place.
fn values(plot: &Plot) -> impl Iterator<Item = (f64, f64)> {
    let points = plot.series.iter().flat_map(|series| &series.points).flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        // An interval that reaches down to nothing would leave no room for anything else on a logarithmic axis.
        let low = if low > point.y / 10.0 { low } else { point.y };
        [(point.x, point.y), (point.x, low), (point.x, high)]
    });
    points.chain(plot.curves.iter().flat_map(|curve| curve.points.iter().copied()))
}

/// The place between the axes.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    below: f64,
}

impl Frame {
    fn axes(
        &self,
        marks: &mut Vec<Mark>,
        (plot, xs, ys): (&Plot, &Mapping, &Mapping),
        (x_ticks, y_ticks): (&[Tick], &[Tick]),
    ) {
        let line = |points: Vec<(f64, f64)>, paint, width| Mark::Line { points, paint, width, dashes: None };
        let Frame { left, right, top, below } = *self;
        let mut free = f64::NEG_INFINITY;
        for tick in x_ticks {
            let Some(x) = xs.place(tick.value) else { continue };
            let long = if tick.label.is_some() { 6.0 } else { 3.0 };
            if tick.label.is_some() {
                marks.push(line(vec![(x, top), (x, below)], Paint::Grid, 1.0));
            }
            marks.push(line(vec![(x, below), (x, below + long)], Paint::Ink, 1.0));
            let Some(label) = &tick.label else { continue };
            // A label that would touch the one before is left out; its tick stays.
            let half = text_width(label, f64::from(SMALL)) / 2.0;
            if x - half > free {
                marks.push(text((x, below + 21.0), label, SMALL, Anchor::Middle, Paint::Ink, false));
                free = x + half + 6.0;
            }
        }
        for tick in y_ticks {
            let Some(y) = ys.place(tick.value) else { continue };
            let long = if tick.label.is_some() { 6.0 } else { 3.0 };
            if tick.label.is_some() {
                marks.push(line(vec![(left, y), (right, y)], Paint::Grid, 1.0));
            }
            marks.push(line(vec![(left - long, y), (left, y)], Paint::Ink, 1.0));
            if let Some(label) = &tick.label {
                marks.push(text((left - 10.0, y + 4.3), label, SMALL, Anchor::End, Paint::Ink, false));
            }
        }
        marks.push(line(vec![(left, top), (left, below), (right, below)], Paint::Ink, 1.2));
        let middle = f64::midpoint(left, right);
        marks.push(text((middle, below + 46.0), &plot.x.label, LABEL, Anchor::Middle, Paint::Ink, false));
        marks.push(Mark::Text {
            at: (MARGIN + 8.0, f64::midpoint(top, below)),
            text: plot.y.label.clone(),
            size: LABEL,
            anchor: Anchor::Middle,
            bold: false,
            upwards: true,
            paint: Paint::Ink,
        });
    }
}

fn intervals(marks: &mut Vec<Mark>, plot: &Plot, xs: &Mapping, ys: &Mapping) {
    for series in &plot.series {
        let known = series.points.iter().filter_map(|point| {
            let (low, high) = point.interval?;
            Some((xs.place(point.x)?, ys.place(within(plot, ys, low))?, ys.place(high)?))
        });
        let known: Vec<(f64, f64, f64)> = known.collect();
        let there = known.iter().map(|&(x, low, _)| (x, low));
        let back = known.iter().rev().map(|&(x, _, high)| (x, high));
        let points: Vec<(f64, f64)> = there.chain(back).collect();
        if known.len() > 1 {
            marks.push(Mark::Area { points, paint: Paint::Series(series.look.0), opacity: 0.18 });
        }
    }
}

/// The lower end of an interval, on a logarithmic axis cut off where the axis ends.
fn within(plot: &Plot, ys: &Mapping, low: f64) -> f64 {
    if plot.y.scale == Scale::Log { low.max(ys.low) } else { low }
}

fn curves(marks: &mut Vec<Mark>, plot: &Plot, xs: &Mapping, ys: &Mapping) {
    for curve in &plot.curves {
        let points = curve.points.iter().filter_map(|&(x, y)| Some((xs.place(x)?, ys.place(y)?))).collect();
        let colour = plot.series.get(curve.series).map_or(0, |series| series.look.0);
        marks.push(curve_line(points, curve.stroke, colour));
    }
}

fn curve_line(points: Vec<(f64, f64)>, stroke: Stroke, colour: usize) -> Mark {
    let (width, dashes) = match stroke {
        Stroke::Dashed => (1.4, [7.0, 4.0]),
        Stroke::Dotted => (1.8, [1.8, 3.6]),
    };
    Mark::Line { points, paint: Paint::Series(colour), width, dashes: Some(dashes) }
}

fn points(marks: &mut Vec<Mark>, plot: &Plot, xs: &Mapping, ys: &Mapping) {
    for series in &plot.series {
        let (paint, shape) = (Paint::Series(series.look.0), Shape::of(series.look.1));
        let placed =
            series.points.iter().filter_map(|point| Some((xs.place(point.x)?, ys.place(point.y)?, point)));
        let placed: Vec<_> = placed.collect();
        if placed.len() > 1 {
            let points = placed.iter().map(|&(x, y, _)| (x, y)).collect();
            marks.push(Mark::Line { points, paint, width: 2.0, dashes: None });
        }
        for (x, y, point) in placed {
            // Where there is no band to show it, the interval is a bar.
            if let (1, Some((low, high))) = (series.points.len(), point.interval)
                && let (Some(low), Some(high)) = (ys.place(within(plot, ys, low)), ys.place(high))
            {
                marks.push(Mark::Line { points: vec![(x, low), (x, high)], paint, width: 1.4, dashes: None });
            }
            let title = point.title.clone();
            marks.push(Mark::Marker { at: (x, y), shape, paint, title });
        }
    }
}

/// Draws the legend with its upper left corner here; gives its width and where it ends.
fn legend_marks(marks: &mut Vec<Mark>, plot: &Plot, (left, top): (f64, f64)) -> (f64, f64) {
    let (mut line, mut width) = (top + 8.0, 0.0f64);
    let mut entry = |marks: &mut Vec<Mark>, words: &str, paint, line: f64| {
        marks.push(text((left + SAMPLE + 8.0, line + 4.3), words, SMALL, Anchor::Start, paint, false));
        width = width.max(SAMPLE + 8.0 + text_width(words, f64::from(SMALL)));
    };
    for (at, series) in plot.series.iter().enumerate() {
        let (paint, shape) = (Paint::Series(series.look.0), Shape::of(series.look.1));
        let sample = vec![(left, line), (left + SAMPLE, line)];
        if !series.points.is_empty() {
            marks.push(Mark::Line { points: sample, paint, width: 2.0, dashes: None });
            let middle = (left + SAMPLE / 2.0, line);
            marks.push(Mark::Marker { at: middle, shape, paint, title: String::new() });
        }
        entry(marks, &series.name, Paint::Ink, line);
        line += LINE;
        for curve in plot.curves.iter().filter(|curve| curve.series == at) {
            marks.push(curve_line(vec![(left, line), (left + SAMPLE, line)], curve.stroke, series.look.0));
            entry(marks, &curve.name, Paint::Faint, line);
            line += LINE;
        }
        line += 6.0;
    }
    (width, line - 6.0 - RADIUS)
}

fn text(at: (f64, f64), text: &str, size: u32, anchor: Anchor, paint: Paint, bold: bool) -> Mark {
    Mark::Text { at, text: text.to_owned(), size, anchor, bold, upwards: false, paint }
}

/// A text in lines that are at most so wide. It is parted at spaces, not at those that do not break.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line)
                if text_width(line, f64::from(SMALL)) + text_width(word, f64::from(SMALL)) + 4.0 < width =>
            {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}
