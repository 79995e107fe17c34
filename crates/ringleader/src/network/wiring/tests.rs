//! A network without its type leads where the typed one does.

use super::*;

#[test]
fn erased_networks_route_as_typed_ones() {
    let plan = Plan { n: 5, ports: Vec::new(), neighbours: Vec::new() };
    let two_way = Wiring::new(Shape::TwoWayRing, &plan);
    let typed = Side::wire(&plan);
    for (from, side) in (0..5).flat_map(|from| Side::BOTH.map(|side| (from, side))) {
        let link = two_way.route(from, side.index());
        let (to, arrival) = typed.route(from, side);
        assert_eq!((link.to(), link.port()), (to, arrival.index()));
        let beyond = two_way.past(link).map(|link| (link.to(), link.port()));
        assert_eq!(beyond, typed.past(to, arrival).map(|(to, arrival)| (to, arrival.index())));
    }
    let named = Wiring::new(Shape::Named, &plan);
    assert_eq!(named.route(3, 1), Link::new(1, 3));
    assert_eq!((named.stride(), named.degree(0), named.past(Link::new(1, 3))), (5, 4, None));
}
