//! How far clocks are off while time goes by, against what is promised: a plot, or all numbers as a table.

use super::plot::{Axis, Curve, Plot, Point, Scale, Series, Stroke};
use crate::table::{Cell, Column, Format, Kind, Writer};
use ringleader::model::Ticks;
use ringleader::sim::Compared;
use std::io::{self, Write};

/// No more points are drawn: of each stretch of time the worst.
const POINTS_MOST: usize = 240;

/// The plot. Of each stretch of time it shows the moment at which the error comes closest to the promise: where the one
/// stays below the other, it does so at every moment.
#[must_use]
pub fn plot(title: &str, subtitle: &str, seen: &[Compared]) -> Plot {
    let promised: Vec<&Compared> = seen.iter().filter(|moment| moment.promise.is_some()).collect();
    let stretch = promised.len().div_ceil(POINTS_MOST).max(1);
    let has_error = promised.iter().any(|moment| moment.error.is_some());
    let off = |moment: &Compared| moment.error.unwrap_or(moment.skew);
    let left = |moment: &Compared| moment.promise.map(|promise| promise - off(moment));
    let closest = |moments: &[&Compared]| moments.iter().copied().min_by_key(|moment| left(moment)).copied();
    let shown: Vec<Compared> = promised.chunks(stretch).filter_map(closest).collect();
    let measured = |moment: &Compared| {
        let title = format!("at {}: {}", moment.time, off(moment));
        Point { x: moment.time.as_f64(), y: off(moment).as_f64(), interval: None, title }
    };
    let promise = |moment: &Compared| Some((moment.time.as_f64(), moment.promise?.as_f64()));
    Plot {
        title: title.to_owned(),
        subtitle: subtitle.to_owned(),
        x: Axis::new("true time in ticks", Scale::Linear),
        y: Axis::new("ticks", Scale::Linear),
        series: vec![Series {
            name: if has_error { "error" } else { "skew" }.to_owned(),
            look: (0, 0),
            points: shown.iter().map(measured).collect(),
        }],
        curves: vec![Curve {
            name: "promised".to_owned(),
            series: 0,
            stroke: Stroke::Dashed,
            points: shown.iter().filter_map(promise).collect(),
        }],
        caption: vec![
            "Of each stretch of time the moment at which what is measured comes closest to the promise."
                .to_owned(),
        ],
    }
}

/// All numbers, a row for each moment.
///
/// # Errors
/// If they cannot be written.
pub fn table<W: Write + Send>(seen: &[Compared], into: W) -> io::Result<W> {
    let columns = ["time", "skew", "error", "promise"].map(|name| Column::new(name, Kind::Float));
    let mut table = Writer::new(Format::Csv, columns.to_vec(), into)?;
    for moment in seen {
        table.row(&[
            moment.time.as_f64().into(),
            moment.skew.as_f64().into(),
            Cell::from(moment.error.map(Ticks::as_f64)),
            Cell::from(moment.promise.map(Ticks::as_f64)),
        ])?;
    }
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(count: i64) -> Vec<Compared> {
        let one = |k: i64| Compared {
            time: Ticks::whole(k),
            skew: Ticks::ZERO,
            error: Some(Ticks::ratio(k % 7, 2)),
            promise: (k > 0).then(|| Ticks::whole(4 + k % 3)),
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn each_stretch_shows_where_it_comes_closest_to_the_promise() {
        let mut moments = seen(1001);
        let plot_of = |moments: &[Compared]| plot("a", "b", moments);
        let drawn = plot_of(&moments);
        let (points, promised) = (&drawn.series[0].points, &drawn.curves[0].points);
        assert!(points.len() <= POINTS_MOST && points.len() > POINTS_MOST / 2);
        assert!(
            points
                .iter()
                .zip(promised)
                .all(|(point, &(x, promise))| point.x == x && promise - point.y <= 3.0)
        );
        // A promise is kept in the picture if it always is.
        assert!(points.iter().zip(promised).all(|(point, &(_, promise))| point.y <= promise));
        moments[500].error = Some(Ticks::whole(7));
        let drawn = plot_of(&moments);
        let broken = drawn.series[0].points.iter().zip(&drawn.curves[0].points);
        assert_eq!(broken.filter(|(point, (_, promise))| point.y > *promise).count(), 1);
        assert!(drawn.svg().contains("promised"));
    }

    #[test]
    fn every_moment_is_a_row() {
        let text = String::from_utf8(table(&seen(3), Vec::new()).unwrap()).unwrap();
        assert_eq!(text, "time,skew,error,promise\n0.0,0.0,0.0,\n1.0,0.0,0.5,5.0\n2.0,0.0,1.0,6.0\n");
    }
}
