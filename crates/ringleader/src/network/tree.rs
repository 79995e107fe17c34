//! Trees: the neighbours of each process, in increasing order.

use crate::rng::{Purpose, Rng};

/// 0 - 1 - 2 - ...
#[must_use]
pub fn line(n: u32) -> Vec<Vec<u32>> {
    from_parents(n, |i| i - 1)
}

/// Index 0 in the middle.
#[must_use]
pub fn star(n: u32) -> Vec<Vec<u32>> {
    from_parents(n, |_| 0)
}

/// A binary tree, numbered as a heap: the children of i are 2i + 1 and 2i + 2.
#[must_use]
pub fn binary(n: u32) -> Vec<Vec<u32>> {
    from_parents(n, |i| (i - 1) / 2)
}

/// A random recursive tree: each process hangs on a uniformly random one of those before it.
#[must_use]
pub fn random(n: u32, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Rng::new(seed, Purpose::Graph);
    from_parents(n, |i| rng.below(u64::from(i)) as u32)
}

fn from_parents(n: u32, mut parent: impl FnMut(u32) -> u32) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); n as usize];
    for i in 1..n {
        let above = parent(i);
        neighbours[i as usize].push(above);
        neighbours[above as usize].push(i);
    }
    neighbours
}

/// For each process the port (an index into its neighbours) that leads towards index 0; none at index 0.
#[must_use]
pub fn towards_root(neighbours: &[Vec<u32>]) -> Vec<Option<u32>> {
    let mut towards = vec![None; neighbours.len()];
    let mut reached = vec![false; neighbours.len()];
    let mut frontier = Vec::new();
    if let Some(root) = reached.first_mut() {
        *root = true;
        frontier.push(0u32);
    }
    while let Some(at) = frontier.pop() {
        for &next in &neighbours[at as usize] {
            if !reached[next as usize] {
                reached[next as usize] = true;
                let back = neighbours[next as usize].iter().position(|&k| k == at);
                towards[next as usize] = back.map(|port| port as u32);
                frontier.push(next);
            }
        }
    }
    towards
}

/// The most edges between two processes of a tree: from anybody to the furthest, and from there to the furthest again.
#[must_use]
pub fn diameter(neighbours: &[Vec<u32>]) -> u64 {
    let furthest = |from: u32| {
        let mut far = (0u64, from);
        let mut waiting = vec![(from, from, 0u64)];
        while let Some((at, before, steps)) = waiting.pop() {
            far = far.max((steps, at));
            let onwards = neighbours[at as usize].iter().filter(|&&next| next != before);
            waiting.extend(onwards.map(|&next| (next, at, steps + 1)));
        }
        far
    };
    if neighbours.is_empty() { 0 } else { furthest(furthest(0).1).0 }
}

/// Whether these lists of neighbours are mutual, connected and without a cycle.
#[must_use]
pub fn is_tree(neighbours: &[Vec<u32>]) -> bool {
    let n = neighbours.len();
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (i, list) in neighbours.iter().enumerate() {
        edges.extend(list.iter().map(|&to| (i as u32, to)));
    }
    let mut back: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (to, from)).collect();
    edges.sort_unstable();
    back.sort_unstable();
    let in_range = edges.iter().all(|&(_, to)| (to as usize) < n);
    let no_doubles = edges.windows(2).all(|pair| pair[0] != pair[1]);
    if !in_range || !no_doubles || edges != back || edges.len() != 2 * n.saturating_sub(1) {
        return false;
    }
    // n - 1 edges that reach everybody are a tree.
    towards_root(neighbours).iter().skip(1).all(Option::is_some)
}

#[cfg(test)]
mod tests {
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
}
