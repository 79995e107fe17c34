//! Trees: the neighbours of each process, in increasing order.

#[cfg(test)]
mod tests;

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
