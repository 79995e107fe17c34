//! Who is joined to whom.

use crate::limits::COMPLETE_NODES;
use ringleader::model::Shape;
use ringleader::network::tree;
use ringleader::trace::Header;

/// The edges of a small network, and whether messages travel one way only.
pub(crate) fn edges(shape: Shape, header: &Header) -> (Vec<(u32, u32)>, bool) {
    let n = header.n;
    match shape {
        Shape::OneWayRing => ((0..n).map(|index| (index, (index + 1) % n)).collect(), true),
        // Two processes have one neighbour, on both sides.
        Shape::TwoWayRing if n == 2 => (vec![(0, 1)], false),
        Shape::TwoWayRing => ((0..n).map(|index| (index, (index + 1) % n)).collect(), false),
        Shape::Named => (complete(n), false),
        Shape::Edges => {
            let neighbours = match header.topology.as_str() {
                _ if !header.neighbours.is_empty() => header.neighbours.clone(),
                "line" => tree::line(n),
                "star" => tree::star(n),
                "binary" => tree::binary(n),
                _ => return (complete(n), false),
            };
            let pairs = neighbours.iter().enumerate().flat_map(|(index, list)| {
                list.iter().map(move |&other| (index as u32, other)).filter(|(one, other)| one < other)
            });
            (pairs.collect(), false)
        }
    }
}

/// Everybody with everybody; nobody where nothing could be seen.
fn complete(n: u32) -> Vec<(u32, u32)> {
    if n > COMPLETE_NODES {
        return Vec::new();
    }
    (0..n).flat_map(|one| (one + 1..n).map(move |other| (one, other))).collect()
}
