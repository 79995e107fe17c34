//! A network with its type of ports erased: ports are numbers.

#[cfg(test)]
mod tests;

use super::{Graph, Named, Network, NoLinks, OneWay, Plan, TwoWay, Wired};
use crate::model::{Edge, Never, Next, Peer, Port, Shape, Side};

/// The wiring of any kind of network.
#[derive(Clone, Debug)]
pub(crate) enum Wiring {
    OneWay(OneWay),
    TwoWay(TwoWay),
    Graph(Graph),
    Named(Named),
    Memory(NoLinks),
}

/// A link, by where it ends: links are in the order of processes and their ports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub(crate) struct Link(u64);

impl Link {
    /// The link that ends at this port of this process.
    #[inline]
    pub(crate) fn new(to: u32, port: u32) -> Link {
        Link(u64::from(to) << 32 | u64::from(port))
    }

    /// The process at its end.
    #[inline]
    pub(crate) fn to(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The port at its end.
    #[inline]
    pub(crate) fn port(self) -> u32 {
        self.0 as u32
    }

    /// As one number.
    #[inline]
    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

/// Asks the network, whichever it is.
macro_rules! ask {
    ($wiring:ident, $net:ident => $answer:expr) => {
        match $wiring {
            Wiring::OneWay($net) => $answer,
            Wiring::TwoWay($net) => $answer,
            Wiring::Graph($net) => $answer,
            Wiring::Named($net) => $answer,
            Wiring::Memory($net) => $answer,
        }
    };
}

impl Wiring {
    /// Of a network of this kind.
    pub(crate) fn new(shape: Shape, plan: &Plan) -> Wiring {
        match shape {
            Shape::OneWayRing => Wiring::OneWay(Next::wire(plan)),
            Shape::TwoWayRing => Wiring::TwoWay(Side::wire(plan)),
            Shape::Edges => Wiring::Graph(Edge::wire(plan)),
            Shape::Named => Wiring::Named(Peer::wire(plan)),
            Shape::Memory => Wiring::Memory(Never::wire(plan)),
        }
    }

    /// The number of ports of a process.
    pub(crate) fn degree(&self, index: u32) -> u32 {
        ask!(self, net => net.degree(index))
    }

    /// The ports of a process, in increasing order. Where processes are known by name, a port has the name of the one
    /// behind it.
    pub(crate) fn ports(&self, from: u32) -> Vec<u32> {
        let degree = self.degree(from);
        match self {
            Wiring::Named(_) => (0..=degree).filter(|&to| to != from).collect(),
            Wiring::OneWay(_) | Wiring::TwoWay(_) | Wiring::Graph(_) | Wiring::Memory(_) => {
                (0..degree).collect()
            }
        }
    }

    /// Where a message goes that leaves a process by a port.
    #[inline]
    pub(crate) fn route(&self, from: u32, out: u32) -> Link {
        fn of<P: Port>(net: &impl Network<P>, from: u32, out: u32) -> Link {
            let (to, arrival) = net.route(from, P::from_index(out));
            Link::new(to, arrival.index())
        }
        ask!(self, net => of(net, from, out))
    }

    /// Where several messages go, each of which leaves a process by a port: each is handed on with its link.
    #[inline]
    pub(crate) fn route_all<T>(
        &self,
        sends: impl Iterator<Item = (u32, u32, T)>,
        mut hand_on: impl FnMut(Link, T),
    ) {
        macro_rules! all {
            ($net:ident, $port:ident) => {
                for (from, out, message) in sends {
                    let (to, arrival) = $net.route(from, $port::from_index(out));
                    hand_on(Link::new(to, arrival.index()), message);
                }
            };
        }
        match self {
            Wiring::OneWay(net) => all!(net, Next),
            Wiring::TwoWay(net) => all!(net, Side),
            Wiring::Graph(net) => all!(net, Edge),
            Wiring::Named(net) => all!(net, Peer),
            Wiring::Memory(_) => debug_assert_eq!(sends.count(), 0, "there are no links"),
        }
    }

    /// Where a message goes on that would arrive there, if the wire leads past that process.
    pub(crate) fn past(&self, link: Link) -> Option<Link> {
        fn of<P: Port>(net: &impl Network<P>, link: Link) -> Option<Link> {
            let (to, arrival) = net.past(link.to(), P::from_index(link.port()))?;
            Some(Link::new(to, arrival.index()))
        }
        ask!(self, net => of(net, link))
    }

    /// A number above every port number.
    pub(crate) fn stride(&self) -> u32 {
        ask!(self, net => net.stride() as u32)
    }
}

/// The number of ports of a process in a network of this kind; trees list the neighbours.
pub(crate) fn port_count(shape: Shape, n: u32, neighbours: &[Vec<u32>], index: usize) -> u32 {
    match shape {
        Shape::OneWayRing => 1,
        Shape::TwoWayRing => 2,
        Shape::Named => n - 1,
        Shape::Memory => 0,
        Shape::Edges => neighbours.get(index).map_or(n - 1, |list| list.len() as u32),
    }
}

/// Whether ports have numbers, which may be given in several ways.
pub(crate) fn has_numbered_ports(shape: Shape) -> bool {
    match shape {
        Shape::TwoWayRing | Shape::Edges => true,
        Shape::OneWayRing | Shape::Named | Shape::Memory => false,
    }
}
