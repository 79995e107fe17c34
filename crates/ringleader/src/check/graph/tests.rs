//! Sums along edges, and components.

use super::*;

fn graph(lists: &[&[u32]]) -> Graph {
    let mut graph = Graph { begins: vec![0], ..Graph::default() };
    for list in lists {
        let edge = |&target: &u32| Edge::new(target, target as u16, 1, true);
        graph.edges.extend(list.iter().map(edge));
        graph.begins.push(graph.edges.len() as u64);
    }
    graph
}

#[test]
fn sums_and_orders() {
    let dag = graph(&[&[1, 2], &[3], &[3], &[]]);
    let order = dag.order().unwrap();
    let sums = dag.sums(&order, &[3]).unwrap();
    assert_eq!(sums, Sums { messages: (4, 5), elections: (2, 3) });
    assert_eq!(dag.least(&[3]), Some((4, 2)));
    assert_eq!(dag.extreme(&order, &[3], true), Some(vec![0, 2, 3]));
    assert_eq!(dag.extreme(&order, &[3], false), Some(vec![0, 1, 3]));
    assert!(graph(&[&[1], &[0]]).order().is_none());
}

#[test]
fn components_come_in_order() {
    let cyclic = graph(&[&[1], &[2], &[1, 3], &[4], &[3], &[]]);
    let (component, count) = cyclic.components(&|_, _| true);
    assert_eq!(count, 4);
    assert_eq!(component[1], component[2]);
    assert_eq!(component[3], component[4]);
    assert!(component[0] > component[1] && component[1] > component[3]);
    assert_ne!(component[5], component[3]);
    let (_, apart) = cyclic.components(&|from, _| from != 2);
    assert_eq!(apart, 5);
}
