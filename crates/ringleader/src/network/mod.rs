//! Networks and placements: who is connected with whom, how ports are numbered, who gets which identity.

pub mod arrangement;
mod graph;
mod memory;
mod ring;
pub mod tree;
mod wiring;

pub use graph::{Graph, Named};
pub use memory::NoLinks;
pub use ring::{OneWay, TwoWay};
pub(crate) use wiring::{Link, Wiring, has_numbered_ports, port_count};

use crate::model::Port;
use crate::rng::{Purpose, Rng};

/// The wiring behind a port type.
pub trait Network<P: Port>: Send + Sync {
    /// The number of ports of a process.
    fn degree(&self, index: u32) -> u32;
    /// Where a message goes that leaves `from` by `out`, and the port at which it arrives there.
    fn route(&self, from: u32, out: P) -> (u32, P);
    /// Where a message goes on that reached `at` by `arrival`, if the wire leads past that process; none where there is
    /// no way past.
    fn past(&self, at: u32, arrival: P) -> Option<(u32, P)> {
        let _ = (at, arrival);
        None
    }
    /// A number above every port number: links are numbered `to * stride + arrival port`.
    fn stride(&self) -> u64;

    /// The number of the link that ends at this port of this process.
    #[inline]
    fn link(&self, to: u32, arrival: P) -> u64 {
        u64::from(to) * self.stride() + u64::from(arrival.index())
    }

    /// Where a link ends.
    #[inline]
    fn end(&self, link: u64) -> (u32, P) {
        ((link / self.stride()) as u32, P::from_index((link % self.stride()) as u32))
    }
}

/// A port type that can be wired up. Those of the model can.
pub trait Wired: Port {
    /// The network behind it.
    type Net: Network<Self> + Clone + std::fmt::Debug;
    /// Builds the network.
    fn wire(plan: &Plan) -> Self::Net;
}

/// What a network is built from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The number of processes.
    pub n: u32,
    /// For each process the physical port behind each of its port numbers; empty if they are equal everywhere.
    pub ports: Vec<Vec<u32>>,
    /// The neighbours of each process; empty for rings and complete graphs.
    pub neighbours: Vec<Vec<u32>>,
}

/// Port numbers drawn independently for each process, given the degrees.
#[must_use]
pub fn random_ports(degrees: &[u32], seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Rng::new(seed, Purpose::Ports);
    degrees
        .iter()
        .map(|&degree| {
            let mut ports: Vec<u32> = (0..degree).collect();
            rng.shuffle(&mut ports);
            ports
        })
        .collect()
}
