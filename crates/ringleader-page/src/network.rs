//! Who is joined to whom.

use crate::limits::COMPLETE_NODES;
use ringleader::model::{Edge, Shape};
use ringleader::network::{Network, Plan, Wired, tree};
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
        // Nobody is connected with anybody: the picture has processes and no links.
        Shape::Memory => (Vec::new(), false),
        Shape::Edges => {
            let Some(neighbours) = neighbours(header) else { return (complete(n), false) };
            let pairs = neighbours.iter().enumerate().flat_map(|(index, list)| {
                list.iter().map(move |&other| (index as u32, other)).filter(|(one, other)| one < other)
            });
            (pairs.collect(), false)
        }
    }
}

/// The neighbours of each process of a graph; none where everybody is joined to everybody.
fn neighbours(header: &Header) -> Option<Vec<Vec<u32>>> {
    match header.topology.as_str() {
        _ if !header.neighbours.is_empty() => Some(header.neighbours.clone()),
        "line" => Some(tree::line(header.n)),
        "star" => Some(tree::star(header.n)),
        "binary" => Some(tree::binary(header.n)),
        _ => None,
    }
}

/// Who is behind each port of each process, where ports are numbers; nobody where they are not.
pub(crate) fn ports(shape: Shape, header: &Header) -> Vec<Vec<u32>> {
    let listed = neighbours(header);
    if shape != Shape::Edges || (listed.is_none() && header.n > COMPLETE_NODES) {
        return Vec::new();
    }
    let graph = Edge::wire(&Plan {
        n: header.n,
        ports: header.ports.clone(),
        neighbours: listed.unwrap_or_default(),
    });
    let to = |index, port| graph.route(index, Edge(port)).0;
    (0..header.n).map(|index| (0..graph.degree(index)).map(|port| to(index, port)).collect()).collect()
}

/// Everybody with everybody; nobody where nothing could be seen.
fn complete(n: u32) -> Vec<(u32, u32)> {
    if n > COMPLETE_NODES {
        return Vec::new();
    }
    (0..n).flat_map(|one| (one + 1..n).map(move |other| (one, other))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(n: u32, topology: &str, neighbours: Vec<Vec<u32>>) -> Header {
        Header {
            algorithm: "x".into(),
            n,
            ids: Vec::new(),
            initiators: Vec::new(),
            links: "fifo".into(),
            topology: topology.into(),
            ports: Vec::new(),
            neighbours,
            range: 2,
            settings: Vec::new(),
            schedule: "rounds".into(),
            seed: 0,
            unsound: false,
            ticks_per_unit: 1,
            max_delay: 1,
            from: Vec::new(),
            clocks: None,
        }
    }

    #[test]
    fn rings_trees_and_complete_graphs() {
        let plain = |n, topology| header(n, topology, Vec::new());
        assert_eq!(edges(Shape::OneWayRing, &plain(3, "ring")), (vec![(0, 1), (1, 2), (2, 0)], true));
        assert_eq!(edges(Shape::OneWayRing, &plain(1, "ring")), (vec![(0, 0)], true));
        assert_eq!(edges(Shape::OneWayRing, &plain(2, "ring")), (vec![(0, 1), (1, 0)], true));
        assert_eq!(edges(Shape::TwoWayRing, &plain(2, "ring")), (vec![(0, 1)], false));
        assert_eq!(edges(Shape::TwoWayRing, &plain(3, "ring")), (vec![(0, 1), (1, 2), (2, 0)], false));
        assert_eq!(edges(Shape::Named, &plain(3, "complete")), (vec![(0, 1), (0, 2), (1, 2)], false));
        assert_eq!(edges(Shape::Named, &plain(61, "complete")), (vec![], false));
        assert_eq!(edges(Shape::Edges, &plain(4, "star")), (vec![(0, 1), (0, 2), (0, 3)], false));
        assert_eq!(edges(Shape::Edges, &plain(3, "line")), (vec![(0, 1), (1, 2)], false));
        let drawn = header(3, "random", vec![vec![2], vec![2], vec![0, 1]]);
        assert_eq!(edges(Shape::Edges, &drawn), (vec![(0, 2), (1, 2)], false));
    }

    #[test]
    fn a_port_leads_to_a_process() {
        let line = header(3, "line", Vec::new());
        assert_eq!(ports(Shape::Edges, &line), [vec![1], vec![0, 2], vec![1]]);
        let turned = Header { ports: vec![vec![0], vec![1, 0], vec![0]], ..line };
        assert_eq!(ports(Shape::Edges, &turned), [vec![1], vec![2, 0], vec![1]]);
        assert_eq!(ports(Shape::Edges, &header(3, "complete", Vec::new())), [[1, 2], [2, 0], [0, 1]]);
        assert_eq!(ports(Shape::Named, &header(3, "complete", Vec::new())), Vec::<Vec<u32>>::new());
    }
}
