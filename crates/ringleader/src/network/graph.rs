//! Graphs with numbered edges (complete graphs, trees), and the complete graph in which everybody has a name.

#[cfg(test)]
mod tests;

use super::{Network, Plan, Wired};
use crate::model::{Edge, Peer};

/// A graph with numbered edges.
#[derive(Clone, Debug)]
pub enum Graph {
    /// Everybody with everybody; the physical port p of i leads to i + 1 + p mod n.
    Complete {
        /// The number of processes.
        n: u32,
        /// The physical port behind each port number of each process, and the way back; empty if they are equal.
        ports: Vec<Renumbered>,
    },
    /// Listed neighbours: trees.
    Listed {
        /// For each process and port, one after the other: the neighbour, and the port at which messages arrive there.
        ends: Vec<(u32, u32)>,
        /// Where those of each process begin, and at last their number.
        begin: Vec<u32>,
        /// The largest degree.
        stride: u32,
    },
}

/// How a process numbers its ports.
#[derive(Clone, Debug)]
pub struct Renumbered {
    /// The physical port behind each port number.
    physical: Vec<u32>,
    /// The port number of each physical port.
    number: Vec<u32>,
}

impl Renumbered {
    fn new(physical: &[u32]) -> Renumbered {
        let mut number = vec![0; physical.len()];
        for (port, &behind) in physical.iter().enumerate() {
            number[behind as usize] = port as u32;
        }
        Renumbered { physical: physical.to_vec(), number }
    }
}

impl Network<Edge> for Graph {
    fn degree(&self, index: u32) -> u32 {
        match self {
            Graph::Complete { n, .. } => n - 1,
            Graph::Listed { begin, .. } => begin[index as usize + 1] - begin[index as usize],
        }
    }

    fn route(&self, from: u32, out: Edge) -> (u32, Edge) {
        match self {
            Graph::Complete { n, ports } => {
                let physical =
                    if ports.is_empty() { out.0 } else { ports[from as usize].physical[out.0 as usize] };
                let to = ((u64::from(from) + 1 + u64::from(physical)) % u64::from(*n)) as u32;
                let back = ((u64::from(from) + u64::from(*n) - 1 - u64::from(to)) % u64::from(*n)) as u32;
                (to, Edge(if ports.is_empty() { back } else { ports[to as usize].number[back as usize] }))
            }
            Graph::Listed { ends, begin, .. } => {
                let (to, arrival) = ends[(begin[from as usize] + out.0) as usize];
                (to, Edge(arrival))
            }
        }
    }

    fn stride(&self) -> u64 {
        match self {
            Graph::Complete { n, .. } => u64::from(*n),
            Graph::Listed { stride, .. } => u64::from(*stride).max(1),
        }
    }
}

impl Wired for Edge {
    type Net = Graph;
    fn wire(plan: &Plan) -> Graph {
        if plan.neighbours.is_empty() {
            return Graph::Complete {
                n: plan.n,
                ports: plan.ports.iter().map(|p| Renumbered::new(p)).collect(),
            };
        }
        let neighbour = |i: usize, port: usize| {
            let physical = plan.ports.get(i).map_or(port, |ports| ports[port] as usize);
            plan.neighbours[i][physical]
        };
        let degree = |i: usize| plan.neighbours[i].len();
        // Every edge from both ends, sorted by its lower and its upper end: the two stand side by side.
        let mut halves: Vec<((u32, u32), u32, u32)> = Vec::new();
        for i in 0..plan.n {
            for port in 0..degree(i as usize) {
                let to = neighbour(i as usize, port);
                halves.push(((i.min(to), i.max(to)), i, port as u32));
            }
        }
        halves.sort_unstable();
        let mut begin = vec![0_u32];
        for i in 0..plan.n as usize {
            begin.push(begin[i] + degree(i) as u32);
        }
        let mut ends = vec![(0, 0); begin[plan.n as usize] as usize];
        for pair in halves.chunks_exact(2) {
            let ((_, low, low_port), (_, high, high_port)) = (pair[0], pair[1]);
            ends[(begin[low as usize] + low_port) as usize] = (high, high_port);
            ends[(begin[high as usize] + high_port) as usize] = (low, low_port);
        }
        let stride = (0..plan.n as usize).map(degree).max().unwrap_or(0) as u32;
        Graph::Listed { ends, begin, stride }
    }
}

/// The complete graph in which everybody knows everybody by name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    n: u32,
}

impl Network<Peer> for Named {
    fn degree(&self, _: u32) -> u32 {
        self.n - 1
    }
    fn route(&self, from: u32, out: Peer) -> (u32, Peer) {
        (out.0, Peer(from))
    }
    fn stride(&self) -> u64 {
        u64::from(self.n)
    }
}

impl Wired for Peer {
    type Net = Named;
    fn wire(plan: &Plan) -> Named {
        Named { n: plan.n }
    }
}
