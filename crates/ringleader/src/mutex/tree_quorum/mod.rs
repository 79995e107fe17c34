//! Agrawal–El Abbadi: the processes form a tree, and a path from the root to a leaf is a quorum.
//!
//! **Idea.** The processes form a complete binary tree. A process asks those on a path from the root to a leaf for
//! their votes, and enters when it has them all; voting is as in Maekawa's algorithm. Where a process is down, paths
//! below both of its children take its place.
//!
//! **Needs.** What Maekawa's needs, and n = 2ᵏ − 1 processes for a complete binary tree. Who is down must be known
//! before asking; as it runs here it takes whole paths, and nobody may fail.
//!
//! **Cost.** with quorums of log2(n+1): for each other process of the quorum 3 undisturbed, at most 6 in the mean of a
//! run; at most two message delays from an exit to the next entry
//!
//! **Source.** D. Agrawal, A. El Abbadi, ACM TOCS 9(1):1-20, 1991
//!
//! Any two paths have the root in common, which therefore votes on every request.
//!
//! ```
//! use ringleader::{mutex::TreeQuorum, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![0, 0, 0, 1, 0, 0, 0]), ..Workload::default() };
//! let run = sim::run_exclusion::<TreeQuorum>(&Scenario { workload, ..Scenario::new(7) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 3 * 2); // a leaf, its parent and the root
//! ```

use crate::model::*;
use crate::mutex::{Quorums, Voting};

/// Voting with paths of a tree.
pub type TreeQuorum = Voting<Paths>;

/// Paths from the root to a leaf of a complete binary tree. The tree is numbered as a heap is: the children of process
/// i − 1 are 2i − 1 and 2i. The leaves of n processes are the last (n+1)/2, and the path of process i − 1 leads to leaf
/// i mod (n+1)/2, counted from 0: a leaf's own path ends in itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Paths;

impl Quorums for Paths {
    const SPEC: Spec = Spec::exclusion("tree-quorum", 1991, include_str!("mod.rs"))
        .family(Family::Quorum)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .processes(Processes::CompleteTree)
        .talks(Talks::ToFew)
        .proved("counting: six at each voter, as Maekawa")
        .at_most_per_entry("6 log2(n+1) per entry", |n| 6 * u64::from((n + 1).ilog2()))
        .example("-n 7");

    fn of(me: Peer, n: Size) -> Vec<Peer> {
        let mut quorum: Vec<Peer> = path(leaf(me, n)).map(|node| Peer(node - 1)).collect();
        quorum.reverse();
        quorum
    }
}

/// The heap number, from 1, of the leaf at which the path of a process ends.
fn leaf(Peer(me): Peer, Size(n): Size) -> u32 {
    let leaves = n / 2 + 1;
    leaves + (me + 1) % leaves
}

/// The heap numbers from a node up to the root.
fn path(node: u32) -> impl Iterator<Item = u32> {
    core::iter::successors(Some(node), |node| (*node > 1).then_some(node / 2))
}

/// A quorum without the processes that are down, in increasing order; none if they are too many. It is the path of `me`
/// as far as that is up: a process that is down is replaced by quorums of both of its subtrees, and where the subtree
/// on the path has none, the other one is taken. Any two sets that can come out, whoever asks and whoever is down, have
/// a process in common.
#[must_use]
pub fn live_quorum(me: Peer, n: Size, is_down: impl Fn(Peer) -> bool) -> Option<Vec<Peer>> {
    let mut quorum = Vec::new();
    let found = gather(1, leaf(me, n), n, &is_down, &mut quorum);
    quorum.sort_unstable();
    found.then_some(quorum)
}

/// Adds a quorum of the subtree under `node`, on the way to `leaf` if that is below it. Whether there is one; if not,
/// nothing is added.
fn gather(node: u32, leaf: u32, n: Size, is_down: &impl Fn(Peer) -> bool, quorum: &mut Vec<Peer>) -> bool {
    let process = Peer(node - 1);
    let is_leaf = node > n.0 / 2;
    let before = quorum.len();
    let right_first = path(leaf).any(|step| step == 2 * node + 1);
    let (near, far) = if right_first { (2 * node + 1, 2 * node) } else { (2 * node, 2 * node + 1) };
    let found = match (is_down(process), is_leaf) {
        (false, true) => true,
        (true, true) => false,
        (false, false) => gather(near, leaf, n, is_down, quorum) || gather(far, leaf, n, is_down, quorum),
        (true, false) => gather(near, leaf, n, is_down, quorum) && gather(far, leaf, n, is_down, quorum),
    };
    if !found {
        quorum.truncate(before);
    } else if !is_down(process) {
        quorum.push(process);
    }
    found
}
