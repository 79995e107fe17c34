//! A picture as PNG, painted by kuva with the font that it brings along.

use super::marks::{Anchor, Mark, Paint, Picture, RADIUS, Shape};
use kuva::backend::raster::RasterBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

/// Pixels to a unit.
const SCALE: f32 = 2.0;

/// The file.
pub(super) fn file(picture: &Picture) -> Result<Vec<u8>, String> {
    let mut scene = Scene::new(picture.width, picture.height);
    for mark in &picture.marks {
        add(&mut scene.elements, mark);
    }
    RasterBackend::new().with_scale(SCALE).render_scene(&scene)
}

fn add(elements: &mut Vec<Primitive>, mark: &Mark) {
    let colour = |paint: Paint| Color::from(paint.on_paper());
    match mark {
        Mark::Line { points, paint, width, dashes } => {
            let parts = dashes.map_or_else(|| vec![points.clone()], |dashes| dashed(points, dashes));
            elements.extend(parts.into_iter().map(|points| Primitive::PolyLine {
                points,
                stroke: colour(*paint),
                stroke_width: *width,
                stroke_dasharray: None,
            }));
        }
        Mark::Area { points, paint, opacity } => {
            elements.push(filled(points, colour(*paint), Some(*opacity)))
        }
        Mark::Marker { at: (cx, cy), shape: Shape::Circle, paint, .. } => elements.push(Primitive::Circle {
            cx: *cx,
            cy: *cy,
            r: RADIUS,
            fill: colour(*paint),
            fill_opacity: None,
            stroke: None,
            stroke_width: None,
        }),
        Mark::Marker { at, shape, paint, .. } => {
            elements.push(filled(&shape.corners(*at, RADIUS), colour(*paint), None));
        }
        Mark::Text { at: (x, y), text, size, anchor, bold, upwards, paint } => {
            elements.push(Primitive::Text {
                x: *x,
                y: *y,
                content: text.clone(),
                size: *size,
                anchor: match anchor {
                    Anchor::Start => TextAnchor::Start,
                    Anchor::Middle => TextAnchor::Middle,
                    Anchor::End => TextAnchor::End,
                },
                rotate: upwards.then_some(-90.0),
                bold: *bold,
                color: Some(colour(*paint)),
            })
        }
    }
}

fn filled(points: &[(f64, f64)], fill: Color, opacity: Option<f64>) -> Primitive {
    let corners: Vec<String> = points.iter().map(|(x, y)| format!("{x:.3} {y:.3}")).collect();
    Primitive::Path(Box::new(PathData {
        d: format!("M {} Z", corners.join(" L ")),
        fill: Some(fill),
        stroke: Color::None,
        stroke_width: 0.0,
        opacity,
        stroke_dasharray: None,
    }))
}

/// The dashes of a line, each a line of its own. The painter would begin anew at every corner, and a curve of short
/// pieces would have no gaps.
fn dashed(points: &[(f64, f64)], dashes: [f64; 2]) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    let (mut place, mut left) = (0, dashes[0]);
    if let Some(&first) = points.first() {
        parts.push(vec![first]);
    }
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let rest = (to.0 - from.0).hypot(to.1 - from.1);
            let share = if rest > left { left / rest } else { 1.0 };
            let at = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            if place == 0
                && let Some(part) = parts.last_mut()
            {
                part.push(at);
            }
            if rest <= left {
                left -= rest;
                break;
            }
            place = 1 - place;
            left = dashes[place];
            if place == 0 {
                parts.push(vec![at]);
            }
            from = at;
        }
    }
    parts.retain(|part| part.len() > 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_round_corners() {
        let parts = dashed(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)], [6.0, 3.0]);
        assert_eq!(
            parts,
            [
                vec![(0.0, 0.0), (6.0, 0.0)],
                vec![(9.0, 0.0), (10.0, 0.0), (10.0, 5.0)],
                vec![(10.0, 8.0), (10.0, 10.0)]
            ]
        );
        assert!(dashed(&[(1.0, 1.0)], [6.0, 3.0]).is_empty() && dashed(&[], [6.0, 3.0]).is_empty());
    }
}
