//! Rings. Index i + 1 mod n is the next, clockwise. A ring of one is a self-loop; a ring of two has two parallel links.

use super::{Network, Plan, Wired};
use crate::model::{Next, Side};

/// A one-way ring: messages travel clockwise.
#[derive(Clone, Copy, Debug)]
pub struct OneWay {
    n: u32,
}

impl Network<Next> for OneWay {
    fn degree(&self, _: u32) -> u32 {
        1
    }

    #[inline]
    fn route(&self, from: u32, _: Next) -> (u32, Next) {
        let next = from + 1;
        (if next == self.n { 0 } else { next }, Next)
    }

    fn past(&self, at: u32, _: Next) -> Option<(u32, Next)> {
        Some(self.route(at, Next))
    }

    fn stride(&self) -> u64 {
        1
    }
}

impl Wired for Next {
    type Net = OneWay;
    fn wire(plan: &Plan) -> OneWay {
        OneWay { n: plan.n }
    }
}

/// A two-way ring. The physical port 0 leads clockwise; a process whose sides are swapped calls it its left.
#[derive(Clone, Debug)]
pub struct TwoWay {
    n: u32,
    /// Whether the sides of each process are swapped; empty if nobody's are.
    swapped: Vec<bool>,
}

impl TwoWay {
    #[inline]
    fn is_swapped(&self, index: u32) -> bool {
        !self.swapped.is_empty() && self.swapped[index as usize]
    }
}

impl Network<Side> for TwoWay {
    fn degree(&self, _: u32) -> u32 {
        2
    }

    #[inline]
    fn route(&self, from: u32, out: Side) -> (u32, Side) {
        let clockwise = (out == Side::Right) != self.is_swapped(from);
        let to = if clockwise {
            if from + 1 == self.n { 0 } else { from + 1 }
        } else if from == 0 {
            self.n - 1
        } else {
            from - 1
        };
        // What travels clockwise arrives at the physical port 1.
        let arrival = if clockwise != self.is_swapped(to) { Side::Left } else { Side::Right };
        (to, arrival)
    }

    fn past(&self, at: u32, arrival: Side) -> Option<(u32, Side)> {
        Some(self.route(at, arrival.other()))
    }

    fn stride(&self) -> u64 {
        2
    }
}

impl Wired for Side {
    type Net = TwoWay;
    fn wire(plan: &Plan) -> TwoWay {
        TwoWay { n: plan.n, swapped: plan.ports.iter().map(|ports| ports[0] == 1).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Port;

    fn plan(n: u32, swapped: &[u32]) -> Plan {
        let ports = (0..n).map(|i| if swapped.contains(&i) { vec![1, 0] } else { vec![0, 1] }).collect();
        Plan { n, ports, neighbours: Vec::new() }
    }

    #[test]
    fn a_ring_of_one_is_a_self_loop() {
        assert_eq!(Next::wire(&plan(1, &[])).route(0, Next), (0, Next));
        let two_way = Side::wire(&plan(1, &[]));
        assert_eq!(two_way.route(0, Side::Right), (0, Side::Left));
        assert_eq!(two_way.route(0, Side::Left), (0, Side::Right));
    }

    #[test]
    fn a_ring_of_two_has_two_parallel_links() {
        let ring = Side::wire(&plan(2, &[]));
        assert_eq!(ring.route(0, Side::Right), (1, Side::Left));
        assert_eq!(ring.route(0, Side::Left), (1, Side::Right));
        assert_eq!(ring.route(1, Side::Right), (0, Side::Left));
    }

    #[test]
    fn the_wire_leads_past_a_process_whatever_its_labels() {
        for mask in 0..1u32 << 4 {
            let swapped: Vec<u32> = (0..4).filter(|i| mask >> i & 1 == 1).collect();
            let ring = Side::wire(&plan(4, &swapped));
            for (from, out) in (0..4).flat_map(|i| Side::BOTH.map(|side| (i, side))) {
                let (to, arrival) = ring.route(from, out);
                let (beyond, end) = ring.past(to, arrival).unwrap();
                assert_eq!((from + 2) % 4, beyond, "two places on, whichever way");
                assert_eq!(ring.past(to, ring.route(beyond, end).1), Some((from, out)), "and back");
            }
        }
        assert_eq!(Next::wire(&plan(3, &[])).past(2, Next), Some((0, Next)));
    }

    #[test]
    fn every_edge_leads_back_whatever_the_labels() {
        for n in 1..6 {
            for mask in 0..1u32 << n {
                let swapped: Vec<u32> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
                let ring = Side::wire(&plan(n, &swapped));
                for i in 0..n {
                    for side in Side::BOTH {
                        let (to, arrival) = ring.route(i, side);
                        assert_eq!(ring.route(to, arrival), (i, side), "n={n} swapped={swapped:?}");
                        assert!(Port::index(arrival) < 2);
                    }
                }
            }
        }
    }
}
