//! A picture as SVG: for paper, or inside a page that may be dark.

use super::marks::{Anchor, Mark, Paint, Picture, RADIUS, Shape};
use crate::draw::xml::escaped;
use std::fmt::Write;

/// Fonts that have the signs, the one of the PNG first.
const FONTS: &str = "'DejaVu Sans', Verdana, 'Segoe UI', Arial, sans-serif";

/// A document of its own, black on white.
pub(super) fn document(picture: &Picture) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    write(&mut out, picture, Paint::on_paper, true);
    out
}

/// An element for a page, in the colours of the page.
pub(super) fn inline(picture: &Picture) -> String {
    let mut out = String::new();
    write(&mut out, picture, Paint::on_page, false);
    out
}

fn write(out: &mut String, picture: &Picture, colour: fn(Paint) -> &'static str, paper: bool) {
    let (width, height) = (picture.width, picture.height);
    let size = if paper { format!(" width=\"{width}\" height=\"{height}\"") } else { String::new() };
    put(
        out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"{size} viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"{FONTS}\">\n"
        ),
    );
    put(out, format_args!("<title>{}</title>\n", escaped(&picture.title)));
    if paper {
        put(out, format_args!("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"));
    }
    for mark in &picture.marks {
        one(out, mark, colour);
    }
    out.push_str("</svg>\n");
}

fn one(out: &mut String, mark: &Mark, colour: fn(Paint) -> &'static str) {
    match mark {
        Mark::Line { points, paint, width, dashes } => {
            let dashes =
                dashes.map_or_else(String::new, |[on, off]| format!(" stroke-dasharray=\"{on} {off}\""));
            let (points, colour) = (listed(points), colour(*paint));
            put(
                out,
                format_args!(
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                     stroke-linejoin=\"round\"{dashes}/>\n"
                ),
            );
        }
        Mark::Area { points, paint, opacity } => {
            let (points, colour) = (listed(points), colour(*paint));
            put(
                out,
                format_args!("<polygon points=\"{points}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>\n"),
            );
        }
        Mark::Marker { at, shape, paint, title } => {
            let colour = colour(*paint);
            let title =
                if title.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(title)) };
            match shape {
                Shape::Circle => put(
                    out,
                    format_args!(
                        "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{RADIUS}\" fill=\"{colour}\">{title}</circle>\n",
                        at.0, at.1
                    ),
                ),
                Shape::Square
                | Shape::Triangle
                | Shape::Diamond
                | Shape::TriangleDown
                | Shape::Cross
                | Shape::Plus
                | Shape::Star => {
                    let points = listed(&shape.corners(*at, RADIUS));
                    put(
                        out,
                        format_args!("<polygon points=\"{points}\" fill=\"{colour}\">{title}</polygon>\n"),
                    );
                }
            }
        }
        Mark::Text { at: (x, y), text, size, anchor, bold, upwards, paint } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let bold = if *bold { " font-weight=\"bold\"" } else { "" };
            let turn =
                if *upwards { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
            let (text, colour) = (escaped(text), colour(*paint));
            put(
                out,
                format_args!(
                    "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                     fill=\"{colour}\"{bold}{turn}>{text}</text>\n"
                ),
            );
        }
    }
}

fn listed(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

/// A string takes everything.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
