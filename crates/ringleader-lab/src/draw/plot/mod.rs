//! Measurements as a plot: points with their intervals, theory as dashed curves, a legend that covers nothing.
//!
//! A [`Plot`] is laid out once, as a few kinds of marks, and then written as SVG, as PNG (with its own font) or as a
//! page that needs nothing else. Colours are those of Okabe and Ito, which the colour-blind can tell apart, and series
//! differ in their markers besides.

mod html;
mod layout;
mod marks;
#[cfg(feature = "png")]
mod png;
mod scale;
mod svg;
#[cfg(test)]
mod tests;

pub use html::Table;
pub use scale::{Scale, short};

/// A plot.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// What it is about, in one line.
    pub title: String,
    /// How it was measured, in one line below.
    pub subtitle: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// What was measured.
    pub series: Vec<Series>,
    /// What theory says.
    pub curves: Vec<Curve>,
    /// What else a reader has to know: lines below the plot, wrapped where they are long.
    pub caption: Vec<String>,
}

/// An axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Where the ticks are, and what stands there; chosen if there are none, or too many.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis whose ticks are chosen.
    #[must_use]
    pub fn new(label: impl Into<String>, scale: Scale) -> Axis {
        Axis { label: label.into(), scale, ticks: Vec::new() }
    }
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Which colour it has, and which marker; there are seven colours and eight markers, which then begin anew.
    pub look: (usize, usize),
    /// The points, from left to right.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// From left to right.
    pub x: f64,
    /// From bottom to top.
    pub y: f64,
    /// The interval around it, from and to, if there is one: a band, or a bar where there is one point.
    pub interval: Option<(f64, f64)>,
    /// What is said about it when the pointer rests on it.
    pub title: String,
}

/// A curve of theory.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its formula in the legend.
    pub name: String,
    /// The series that it speaks of, whose colour it has.
    pub series: usize,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    /// For bounds.
    Dashed,
    /// For means.
    Dotted,
}

impl Plot {
    /// As an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::document(&layout::lay_out(self))
    }

    /// As a PNG file, two pixels to a unit.
    ///
    /// # Errors
    /// If the picture cannot be made, in words.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        #[cfg(feature = "png")]
        return png::file(&layout::lay_out(self));
        #[cfg(not(feature = "png"))]
        Err("this program was built without PNG".to_owned())
    }

    /// As a page with the plot, this table, and the command that repeats it; it needs no network.
    #[must_use]
    pub fn html(&self, table: &Table, again: &str) -> String {
        html::page(self, &svg::inline(&layout::lay_out(self)), table, again)
    }
}
