//! Every way along a ring leads back.

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
fn wire_passes_processes_whatever_the_labels() {
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
