//! Coins, schedulers that choose between coins, and loops that chance leaves.

use super::super::graph::Edge;
use super::*;

/// States with actions with outcomes (target, probability).
fn actions(states: &[&[&[(u32, f64)]]]) -> Graph {
    let mut graph = Graph { begins: vec![0], ..Graph::default() };
    for actions in states {
        for outcomes in *actions {
            for (nth, &(target, chance)) in outcomes.iter().enumerate() {
                graph.edges.push(Edge::new(target, 1, 0, nth == 0));
                graph.chances.push(chance);
            }
        }
        graph.begins.push(graph.edges.len() as u64);
    }
    graph
}

#[test]
fn a_coin_until_heads() {
    let graph = actions(&[&[&[(0, 0.5), (1, 0.5)]], &[]]);
    let actions = Actions::new(&graph);
    assert!(actions.end_components().is_empty());
    for most in [false, true] {
        let value = actions.expected(&|_| 1.0, most).unwrap();
        assert!((value - 2.0).abs() < 1e-9, "{value}");
    }
}

#[test]
fn a_scheduler_chooses_between_two_coins() {
    let fair: &[(u32, f64)] = &[(0, 0.5), (1, 0.5)];
    let bad: &[(u32, f64)] = &[(0, 0.75), (1, 0.25)];
    let graph = actions(&[&[fair, bad], &[]]);
    let actions = Actions::new(&graph);
    assert!((actions.expected(&|_| 1.0, false).unwrap() - 2.0).abs() < 1e-9);
    assert!((actions.expected(&|_| 1.0, true).unwrap() - 4.0).abs() < 1e-9);
}

#[test]
fn staying_for_ever_is_seen() {
    let graph = actions(&[&[&[(0, 1.0)], &[(1, 1.0)]], &[]]);
    assert_eq!(Actions::new(&graph).end_components(), [true, false]);
    // A loop that chance leaves is none.
    let graph = actions(&[&[&[(1, 1.0)]], &[&[(0, 0.9), (2, 0.1)]], &[]]);
    assert!(Actions::new(&graph).end_components().is_empty());
}
