//! What is a tree, and what is known of one.

use super::*;

#[test]
fn trees_and_others() {
    for neighbours in [line(7), star(7), binary(7), random(7, 3), line(1)] {
        assert!(is_tree(&neighbours));
    }
    assert!(!is_tree(&[vec![1], vec![]]), "not mutual");
    assert!(!is_tree(&[vec![1, 2], vec![0, 2], vec![0, 1]]), "a cycle");
    assert!(!is_tree(&[vec![9]]), "out of range");
    assert!(!is_tree(&[vec![1], vec![0], vec![3, 3], vec![2, 2]]), "doubled");
    assert!(!is_tree(&[vec![1], vec![0], vec![3], vec![2]]), "in two parts");
}

#[test]
fn shapes() {
    assert_eq!(line(3), [vec![1], vec![0, 2], vec![1]]);
    assert_eq!(star(3), [vec![1, 2], vec![0], vec![0]]);
    assert_eq!(binary(4), [vec![1, 2], vec![0, 3], vec![0], vec![1]]);
    assert_eq!(line(1), [Vec::<u32>::new()]);
    let edges: usize = random(50, 4).iter().map(Vec::len).sum();
    assert_eq!(edges, 2 * 49);
}

#[test]
fn the_longest_way() {
    assert_eq!(
        [line(5), star(5), binary(7), binary(6), line(2), line(1)].map(|t| diameter(&t)),
        [4, 2, 4, 4, 1, 0]
    );
}

#[test]
fn the_way_to_the_root() {
    assert_eq!(towards_root(&binary(4)), [None, Some(0), Some(0), Some(0)]);
    assert_eq!(towards_root(&line(3)), [None, Some(0), Some(0)]);
}
