//! Every edge leads back.

use super::*;
use crate::network::{random_ports, tree};

fn every_edge_leads_back(graph: &Graph, n: u32) {
    for i in 0..n {
        for port in 0..graph.degree(i) {
            let (to, arrival) = graph.route(i, Edge(port));
            assert_ne!(to, i);
            assert_eq!(graph.route(to, arrival), (i, Edge(port)));
        }
    }
}

#[test]
fn complete_graphs_lead_back() {
    for n in 1..7 {
        let plain = Plan { n, ports: Vec::new(), neighbours: Vec::new() };
        every_edge_leads_back(&Edge::wire(&plain), n);
        let drawn = Plan { ports: random_ports(&vec![n - 1; n as usize], 3), ..plain };
        every_edge_leads_back(&Edge::wire(&drawn), n);
    }
    let graph = Edge::wire(&Plan { n: 5, ports: Vec::new(), neighbours: Vec::new() });
    assert_eq!(graph.route(3, Edge(0)).0, 4);
    assert_eq!(graph.route(3, Edge(1)).0, 0);
}

#[test]
fn trees_lead_back() {
    for neighbours in [tree::line(6), tree::star(6), tree::binary(6), tree::random(6, 1)] {
        let degrees: Vec<u32> = neighbours.iter().map(|list| list.len() as u32).collect();
        let ports = random_ports(&degrees, 8);
        every_edge_leads_back(
            &Edge::wire(&Plan { n: 6, ports: Vec::new(), neighbours: neighbours.clone() }),
            6,
        );
        every_edge_leads_back(&Edge::wire(&Plan { n: 6, ports, neighbours }), 6);
    }
}
