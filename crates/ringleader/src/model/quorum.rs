//! Quorums: sets of processes of which any two have one in common. Lines of finite projective planes, which are as
//! small as that can be, and rows with columns of a grid.

use super::{Peer, Size};

/// Perfect difference sets: every number 1 .. n−1 is the difference modulo n of exactly one pair. The translates of
/// such a set are the lines of a plane of order q, with q + 1 points each, and any two have exactly one in common.
const PLANES: &[(u32, &[u32])] = &[
    (3, &[0, 1]),
    (7, &[0, 1, 3]),
    (13, &[0, 1, 3, 9]),
    (21, &[0, 1, 4, 14, 16]),
    (31, &[0, 1, 3, 8, 12, 18]),
    (57, &[0, 1, 3, 13, 32, 36, 43, 52]),
    (73, &[0, 1, 3, 7, 15, 31, 36, 54, 63]),
    (91, &[0, 1, 3, 9, 27, 49, 56, 61, 77, 81]),
    (133, &[0, 1, 3, 12, 20, 34, 38, 81, 88, 94, 104, 109]),
    (183, &[0, 1, 3, 16, 23, 28, 42, 76, 82, 86, 119, 137, 154, 175]),
    (273, &[0, 1, 3, 7, 15, 31, 63, 90, 116, 127, 136, 181, 194, 204, 233, 238, 255]),
    (307, &[0, 1, 3, 21, 25, 31, 68, 77, 91, 170, 177, 185, 196, 212, 225, 257, 269, 274]),
    (381, &[0, 1, 3, 12, 17, 65, 75, 94, 117, 124, 132, 145, 163, 167, 200, 271, 297, 303, 337, 357]),
];

/// The difference set for n, if n is the size of a plane in the table.
fn line(n: u32) -> Option<&'static [u32]> {
    PLANES.iter().find(|(size, _)| *size == n).map(|(_, line)| *line)
}

/// How wide the grid is: ⌈√n⌉.
fn width(n: u32) -> u32 {
    let root = n.isqrt();
    if root * root < n { root + 1 } else { root }
}

/// The size of the largest quorum of [`line_or_grid`]: q + 1 on planes, the first row and column of a grid.
#[must_use]
pub fn largest_quorum(n: u32) -> u64 {
    match line(n) {
        Some(line) => line.len() as u64,
        None => (u64::from(width(n)) + u64::from(n.div_ceil(width(n).max(1)))).saturating_sub(1),
    }
}

/// The quorum of a process among so many, in increasing order: a line of a plane for n = q² + q + 1, as far as the
/// table goes, its row and column in a grid for all other n.
#[must_use]
pub fn line_or_grid(Peer(me): Peer, Size(n): Size) -> Vec<Peer> {
    let mut quorum: Vec<u32> = match line(n) {
        Some(line) => line.iter().map(|difference| (me + difference) % n).collect(),
        None => {
            let width = width(n).max(1);
            let begin = me - me % width;
            let row = begin..n.min(begin + width);
            let column = (me % width..n).step_by(width as usize);
            row.chain(column.filter(|&member| member != me)).collect()
        }
    };
    quorum.sort_unstable();
    quorum.into_iter().map(Peer).collect()
}
