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
    let mut frontier = vec![0u32];
    if let Some(root) = reached.first_mut() {
        *root = true;
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_way_to_the_root() {
        assert_eq!(towards_root(&binary(4)), [None, Some(0), Some(0), Some(0)]);
        assert_eq!(towards_root(&line(3)), [None, Some(0), Some(0)]);
    }
}
